"""Parts of the house stop and come back: no clock runs meanwhile (rule K.4), and play goes on."""

from __future__ import annotations

import asyncio
from typing import Final

import pytest

from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.topics import Topic, partition_of
from tests.house.audit import resumes
from tests.house.gateway import Gateway
from tests.house.house import House
from tests.house.simulated import simulated
from tests.unit.match.desk import player

A: Final = player(1)
B: Final = player(2)
FULL_MS: Final = 15_000


def resumed(house: House, match_id: str) -> list[tuple[int, m.MatchResumed]]:
    return house.happened(match_id, m.MatchResumed)


@pytest.mark.parametrize("down_s", [10, 600])
@pytest.mark.parametrize("part", ["rules", "timer", "gateway"])
@simulated
async def test_an_outage_costs_nobody_anything(
    house: House, gateway: Gateway, part: str, down_s: int
) -> None:
    """F22: a step has its full time afresh; a clock that had four seconds left has ten."""
    partition = partition_of(match_id := await gateway.table(A, B))
    await gateway.lose(match_id, A)
    await asyncio.sleep(7)
    away_until = house.happened(match_id, m.PlayerAway)[-1][1].until_ms
    if part == "gateway":
        await gateway.kill()
    else:
        await house.kill(part)
    await asyncio.sleep(down_s)
    assert resumed(house, match_id) == []
    if part == "gateway":
        await house.gateway()
    else:
        house.start(part)
    await asyncio.sleep(3)
    assert len(resumes(house, partition)) == 1
    ((at_ms, event),) = resumed(house, match_id)
    assert event.step_ms == at_ms + FULL_MS
    (clock,) = event.away
    left_ms = away_until - event.last_ms
    assert clock.until_ms - at_ms == left_ms
    assert 50_000 <= left_ms <= 53_500
    assert house.happened(match_id, m.StepTimedOut) == []
    await asyncio.sleep(15)
    ((out_ms, _),) = house.happened(match_id, m.StepTimedOut)
    assert 0 <= out_ms - event.step_ms <= 5
    await asyncio.sleep(clock.until_ms / 1000 - house.now_ms() / 1000 + 1)
    ((left_at_ms, _),) = house.happened(match_id, m.PlayerLeft)
    assert 0 <= left_at_ms - clock.until_ms <= 5
    assert len(resumes(house, partition)) == 1


@pytest.mark.parametrize("left_s", [14, 8, 1])
@simulated
async def test_C23_a_step_has_its_full_time_after_the_timer_stood_still(
    house: House, gateway: Gateway, left_s: int
) -> None:
    match_id = await gateway.table(A, B)
    await gateway.lose(match_id, A)
    away = house.happened(match_id, m.PlayerAway)
    await asyncio.sleep(15 - left_s)
    await house.kill("timer")
    await asyncio.sleep(600)
    house.start("timer")
    await asyncio.sleep(2)
    ((at_ms, event),) = resumed(house, match_id)
    assert event.step_ms - at_ms == FULL_MS
    assert event.away[0].until_ms - at_ms >= 60_000 - 1000 * (15 - left_s) - 2000
    assert house.happened(match_id, m.PlayerAway) == away
    await asyncio.sleep(20)


@simulated
async def test_a_clock_with_little_left_has_ten_seconds(house: House, gateway: Gateway) -> None:
    match_id = await gateway.table(A, B)
    await gateway.lose(match_id, A)
    await asyncio.sleep(57)
    await house.kill("rules")
    await asyncio.sleep(30)
    house.start("rules")
    await asyncio.sleep(2)
    ((at_ms, event),) = resumed(house, match_id)
    assert event.away[0].until_ms - at_ms == 10_000
    await asyncio.sleep(12)


@pytest.mark.parametrize("part", ["rules", "timer", "bots"])
@simulated
async def test_a_quick_restart_changes_nothing(house: House, gateway: Gateway, part: str) -> None:
    """C23."""
    match_id = await gateway.table(A, B)
    ((_, opened),) = house.happened(match_id, m.StepOpened)
    for _ in range(3):
        await asyncio.sleep(3.1)
        await house.halt(part)
        await asyncio.sleep(0.4)
        house.start(part)
    await asyncio.sleep(15)
    assert resumed(house, match_id) == []
    ((out_ms, _),) = house.happened(match_id, m.StepTimedOut)
    assert 0 <= out_ms - opened.deadline_ms <= 5


