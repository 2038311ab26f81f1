"""What every log's groups must do: one owner at a time, nothing lost when it changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from sahrat.log.port import (
    METADATA_LIMIT_BYTES,
    Bookmark,
    Claim,
    Log,
    LogFault,
    OwnershipLost,
    Released,
    Serve,
    Stored,
)
from tests.contract.log_contract import (
    EVENTS,
    INTENTS,
    JOURNAL,
    PATIENCE_S,
    Again,
    drafts,
    read_all,
    values,
)

GROUP = "rules"


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(int(PATIENCE_S / 0.02)):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise TimeoutError("what was waited for did not come")


@asynccontextmanager
async def member(
    log: Log, serve: Serve, group: str = GROUP
) -> AsyncIterator[tuple[asyncio.Event, asyncio.Task[None]]]:
    stop = asyncio.Event()
    task = asyncio.create_task(log.own(group, INTENTS, serve, stop))
    try:
        yield stop, task
    finally:
        stop.set()
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(task, return_exceptions=True)


class Worker:
    """Serves from the bookmark on, and keeps what it saw."""

    def __init__(self, log: Log, owners: dict[int, Worker]) -> None:
        self.log = log
        self.owners = owners
        self.served: list[Stored] = []
        self.linger_s = 0.0

    @property
    def mine(self) -> list[int]:
        return sorted(partition for partition, owner in self.owners.items() if owner is self)

    async def serve(self, claim: Claim) -> None:
        assert claim.partition not in self.owners, "two owners at once"
        self.owners[claim.partition] = self
        try:
            mark = (await self.log.bookmarks(GROUP, INTENTS)).get(claim.partition, Bookmark(0))
            reader = claim.reader(INTENTS, mark.offset)
            while True:
                batch = await reader.read(7)
                self.served += batch
                await claim.bookmark(Bookmark(batch[-1].offset + 1, f"seen {len(batch)}"))
        except Released:
            await asyncio.sleep(self.linger_s)
            raise
        finally:
            del self.owners[claim.partition]


async def idle(claim: Claim) -> None:
    await claim.reader(INTENTS, 0).read()


class GroupContract:
    async def test_one_member_owns_all_and_leaves_when_told(self, log: Log) -> None:
        owners: dict[int, Worker] = {}
        worker = Worker(log, owners)
        async with member(log, worker.serve) as (stop, task):
            await until(lambda: len(worker.mine) == INTENTS.partitions)
            for partition in range(INTENTS.partitions):
                await log.append(INTENTS, partition, drafts("a", "b"))
            await until(lambda: len(worker.served) == 2 * INTENTS.partitions)
            stop.set()
            async with asyncio.timeout(PATIENCE_S):
                await task
        assert owners == {}
        marks = await log.bookmarks(GROUP, INTENTS)
        assert sorted(marks) == list(range(INTENTS.partitions))
        assert {mark.offset for mark in marks.values()} == {2}

    async def test_bookmarks_keep_their_metadata_and_groups_are_apart(
        self, log: Log, again: Again
    ) -> None:
        text = "horizon 7, سهرة " + "x" * (METADATA_LIMIT_BYTES - 27)
        assert METADATA_LIMIT_BYTES - 8 < len(text.encode()) <= METADATA_LIMIT_BYTES
        done = asyncio.Event()

        async def serve(claim: Claim) -> None:
            if claim.partition == 3:
                await claim.bookmark(Bookmark(0))
                await claim.bookmark(Bookmark(0, text))
                with pytest.raises(ValueError, match="too long"):
                    await claim.bookmark(Bookmark(0, text + "سسسسس"))
                done.set()
            await idle(claim)

        async with member(log, serve):
            async with asyncio.timeout(PATIENCE_S):
                await done.wait()
        assert dict(await log.bookmarks(GROUP, INTENTS)) == {3: Bookmark(0, text)}
        log = await again(log)
        assert dict(await log.bookmarks(GROUP, INTENTS)) == {3: Bookmark(0, text)}
        assert dict(await log.bookmarks("timer", INTENTS)) == {}
        assert dict(await log.bookmarks(GROUP, EVENTS)) == {}

    async def test_a_claim_reads_its_partition_of_other_topics(self, log: Log) -> None:
        await log.append(EVENTS, 3, drafts("seen"))
        found: list[str] = []

        async def serve(claim: Claim) -> None:
            if claim.partition == 3:
                found.extend(values(await read_all(claim.reader(EVENTS, 0), 1)))
            await idle(claim)

        async with member(log, serve):
            await until(lambda: found == ["seen"])

    async def test_hand_overs_in_mid_stream_lose_and_repeat_nothing(self, log: Log) -> None:
        owners: dict[int, Worker] = {}
        first, second = Worker(log, owners), Worker(log, owners)
        total = 0

        async def write(rounds: int) -> None:
            nonlocal total
            for _ in range(rounds):
                for partition in range(INTENTS.partitions):
                    await log.append(INTENTS, partition, drafts(f"{total}"))
                    total += 1
                await asyncio.sleep(0.01)

        async with member(log, first.serve) as (stop_first, task):
            await write(10)
            async with member(log, second.serve):
                await write(20)
                await until(lambda: len(first.mine) == len(second.mine) == INTENTS.partitions // 2)
                await write(20)
                stop_first.set()
                async with asyncio.timeout(PATIENCE_S):
                    await task
                await write(10)
                await until(lambda: len(second.mine) == INTENTS.partitions)
                await until(lambda: len(first.served) + len(second.served) >= total)
        served = [int(record.value) for record in (*first.served, *second.served)]
        assert sorted(served) == list(range(total))
        assert first.served
        assert second.served

    async def test_a_hand_over_waits_until_serve_has_returned(self, log: Log) -> None:
        owners: dict[int, Worker] = {}
        first, second = Worker(log, owners), Worker(log, owners)
        first.linger_s = 1.0
        async with member(log, first.serve):
            await until(lambda: len(first.mine) == INTENTS.partitions)
            async with member(log, second.serve):
                await until(lambda: len(first.mine) == len(second.mine) == INTENTS.partitions // 2)

    async def test_what_was_let_go_of_can_not_be_bookmarked(self, log: Log) -> None:
        kept: list[Claim] = []

        async def serve(claim: Claim) -> None:
            kept.append(claim)
            await idle(claim)

        async with member(log, serve):
            await until(lambda: len(kept) == INTENTS.partitions)
        with pytest.raises(OwnershipLost):
            await kept[0].bookmark(Bookmark(1))
        with pytest.raises(Released):
            await kept[0].reader(INTENTS, 0).read()
        assert dict(await log.bookmarks(GROUP, INTENTS)) == {}

    async def test_a_serve_that_raises_ends_the_member(self, log: Log) -> None:
        ended: list[int] = []

        async def serve(claim: Claim) -> None:
            if claim.partition == 1:
                await read_all(claim.reader(INTENTS, 0), 1)
                raise KeyError("poisoned")
            try:
                await idle(claim)
            finally:
                ended.append(claim.partition)

        async with member(log, serve) as (_, task):
            await asyncio.sleep(0.2)
            await log.append(INTENTS, 1, drafts("poison"))
            async with asyncio.timeout(PATIENCE_S):
                with pytest.raises(KeyError, match="poisoned"):
                    await task
        assert sorted(ended) == [p for p in range(INTENTS.partitions) if p != 1]

    async def test_a_serve_that_returns_by_itself_ends_the_member(self, log: Log) -> None:
        async def serve(claim: Claim) -> None:
            if claim.partition != 2:
                await idle(claim)

        async with member(log, serve) as (_, task):
            async with asyncio.timeout(PATIENCE_S):
                with pytest.raises(LogFault, match="partition 2"):
                    await task

    async def test_a_serve_that_says_released_too_early_ends_the_member(self, log: Log) -> None:
        async def serve(claim: Claim) -> None:
            if claim.partition == 2:
                raise Released("not so")
            await idle(claim)

        async with member(log, serve) as (_, task):
            async with asyncio.timeout(PATIENCE_S):
                with pytest.raises(Released, match="not so"):
                    await task

    async def test_a_member_that_is_cancelled_takes_its_serves_with_it(self, log: Log) -> None:
        owners: dict[int, Worker] = {}
        first, second = Worker(log, owners), Worker(log, owners)
        async with member(log, first.serve) as (_, task):
            await until(lambda: len(first.mine) == INTENTS.partitions)
            task.cancel()
            async with asyncio.timeout(PATIENCE_S):
                await asyncio.gather(task, return_exceptions=True)
            assert owners == {}
        async with member(log, second.serve):
            await until(lambda: len(second.mine) == INTENTS.partitions)

    async def test_a_topic_with_one_partition_goes_to_one_member(self, log: Log) -> None:
        claims: list[Claim] = []

        async def serve(claim: Claim) -> None:
            claims.append(claim)
            await claim.reader(JOURNAL, 0).read()

        stops = [asyncio.Event(), asyncio.Event()]
        tasks = [asyncio.create_task(log.own("wallet", JOURNAL, serve, stop)) for stop in stops]
        await until(lambda: len(claims) >= 1)
        await asyncio.sleep(0.2)
        for stop in stops:
            stop.set()
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*tasks)
        assert {claim.partition for claim in claims} == {0}
