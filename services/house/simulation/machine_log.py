"""The log as one process of the simulated house reaches it, if it does."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Final, NoReturn

from typing_extensions import override

from sahrat.log.port import (
    Ack,
    AppendFailed,
    Bookmark,
    Bounds,
    Claim,
    Draft,
    Log,
    LogAway,
    Reader,
    Serve,
    Stored,
)
from sahrat.messages.topics import Topic

if TYPE_CHECKING:
    from services.house.simulation.machine import Incarnation

AWAY_S: Final = 10.0  # as on Kafka: so long without the broker, and the process ends


class Point(Enum):
    """Where in its work a process may die. What it has sent is stored."""

    READ = "read"
    FOLDED = "folded"
    SENT = "sent"
    ACKNOWLEDGED = "acknowledged"
    BOOKMARKED = "bookmarked"


class Loss(Enum):
    """What may become of an append that fails."""

    REFUSED = "an append refused"
    UNHEARD = "an acknowledgement lost"


class MachineLog(Log):
    """The log as one process reaches it, if it does."""

    def __init__(self, running: Incarnation) -> None:
        self._running = running
        self._broker = running.machine.broker

    async def reach(self, fault: type[Exception]) -> None:
        """Wait until the broker can be reached.

        Raises:
            LogAway, AppendFailed: It can't be for too long; which, the caller says.
        """
        running = self._running
        await running.lives()
        if running.open.is_set() and self._broker.here.is_set():
            return
        loop = asyncio.get_running_loop()
        until_s = loop.time() + AWAY_S
        while not (running.open.is_set() and self._broker.here.is_set()):
            waits_for = self._broker.here if running.open.is_set() else running.open
            try:
                async with asyncio.timeout(None if running.frozen else until_s - loop.time()):
                    await waits_for.wait()
            except TimeoutError:
                if not running.frozen:  # who stands still has no time that runs out
                    raise fault("the broker does not answer") from None
        await running.lives()

    async def at(self, point: Point) -> None:
        """Pass a point, or die there."""
        await self._running.lives()
        if not self._running.passes(point):
            await never()

    @override
    async def append(self, topic: Topic, partition: int, drafts: Sequence[Draft]) -> Sequence[Ack]:
        running = self._running
        await self.reach(AppendFailed)
        await self.at(Point.FOLDED)
        lost, running.loses = running.loses, None
        if lost is Loss.REFUSED:
            raise AppendFailed(lost.value)
        await self._broker.lag()
        await running.lives()
        acks = await self._broker.append(topic, partition, drafts)
        if lost is Loss.UNHEARD:
            raise AppendFailed(lost.value)
        await self.reach(AppendFailed)
        await self.at(Point.SENT)
        return acks

    @override
    async def own(self, group: str, topic: Topic, serve: Serve, stop: asyncio.Event) -> None:
        async def serve_here(claim: Claim) -> None:
            holding = (group, topic, claim.partition)
            self._running.holding[holding] = None

            async def ours() -> None:
                await serve(MachineClaim(self, claim))

            loop, context = asyncio.get_running_loop(), self._running.context
            try:  # another process's end may have begun this: it runs as a part of ours
                await loop.create_task(ours(), context=context)
            finally:
                self._running.holding.pop(holding, None)

        await self.reach(LogAway)
        await self._broker.own(group, topic, serve_here, stop)

    @override
    def reader(self, topic: Topic, partition: int, offset: int) -> Reader:
        return MachineReader(self, self._broker.reader(topic, partition, offset))

    @property
    def batch(self) -> int:
        """So many records are given at a time, at most."""
        return self._running.machine.batch

    @override
    async def start(self) -> None:
        await self.reach(LogAway)

    @override
    async def close(self) -> None:
        """Nothing of the broker's is let go of."""

    @override
    async def bounds(self, topic: Topic, partition: int) -> Bounds:
        await self.reach(LogAway)
        return await self._broker.bounds(topic, partition)

    @override
    async def bookmarks(self, group: str, topic: Topic) -> Mapping[int, Bookmark]:
        await self.reach(LogAway)
        return await self._broker.bookmarks(group, topic)

    @override
    def healthy(self) -> str | None:
        return None if self._running.open.is_set() else "the broker does not answer"

    @override
    async def trim(self, topic: Topic, partition: int, before: int) -> None:
        await self.reach(LogAway)
        await self._broker.trim(topic, partition, before)


class MachineReader(Reader):
    """A reader of one process."""

    def __init__(self, log: MachineLog, reader: Reader) -> None:
        self._log = log
        self._reader = reader

    @override
    async def read(self, limit: int = 500) -> Sequence[Stored]:
        await self._log.reach(LogAway)
        found = await self._reader.read(min(limit, self._log.batch))
        await self._log.reach(LogAway)
        await self._log.at(Point.READ)
        return found

    @override
    async def close(self) -> None:
        await self._reader.close()


class MachineClaim(Claim):
    """A partition that one process owns."""

    def __init__(self, log: MachineLog, claim: Claim) -> None:
        self.partition = claim.partition
        self._log = log
        self._claim = claim

    @override
    def reader(self, topic: Topic, offset: int) -> Reader:
        return MachineReader(self._log, self._claim.reader(topic, offset))

    @override
    async def bookmark(self, mark: Bookmark) -> None:
        await self._log.reach(LogAway)
        await self._log.at(Point.ACKNOWLEDGED)
        await self._claim.bookmark(mark)
        await self._log.at(Point.BOOKMARKED)


async def never() -> NoReturn:
    """Wait for ever: the process is dead, and this task is being taken down."""
    while True:
        await asyncio.get_running_loop().create_future()
