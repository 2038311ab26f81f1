"""A log in memory whose appends can be held up, and that knows the true time of each record."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from typing_extensions import override

from sahrat.log.memory import MemoryLog, MemoryStore
from sahrat.log.store import Mark
from sahrat.messages.stored import Ack, Draft, Stored
from sahrat.messages.topics import Topic

Gate = Callable[[Topic, int], Awaitable[None]]
"""Awaited before each append: a test may hold it there, and kill whoever waits."""


class GatedLog(MemoryLog):
    """A log in memory whose appends can be held up."""

    gate: Gate | None = None

    @override
    async def append(self, topic: Topic, partition: int, drafts: Sequence[Draft]) -> Sequence[Ack]:
        if self.gate is not None:
            await self.gate(topic, partition)
        return await super().append(topic, partition, drafts)


class TimedStore(MemoryStore):
    """A store that also knows the true time of each record, in seconds of the loop."""

    def __init__(self) -> None:
        super().__init__()
        self.true_s: dict[tuple[str, int, int], float] = {}

    @override
    async def write(self, records: Sequence[Stored], marks: Sequence[Mark]) -> None:
        now_s = asyncio.get_running_loop().time()
        for record in records:
            self.true_s[record.topic, record.partition, record.offset] = now_s
        await super().write(records, marks)
