"""A log whose first failed append ends the process, in that very moment.

Whoever went on, if only to hand over cleanly, might store a later batch where this one was not, and
a reader would see a hole. So nothing is handed on, flushed or closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from typing_extensions import override

from sahrat.log.port import (
    Ack,
    AppendFailed,
    Bookmark,
    Bounds,
    Draft,
    Log,
    Reader,
    Serve,
)
from sahrat.messages.topics import Topic


class EndingLog(Log):
    """Another log, but for what a failed append does.

    Args:
        log: The log itself.
        end: Ends the process; told what failed.
    """

    def __init__(self, log: Log, end: Callable[[AppendFailed], NoReturn]) -> None:
        self._log = log
        self.shared = log.shared
        self._end = end

    @override
    async def append(self, topic: Topic, partition: int, drafts: Sequence[Draft]) -> Sequence[Ack]:
        try:
            return await self._log.append(topic, partition, drafts)
        except AppendFailed as failure:
            self._end(failure)

    @override
    async def start(self) -> None:
        await self._log.start()

    @override
    async def close(self) -> None:
        await self._log.close()

    @override
    async def bounds(self, topic: Topic, partition: int) -> Bounds:
        return await self._log.bounds(topic, partition)

    @override
    def reader(self, topic: Topic, partition: int, offset: int) -> Reader:
        return self._log.reader(topic, partition, offset)

    @override
    async def bookmarks(self, group: str, topic: Topic) -> Mapping[int, Bookmark]:
        return await self._log.bookmarks(group, topic)

    @override
    def healthy(self) -> str | None:
        return self._log.healthy()

    @override
    async def own(self, group: str, topic: Topic, serve: Serve, stop: asyncio.Event) -> None:
        await self._log.own(group, topic, serve, stop)

    @override
    async def trim(self, topic: Topic, partition: int, before: int) -> None:
        await self._log.trim(topic, partition, before)
