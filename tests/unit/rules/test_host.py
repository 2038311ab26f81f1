"""The rules worker on the log: it finds its place again, and refuses to run where it can't."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import orjson
import pytest

from sahrat.games.ludo.messages import RollDie
from sahrat.log.follow import RULES
from sahrat.log.memory import MemoryLog, MemoryStore
from sahrat.log.port import Ack, AppendFailed, Bookmark, Draft, LogFault
from sahrat.log.store import Mark
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.topics import Topic
from services.rules.host import Rules
from tests.unit.match.desk import Desk, FixedKeys, line
from tests.unit.rules.test_core import play


class FailingLog(MemoryLog):
    """A log that dies at a named point."""

    point = ""

    async def append(self, topic: Topic, partition: int, drafts: Sequence[Draft]) -> Sequence[Ack]:
        if topic is topics.EVENTS and self.point == "folded":
            raise AppendFailed("killed before the append")
        acks = await super().append(topic, partition, drafts)
        if topic is topics.EVENTS and self.point == "stored":
            raise AppendFailed("killed before the acknowledgement")
        if topic is topics.REFUSALS and self.point == "answered":
            raise AppendFailed("killed before the bookmark")
        return acks


def scripted() -> Desk:
    desk = Desk()
    desk.table_of(0, 1)
    play(desk, steps=40)
    return desk


async def run_rules(log: MemoryLog, until: int, partition: int, seconds: float = 5) -> None:
    """Serve until the events partition ends at an offset (or the worker fails)."""
    stop = asyncio.Event()
    task = asyncio.create_task(Rules(log, FixedKeys()).run(stop))
    try:
        async with asyncio.timeout(seconds):
            while (await log.bounds(topics.EVENTS, partition)).end < until and not task.done():
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.05)
    finally:
        stop.set()
        await task


async def filled(
    desk: Desk, log_type: type[MemoryLog] = MemoryLog, mark: Bookmark | None = None
) -> Any:
    """Return a log that holds the script's intents, with their append times, and a bookmark."""
    store = MemoryStore()
    await store.open(topics.ALL)
    marks = [] if mark is None else [Mark(RULES, topics.INTENTS.name, desk.partition, mark)]
    await store.write(desk.intents, marks)
    log = log_type(store=store)
    await log.start()
    return log


async def events(log: MemoryLog, partition: int) -> list[bytes]:
    end = (await log.bounds(topics.EVENTS, partition)).end
    reader = log.reader(topics.EVENTS, partition, 0)
    out: list[bytes] = []
    while len(out) < end:
        out += [stored.value for stored in await reader.read()]
    return out


async def test_it_writes_what_the_core_decides_and_keeps_its_place() -> None:
    desk = scripted()
    log = await filled(desk)
    await run_rules(log, len(desk.values), desk.partition)
    assert await events(log, desk.partition) == desk.values
    mark = (await log.bookmarks(RULES, topics.INTENTS))[desk.partition]
    known = orjson.loads(mark.metadata)
    assert mark.offset == len(desk.intents)
    assert known == {"horizon": 0, "high": -1, "end": len(desk.values)}


@pytest.mark.parametrize("point", ["folded", "stored", "answered"])
async def test_F01_C43_killed_at_a_point_it_repeats_the_same_bytes_and_loses_nothing(
    point: str,
) -> None:
    desk = scripted()
    desk.send(m.LineUp(player_id=desk.match_id, line=line(1)), system="gateway")  # one refusal
    log = await filled(desk, FailingLog)
    log.point = point
    with pytest.raises(AppendFailed):
        await run_rules(log, 10**9, desk.partition)
    again = MemoryLog(store=log.store)
    await again.start()
    first = len(await events(again, desk.partition))
    await run_rules(again, len(desk.values), desk.partition)
    values = await events(again, desk.partition)
    assert values[:first] == desk.values[:first]
    assert list(dict.fromkeys(values)) == desk.values
    assert set(values[first:]) <= set(desk.values)


async def test_C42_two_members_write_what_one_would() -> None:
    desk = scripted()
    log = await filled(desk)
    await asyncio.gather(
        run_rules(log, len(desk.values), desk.partition),
        run_rules(log, len(desk.values), desk.partition),
    )
    assert list(dict.fromkeys(await events(log, desk.partition))) == desk.values


def metadata(**known: int) -> str:
    return orjson.dumps({"horizon": 0, "high": -1, "end": 0} | known).decode()


@pytest.mark.parametrize(
    ("mark", "problem"),
    [
        (None, "no bookmark"),
        (Bookmark(1, metadata(end=10_000)), "records were lost"),
        (Bookmark(10_000, metadata()), "intents were lost"),
    ],
)
async def test_F25_it_refuses_a_partition_that_is_not_what_it_was(
    mark: Bookmark | None, problem: str
) -> None:
    desk = scripted()
    log = await filled(desk, mark=mark)
    drafts = [Draft(desk.match_id.encode(), value) for value in desk.values]
    await log.append(topics.EVENTS, desk.partition, drafts)
    with pytest.raises(LogFault, match=problem):
        await run_rules(log, 10**9, desk.partition)


async def test_F25_intents_that_were_deleted_unread_are_an_alarm() -> None:
    desk = scripted()
    log = await filled(desk, mark=Bookmark(2, metadata()))
    await log.trim(topics.INTENTS, desk.partition, 5)
    with pytest.raises(LogFault, match="deleted unread"):
        await run_rules(log, 10**9, desk.partition)


async def test_a_batch_in_hand_for_too_long_turns_health_red() -> None:
    desk = Desk()
    desk.table_of(0, 1)
    desk.send(RollDie(number="1"), who=desk.on_turn(), step=1)

    class Slow(MemoryLog):
        async def append(
            self, topic: Topic, partition: int, drafts: Sequence[Draft]
        ) -> Sequence[Ack]:
            if topic is topics.EVENTS:
                await asyncio.sleep(3600)
            return await super().append(topic, partition, drafts)

    log = await filled(desk, Slow)
    rules = Rules(log, FixedKeys())
    task = asyncio.create_task(rules.run(asyncio.Event()))
    await asyncio.sleep(0.1)
    assert rules.health() is None
    rules._busy = {p: since - 11 for p, since in rules._busy.items()}
    assert "waited 11 s" in str(rules.health())
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
