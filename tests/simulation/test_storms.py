"""Many clocks at once, gateways that die, matches that can't go on."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any, Final

import pytest

from sahrat.match import limits
from sahrat.match.play import Dealer
from sahrat.match.state import Phase
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.stored import Draft
from sahrat.messages.topics import partition_of
from tests.house.gateway import Gateway
from tests.house.house import House
from tests.house.simulated import simulated
from tests.unit.match.desk import FixedKeys, player

A: Final = player(1)
B: Final = player(2)


class Broken:
    """Keys under which one match has no dice."""

    def __init__(self, keys: FixedKeys) -> None:
        self._keys = keys
        self.broken = ""

    def newest(self, opened_ms: int) -> str:
        return self._keys.newest(opened_ms)

    def commitment(self, key_id: str, match_id: str) -> str:
        return self._keys.commitment(key_id, match_id)

    def dealer(self, key_id: str, match_id: str) -> Dealer:
        dealer = self._keys.dealer(key_id, match_id)
        return _NoDice(dealer) if match_id == self.broken else dealer


class _NoDice:
    def __init__(self, dealer: Dealer) -> None:
        self._dealer = dealer
        self.deal = dealer.deal
        self.reveal = dealer.reveal

    def chance(self, numbers: tuple[str, ...]) -> Any:
        raise RuntimeError("no dice")


@pytest.mark.parametrize("in_one_partition", [False, True])
@simulated
async def test_C45_a_thousand_steps_due_in_one_second_and_one_raises(
    house: House, gateway: Gateway, in_one_partition: bool
) -> None:
    keys = house.keys = Broken(FixedKeys())
    await house.kill("rules")
    house.start("rules")
    tables: list[str] = []
    while len(tables) < 1000:
        match_id = house.match_id()
        if not in_one_partition or partition_of(match_id) == 2:
            tables.append(await gateway.open(player(2 * len(tables)), match_id=match_id))
    for n, match_id in enumerate(tables):
        await gateway.join(match_id, player(2 * n + 1))
    await house.settle()
    broken = keys.broken = tables[500]
    await asyncio.sleep(14)
    assert not any(house.happened(match_id, m.StepTimedOut) for match_id in tables)
    await asyncio.sleep(2)
    for match_id in tables:
        out = house.happened(match_id, m.StepTimedOut)
        if match_id == broken:
            assert out == []
            continue
        deadline_ms = house.happened(match_id, m.StepOpened)[0][1].deadline_ms
        assert [event.step for _, event in out] == [1]
        assert out[0][0] - deadline_ms <= 1000
    ((_, stopped),) = house.happened(broken, m.MatchStopped)
    assert stopped.reason == "fault"
    answers = house.answers(partition_of(broken))
    assert [a.reason for a in answers if a.type == "refused"] == ["fault"] * 3
    house.pardoned = 3


@simulated
async def test_no_more_than_two_hundred_dues_wait(house: House, gateway: Gateway) -> None:
    tables: list[str] = []
    while len(tables) < 300:
        match_id = house.match_id()
        if partition_of(match_id) == 1:
            n = len(tables)
            tables.append(await gateway.table(player(2 * n), player(2 * n + 1), match_id=match_id))
    await asyncio.sleep(14.2)
    await house.kill("rules")
    await asyncio.sleep(0.9)
    assert len(house.intents(m.Due, 1)) == 200
    house.start("rules")
    await asyncio.sleep(1)
    assert len(house.intents(m.Due, 1)) == 300
    assert all(len(house.happened(match_id, m.StepTimedOut)) == 1 for match_id in tables)


@simulated
async def test_a_gateway_that_dies_leaves_nobody_seated(house: House, gateway: Gateway) -> None:
    """Rule S.5: its seats are away from then on; he who is back elsewhere is not."""
    other = await house.gateway()
    match_id = await gateway.table(A, B)
    partition = partition_of(match_id)
    await asyncio.sleep(2)
    await gateway.send(match_id, m.LineUp(player_id=B, line=other.line()))
    killed_ms = house.now_ms()
    await gateway.kill()
    await asyncio.sleep(8)
    ((away_ms, away),) = house.happened(match_id, m.PlayerAway)
    assert away.player_id == A
    assert 5000 <= away_ms - killed_ms <= 6200
    await asyncio.sleep(20)
    assert len(house.intents(m.GatewayLost)) == 1
    assert house.intents(m.GatewayLost)[0].partition == partition
    assert len(house.happened(match_id, m.PlayerAway)) == 1
    assert not house.happened(match_id, m.MatchResumed)


@simulated
async def test_a_gateway_is_named_lost_again_only_after_six_seconds(
    house: House, gateway: Gateway
) -> None:
    other = await house.gateway()
    match_id = await gateway.table(A, B)
    await gateway.kill()
    await asyncio.sleep(8)
    for _ in range(10):  # it was only cut off from the pulse topic: it says so again and again
        await gateway.send(match_id, m.LineUp(player_id=A, line=gateway.line()))
        await asyncio.sleep(2)
    times = [stored.at_ms for stored in house.intents(m.GatewayLost)]
    assert len(times) == 4
    assert min(after - before for before, after in pairwise(times)) >= 6000
    assert other.beats


@simulated
async def test_a_gateway_not_heard_yet_has_its_six_seconds(house: House, gateway: Gateway) -> None:
    late = Gateway(house, house.new_id())  # its first heartbeat is read after its first seat
    match_id = await late.table(A, B)
    await asyncio.sleep(5)
    await late.start()
    house.gateways.append(late)
    await house.kill("timer")
    house.start("timer")
    await asyncio.sleep(10)
    assert house.intents(m.GatewayLost) == []
    await late.kill()
    await house.kill("timer")
    house.start("timer")
    started_ms = house.now_ms()
    await asyncio.sleep(8)
    (lost,) = house.intents(m.GatewayLost)
    assert 6000 <= lost.at_ms - started_ms <= 7100
    assert len(house.happened(match_id, m.PlayerAway)) == 2
    assert gateway.beats


@simulated
async def test_no_gateway_is_called_lost_while_the_house_stands_still(
    house: House, gateway: Gateway
) -> None:
    match_id = await gateway.table(A, B)
    await house.kill("rules")
    await gateway.kill()
    await asyncio.sleep(30)
    again = await house.gateway()
    await asyncio.sleep(2)
    assert house.intents(m.GatewayLost) == []
    house.start("rules")
    await asyncio.sleep(2)
    assert len(house.intents(m.GatewayLost)) == 1
    assert len(house.happened(match_id, m.PlayerAway)) == 2
    assert again.beats


@pytest.mark.parametrize("part", ["rules", "timer"])
@simulated
async def test_a_match_that_stood_still_for_half_an_hour_is_stopped(
    house: House, gateway: Gateway, part: str
) -> None:
    """Rule T.1: nobody is timed out before the stop."""
    old = await gateway.table(A, B)
    await asyncio.sleep(1)
    opened = await gateway.open(player(3), players=4, fill_seconds=60)
    await house.kill(part)
    await asyncio.sleep(limits.STILL_MS / 1000 - 3.5)
    house.start(part)
    await asyncio.sleep(1.2)
    assert house.match(old).live
    await house.kill(part)
    await asyncio.sleep(2.5)
    house.start(part)
    await asyncio.sleep(3)
    ((_, stopped),) = house.happened(old, m.MatchStopped)
    assert stopped.reason == "stood_still"
    assert house.happened(old, m.StepTimedOut) == []
    assert house.match(opened).known.phase is Phase.OPEN
    assert len(house.intents(m.StopMatch)) == 1


@simulated
async def test_a_broken_clock_alone_stops_no_match(house: House, gateway: Gateway) -> None:
    """An hour forward is no half hour in which nothing moved."""
    match_id = await gateway.table(A, B)
    await asyncio.sleep(5)
    house.skew_ms = 3_600_000
    await asyncio.sleep(120)
    assert house.match(match_id).live
    assert house.intents(m.StopMatch) == []
    assert len(house.happened(match_id, m.StepTimedOut)) >= 6


@simulated
async def test_a_match_of_too_many_records_is_stopped(
    house: House, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "RECORDS", 200)
    match_id = await gateway.table(A, B)
    line = [gateway.line(), gateway.line()]
    for turn in range(limits.RECORDS - 3):
        await gateway.send(match_id, m.LineUp(player_id=A, line=line[turn % 2]))
    await house.settle()
    assert house.match(match_id).seq == limits.RECORDS - 1
    assert house.match(match_id).live
    await asyncio.sleep(1)
    await gateway.send(match_id, m.LineUp(player_id=B, line=gateway.line()))
    await asyncio.sleep(1)
    ((_, stopped),) = house.happened(match_id, m.MatchStopped)
    assert stopped.reason == "too_long"


@simulated
async def test_what_cannot_be_read_is_put_aside_and_its_neighbours_count(
    house: House, gateway: Gateway
) -> None:
    match_id = await gateway.table(A, B)
    partition = partition_of(match_id)
    for topic, number in ((topics.PULSE, 0), (topics.REFUSALS, partition)):
        await house.log.append(topic, number, [Draft(b"x", b"{"), Draft(b"x", b'{"v":true}')])
    await asyncio.sleep(16)
    assert len(house.happened(match_id, m.StepTimedOut)) == 1
    assert house.happened(match_id, m.MatchResumed) == []
    letters = [len(house.topic(topics.DEAD_LETTERS, shelf)) for shelf in range(3)]
    assert sum(letters) == 4
    house.pardoned = 4


@simulated
async def test_a_parked_match_is_left_alone(house: House, gateway: Gateway) -> None:
    good = await gateway.table(A, B)
    partition = partition_of(good)
    bad = house.match_id()
    while partition_of(bad) != partition:
        bad = house.match_id()
    await gateway.table(player(3), player(4), match_id=bad)
    house.damaged = bad
    await house.log.append(topics.EVENTS, partition, [Draft(bad.encode(), b"{")])
    await asyncio.sleep(31)
    assert len(house.happened(good, m.StepTimedOut)) == 2
    dues = house.intents(m.Due, partition)
    assert [stored for stored in dues if stored.key == bad.encode()] == []
    house.pardoned = 2  # the timer's and the bots'
