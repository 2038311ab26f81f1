"""The log in memory: for the simulation and for tests. It lasts as long as its store does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from typing_extensions import override

from sahrat.log.embedded import EmbeddedLog
from sahrat.log.port import Bookmark, Bounds, Stored
from sahrat.log.store import Kept, Mark, Place, Store, wall_ms
from sahrat.messages import topics
from sahrat.messages.topics import Topic


class MemoryStore(Store):
    """Records in lists. A new log on the same store is a house that was started again."""

    def __init__(self) -> None:
        self._records: dict[Place, list[Stored]] = {}
        self._starts: dict[Place, int] = {}
        self._marks: dict[tuple[str, str, int], Bookmark] = {}

    @override
    async def open(self, wanted: Sequence[Topic]) -> Kept:
        bounds: dict[Place, Bounds] = {}
        for topic in wanted:
            for partition in range(topic.partitions):
                place = (topic.name, partition)
                start = self._starts.setdefault(place, 0)
                records = self._records.setdefault(place, [])
                bounds[place] = Bounds(start, start + len(records))
        return Kept(bounds, [Mark(*place, mark) for place, mark in self._marks.items()])

    @override
    async def close(self) -> None:
        """Nothing is let go of: see the class."""

    @override
    async def write(self, records: Sequence[Stored], marks: Sequence[Mark]) -> None:
        for record in records:
            self._records[record.topic, record.partition].append(record)
        for mark in marks:
            self._marks[mark.group, mark.topic, mark.partition] = mark.mark

    @override
    def recent(self, place: Place, offset: int, limit: int) -> Sequence[Stored]:
        first = offset - self._starts[place]
        return self._records[place][first : first + limit] if first >= 0 else ()

    @override
    async def read(self, place: Place, offset: int, limit: int) -> Sequence[Stored]:
        return self.recent(place, offset, limit)

    @override
    async def trim(self, place: Place, before: int) -> None:
        gone = before - self._starts[place]
        if gone > 0:
            del self._records[place][:gone]
            self._starts[place] = before

    @override
    async def expire(self, oldest: Sequence[tuple[Place, int]]) -> Sequence[int]:
        for place, oldest_ms in oldest:
            records = self._records[place]
            fresh = (index for index, record in enumerate(records) if record.at_ms >= oldest_ms)
            await self.trim(place, self._starts[place] + next(fresh, len(records)))
        return [self._starts[place] for place, _ in oldest]


class MemoryLog(EmbeddedLog):
    """An embedded log in memory.

    Args:
        now_ms: Gives the append times, in milliseconds since 1970.
        store: What an earlier log left; None for an empty one.
        wanted: The topics that it has.
    """

    def __init__(
        self,
        now_ms: Callable[[], int] = wall_ms,
        store: MemoryStore | None = None,
        wanted: Sequence[Topic] = topics.ALL,
    ) -> None:
        self.store = MemoryStore() if store is None else store
        super().__init__(self.store, now_ms, wanted)
