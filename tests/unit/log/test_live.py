"""What a reader makes of records that nobody sound writes (F15, T23, T24)."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from sahrat.log.follow import AHEAD, Follower
from sahrat.log.live import LivePartition, Taken, Verdict
from sahrat.log.memory import MemoryLog
from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.stored import Draft, Stored
from sahrat.messages.topics import EVENTS, partition_of
from tests.unit.match.desk import START_MS, Desk, refold, uuid7

FAR = 2**53 - 1


def forged(value: bytes, cause: int, **fields: Any) -> bytes:
    record = orjson.loads(value) | fields
    record["caused_by"]["offset"] = cause
    return orjson.dumps(record)


def stranger(desk: Desk) -> str:
    """Return another match of the desk's partition."""
    ids = (uuid7(START_MS, n) for n in range(900, 9_000))
    return next(i for i in ids if partition_of(i) == desk.partition)


def take(live: LivePartition, desk: Desk, value: bytes, key: str = "") -> Taken:
    at = live.next_offset
    return live.take(Stored("e", desk.partition, at, 0, (key or desk.match_id).encode(), value))


def test_T23_a_forged_opening_with_a_cause_far_ahead_silences_no_other_match() -> None:
    desk = Desk()
    desk.table_of(0, 1)
    desk.wait(15).due()
    live, other = refold(desk, desk.values[:2]), stranger(desk)
    phantom = forged(desk.values[0], FAR, match_id=other)
    assert take(live, desk, phantom, other).verdict is Verdict.TAKEN
    for value in desk.values[2:]:
        assert take(live, desk, value).verdict is Verdict.TAKEN
    assert live.high == desk.live.high
    assert live.horizon() == (0, -1)


async def test_T24_a_cause_that_is_not_there_is_poison() -> None:
    desk = Desk()
    desk.table_of(0, 1)
    log = MemoryLog()
    await log.start()
    follower = Follower(log, desk.partition, lambda t, o: log.reader(t, desk.partition, o))
    other = stranger(desk)
    phantom = Draft(
        other.encode(), forged(desk.values[0], len(desk.values) + AHEAD, match_id=other)
    )
    sound = [Draft(desk.match_id.encode(), value) for value in desk.values]
    await log.append(EVENTS, desk.partition, [phantom, *sound])
    await follower.catch_up()
    assert [*follower.live.matches] == [desk.match_id]
    assert follower.live.high == desk.live.high
    await follower.close()


def test_T23_an_ended_match_is_not_parked_by_what_comes_after() -> None:
    desk = Desk().coin_table(0, 1, entry=100)
    desk.leave(1)
    live = refold(desk, desk.values)
    other = desk.values[-1].replace(b'"at_ms":1', b'"at_ms":2', 1)
    after = forged(
        desk.values[-1], FAR - 1, seq=len(desk.values) + 1, prev=live.matches[desk.match_id].digest
    )
    for value in (other, after, b"rubbish"):
        assert take(live, desk, value).verdict is Verdict.POISON
    assert live.matches[desk.match_id].parked == ""
    assert live.matches[desk.match_id].ended_ms > 0


def test_T23_a_record_that_moves_coins_twice_parks_its_match() -> None:
    desk = Desk().coin_table(0, 1, entry=100)
    live, last = refold(desk, desk.values), desk.records[-1]
    players = tuple(s.player_id for s in desk.match.known.sitters)
    refund = m.EntriesRefunded(attempt=2, entry_coins=100, players=players).model_dump(mode="json")
    value = forged(
        desk.values[-1],
        last.caused_by.offset + 1,
        seq=last.seq + 1,
        prev=desk.match.digest,
        events=[refund, refund],
    )
    taken = take(live, desk, value)
    assert (taken.verdict, "moves coins twice" in taken.detail) == (Verdict.PARKED, True)


@pytest.mark.parametrize("kind", ["taken", "freed"])
def test_T23_a_seat_that_changes_hands_in_play_parks_its_match(kind: str) -> None:
    """As for the audit, which takes nothing of such a match: who is to have its coins?"""
    desk = Desk().coin_table(0, 1, entry=100)
    live, last = refold(desk, desk.values), desk.records[-1]
    here, other = desk.match.known.sitters[0], uuid7(START_MS, 77)
    event: Message = (
        m.SeatFreed(player_id=here.player_id, why="left", idle_ms=0)
        if kind == "freed"
        else m.SeatTaken(
            player_id=other, nickname="x", seat_number="1", line=here.line, bot=False, idle_ms=0
        )
    )
    value = forged(
        desk.values[-1],
        last.caused_by.offset + 1,
        seq=last.seq + 1,
        prev=desk.match.digest,
        events=[event.model_dump(mode="json")],
    )
    assert take(live, desk, value).verdict is Verdict.PARKED
