"""The durable log of a house that runs by itself: one SQLite file, one process.

An append is acknowledged after its transaction is synced to the disk (WAL, synchronous=FULL). One
thread writes; what was appended while it wrote shares the next transaction.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from typing_extensions import override

from sahrat.log.embedded import EmbeddedLog
from sahrat.log.port import LogFault, Stored
from sahrat.log.replays import SharedReplays
from sahrat.log.sqlite_file import (
    FILE,
    OFFSETS,
    TABLES,
    check_format,
    open_file,
    read_bounds,
    read_marks,
    read_numbers,
    read_records,
)
from sahrat.log.store import Kept, Mark, Place, Store, wall_ms
from sahrat.messages import topics
from sahrat.messages.topics import Topic

TAIL_RECORDS: Final = 1_000  # of each partition at hand in memory, for readers that keep up
TAIL_BYTES: Final = 1024 * 1024
READS: Final = 128  # the last ones at hand: readers that begin together ask for the same records
EXPIRE_RECORDS: Final = 5_000  # looked at in a partition in one round, so that no write waits long
CACHE_KIB: Final = 16 * 1024

T = TypeVar("T")


class _Tail:
    """The newest records of a partition."""

    def __init__(self) -> None:
        self.records: deque[Stored] = deque()
        self.size = 0

    def add(self, record: Stored) -> None:
        self.records.append(record)
        self.size += len(record.key) + len(record.value)
        while self.size > TAIL_BYTES or len(self.records) > TAIL_RECORDS:
            old = self.records.popleft()
            self.size -= len(old.key) + len(old.value)

    def since(self, offset: int, limit: int) -> Sequence[Stored]:
        if not self.records or offset < self.records[0].offset:
            return ()
        # Readers mostly want the last few, so count from the end: a deque is slow in its middle.
        wanted = self.records[-1].offset + 1 - offset
        newest = list(islice(reversed(self.records), wanted))
        newest.reverse()
        return newest[:limit]


class SqliteStore(Store):
    """Records in one file in a folder that no other house may use at the same time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock: int | None = None
        self._write_db: sqlite3.Connection | None = None
        self._read_db: sqlite3.Connection | None = None
        self._writer = ThreadPoolExecutor(1, "log-write")
        self._reader = ThreadPoolExecutor(1, "log-read")
        self._numbers: dict[Place, int] = {}
        self._tails: dict[Place, _Tail] = {}
        self._reads: dict[tuple[Place, int, int], asyncio.Task[Sequence[Stored]]] = {}

    @override
    async def open(self, wanted: Sequence[Topic]) -> Kept:
        return await self._run(self._writer, self._open, wanted)

    @override
    async def close(self) -> None:
        await self._run(self._reader, _close, self._read_db)
        await self._run(self._writer, _close, self._write_db)  # the last one folds the -wal in
        self._read_db = self._write_db = None
        self._reader.shutdown(wait=False)
        self._writer.shutdown(wait=False)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @override
    async def write(self, records: Sequence[Stored], marks: Sequence[Mark]) -> None:
        await self._run(self._writer, self._write, records, marks)
        for record in records:
            self._tails[record.topic, record.partition].add(record)

    @override
    def recent(self, place: Place, offset: int, limit: int) -> Sequence[Stored]:
        return self._tails[place].since(offset, limit)

    @override
    async def read(self, place: Place, offset: int, limit: int) -> Sequence[Stored]:
        asked = (place, offset, limit)
        reading = self._reads.get(asked)
        if reading is None or (reading.done() and reading.exception() is not None):
            reading = self._reads[asked] = asyncio.create_task(
                self._run(self._reader, self._read, place, offset, limit)
            )
            if len(self._reads) > READS:
                del self._reads[next(iter(self._reads))]
        return await asyncio.shield(reading)  # whoever is cancelled does not cancel the others

    @override
    async def trim(self, place: Place, before: int) -> None:
        await self._run(self._writer, self._trim, [(place, before)])

    @override
    async def expire(self, oldest: Sequence[tuple[Place, int]]) -> Sequence[int]:
        return await self._run(self._writer, self._expire, oldest)

    async def _run(self, thread: ThreadPoolExecutor, work: Callable[..., T], *args: object) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(thread, work, *args)
        except (sqlite3.Error, OSError) as fault:
            raise LogFault(f"the log in {self._folder} failed: {fault}") from fault

    def _open(self, wanted: Sequence[Topic]) -> Kept:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock = _lock(self._folder)
        file = self._folder / FILE
        try:
            self._write_db = _open_for_writing(file)
            check_format(self._write_db, file)
            self._numbers = _number(self._write_db, wanted)
            self._tails = {place: _Tail() for place in self._numbers}
            bounds = {
                place: read_bounds(self._write_db, place, number)
                for place, number in self._numbers.items()
            }
            self._read_db = open_file(file, mode="ro")
            return Kept(bounds, read_marks(self._write_db))
        except BaseException:
            _close(self._write_db)
            os.close(self._lock)
            self._lock = None
            raise

    def _write(self, records: Sequence[Stored], marks: Sequence[Mark]) -> None:
        numbers = self._numbers
        with self._transaction() as db:
            db.executemany(
                "insert into records (id, at_ms, key, value) values (?, ?, ?, ?)",
                [
                    (
                        numbers[record.topic, record.partition] * OFFSETS + record.offset,
                        record.at_ms,
                        record.key,
                        record.value,
                    )
                    for record in records
                ],
            )
            db.executemany(
                "insert or replace into bookmarks (consumers, topic, partition, next, metadata)"
                " values (?, ?, ?, ?, ?)",
                [
                    (mark.group, mark.topic, mark.partition, mark.mark.offset, mark.mark.metadata)
                    for mark in marks
                ],
            )

    def _read(self, place: Place, offset: int, limit: int) -> Sequence[Stored]:
        if self._read_db is None:
            raise LogFault("the log is closed")
        return read_records(self._read_db, place, self._numbers[place], offset, limit)

    def _trim(self, starts: Sequence[tuple[Place, int]]) -> None:
        with self._transaction() as db:
            for place, before in starts:
                low = self._numbers[place] * OFFSETS
                db.execute("delete from records where id >= ? and id < ?", [low, low + before])
                db.execute(
                    "update partitions set start = ? where number = ? and start < ?",
                    [before, self._numbers[place], before],
                )

    def _expire(self, oldest: Sequence[tuple[Place, int]]) -> list[int]:
        assert self._write_db is not None
        starts: list[int] = []
        old: list[tuple[Place, int]] = []
        for place, oldest_ms in oldest:
            start, fresh = _first_fresh(self._write_db, self._numbers[place], oldest_ms)
            starts.append(fresh)
            if fresh > start:
                old.append((place, fresh))
        if old:
            self._trim(old)
        return starts

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        db = self._write_db
        if db is None:
            raise LogFault("the log is closed")
        db.execute("begin immediate")
        try:
            yield db
            db.execute("commit")
        except BaseException:
            if db.in_transaction:
                db.execute("rollback")
            raise


