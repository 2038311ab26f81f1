"""What every log must do, run on memory, on SQLite and on Kafka.

A subclass gives two fixtures: `log`, started and empty, and `again`, which closes a log and returns
a started one on what it left.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import pytest

from sahrat.log.port import (
    METADATA_LIMIT_BYTES,
    AppendFailed,
    Bookmark,
    Bounds,
    Draft,
    Log,
    LogFault,
    OutOfRange,
    Reader,
    Stored,
)
from sahrat.messages.topics import DAY_MS, HOUR_MS, RECORD_LIMIT_BYTES, Topic

# As the real ones, with fewer partitions: a broker takes seconds to make forty.
INTENTS: Final = Topic("intents", 4)
EVENTS: Final = Topic("events", 4, whole=True)
REFUSALS: Final = Topic("refusals", 2, DAY_MS)
PULSE: Final = Topic("pulse", 1, HOUR_MS)
JOURNAL: Final = Topic("journal", 1, whole=True)
LETTERS: Final = Topic("letters", 3)
TOPICS: Final = (INTENTS, EVENTS, REFUSALS, PULSE, JOURNAL, LETTERS)

Again = Callable[[Log], Awaitable[Log]]
PATIENCE_S = 90.0


def drafts(*values: str, key: bytes = b"m1") -> list[Draft]:
    return [Draft(key, value.encode()) for value in values]


def values(records: Sequence[Stored]) -> list[str]:
    return [record.value.decode() for record in records]


async def read_all(reader: Reader, count: int, limit: int = 500) -> list[Stored]:
    found: list[Stored] = []
    async with asyncio.timeout(PATIENCE_S):
        while len(found) < count:
            batch = await reader.read(limit)
            assert 1 <= len(batch) <= limit
            found += batch
    assert len(found) == count
    return found


class LogContract:
    async def test_records_come_back_as_they_were_acknowledged(self, log: Log) -> None:
        before_ms = time.time_ns() // 1_000_000
        acks = await log.append(INTENTS, 3, drafts("a", "b"))
        acks = [*acks, *await log.append(INTENTS, 3, drafts("c", key=b"m2"))]
        assert [ack.offset for ack in acks] == [0, 1, 2]
        assert all(abs(ack.at_ms - before_ms) < 60_000 for ack in acks)
        assert acks[0].at_ms == acks[1].at_ms  # one call, one batch, one time
        found = await read_all(log.reader(INTENTS, 3, 0), 3)
        assert found == [
            Stored(INTENTS.name, 3, ack.offset, ack.at_ms, key, value)
            for ack, key, value in zip(acks, [b"m1", b"m1", b"m2"], [b"a", b"b", b"c"], strict=True)
        ]

    async def test_partitions_and_topics_are_apart(self, log: Log) -> None:
        await log.append(INTENTS, 0, drafts("i0"))
        await log.append(INTENTS, 1, drafts("i1"))
        await log.append(EVENTS, 1, drafts("e1"))
        assert values(await read_all(log.reader(INTENTS, 1, 0), 1)) == ["i1"]
        assert values(await read_all(log.reader(EVENTS, 1, 0), 1)) == ["e1"]
        assert await log.bounds(INTENTS, 1) == Bounds(0, 1)
        assert await log.bounds(INTENTS, 2) == Bounds(0, 0)

    async def test_calls_that_overlap_stay_together_and_in_order(self, log: Log) -> None:
        calls = [drafts(*(f"{call}.{index}" for index in range(5))) for call in range(40)]
        acks = await asyncio.gather(*(log.append(EVENTS, 2, call) for call in calls))
        found = await read_all(log.reader(EVENTS, 2, 0), 200)
        assert [record.offset for record in found] == list(range(200))
        for call, ack in zip(calls, acks, strict=True):
            first = ack[0].offset
            assert [one.offset for one in ack] == list(range(first, first + 5))
            mine = found[first : first + 5]
            assert [record.value for record in mine] == [draft.value for draft in call]
            assert [record.at_ms for record in mine] == [one.at_ms for one in ack]
        assert values(found) == [draft.value.decode() for call in calls for draft in call]

    async def test_a_call_too_large_for_one_batch_is_stored_whole(self, log: Log) -> None:
        big = [Draft(b"m1", bytes([index]) * 300_000) for index in range(10)]
        acks = await log.append(EVENTS, 0, big)
        assert [ack.offset for ack in acks] == list(range(10))
        found = await read_all(log.reader(EVENTS, 0, 0), 10)
        assert [record.value for record in found] == [draft.value for draft in big]
        assert [record.at_ms for record in found] == [ack.at_ms for ack in acks]

    async def test_a_record_of_the_greatest_size_is_stored_and_a_larger_one_refused(
        self, log: Log
    ) -> None:
        greatest = Draft(b"m1", b"x" * (RECORD_LIMIT_BYTES - 2))
        await log.append(LETTERS, 0, [greatest])
        with pytest.raises(AppendFailed):
            await log.append(LETTERS, 0, [Draft(b"m1", greatest.value + b"x")])
        assert await log.bounds(LETTERS, 0) == Bounds(0, 1)

    async def test_nothing_to_append_is_nothing_stored(self, log: Log) -> None:
        assert list(await log.append(INTENTS, 0, [])) == []
        assert await log.bounds(INTENTS, 0) == Bounds(0, 0)

    async def test_any_bytes_are_kept(self, log: Log) -> None:
        odd = [Draft(b"\xff\x00\xfe", b"\x00\xc3\x28"), Draft(b"", b""), Draft(b"k", b"")]
        await log.append(LETTERS, 2, odd)
        found = await read_all(log.reader(LETTERS, 2, 0), 3)
        assert [Draft(record.key, record.value) for record in found] == odd

    async def test_readers_do_not_disturb_each_other(self, log: Log) -> None:
        await log.append(REFUSALS, 1, drafts(*"abcdef"))
        readers = [log.reader(REFUSALS, 1, offset) for offset in (0, 3, 5)]
        assert values(await readers[0].read(2)) == ["a", "b"]
        assert values(await read_all(readers[1], 3)) == ["d", "e", "f"]
        assert values(await read_all(readers[0], 4)) == ["c", "d", "e", "f"]
        await readers[0].close()
        await log.append(REFUSALS, 1, drafts("g"))
        assert values(await read_all(readers[2], 2)) == ["f", "g"]
        assert values(await read_all(readers[1], 1)) == ["g"]

    async def test_a_reader_at_the_end_waits(self, log: Log) -> None:
        await log.append(PULSE, 0, drafts("a"))
        reader = log.reader(PULSE, 0, 1)
        reading = asyncio.create_task(reader.read())
        await asyncio.sleep(0.3)
        assert not reading.done()
        await log.append(PULSE, 0, drafts("b"))
        async with asyncio.timeout(PATIENCE_S):
            assert values(await reading) == ["b"]

    async def test_a_read_that_was_given_up_loses_nothing(self, log: Log) -> None:
        reader = log.reader(INTENTS, 3, 0)
        for turn in range(5):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(reader.read(), 0.02)
            await log.append(INTENTS, 3, drafts(f"{turn}"))
            assert values(await read_all(reader, 1)) == [f"{turn}"]

    async def test_a_reader_far_behind_gets_all_in_order(self, log: Log) -> None:
        for start in range(0, 6000, 500):
            await log.append(EVENTS, 3, drafts(*(f"{start + index}" for index in range(500))))
        found = await read_all(log.reader(EVENTS, 3, 0), 6000, limit=170)
        assert values(found) == [f"{index}" for index in range(6000)]
        assert values(await read_all(log.reader(EVENTS, 3, 5999), 1, limit=1)) == ["5999"]

    async def test_a_reader_that_reads_slowly_loses_nothing_and_holds_up_nobody(
        self, log: Log
    ) -> None:
        slow, quick = log.reader(EVENTS, 0, 0), log.reader(EVENTS, 1, 0)
        await log.append(EVENTS, 0, drafts("0"))
        assert values(await read_all(slow, 1)) == ["0"]
        for start in range(1, 8001, 400):
            await log.append(EVENTS, 0, drafts(*(f"{start + index}" for index in range(400))))
            await log.append(EVENTS, 1, drafts(f"{start}"))
            assert values(await read_all(quick, 1)) == [f"{start}"]
        await asyncio.sleep(0.3)
        await log.append(EVENTS, 1, drafts("last"))
        assert values(await read_all(quick, 1)) == ["last"]
        assert values(await read_all(slow, 8000, limit=90)) == [f"{n}" for n in range(1, 8001)]

    async def test_an_offset_above_the_end_is_out_of_range(self, log: Log) -> None:
        await log.append(INTENTS, 0, drafts("a"))
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(OutOfRange):
                await log.reader(INTENTS, 0, 2).read()

    async def test_trimmed_records_are_gone(self, log: Log) -> None:
        await log.append(INTENTS, 0, drafts(*"abcde"))
        await log.trim(INTENTS, 0, 3)
        assert await log.bounds(INTENTS, 0) == Bounds(3, 5)
        await log.trim(INTENTS, 0, 1)  # already gone
        assert await log.bounds(INTENTS, 0) == Bounds(3, 5)
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(OutOfRange):
                await log.reader(INTENTS, 0, 2).read()
        assert values(await read_all(log.reader(INTENTS, 0, 3), 2)) == ["d", "e"]
        await log.trim(INTENTS, 0, 5)
        assert await log.bounds(INTENTS, 0) == Bounds(5, 5)
        assert [ack.offset for ack in await log.append(INTENTS, 0, drafts("f"))] == [5]
        with pytest.raises(OutOfRange):
            await log.trim(INTENTS, 0, 7)

    async def test_a_whole_topic_is_never_trimmed(self, log: Log) -> None:
        await log.append(EVENTS, 0, drafts(*"abc"))
        for topic in (EVENTS, JOURNAL):
            with pytest.raises(ValueError, match="whole"):
                await log.trim(topic, 0, 0)
        assert await log.bounds(EVENTS, 0) == Bounds(0, 3)

    async def test_a_partition_that_does_not_exist_is_refused(self, log: Log) -> None:
        with pytest.raises(ValueError, match="partition"):
            await log.append(INTENTS, INTENTS.partitions, drafts("a"))
        with pytest.raises(ValueError, match="partition"):
            log.reader(PULSE, 1, 0)

    async def test_everything_is_kept_when_the_log_is_started_again(
        self, log: Log, again: Again
    ) -> None:
        acks = await log.append(INTENTS, 2, drafts(*"abcd"))
        await log.trim(INTENTS, 2, 2)
        log = await again(log)
        assert await log.bounds(INTENTS, 2) == Bounds(2, 4)
        found = await read_all(log.reader(INTENTS, 2, 2), 2)
        assert [record.at_ms for record in found] == [ack.at_ms for ack in acks[2:]]
        await log.trim(INTENTS, 2, 4)
        log = await again(log)
        assert await log.bounds(INTENTS, 2) == Bounds(4, 4)
        assert [ack.offset for ack in await log.append(INTENTS, 2, drafts("e"))] == [4]

    async def test_a_closed_log_reads_and_writes_no_more(self, log: Log) -> None:
        reading = asyncio.create_task(log.reader(INTENTS, 0, 0).read())
        await asyncio.sleep(0.1)
        assert log.healthy() is None
        await log.close()
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(LogFault):
                await reading
        with pytest.raises(AppendFailed):
            await log.append(INTENTS, 0, drafts("a"))
        assert log.healthy() is not None

    async def test_no_bookmarks_at_first(self, log: Log) -> None:
        assert dict(await log.bookmarks("rules", INTENTS)) == {}


def test_the_metadata_limit_is_the_brokers() -> None:
    assert METADATA_LIMIT_BYTES == 4096
    assert Bookmark(3).metadata == ""
