"""One partition after the other's turn: records one at a time, up to where the log ended."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from sahrat.log.port import LogFault, LogReader, Reader, Stored
from sahrat.messages.topics import Topic
from services.audit.marks import Marks

AT_ONCE: Final = 200

Tell = Callable[[int, int], None]
"""Told how many records are read, of how many."""


class Progress:
    """How far all streams of an audit have come.

    Args:
        tell: Told now and then.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self.done = 0
        self.total = 0

    def add(self, records: int) -> None:
        """Count what was read."""
        self.done += records
        self._tell(self.done, self.total)


class Stream:
    """Reads a partition from offset 0.

    Args:
        log: The log.
        topic, partition: What is read.
        progress: Told of it.

    Attributes:
        end: Where it ends for this audit; set by `begin`.
        offset: Of the record that `take` returns next.
    """

    def __init__(self, log: LogReader, topic: Topic, partition: int, progress: Progress) -> None:
        self._log = log
        self._topic = topic
        self._partition = partition
        self._progress = progress
        self._reader: Reader | None = None
        self._ready: deque[Stored] = deque()
        self.end = 0
        self.offset = 0

    async def begin(self, marks: Marks) -> None:
        """Find out where it ends as of now.

        Args:
            marks: Where it ended before.

        Raises:
            LogFault: The log is away, does not begin at 0 any more, or has become shorter.
        """
        bounds = await self._log.bounds(self._topic, self._partition)
        if bounds.start > 0:
            raise LogFault(
                f"{self._topic.name}/{self._partition} begins at {bounds.start}: what stood before "
                "is lost, and nobody can tell whether it was right"
            )
        marks.check(self._topic, self._partition, bounds.end)
        self.end = bounds.end
        self._progress.total += bounds.end

    async def peek(self) -> Stored | None:
        """Return the next record and leave it there; None at the end. Raises LogFault."""
        if not self._ready and self.offset < self.end:
            if self._reader is None:
                self._reader = self._log.reader(self._topic, self._partition, 0)
            batch = await self._reader.read(AT_ONCE)
            self._ready.extend(batch)
            self._progress.add(len(batch))
        if not self._ready or self._ready[0].offset >= self.end:
            return None
        return self._ready[0]

    async def take(self) -> Stored | None:
        """Return the next record; None at the end. Raises LogFault."""
        stored = await self.peek()
        if stored is not None:
            self._ready.popleft()
            self.offset = stored.offset + 1
        return stored

    async def close(self) -> None:
        """Let go of it."""
        if self._reader is not None:
            await self._reader.close()
