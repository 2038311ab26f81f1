from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from typing_extensions import override

from sahrat.log.embedded_group import Member, share
from sahrat.log.memory import MemoryLog, MemoryStore
from sahrat.log.port import (
    AppendFailed,
    Bookmark,
    Bounds,
    Claim,
    Draft,
    LogFault,
    OutOfRange,
    OwnershipLost,
    Released,
    Stored,
)
from sahrat.log.store import Mark
from sahrat.messages.topics import EVENTS, INTENTS, PULSE
from tests.unit.log.virtual import tell

ROOT = Path(__file__).parents[3]
DRAFT = Draft(b"k", b"v")


@pytest.mark.parametrize("seed", ["0", "1", "random"])
def test_the_same_program_has_the_same_story(seed: str) -> None:
    told = tell()
    assert sum(line.startswith(("A reads", "B reads")) for line in told) == 180
    ran = subprocess.run(
        [sys.executable, "-m", "tests.unit.log.virtual"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.splitlines() == told


async def test_an_append_is_not_stored_before_the_loop_turned() -> None:
    log = MemoryLog(now_ms=lambda: 7)
    await log.start()
    appending = asyncio.create_task(log.append(INTENTS, 0, [DRAFT]))
    await asyncio.sleep(0)
    assert await log.bounds(INTENTS, 0) == Bounds(0, 0)
    await asyncio.sleep(0)
    assert await log.bounds(INTENTS, 0) == Bounds(0, 1)
    assert not appending.done()
    assert [ack.at_ms for ack in await appending] == [7]


async def test_a_sender_that_was_killed_may_have_stored_its_record() -> None:
    log = MemoryLog()
    await log.start()
    appending = asyncio.create_task(log.append(INTENTS, 0, [DRAFT]))
    await asyncio.sleep(0)
    appending.cancel()
    await log.append(INTENTS, 0, [DRAFT])
    assert appending.cancelled()
    assert await log.bounds(INTENTS, 0) == Bounds(0, 2)


async def test_reads_given_up_leave_nothing_behind() -> None:
    log = MemoryLog()
    await log.start()
    reader = log.reader(INTENTS, 0, 0)
    for _ in range(50):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(), 0.001)
    assert log._partitions[INTENTS.name, 0].waiting == []


async def test_retention_follows_the_clock_it_was_given() -> None:
    times_ms: list[int] = []
    log = MemoryLog(now_ms=lambda: times_ms[-1])
    await log.start()
    for now_ms in (0, 1_000, 4_000_000, 4_100_000):
        times_ms.append(now_ms)
        await log.append(PULSE, 0, [DRAFT])
        await log.append(EVENTS, 0, [DRAFT])
    assert await log.bounds(PULSE, 0) == Bounds(2, 4)
    assert await log.bounds(EVENTS, 0) == Bounds(0, 4)


class BrokenStore(MemoryStore):
    broken = False

    @override
    async def write(self, records: Sequence[Stored], marks: Sequence[Mark]) -> None:
        if self.broken:
            raise LogFault("disk full")
        await super().write(records, marks)


async def test_after_a_failed_write_nothing_more_is_written() -> None:
    store = BrokenStore()
    log = MemoryLog(store=store)
    await log.start()
    await log.append(INTENTS, 0, [DRAFT])
    store.broken = True
    results = await asyncio.gather(
        *(log.append(INTENTS, 0, [DRAFT]) for _ in range(3)), return_exceptions=True
    )
    assert [type(result) for result in results] == [AppendFailed] * 3
    store.broken = False
    with pytest.raises(AppendFailed, match="disk full"):
        await log.append(INTENTS, 0, [DRAFT])
    with pytest.raises(LogFault, match="disk full"):
        await log.reader(INTENTS, 0, 1).read()
    assert log.healthy() == "disk full"


class Frozen:
    """A member that the group counts as dead while it goes on."""

    def __init__(self, log: MemoryLog) -> None:
        self.log = log
        self.claims: list[Claim] = []
        self.read: list[Stored] = []
        self.stop = asyncio.Event()
        self.task = asyncio.create_task(log.own("g", INTENTS, self.serve, self.stop))

    async def serve(self, claim: Claim) -> None:
        self.claims.append(claim)
        reader = claim.reader(INTENTS, 0)
        while True:
            self.read += await reader.read()

    async def end(self) -> None:
        self.stop.set()
        await self.task


async def test_a_member_counted_as_dead_reads_on_but_bookmarks_no_more() -> None:
    log = MemoryLog()
    await log.start()
    zombie = Frozen(log)
    await asyncio.sleep(0)
    heir = Frozen(log)
    await asyncio.sleep(0.01)
    assert len(zombie.claims) == 12
    mine = zombie.claims[0].partition
    member = log.expel("g", INTENTS, mine)
    assert member is not None
    await asyncio.sleep(0.01)
    assert [claim.partition for claim in heir.claims].count(mine) == 1
    await log.append(INTENTS, mine, [DRAFT])
    await asyncio.sleep(0.01)
    assert len(zombie.read) == len(heir.read) == 1  # both go on
    with pytest.raises(OwnershipLost):
        await zombie.claims[0].bookmark(Bookmark(1))
    await next(claim for claim in heir.claims if claim.partition == mine).bookmark(Bookmark(1))
    member.notice()
    await asyncio.sleep(0.01)
    assert len(zombie.claims) == 12 + 6  # it joined again and has a share
    with pytest.raises(Released):
        await zombie.claims[0].reader(INTENTS, 0).read()
    await zombie.end()
    await heir.end()


async def test_a_member_counted_as_dead_that_dies_does_not_come_back() -> None:
    log = MemoryLog()
    await log.start()
    zombie = Frozen(log)
    await asyncio.sleep(0.01)
    assert log.expel("g", INTENTS, 0) is not None
    zombie.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await zombie.task
    await asyncio.sleep(0.01)
    assert len(zombie.claims) == 12


async def test_nobody_is_expelled_from_where_nobody_is() -> None:
    log = MemoryLog()
    await log.start()
    assert log.expel("g", INTENTS, 0) is None


async def test_a_log_not_started_refuses_all() -> None:
    log = MemoryLog()
    with pytest.raises(AppendFailed, match="not started"):
        await log.append(INTENTS, 0, [DRAFT])
    with pytest.raises(LogFault, match="not started"):
        await log.bounds(INTENTS, 0)
    assert log.healthy() == "the log is not started"


async def test_a_trimmed_store_of_a_whole_topic_is_refused() -> None:
    store = MemoryStore()
    log = MemoryLog(store=store)
    await log.start()
    await log.append(EVENTS, 0, [DRAFT])
    await store.trim((EVENTS.name, 0), 1)
    with pytest.raises(LogFault, match="starts at offset 1"):
        await MemoryLog(store=store).start()
    with pytest.raises(OutOfRange):
        await log.trim(INTENTS, 0, 1)


async def _never(_: Claim) -> None:
    """Serve nothing."""


@pytest.mark.parametrize("partitions", [1, 3, 12])
@pytest.mark.parametrize("members", [1, 2, 5, 13])
def test_shares_are_even_and_few_partitions_move(partitions: int, members: int) -> None:
    all_ = [Member(_never) for _ in range(members)]
    owners: list[Member | None] = [None] * partitions
    for count in (*range(1, members + 1), *range(members - 1, 0, -1)):
        present = all_[:count]
        new = share(owners, present)
        held = [sum(owner is member for owner in new) for member in present]
        assert sum(held) == partitions
        assert max(held) - min(held) <= 1
        moved = sum(
            old is not owner for old, owner in zip(owners, new, strict=True) if old in present
        )
        assert moved <= partitions // count
        owners = new
    assert share(owners, []) == [None] * partitions
