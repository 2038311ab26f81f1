"""Following the events: from rules' horizon to the end, and on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import structlog
from typing_extensions import override

from sahrat.log.follow import RULES, Follower, Horizon, OpenReader
from sahrat.log.live import Verdict
from sahrat.log.memory import MemoryLog
from sahrat.log.port import Bookmark, Bounds, Claim, Draft, LogFault, Reader
from sahrat.match import limits
from sahrat.messages import match as m
from sahrat.messages.codec import FromTheFuture
from sahrat.messages.topics import EVENTS, INTENTS, Topic
from tests.unit.match.desk import Desk

RECORDS = 7


@pytest.fixture
def desk() -> Desk:
    desk = Desk()
    desk.table_of(0, 1)
    for _ in range(RECORDS - 2):
        desk.wait(15).due()
    return desk


@pytest.fixture
async def log(desk: Desk) -> AsyncIterator[MemoryLog]:
    log = MemoryLog(now_ms=lambda: desk.now_ms)
    await log.start()
    await write(log, desk, *desk.values)
    yield log
    await log.close()


async def write(log: MemoryLog, desk: Desk, *values: bytes) -> None:
    drafts = [Draft(desk.match_id.encode(), value) for value in values]
    await log.append(EVENTS, desk.partition, drafts)


async def bookmark(log: MemoryLog, desk: Desk, metadata: str) -> None:
    """Write a bookmark as rules does, by owning the partition."""
    stop = asyncio.Event()

    async def serve(claim: Claim) -> None:
        if claim.partition == desk.partition:
            await claim.bookmark(Bookmark(0, metadata))
            stop.set()
        await claim.reader(INTENTS, 0).read()

    await log.own(RULES, INTENTS, serve, stop)


def opener(log: MemoryLog, desk: Desk, opened: list[int] | None = None) -> OpenReader:
    def open_reader(topic: Topic, offset: int) -> Reader:
        if opened is not None:
            opened.append(offset)
        return log.reader(topic, desk.partition, offset)

    return open_reader


async def test_without_a_bookmark_all_is_read_and_then_what_comes(
    log: MemoryLog, desk: Desk
) -> None:
    opened: list[int] = []
    follower = Follower(log, desk.partition, opener(log, desk, opened))
    before = follower.caught_up
    await follower.catch_up()
    assert (before, follower.caught_up) == (False, True)
    assert opened == [0]
    (match,) = follower.live.live()
    assert (match.seq, match.digest) == (RECORDS, desk.match.digest)
    desk.wait(15).due()
    await write(log, desk, desk.values[-1], desk.values[-1])
    first, second = await follower.read()
    assert (first.taken.verdict, second.taken.verdict) == (Verdict.TAKEN, Verdict.REPEATED)
    assert first.stored.value == desk.values[-1]
    await follower.close()


async def test_it_begins_at_the_horizon_and_drops_what_ended_before(
    log: MemoryLog, desk: Desk
) -> None:
    """Only the end of the match stands behind the horizon: nothing of it is kept."""
    horizon = Horizon(horizon=RECORDS - 1, high=desk.records[-1].caused_by.offset, end=RECORDS)
    await bookmark(log, desk, horizon.dump())
    opened: list[int] = []
    follower = Follower(log, desk.partition, opener(log, desk, opened))
    await follower.catch_up()
    assert opened == [RECORDS - 1]
    assert follower.live.matches == {}
    assert follower.live.next_offset == RECORDS


class Growing(MemoryLog):
    """A log in which somebody writes whenever its end is looked at, up to three times."""

    desk: Desk
    looks = 0

    @override
    async def bounds(self, topic: Topic, partition: int) -> Bounds:
        if topic is EVENTS and self.looks < 3:
            self.looks += 1
            self.desk.wait(15).due()
            await write(self, self.desk, self.desk.values[-1])
        return await super().bounds(topic, partition)


async def test_what_comes_while_it_catches_up_is_read_too(desk: Desk) -> None:
    log = Growing(now_ms=lambda: desk.now_ms)
    log.desk = desk
    await log.start()
    await write(log, desk, *desk.values)
    follower = Follower(log, desk.partition, opener(log, desk))
    await follower.catch_up()
    assert follower.live.next_offset == RECORDS + 3
    (match,) = follower.live.live()
    assert match.seq == RECORDS + 3


async def test_a_log_that_became_shorter_is_refused(log: MemoryLog, desk: Desk) -> None:
    await bookmark(log, desk, Horizon(horizon=0, high=-1, end=RECORDS + 1).dump())
    follower = Follower(log, desk.partition, opener(log, desk))
    with pytest.raises(LogFault, match="records were lost"):
        await follower.catch_up()


@pytest.mark.parametrize("metadata", ["", "{}", '{"horizon":-1,"high":0,"end":0}', "[1"])
async def test_metadata_that_rules_did_not_write_is_refused(
    log: MemoryLog, desk: Desk, metadata: str
) -> None:
    await bookmark(log, desk, metadata)
    follower = Follower(log, desk.partition, opener(log, desk))
    with pytest.raises(LogFault, match="metadata"):
        await follower.catch_up()
    assert not follower.caught_up


async def test_people_are_called_once_for_what_does_not_fit(log: MemoryLog, desk: Desk) -> None:
    follower = Follower(log, desk.partition, opener(log, desk))
    await follower.catch_up()
    await write(log, desk, b"{", desk.values[-1])
    await log.append(EVENTS, desk.partition, [Draft(b"nobody", b"{")])
    with structlog.testing.capture_logs() as logged:
        found = await follower.read()
    verdicts = [read.taken.verdict for read in found]
    assert verdicts == [Verdict.PARKED, Verdict.PARKED, Verdict.POISON]
    alarms = [(entry["offset"], entry["match"]) for entry in logged]
    assert alarms == [(RECORDS, desk.match_id), (RECORDS + 2, "nobody")]


async def test_a_record_from_the_future_ends_the_reader(log: MemoryLog, desk: Desk) -> None:
    newer = desk.values[0].replace(b'"v":1', b'"v":2', 1)
    await write(log, desk, newer)
    follower = Follower(log, desk.partition, opener(log, desk))
    with pytest.raises(FromTheFuture):
        await follower.catch_up()


async def test_matches_that_ended_long_ago_are_forgotten(log: MemoryLog, desk: Desk) -> None:
    desk.send(m.StopMatch(reason="operator", operator="amal", detail="a test"), system="operator")
    await write(log, desk, desk.values[-1])
    follower = Follower(log, desk.partition, opener(log, desk))
    await follower.catch_up()
    assert list(follower.live.matches) == [desk.match_id]
    for wait_s, kept in ((limits.FORGET_MS / 1000, True), (0.001, False)):
        desk.wait(wait_s)
        other = neighbour(desk)
        other.intents = desk.intents
        other.open(0)
        await log.append(EVENTS, desk.partition, [Draft(other.match_id.encode(), *other.values)])
        await follower.read()
        assert (desk.match_id in follower.live.matches) == kept


def neighbour(desk: Desk) -> Desk:
    """Return a desk with a match of the same partition."""
    others = (Desk(n=n, now_ms=desk.now_ms) for n in range(1, 999))
    return next(other for other in others if other.partition == desk.partition)