@simulated
async def test_C22_what_was_acknowledged_before_a_kill_is_applied(
    house: House, gateway: Gateway
) -> None:
    tables = [await gateway.table(player(2 * n), player(2 * n + 1)) for n in range(100)]
    await asyncio.sleep(12)
    for match_id in tables[:50]:
        await gateway.act(match_id)  # acknowledged; rules dies before it reads them
    await house.kill("rules")
    await house.kill("timer")
    for match_id in tables[50:]:
        await gateway.act(match_id)
    await asyncio.sleep(20)
    house.start("timer")
    house.start("rules")
    await asyncio.sleep(3)
    for match_id in tables:
        assert house.happened(match_id, m.StepTimedOut) == []
        assert house.match(match_id).known.step == 2
        ((at_ms, event),) = resumed(house, match_id)
        assert event.step_ms == at_ms + FULL_MS
    await asyncio.sleep(16)
    assert all(len(house.happened(match_id, m.StepTimedOut)) == 1 for match_id in tables)


@simulated
async def test_a_tick_waits_alone_while_rules_is_down_whoever_starts_again(
    house: House, gateway: Gateway
) -> None:
    """Each tick in the log would be a resume of every match once rules is back."""
    partition = partition_of(match_id := await gateway.table(A, B))
    await house.kill("rules")
    await asyncio.sleep(1)
    before = len(house.intents(m.Tick, partition))
    for _ in range(10):
        await asyncio.sleep(30)
        await house.kill("timer")
        house.start("timer")
    await asyncio.sleep(30)
    assert len(house.intents(m.Tick, partition)) == before
    house.start("rules")
    await asyncio.sleep(2)
    assert len(resumes(house, partition)) == 1
    assert len(resumed(house, match_id)) == 1
    assert resumed(house, match_id)[0][1].last_ms > house.happened(match_id, m.StepOpened)[0][0]


@pytest.mark.parametrize("late_s", [1, 20, 90])
@simulated
async def test_rules_comes_back_long_after_the_tick_that_resumes(
    house: House, gateway: Gateway, late_s: int
) -> None:
    """Everything went down and the timer was back first: the clocks that its tick sets anew have
    run before rules judges it.
    """
    match_id = await gateway.table(A, B)
    await gateway.lose(match_id, A)
    await asyncio.sleep(1)
    await house.kill("timer")
    await asyncio.sleep(0.6)  # no tick waits
    await house.kill("rules")
    await asyncio.sleep(60)
    house.start("timer")
    await asyncio.sleep(late_s)
    house.start("rules")
    await asyncio.sleep(4)
    assert house.happened(match_id, m.StepTimedOut) == []
    assert house.happened(match_id, m.PlayerLeft) == []
    at_ms, event = resumed(house, match_id)[-1]
    assert event.step_ms == at_ms + FULL_MS
    assert len(resumed(house, match_id)) == (1 if late_s == 1 else 2)
    await asyncio.sleep(60)
    assert house.happened(match_id, m.PlayerLeft) != []


@simulated
async def test_rules_dies_between_a_resume_and_its_answer(house: House, gateway: Gateway) -> None:
    """Restarted, it writes no record twice and answers then: the clocks have run meanwhile."""
    partition = partition_of(match_id := await gateway.table(A, B))
    await asyncio.sleep(1)
    await house.kill("timer")
    await asyncio.sleep(60)

    async def no_answer(topic: Topic, number: int) -> None:
        if topic is topics.REFUSALS and number == partition:
            await asyncio.Event().wait()

    house.log.gate = no_answer
    house.start("timer")
    await house.until(lambda: resumed(house, match_id), 3)
    await house.kill("rules")
    house.log.gate = None
    await asyncio.sleep(300)
    house.start("rules")
    await asyncio.sleep(3)
    assert house.happened(match_id, m.StepTimedOut) == []
    assert len(resumed(house, match_id)) == 2
    at_ms, event = resumed(house, match_id)[-1]
    assert event.step_ms == at_ms + FULL_MS
    await asyncio.sleep(16)
    assert len(house.happened(match_id, m.StepTimedOut)) == 1


