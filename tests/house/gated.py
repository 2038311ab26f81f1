"""A log in memory whose appends can be held up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from typing_extensions import override

from sahrat.log.memory import MemoryLog
from sahrat.messages.stored import Ack, Draft
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
