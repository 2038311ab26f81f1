"""The floor of the embedded house: SQLite commits alone, in a process of its own.

`python -m tests.bench.floor_sqlite JOB`, with `{"folder":.., "work":..}` and of the rest what the
work needs:

- `together`: `callers` actions at once, as if all tables acted in step: one commit of so many
  intents and one of so many records. For `seconds`.
- `paced`: at a `rate`, each action alone: a commit of its intent, and one of its record.
- `drain`: have `records` stored, then read them as rules does, 500 of each partition, and store as
  many again in one commit; then read all that came of it.

The file has the house's own tables and settings: a commit is on the disk before it counts.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any, Final

from sahrat.log.sqlite_file import FILE, OFFSETS, TABLES, open_file
from sahrat.messages.topics import MATCH_PARTITIONS
from tests.bench.processes import job, say
from tests.bench.tables import now_us

BATCH: Final = 500
INTO: Final = 0  # the first partition's number; the echoes' are above
BACK: Final = MATCH_PARTITIONS


class File:
    """A log's file, and where each of its partitions ends."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.db: sqlite3.Connection = open_file(folder / FILE, mode="rwc")
        self.db.execute("pragma journal_mode = wal")
        self.db.execute("pragma synchronous = full")
        self.db.executescript(f"begin; {TABLES} commit;")
        self._ends = [0] * (2 * MATCH_PARTITIONS)

    def store(self, first: int, count: int, value: bytes) -> None:
        """Commit records, spread over the twelve partitions from `first` on."""
        rows = []
        for number in range(count):
            partition = first + number % MATCH_PARTITIONS
            rows.append((partition * OFFSETS + self._ends[partition], 0, b"floor", value))
            self._ends[partition] += 1
        self.db.execute("begin immediate")
        self.db.executemany("insert into records (id, at_ms, key, value) values (?, ?, ?, ?)", rows)
        self.db.execute("commit")

    def read(self, partition: int, offset: int) -> int:
        """Read a batch of a partition, and return how many there were."""
        low = partition * OFFSETS
        rows = self.db.execute(
            "select id, at_ms, key, value from records"
            " where id >= ? and id < ? order by id limit ?",
            [low + offset, low + OFFSETS, BATCH],
        )
        return len(rows.fetchall())


def together(file: File, callers: int, into_bytes: int, back_bytes: int, seconds: float) -> None:
    """Say how many actions a second two commits give."""
    into, back, times_us = b"x" * into_bytes, b"x" * back_bytes, []
    begin_us = now_us()
    while now_us() - begin_us < seconds * 1e6:
        at_us = now_us()
        file.store(INTO, callers, into)
        file.store(BACK, callers, back)
        times_us += [now_us() - at_us] * callers
    say(took_us=now_us() - begin_us, times_us=times_us)


def paced(file: File, rate: float, into_bytes: int, back_bytes: int, seconds: float) -> None:
    """Say how long two commits of one record take."""
    into, back, times_us = b"x" * into_bytes, b"x" * back_bytes, []
    begin_us = now_us()
    for number in range(round(rate * seconds)):
        due_us = begin_us + round(number / rate * 1e6)
        time.sleep(max(0, due_us - now_us()) / 1e6)
        file.store(INTO, 1, into)
        file.store(BACK, 1, back)
        times_us.append(now_us() - due_us)
    say(took_us=now_us() - begin_us, times_us=times_us)


def drain(file: File, records: int, into_bytes: int, back_bytes: int) -> None:
    """Have records stored; say how fast they are echoed, and how fast the echoes are read."""
    each, back = BATCH * MATCH_PARTITIONS, b"x" * back_bytes
    for done in range(0, records, each):
        file.store(INTO, min(each, records - done), b"x" * into_bytes)
    begin_s, cpu_s, done = time.monotonic(), time.process_time(), 0
    for offset in range(0, records, BATCH):
        found = sum(file.read(INTO + number, offset) for number in range(MATCH_PARTITIONS))
        file.store(BACK, found, back)
        done += found
        if done >= records:
            break
    say(event="echoed", seconds=time.monotonic() - begin_s, cpu_s=time.process_time() - cpu_s)
    begin_s, cpu_s = time.monotonic(), time.process_time()
    for number in range(MATCH_PARTITIONS):
        offset = 0
        while found := file.read(BACK + number, offset):
            offset += found
    say(event="read", seconds=time.monotonic() - begin_s, cpu_s=time.process_time() - cpu_s)


def main(work: str, folder: str, **rest: Any) -> None:
    """Do one of the works."""
    file = File(Path(folder))
    match work:
        case "together":
            together(file, **rest)
        case "paced":
            paced(file, **rest)
        case _:
            drain(file, **rest)
    file.db.close()


if __name__ == "__main__":
    main(**job())