class SqliteLog(EmbeddedLog):
    """A durable log for one process.

    Args:
        folder: Where it is kept; made when missing, and locked while the log is open.
        now_ms: Gives the append times, in milliseconds since 1970.
        wanted: The topics that it has.
    """

    def __init__(
        self,
        folder: Path,
        now_ms: Callable[[], int] = wall_ms,
        wanted: Sequence[Topic] = topics.ALL,
    ) -> None:
        super().__init__(SqliteStore(folder), now_ms, wanted)
        self.shared = SharedReplays()


def _lock(folder: Path) -> int:
    """Lock a folder for this process. Raises LogFault when another process has it."""
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise LogFault(f"another house already runs on {folder}") from None
    return lock


def _open_for_writing(file: Path) -> sqlite3.Connection:
    db = open_file(file, mode="rwc")
    (journal,) = db.execute("pragma journal_mode = wal").fetchone()
    if journal != "wal":
        raise LogFault(f"{file} can't have a write-ahead log: is it on a network file system?")
    db.execute("pragma synchronous = full")  # NORMAL may lose acknowledged records in a power cut
    db.execute(f"pragma cache_size = -{CACHE_KIB}")
    if db.execute("select count(*) from sqlite_master").fetchone() == (0,):
        db.executescript(f"begin; {TABLES} commit;")
    return db


def _number(db: sqlite3.Connection, wanted: Sequence[Topic]) -> dict[Place, int]:
    """Give new partitions a number. Raises LogFault when a topic has another count of them."""
    numbers = read_numbers(db)
    for topic in wanted:
        found = sum(name == topic.name for name, _ in numbers)
        if found not in (0, topic.partitions):
            raise LogFault(f"{topic.name} has {found} partitions instead of {topic.partitions}")
        if found == 0:
            db.execute("begin immediate")
            db.executemany(
                "insert into partitions (topic, partition) values (?, ?)",
                [(topic.name, partition) for partition in range(topic.partitions)],
            )
            db.execute("commit")
    return read_numbers(db)


def _first_fresh(db: sqlite3.Connection, number: int, oldest_ms: int) -> tuple[int, int]:
    """Return a partition's start, and its first offset that is not older than a time."""
    (start,) = db.execute("select start from partitions where number = ?", [number]).fetchone()
    low = number * OFFSETS
    fresh = start
    rows = db.execute(
        "select id, at_ms from records where id >= ? and id < ? order by id limit ?",
        [low + start, low + OFFSETS, EXPIRE_RECORDS],
    )
    for id_, at_ms in rows:
        if at_ms >= oldest_ms:
            break
        fresh = id_ - low + 1
    rows.close()
    return start, fresh


def _close(db: sqlite3.Connection | None) -> None:
    if db is not None:
        db.close()