@simulated
async def test_a_tick_whose_answer_was_lost_is_given_up(house: House, gateway: Gateway) -> None:
    """Rules writes records, then answers; it dies in between, and goes on behind the records."""
    partition = partition_of(match_id := await gateway.table(A, B))
    await asyncio.sleep(1)
    held = asyncio.Event()

    async def hold_events(topic: Topic, number: int) -> None:
        if number != partition:
            return
        if topic is topics.EVENTS:
            await held.wait()
        if topic is topics.REFUSALS and held.is_set():
            await asyncio.Event().wait()

    house.log.gate = hold_events
    await gateway.send(match_id, m.LineUp(player_id=A, line=gateway.line()))
    await house.settle()  # rules waits here with one batch; the next has a tick, then a move
    ticks = len(house.intents(m.Tick, partition))
    await house.until(lambda: len(house.intents(m.Tick, partition)) > ticks, 1)
    await gateway.act(match_id)
    held.set()
    await house.until(lambda: house.match(match_id).known.step == 2, 1)
    await house.kill("rules")
    house.log.gate = None
    house.start("rules")
    await asyncio.sleep(0.5)
    offset = house.intents(m.Tick, partition)[-1].offset
    assert offset not in [a.offset for a in house.answers(partition) if a.type == "ticked"]
    await asyncio.sleep(4)
    assert house.intents(m.Tick, partition)[-1].offset > offset
    await asyncio.sleep(20)
    assert len(house.happened(match_id, m.StepTimedOut)) >= 1


@simulated
async def test_two_timers_at_once_end_a_step_once(house: House, gateway: Gateway) -> None:
    """A frozen owner that does not know that it was replaced goes on."""
    partition = partition_of(match_id := await gateway.table(A, B))
    house.start("timer-2")
    await asyncio.sleep(5)
    house.freeze_out("timer", partition)
    await asyncio.sleep(60)
    steps = [event.step for _, event in house.happened(match_id, m.StepTimedOut)]
    assert steps == [1, 2, 3, 4]
    assert resumed(house, match_id) == []
    senders = {
        stored.value.split(b'"sent_by":"')[1][:36] for stored in house.intents(m.Due, partition)
    }
    assert len(senders) == 2
    reasons = [a.reason for a in house.answers(partition) if a.type == "refused"]
    assert reasons == ["not_due"] * len(reasons)


@simulated
async def test_two_bots_at_once_play_a_step_once(house: House, gateway: Gateway) -> None:
    match_id = await gateway.open(A, players=2, fill_seconds=5)
    house.start("bots-2")
    house.freeze_out("bots", partition_of(match_id))
    await asyncio.sleep(6)
    await gateway.send(match_id, m.LeaveTable(), player_id=A)
    await house.until(lambda: house.match(match_id).ended_ms, 2)
    answers = house.answers(partition_of(match_id))
    repeated = [answer for answer in answers if answer.type == "repeated"]
    assert len(repeated) > 50
    assert [a for a in answers if a.type == "refused" and a.reason != "unknown_match"] == []


@pytest.mark.parametrize("jump_ms", [15_000, -15_000, 3_600_000, -3_600_000])
@simulated
async def test_F13_a_jump_of_the_brokers_clock_ends_no_step(
    house: House, gateway: Gateway, jump_ms: int
) -> None:
    match_id = await gateway.table(A, B)
    await gateway.lose(match_id, A)
    for turn in range(2):
        await asyncio.sleep(10)
        house.skew_ms = 0 if turn else jump_ms
        await asyncio.sleep(3)
        assert house.happened(match_id, m.StepTimedOut) == []
        assert len(resumed(house, match_id)) == turn + 1
    assert house.match(match_id).live
    await asyncio.sleep(62)  # set back last or first, the away clock has its full length then
    assert house.happened(match_id, m.StepTimedOut) != []
    assert house.happened(match_id, m.PlayerLeft) != []
    assert house.match(match_id).live
    times = [record.at_ms for record in house.records(match_id)]
    assert times == sorted(times)
