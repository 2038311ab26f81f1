"""The log in memory as a broker that can be away, slow, wrong about the time and damaged."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from random import Random
from typing import Final

from typing_extensions import override

from sahrat.log.clock import whole_ms
from sahrat.log.hold import Hold
from sahrat.log.memory import MemoryLog, MemoryStore
from sahrat.log.port import Bookmark
from sahrat.log.store import Mark
from sahrat.messages.stored import Stored
from sahrat.messages.topics import Topic
from services.house.simulation.loop import true_s

START_MS: Final = 1_800_000_000_000  # when every simulation begins
USUAL: Final = 0.995  # of all appends; the others take long
QUICK_S: Final = (0.0, 0.0, 0.002, 0.02)
LONG_S: Final = (0.3, 1.2)
REMEMBERED: Final = 20  # bookmarks of a partition


class TimedStore(MemoryStore):
    """A store that also knows the true time of each record, in seconds of the loop."""

    def __init__(self) -> None:
        super().__init__()
        self.true_s: dict[tuple[str, int, int], float] = {}

    @override
    async def write(self, records: Sequence[Stored], marks: Sequence[Mark]) -> None:
        now_s = true_s()
        for record in records:
            self.true_s[record.topic, record.partition, record.offset] = now_s
        await super().write(records, marks)

    def cut(self, topic: Topic, partition: int, end: int) -> list[Stored]:
        """Lose the records from an offset on, and return them."""
        records = self._records[topic.name, partition]
        first = end - self._starts[topic.name, partition]
        lost = records[first:]
        del records[first:]
        return lost

    def mend(self, lost: Sequence[Stored]) -> None:
        """Have lost records again, as from another copy of the log."""
        for record in lost:
            self._records[record.topic, record.partition].append(record)


class Broker(MemoryLog):
    """What all processes share.

    Args:
        chance: Decides how long appends take.

    Attributes:
        here: Cleared while nobody reaches it.
        skew_ms: How far its clock is from the true time; may be set at any moment.
        pause_s: What every append takes besides.
    """

    store: TimedStore

    def __init__(self, chance: Random) -> None:
        super().__init__(self.now_ms, TimedStore())
        self.here = asyncio.Event()
        self.here.set()
        self.skew_ms = 0
        self.pause_s = 0.0
        self._chance = chance
        self._history: dict[tuple[str, str, int], list[Bookmark]] = {}

    @override
    async def save(self, hold: Hold, mark: Mark) -> None:
        await super().save(hold, mark)
        kept = self._history.setdefault((mark.group, mark.topic, mark.partition), [])
        kept.append(mark.mark)
        del kept[:-REMEMBERED]

    def now_ms(self) -> int:
        """Return what its clock shows, in ms since 1970."""
        return START_MS + whole_ms(true_s()) + self.skew_ms

    async def lag(self) -> None:
        """Take the time that an append takes."""
        quick = self._chance.random() < USUAL
        seconds = self.pause_s + self._chance.choice(QUICK_S if quick else LONG_S)
        if seconds:
            await asyncio.sleep(seconds)

    def records(self, topic: Topic, partition: int) -> Sequence[Stored]:
        """Return all that a partition holds."""
        return self.store.recent((topic.name, partition), 0, 10**9)

    def marks(self, group: str, topic: Topic) -> dict[int, Bookmark]:
        """Return a group's bookmarks, to be changed behind its back."""
        return self._marks.setdefault((group, topic.name), {})

    def earlier(self, group: str, topic: Topic, partition: int) -> Sequence[Bookmark]:
        """Return the last bookmarks of a partition, oldest first."""
        return self._history.get((group, topic.name, partition), ())

    def lose_tail(self, topic: Topic, partition: int, end: int) -> Sequence[Stored]:
        """Lose a partition's records from an offset on, as a power cut may; return them."""
        self._partitions[topic.name, partition].end = end
        return self.store.cut(topic, partition, end)

    def find_tail(self, lost: Sequence[Stored]) -> None:
        """Have a lost tail again; nobody may have written there meanwhile."""
        self.store.mend(lost)
        for record in lost:
            self._partitions[record.topic, record.partition].end = record.offset + 1
