"""Coin tables in a whole house: funding, kills after the holds, a wallet that is away."""

from __future__ import annotations

import asyncio
from typing import Final

import pytest

from sahrat.match import limits
from sahrat.match.state import Phase
from sahrat.messages import match as m
from sahrat.messages.reasons import Reason
from sahrat.messages.topics import partition_of
from tests.house.audit import resumes
from tests.house.coins import audit_coins, moves
from tests.house.gateway import Gateway
from tests.house.house import House
from tests.house.simulated import simulated
from tests.unit.match.desk import player

FOUR: Final = tuple(player(n) for n in range(1, 5))
A, B = FOUR[:2]


def asked(house: House, match_id: str) -> list[str]:
    return [event.type for event in moves(house.records(match_id))]


@simulated
async def test_M4_entries_are_held_before_play_and_shared_out_after_it(
    house: House, gateway: Gateway
) -> None:
    house.start("purses")
    match_id = await gateway.table(*FOUR, entry=100)
    assert house.match(match_id).known.phase is Phase.PLAYING
    for player_id in FOUR[1:]:
        await gateway.send(match_id, m.LeaveTable(), player_id=player_id)
    await house.settle()
    assert asked(house, match_id) == ["funding.began", "entries.settled"]
    ((_, settled),) = house.happened(match_id, m.EntriesSettled)
    assert [(p.player_id, p.coins) for p in settled.prizes] == [(A, 360)]
    audit_coins(house)


@pytest.mark.parametrize("end", ["play", "stop"])
@simulated
async def test_C36_holds_outlive_the_death_of_every_worker(
    house: House, gateway: Gateway, end: str
) -> None:
    house.start("purses")
    match_id = await gateway.table(*FOUR, entry=100)
    attempt = house.match(match_id).known.attempt
    for name in ("rules", "timer", "bots", "purses"):
        await house.kill(name)
    await asyncio.sleep(120)
    for name in ("rules", "timer", "bots", "purses"):
        house.start(name)
    await asyncio.sleep(3)
    assert len(resumes(house, partition_of(match_id))) == 1
    state = house.match(match_id).known
    assert (state.phase, state.attempt) == (Phase.PLAYING, attempt)
    assert house.happened(match_id, m.StepTimedOut) == []
    if end == "stop":
        await gateway.stop(match_id)
        ((_, refunded),) = house.happened(match_id, m.EntriesRefunded)
        assert sorted(refunded.players) == sorted(FOUR)
        assert refunded.entry_coins == 100
    else:
        await asyncio.sleep(5)
        await gateway.act(match_id)
        for player_id in FOUR[:3]:
            await gateway.send(match_id, m.LeaveTable(), player_id=player_id)
        await house.settle()
    assert not house.match(match_id).live
    assert len(asked(house, match_id)) == 2
    audit_coins(house)


@simulated
async def test_K4_a_wallet_that_is_away_stops_no_clock_and_is_waited_for(
    house: House, gateway: Gateway
) -> None:
    playing = await _begun(house, gateway)
    waiting = await gateway.table(A, B, entry=10)
    await asyncio.sleep(20)
    assert house.match(waiting).known.phase is Phase.FUNDING
    assert len(house.happened(playing, m.StepTimedOut)) == 1
    house.start("purses")
    await house.settle()
    assert house.match(waiting).known.phase is Phase.PLAYING
    assert resumes(house, partition_of(waiting)) == []
    audit_coins(house)


@simulated
async def test_T1_a_funding_that_nobody_answers_is_stopped_after_30_minutes(
    house: House, gateway: Gateway
) -> None:
    match_id = await gateway.table(A, B, entry=10)
    await asyncio.sleep(limits.STILL_MS / 1000 - 1)
    assert house.match(match_id).known.phase is Phase.FUNDING
    await asyncio.sleep(3)
    assert asked(house, match_id) == ["funding.began", "entries.refunded"]
    ((_, stopped),) = house.happened(match_id, m.MatchStopped)
    assert stopped.reason == "stood_still"
    house.start("purses")  # it comes back, and answers what is long over
    await house.settle()
    audit_coins(house)


@simulated
async def test_T7_an_answer_to_a_funding_that_has_failed_is_stale(
    house: House, gateway: Gateway
) -> None:
    match_id = await gateway.table(A, B, entry=10)
    await gateway.lose(match_id, B)
    await asyncio.sleep(61)
    assert house.match(match_id).known.phase is Phase.OPEN
    await gateway.join(match_id, player(9))
    await house.settle()
    house.start("purses")  # it answers both attempts, in order
    await house.settle()
    state = house.match(match_id).known
    assert (state.phase, state.attempt) == (Phase.PLAYING, 5)
    refused = [a.reason for a in house.answers(partition_of(match_id)) if a.type == "refused"]
    assert refused == [Reason.STALE_FUNDING]
    assert asked(house, match_id) == ["funding.began", "funding.failed", "funding.began"]
    audit_coins(house)


@simulated
async def test_T7_a_wallet_that_is_started_again_answers_twice_with_one_effect(
    house: House, gateway: Gateway
) -> None:
    house.start("purses")
    match_id = await gateway.table(A, B, entry=10)
    seq = house.match(match_id).seq
    await house.kill("purses")
    house.start("purses")
    await house.settle()
    assert house.match(match_id).seq == seq
    (answer,) = [a for a in house.answers(partition_of(match_id)) if a.type != "ticked"]
    assert (answer.type, answer.seq) == ("repeated", 3)


@simulated
async def test_T7_who_has_not_enough_is_replaced_by_somebody_who_has(
    house: House, gateway: Gateway
) -> None:
    house.short = lambda began: [p for p in began.players if p == B]
    house.start("purses")
    match_id = await gateway.table(A, B, entry=1_000)
    assert house.match(match_id).known.phase is Phase.OPEN
    await gateway.join(match_id, player(9))
    await house.settle()
    assert house.match(match_id).known.phase is Phase.PLAYING
    assert [s.player_id for s in house.match(match_id).known.sitters if s.player_id == B] == []
    audit_coins(house)


@simulated
async def test_S3_60_s_away_at_a_coin_table_is_the_end_for_him_and_no_bot_comes(
    house: House, gateway: Gateway
) -> None:
    match_id = await _begun(house, gateway)
    await gateway.lose(match_id, B)
    await asyncio.sleep(62)
    ((_, settled),) = house.happened(match_id, m.EntriesSettled)
    assert [(p.player_id, p.coins) for p in settled.prizes] == [(A, 18)]
    audit_coins(house)


async def _begun(house: House, gateway: Gateway) -> str:
    """A match for ten coins each; the wallet goes away afterwards."""
    house.start("purses")
    match_id = await gateway.table(A, B, entry=10)
    await house.kill("purses")
    return match_id
