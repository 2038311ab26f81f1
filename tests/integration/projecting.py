"""A projection at work in a test, and what it has brought about in the database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import psycopg

from sahrat.log.memory import MemoryLog, MemoryStore
from sahrat.log.port import Log, LogReader
from sahrat.messages import topics
from sahrat.messages.stored import Draft, Stored
from sahrat.storage.compare import Comparison, compare
from sahrat.storage.pool import connect
from services.projection.host import Projection
from services.projection.models import ReadModels
from services.projection.rebuild import build
from services.projection.store import PostgresModels

PATIENCE_S = 120.0


async def filled(drafts: Mapping[int, Sequence[Draft]]) -> MemoryLog:
    """A started log with these records, by partition."""
    log = MemoryLog()
    await log.start()
    for partition, records in drafts.items():
        await log.append(topics.EVENTS, partition, records)
    return log


async def twin(log: MemoryLog) -> MemoryLog:
    """The same records in a log of its own groups: what another process would see."""
    other = MemoryLog(store=MemoryStore())
    await other.start()
    for partition in range(topics.EVENTS.partitions):
        stored = await everything_in(log, partition)
        await other.append(
            topics.EVENTS, partition, [Draft(record.key, record.value) for record in stored]
        )
    return other


async def everything_in(
    log: Log, partition: int, topic: topics.Topic = topics.EVENTS
) -> list[Stored]:
    end = (await log.bounds(topic, partition)).end
    found: list[Stored] = []
    reader = log.reader(topic, partition, 0)
    while len(found) < end:
        found += await reader.read()
    await reader.close()
    return found


@asynccontextmanager
async def projecting(
    log: Log, dsn: str, models: ReadModels | None = None
) -> AsyncIterator[Projection]:
    """A projection at work; stopped at the end, and whatever ended it before is raised."""
    projection = Projection(log, models or PostgresModels(dsn))
    stop = asyncio.Event()
    working = asyncio.create_task(projection.run(stop))
    try:
        yield projection
    finally:
        stop.set()
        async with asyncio.timeout(PATIENCE_S):
            await working


async def ends(log: Log, dsn: str, models: ReadModels | None = None) -> None:
    """Let a projection work until something ends it; raises that, or TimeoutError."""
    async with asyncio.timeout(PATIENCE_S):
        await Projection(log, models or PostgresModels(dsn)).run(asyncio.Event())


async def rows(dsn: str, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
    async with await connect(dsn, name="test") as connection:
        cursor = await connection.execute(query.encode(), parameters)
        return await cursor.fetchall()


async def execute(dsn: str, statement: str) -> None:
    async with await connect(dsn, name="test") as connection:
        await connection.execute(statement.encode())


async def caught_up(log: Log, dsn: str, patience_s: float = PATIENCE_S) -> float:
    """Wait until the tables are as far as the log is now; return how long it took, in seconds."""
    ends = {
        partition: (await log.bounds(topics.EVENTS, partition)).end
        for partition in range(topics.EVENTS.partitions)
    }
    loop = asyncio.get_running_loop()
    began = loop.time()
    async with asyncio.timeout(patience_s):
        while True:
            try:
                places = dict(
                    await rows(
                        dsn,
                        "select topic_partition, next_offset from projection_progress "
                        "where topic = %s",
                        topics.EVENTS.name,
                    )
                )
            except psycopg.Error:
                places = {}
            if all(places.get(partition, -1) >= end for partition, end in ends.items()):
                return loop.time() - began
            await asyncio.sleep(0.05)


async def beside_a_rebuild(log: LogReader, dsn: str, schema: str = "live") -> Comparison:
    """Compare every table with what the topics alone make."""
    await build(log, dsn, "expected")
    comparison = await compare(dsn, schema, "expected")
    await execute(dsn, "drop schema expected cascade")
    return comparison


async def equals_a_rebuild(log: Log, dsn: str, schema: str = "live") -> dict[str, int]:
    """Fail unless every table is what the topics alone make; return the number of rows of each."""
    comparison = await beside_a_rebuild(log, dsn, schema)
    assert comparison.differences == []
    return comparison.rows
