"""The projection on a real broker: members come and go, with the database there and away."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Final

import pytest

from sahrat.log.kafka import KafkaLog
from sahrat.log.memory import MemoryLog
from sahrat.log.port import Log
from sahrat.messages import topics
from sahrat.storage.pool import AWAY
from services.projection.host import Projection
from services.projection.store import PostgresModels
from tests.integration.projecting import caught_up, equals_a_rebuild, projecting, rows
from tests.unit.projection.stories import Story, everything, many

P: Final = 3
NOWHERE: Final = "host=127.0.0.1 port=1 user=nobody dbname=nothing"
WANTED: Final = (topics.EVENTS, topics.WALLET_JOURNAL, topics.DEAD_LETTERS)


@pytest.fixture(scope="module")
def story() -> Story:
    return everything(P)


@pytest.fixture
async def logs(kafka: str) -> AsyncIterator[list[Log]]:
    """Two connections to the same topics, as two processes have them."""
    prefix = f"t{uuid.uuid4().hex[:12]}."
    logs: list[Log] = []
    for _ in range(2):
        log: Log = KafkaLog(kafka, prefix=prefix, wanted=WANTED, flush=False)
        await log.start()
        logs.append(log)
    yield logs
    for log in logs:
        await log.close()


async def test_members_come_and_go_and_every_record_is_projected_once(
    story: Story, logs: list[Log], postgres: str
) -> None:
    one, two = logs
    other = many(8, 2)
    async with projecting(one, postgres):
        await one.append(topics.EVENTS, P, story.drafts[:700])
        await one.append(topics.EVENTS, 8, other.drafts)
        async with projecting(two, postgres):
            for at in range(700, len(story.drafts), 100):
                await one.append(topics.EVENTS, P, story.drafts[at : at + 100])
                await asyncio.sleep(0.05)
            await caught_up(one, postgres)
        await caught_up(one, postgres)
    counts = await equals_a_rebuild(one, postgres)
    assert counts["records"] == len(story.drafts) + len(other.drafts)


async def test_a_member_without_a_database_holds_up_no_hand_over(
    story: Story, logs: list[Log], postgres: str
) -> None:
    """Its partitions go to one that has a database, although it waits for its own."""
    one, two = logs
    await one.append(topics.EVENTS, P, story.drafts[:50])
    stop = asyncio.Event()
    stuck = asyncio.create_task(Projection(one, PostgresModels(NOWHERE)).run(stop))
    await asyncio.sleep(4)
    async with projecting(two, postgres):
        await asyncio.sleep(1)
        stop.set()
        async with asyncio.timeout(60):
            await stuck
        await caught_up(two, postgres)
    await equals_a_rebuild(two, postgres)


async def taken(dsn: str) -> bool:
    try:
        return await rows(dsn, "select 1 from records limit 1") != []
    except AWAY:
        return False


async def test_another_member_takes_its_share_while_one_waits_for_its_database(
    postgres: str,
) -> None:
    """The same within one process, where which partition goes to whom is known."""
    log = MemoryLog()
    await log.start()
    halves = {p: many(p, 1).drafts[:20] for p in (0, 11)}
    for partition, drafts in halves.items():
        await log.append(topics.EVENTS, partition, drafts)
    async with projecting(log, NOWHERE):
        await asyncio.sleep(1)
        async with projecting(log, postgres):
            async with asyncio.timeout(60):
                while not await taken(postgres):
                    await asyncio.sleep(0.1)
