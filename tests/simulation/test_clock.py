"""The step clock and its neighbours through the whole house: rules, timer, bots, one log.

On virtual time, so that ten minutes cost what happens in them. After each run `audit` checks what
must hold whatever happened; the tests add what must have happened.
"""

from __future__ import annotations

import asyncio
from typing import Final

import pytest

from sahrat.match.state import Phase
from sahrat.messages import match as m
from sahrat.messages.topics import partition_of
from tests.house.gateway import Gateway
from tests.house.house import House
from tests.house.simulated import simulated
from tests.unit.match.desk import player

A: Final = player(1)
B: Final = player(2)
BOT: Final = "system:bots"


def steps_out(house: House, match_id: str) -> list[int]:
    """The steps that ran out, in order."""
    return [event.step for _, event in house.happened(match_id, m.StepTimedOut)]


def bot_steps(house: House, match_id: str) -> list[int]:
    """The records (seq) that a bot's intents made."""
    return [record.seq for record in house.records(match_id) if record.caused_by.sender == BOT]


@simulated
async def test_a_step_runs_out_at_fifteen_seconds_once(house: House, gateway: Gateway) -> None:
    match_id = await gateway.table(A, B)
    ((opened_ms, opened),) = house.happened(match_id, m.StepOpened)
    assert opened.deadline_ms == opened_ms + 15_000
    await asyncio.sleep(14.9)
    assert steps_out(house, match_id) == []
    await asyncio.sleep(0.2)
    ((out_ms, out),) = house.happened(match_id, m.StepTimedOut)
    assert out.step == 1
    assert 0 <= out_ms - opened.deadline_ms <= 5
    await asyncio.sleep(60)
    assert steps_out(house, match_id) == [1, 2, 3, 4, 5]
    assert len(house.intents(m.Due)) == 5


@simulated
async def test_the_steps_of_one_who_never_acts_are_played_and_he_keeps_his_seat(
    house: House, gateway: Gateway
) -> None:
    match_id = await gateway.table(A, B, step_seconds=8)
    await asyncio.sleep(81)
    assert len(steps_out(house, match_id)) == 10
    state = house.match(match_id).known
    assert [sitter.bot for sitter in state.sitters] == [False, False]
    assert all(sitter.line is not None for sitter in state.sitters)


@simulated
async def test_a_table_of_bots_alone_plays_to_its_end(house: House, gateway: Gateway) -> None:
    match_id = await gateway.open(A, players=4, fill_seconds=5)
    await house.until(lambda: house.match(match_id).known.phase is Phase.PLAYING, 6)
    await gateway.send(match_id, m.LeaveTable(), player_id=A)
    await house.until(lambda: house.match(match_id).ended_ms, 1)
    state = house.match(match_id).known
    assert state.phase is Phase.ENDED
    assert sorted(place for _, place in state.places) == [1, 2, 3, 4]
    assert steps_out(house, match_id) == []


@simulated
async def test_a_bot_sits_for_one_away_for_sixty_seconds_until_he_is_back(
    house: House, gateway: Gateway
) -> None:
    match_id = await gateway.table(A, B)
    await gateway.lose(match_id, A)
    ((away_ms, away),) = house.happened(match_id, m.PlayerAway)
    assert away.until_ms == away_ms + 60_000
    await asyncio.sleep(59.9)
    assert house.happened(match_id, m.PlayerLeft) == []
    assert bot_steps(house, match_id) == []
    await asyncio.sleep(0.2)
    ((left_ms, left),) = house.happened(match_id, m.PlayerLeft)
    assert (left.player_id, left.why, left.bot) == (A, "away", True)
    assert 0 <= left_ms - away.until_ms <= 5
    await house.until(lambda: bot_steps(house, match_id), 20)
    await asyncio.sleep(20)
    await gateway.join(match_id, A)
    await house.settle()
    back = house.records(match_id)[-1].seq
    await asyncio.sleep(60)
    assert max(bot_steps(house, match_id)) < back
    assert len(steps_out(house, match_id)) >= 4


@simulated
async def test_one_who_is_back_within_sixty_seconds_goes_on(house: House, gateway: Gateway) -> None:
    """C21: what he is told is what the log says."""
    match_id = await gateway.table(A, B)
    for gone_s in (59.0, 59.9, 59.99):
        await gateway.lose(match_id, A)
        await asyncio.sleep(gone_s)
        await gateway.send(match_id, m.LineUp(player_id=A, line=gateway.line()))
        await asyncio.sleep(1)
    assert [event.returned for _, event in house.happened(match_id, m.PlayerPresent)] == [False] * 3
    assert house.happened(match_id, m.PlayerLeft) == []
    assert bot_steps(house, match_id) == []


@simulated
async def test_both_clocks_of_one_who_goes_away_run(house: House, gateway: Gateway) -> None:
    """Rule S.1: gaps are not added up, and due steps are played meanwhile."""
    match_id = await gateway.table(A, B)
    for _ in range(3):
        await gateway.lose(match_id, A)
        await asyncio.sleep(40)
        await gateway.send(match_id, m.LineUp(player_id=A, line=gateway.line()))
        await asyncio.sleep(1)
    assert len(steps_out(house, match_id)) == 8
    assert house.happened(match_id, m.PlayerLeft) == []


@pytest.mark.parametrize("off_ms", [-1, 0, 1])
@pytest.mark.parametrize("move_first", [True, False])
@simulated
async def test_C14_of_a_move_and_a_time_out_at_the_deadline_one_counts(
    house: House, gateway: Gateway, off_ms: int, move_first: bool
) -> None:
    match_id = await gateway.table(A, B)
    ((_, opened),) = house.happened(match_id, m.StepOpened)
    await house.halt("timer")  # its due is written by hand, to the millisecond:
    del house.attendance.missing["timer"]  # no outage
    due = m.Due(last_ms=opened.deadline_ms - 500)
    await asyncio.sleep((opened.deadline_ms + off_ms - house.now_ms()) / 1000)
    assert house.now_ms() == opened.deadline_ms + off_ms
    both = [gateway.move(match_id), gateway.envelope(match_id, due, system="timer")]
    for envelope in both if move_first else reversed(both):
        await gateway.put(envelope)
    await house.settle()
    answers = house.answers(partition_of(match_id))
    (reason,) = [answer.reason for answer in answers if answer.type == "refused"]
    if move_first or off_ms < 0:
        assert steps_out(house, match_id) == []
        assert reason == "not_due"
    else:
        assert steps_out(house, match_id) == [1]
        assert reason == "stale_step"
    assert house.match(match_id).known.step == 2
    house.start("timer")
    await house.ready()
