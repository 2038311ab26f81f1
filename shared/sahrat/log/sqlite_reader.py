"""Reading a house's SQLite log from another process, whether the house runs or not.

Nothing is written and nothing that the house waits for is locked.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from typing_extensions import override

from sahrat.log.port import Bookmark, Bounds, LogFault, LogReader, OutOfRange, Reader, Stored
from sahrat.log.sqlite_file import (
    FILE,
    check_format,
    open_file,
    read_bounds,
    read_marks,
    read_numbers,
    read_records,
)
from sahrat.log.store import Place
from sahrat.messages import topics
from sahrat.messages.topics import Topic

POLL_S: Final = 0.2  # another process writes, and nobody tells this one
TRIES: Final = 5  # a house may start or stop while its file is opened

T = TypeVar("T")


class SqliteReader(LogReader):
    """The reading half of a `SqliteLog`, for export, verification and audit.

    Args:
        folder: Where the house keeps its log.
        wanted: The topics that it should have.
    """

    def __init__(self, folder: Path, wanted: Sequence[Topic] = topics.ALL) -> None:
        self._file = folder / FILE
        self._wal = folder / f"{FILE}-wal"
        self._topics = tuple(wanted)
        self._thread = ThreadPoolExecutor(1, "log-audit")
        self._db: sqlite3.Connection | None = None
        self._numbers: dict[Place, int] = {}
        self._broken: str | None = "the log is not started"

    @override
    async def start(self) -> None:
        if not self._file.exists():
            raise LogFault(f"there is no log at {self._file}")
        self._numbers = await self._with(self._check)
        self._broken = None

    @override
    async def close(self) -> None:
        if self._broken != "the log is closed":
            self._broken = "the log is closed"
            await asyncio.get_running_loop().run_in_executor(self._thread, self._let_go)
            self._thread.shutdown(wait=False)

    @override
    def healthy(self) -> str | None:
        return self._broken

    @override
    async def bounds(self, topic: Topic, partition: int) -> Bounds:
        return await self.bounds_of(self._place(topic, partition))

    @override
    def reader(self, topic: Topic, partition: int, offset: int) -> Reader:
        return _FileReader(self, self._place(topic, partition), offset)

    @override
    async def bookmarks(self, group: str, topic: Topic) -> Mapping[int, Bookmark]:
        return {
            mark.partition: mark.mark
            for mark in await self._with(read_marks)
            if (mark.group, mark.topic) == (group, topic.name)
        }

    async def bounds_of(self, place: Place) -> Bounds:
        """Return a partition's bounds as they are now."""
        return await self._with(partial(read_bounds, place=place, number=self._numbers[place]))

    async def take(self, place: Place, offset: int, limit: int) -> Sequence[Stored]:
        """Return up to `limit` records from an offset on. Raises LogFault."""
        number = self._numbers[place]
        return await self._with(
            partial(read_records, place=place, number=number, offset=offset, limit=limit)
        )

    def _place(self, topic: Topic, partition: int) -> Place:
        if self._broken is not None:
            raise LogFault(self._broken)
        if (topic.name, partition) not in self._numbers:
            raise ValueError(f"no partition {partition} of {topic.name}")
        return (topic.name, partition)

    def _check(self, db: sqlite3.Connection) -> dict[Place, int]:
        check_format(db, self._file)
        numbers = read_numbers(db)
        for topic in self._topics:
            for partition in range(topic.partitions):
                place = (topic.name, partition)
                if place not in numbers:
                    raise LogFault(f"{topic.name}[{partition}] is not in {self._file}")
                if topic.whole and read_bounds(db, place, numbers[place]).start > 0:
                    raise LogFault(f"{topic.name}[{partition}] no longer starts at offset 0")
        return numbers

    async def _with(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._broken == "the log is closed":
            raise LogFault(self._broken)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._try, work)
        except (sqlite3.Error, OSError) as fault:
            raise LogFault(f"{self._file} can't be read: {fault}") from fault

    def _try(self, work: Callable[[sqlite3.Connection], T]) -> T:
        for _ in range(TRIES - 1):
            try:
                return self._once(work)
            except sqlite3.Error:
                self._let_go()
        return self._once(work)

    def _once(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Work on the file, with its -wal if it has one.

        Without one no house runs, and opening the file as usual would make one. So it is read as a
        file that never changes, and what was read counts if there still is no -wal afterwards: a
        house makes it before it changes anything.
        """
        if self._db is None and self._wal.exists():
            self._db = open_file(self._file, mode="ro")
        if self._db is not None:
            return work(self._db)
        db = open_file(self._file, mode="ro&immutable=1")
        try:
            found = work(db)
        finally:
            db.close()
        if self._wal.exists():
            raise sqlite3.OperationalError("a house was started meanwhile")
        return found

    def _let_go(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None


class _FileReader(Reader):
    """Reads one partition, looking for new records again and again."""

    def __init__(self, log: SqliteReader, place: Place, offset: int) -> None:
        self._log = log
        self._place = place
        self._offset = offset
        self._closed = False

    @override
    async def read(self, limit: int = 500) -> Sequence[Stored]:
        while not self._closed:
            found = await self._log.take(self._place, self._offset, limit)
            if found:
                self._offset = found[-1].offset + 1
                return found
            bounds = await self._log.bounds_of(self._place)
            if not bounds.start <= self._offset <= bounds.end:
                raise OutOfRange(f"{self._place} holds {bounds}, not {self._offset}")
            await asyncio.sleep(POLL_S)
        raise LogFault("the reader is closed")

    @override
    async def close(self) -> None:
        self._closed = True
