"""The rules worker on the log: reads intents, writes what they cause, keeps its place."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

import structlog

from sahrat import games
from sahrat.log.follow import BEGINNING, RULES, Follower, Horizon
from sahrat.log.live import LivePartition
from sahrat.log.port import (
    Bookmark,
    Claim,
    Draft,
    Log,
    LogFault,
    OwnershipLost,
    Released,
    Stored,
)
from sahrat.match.judge import Keys
from sahrat.match.match import Match
from sahrat.messages import topics
from sahrat.runtime.apart import Elsewhere, Here, NotComputed
from sahrat.runtime.served import Served
from services.rules import core

BATCH: Final = 500
BOOKMARK_S: Final = 0.25  # a restart repeats the refusals of so long at the most, nothing else
HOUR_S: Final = 3600.0
STUCK_S: Final = 10.0

_log = structlog.get_logger("rules")


class Rules:
    """Serves the partitions of `match.intents`.

    Args:
        log: Where everything is read and written.
        keys: The master keys, which no other worker has.
        elsewhere: Computes what takes long, so that the other partitions need not wait for it.

    """

    name = "rules"

    def __init__(self, log: Log, keys: Keys, elsewhere: Elsewhere | None = None) -> None:
        self._log = log
        self._keys = keys
        self._elsewhere = elsewhere or Here()
        self._busy: dict[int, float] = {}  # partition: since when its batch is in hand
        self._taken_up = Served(_log)

    def health(self) -> str | None:
        """Return None, or which partition has waited too long for the log."""
        now = asyncio.get_running_loop().time() if self._busy else 0.0
        for partition, since in self._busy.items():
            if now - since > STUCK_S:
                return f"partition {partition} has waited {now - since:.0f} s for the log"
        return self._log.healthy()

    async def run(self, stop: asyncio.Event) -> None:
        """Own partitions until `stop`."""
        for game in games.GAMES.values():
            if game.heavy is not None:
                _log.info("computes apart", game=game.rules, engine=game.heavy.engine())
        try:
            await self._log.own(RULES, topics.INTENTS, self.serve, stop)
        finally:
            await self._elsewhere.close()

    async def serve(self, claim: Claim) -> None:
        """Judge one partition's intents in order; each batch is stored before the next is read.

        Raises:
            LogFault: The partition can't be served as it is; nothing was written.
        """
        loop = asyncio.get_running_loop()
        self._busy[claim.partition] = loop.time()
        try:
            live, resume = await self._recover(claim)
            del self._busy[claim.partition]
            await self._serve(claim, live, resume)
        finally:
            self._busy.pop(claim.partition, None)

    async def _serve(self, claim: Claim, live: LivePartition, place: int) -> None:
        loop = asyncio.get_running_loop()
        marked, trimmed = loop.time(), loop.time()
        reader = claim.reader(topics.INTENTS, place)
        try:
            while True:
                batch = await reader.read(BATCH)
                self._busy[claim.partition] = loop.time()
                await self._judge(live, batch)
                place = batch[-1].offset + 1
                if loop.time() - marked >= BOOKMARK_S:
                    await claim.bookmark(mark(live, place))
                    marked = loop.time()
                if loop.time() - trimmed >= HOUR_S:
                    await self._trim(claim.partition, place, batch[-1].at_ms)
                    trimmed = loop.time()
                del self._busy[claim.partition]
        except Released:
            with suppress(OwnershipLost):  # it is another's already
                await claim.bookmark(mark(live, place))  # the next owner has less to fold
        finally:
            await reader.close()

    async def _recover(self, claim: Claim) -> tuple[LivePartition, int]:
        """Fold the live matches, and find the place to go on from."""
        partition = claim.partition
        events = await self._log.bounds(topics.EVENTS, partition)
        found = (await self._log.bookmarks(RULES, topics.INTENTS)).get(partition)
        if found is None:
            if events.end > 0:
                raise LogFault(
                    f"partition {partition} has events but rules has no bookmark there: "
                    "was the consumer group deleted? Nothing is served until people have looked"
                )
            found = Bookmark(0, BEGINNING.dump())
            await claim.bookmark(found)
        follower = Follower(self._log, partition, claim.reader)
        try:
            await follower.catch_up()
        finally:
            await follower.close()
        live = follower.live
        intents = await self._log.bounds(topics.INTENTS, partition)
        resume = max(found.offset, live.high)
        if intents.end < live.high + 1 or intents.end < found.offset:
            raise LogFault(
                f"{topics.INTENTS.name}/{partition} ends at {intents.end}, below the cause of a "
                "record: intents were lost"
            )
        if intents.start > resume:
            raise LogFault(
                f"{topics.INTENTS.name}/{partition} starts at {intents.start}, above {resume}, "
                "where rules goes on: intents were deleted unread"
            )
        self._taken_up.began(partition, live=len(live.live()), offset=resume)
        self._expect(live.live())
        return live, resume

    def _expect(self, matches: Iterable[Match]) -> None:
        """Begin to get ready where one of them will have something that takes long."""
        if any(match.game.heavy is not None for match in matches):
            self._elsewhere.start()

    async def _judge(self, live: LivePartition, batch: Sequence[Stored]) -> None:
        """Judge a batch and return once the log has all that it caused.

        Raises:
            AppendFailed: Nothing may be read or written any more; the process must end.
        """
        events: list[core.Event] = []
        answers: list[Draft] = []
        for stored in batch:
            for output in core.step(live, stored, self._keys):
                if isinstance(output, core.Event):
                    events.append(output)
                elif isinstance(output, core.Answer):
                    answers.append(output.draft)
                elif isinstance(output, core.Heavy):
                    await self._compute(output)
                else:
                    _log.error("alarm", problem="dead letter", detail=output.alarm)
                    shelf = live.partition % topics.DEAD_LETTERS.partitions
                    await self._log.append(topics.DEAD_LETTERS, shelf, (output.draft,))
        if events:
            drafts = [event.draft for event in events]
            acks = await self._log.append(topics.EVENTS, live.partition, drafts)
            for event, ack in zip(events, acks, strict=True):
                if event.opens is not None:
                    event.opens.first_offset = ack.offset
                    self._expect((event.opens,))
            live.next_offset = acks[-1].offset + 1
        if answers:
            await self._log.append(topics.REFUSALS, live.partition, answers)

    async def _compute(self, heavy: core.Heavy) -> None:
        """Have something computed elsewhere. What can't be is left to the judgement, here: if it
        raises there too, that is a fault of the game like any other.
        """
        try:
            heavy.given = heavy.work.given(await self._elsewhere.run(heavy.work.run))
        except NotComputed as fault:
            _log.error("alarm", problem="not computed apart", detail=str(fault))

    async def _trim(self, partition: int, place: int, now_ms: int) -> None:
        """Delete the intents that are older than a day and judged: the events are the truth."""
        bounds = await self._log.bounds(topics.INTENTS, partition)
        before = await first_younger(
            self._log, partition, bounds.start, place, now_ms - topics.DAY_MS
        )
        if before > bounds.start:
            await self._log.trim(topics.INTENTS, partition, before)


def mark(live: LivePartition, place: int) -> Bookmark:
    """Return the bookmark of a partition whose intents are judged up to `place`."""
    horizon, high = live.horizon()
    return Bookmark(place, Horizon(horizon=horizon, high=high, end=live.next_offset).dump())


async def first_younger(log: Log, partition: int, start: int, end: int, at_ms: int) -> int:
    """Return the first offset in [start, end) whose intent is younger than `at_ms`, else `end`.

    By halves: append times are only almost ascending, which is good enough for a day.
    """
    while start < end:
        middle = (start + end) // 2
        reader = log.reader(topics.INTENTS, partition, middle)
        try:
            found = (await reader.read(1))[0]
        finally:
            await reader.close()
        if found.at_ms < at_ms:
            start = found.offset + 1
        else:
            end = middle
    return start
