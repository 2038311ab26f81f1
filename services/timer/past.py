"""What a timer looks up in the log at its start: which tick was answered last, and which waits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from sahrat.games import wire
from sahrat.log.follow import RULES, OpenReader
from sahrat.log.port import LogReader, OutOfRange, Stored
from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.codec import FromTheFuture, Poison
from sahrat.messages.envelope import IntentEnvelope, TickAnswered
from sahrat.messages.topics import INTENTS, REFUSALS, Topic

WINDOW: Final = 500  # records; doubled until a tick's answer is among them


async def newest_answered(
    log: LogReader, partition: int, open_reader: OpenReader
) -> tuple[int, tuple[TickAnswered, Stored] | None]:
    """Find the newest answered tick of a partition, whichever timer wrote it.

    Returns:
        The offset in the refusals from which on everything is still to be read, and the answer as
        stored; None when no tick was answered, or the answers are gone with their day.
    """
    end = (await log.bounds(REFUSALS, partition)).end
    window, before = WINDOW, end
    while before > (start := (await log.bounds(REFUSALS, partition)).start):
        first = max(start, before - window)
        try:
            found = await _newest_in(open_reader, first, before)
        except OutOfRange:
            continue  # they were deleted in this moment, being a day old: look where it starts now
        if found is not None:
            return end, found
        before, window = first, 2 * window
    return end, None


async def waiting(
    log: LogReader, partition: int, open_reader: OpenReader, answered: int
) -> tuple[str, int] | None:
    """Return the newest tick (intent id, offset) that rules has not answered yet.

    Args:
        log: The log.
        partition: Of the match topics.
        open_reader: Reads that partition.
        answered: The offset of the newest answered tick; -1 for none.
    """
    bounds = await log.bounds(INTENTS, partition)
    mark = (await log.bookmarks(RULES, INTENTS)).get(partition)
    first = max(bounds.start, answered + 1, 0 if mark is None else mark.offset)
    found = None
    async for stored in _between(open_reader, INTENTS, first, bounds.end):
        try:
            intent: IntentEnvelope[Message] = wire.INTENTS.decode(stored.value)
        except Poison:
            continue  # rules puts it with the dead letters
        if isinstance(intent.intent, m.Tick) and intent.system == "timer":
            found = intent.intent_id, stored.offset
    return found


async def _newest_in(
    open_reader: OpenReader, first: int, before: int
) -> tuple[TickAnswered, Stored] | None:
    found = None
    async for stored in _between(open_reader, REFUSALS, first, before):
        try:
            answer = wire.ANSWERS.decode(stored.value)
        except FromTheFuture:
            raise
        except Poison:
            continue  # whoever read it when it was new has put it with the dead letters
        if isinstance(answer, TickAnswered) and (found is None or answer.offset > found[0].offset):
            found = answer, stored
    return found


async def _between(
    open_reader: OpenReader, topic: Topic, first: int, before: int
) -> AsyncIterator[Stored]:
    """Yield the records of [first, before)."""
    if first >= before:
        return
    reader = open_reader(topic, first)
    try:
        while first < before:
            for stored in await reader.read():
                if stored.offset < before:
                    yield stored
                first = stored.offset + 1
    finally:
        await reader.close()
