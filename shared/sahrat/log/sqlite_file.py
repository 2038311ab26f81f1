"""The SQLite file of a house that runs by itself: its tables, and reading them.

A record's `id` is its partition's number times 2**40 plus its offset. So every read is one range of
the table's own tree, an append goes to the end of its partition's range, and no index is needed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sahrat.log.port import Bookmark, Bounds, LogFault, Stored
from sahrat.log.store import Mark, Place

FILE: Final = "log.sqlite3"
FORMAT: Final = 1  # of the tables, kept in user_version; another one is refused
OFFSETS: Final = 1 << 40  # offsets a partition has room for: 3,000 years of 10 a second
READ_BYTES: Final = 4 * 1024 * 1024  # a read ends above this, so that memory stays bounded
BUSY_MS: Final = 5_000  # another process may be reading the file's header at the same moment

TABLES: Final = """
create table partitions (
    number    integer primary key,
    topic     text    not null,
    partition integer not null check (partition >= 0),
    start     integer not null default 0 check (start >= 0),
    unique (topic, partition)
);
create table records (
    id    integer primary key,
    at_ms integer not null,
    key   blob    not null,
    value blob    not null
);
create table bookmarks (
    consumers text    not null,
    topic     text    not null,
    partition integer not null,
    next      integer not null,
    metadata  text    not null,
    primary key (consumers, topic, partition)
);
create view log as
    select topic, partition, id % (1 << 40) as "offset", at_ms, key, value
    from partitions join records on id between number << 40 and ((number + 1) << 40) - 1;
pragma user_version = 1;
"""


def open_file(file: Path, *, mode: str) -> sqlite3.Connection:
    """Open the file.

    Args:
        file: The file; it must exist unless `mode` is `rwc`.
        mode: `rwc`, `ro`, or `ro&immutable=1` for a file that nobody has open.

    Raises:
        sqlite3.Error: It can't be opened.
    """
    db = sqlite3.connect(
        f"{file.resolve().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_MS / 1000,
        isolation_level=None,  # transactions are begun and ended here, not by the driver
        check_same_thread=False,  # each connection has one thread at a time, which is not this one
    )
    db.execute("pragma trusted_schema = off")
    return db


def check_format(db: sqlite3.Connection, file: Path) -> None:
    """Raise LogFault for a file with other tables than these."""
    (found,) = db.execute("pragma user_version").fetchone()
    if found != FORMAT:
        raise LogFault(f"{file} has format {found}, this program reads format {FORMAT}")


def read_numbers(db: sqlite3.Connection) -> dict[Place, int]:
    """Return each partition's number."""
    rows = db.execute("select topic, partition, number from partitions order by number")
    return {(topic, partition): number for topic, partition, number in rows}


def read_bounds(db: sqlite3.Connection, place: Place, number: int) -> Bounds:
    """Return a partition's bounds. Raises LogFault when its first records are missing."""
    (start,) = db.execute("select start from partitions where number = ?", [number]).fetchone()
    low, high = number * OFFSETS, (number + 1) * OFFSETS
    first, last = db.execute(
        "select (select min(id) from records where id >= ?1 and id < ?2),"
        " (select max(id) from records where id >= ?1 and id < ?2)",
        [low, high],
    ).fetchone()
    if first is None:
        return Bounds(start, start)
    if first != low + start:
        raise LogFault(f"{place[0]}[{place[1]}] lacks records from {start} to {first - low - 1}")
    return Bounds(start, last - low + 1)


def read_marks(db: sqlite3.Connection) -> list[Mark]:
    """Return all groups' bookmarks."""
    rows = db.execute(
        "select consumers, topic, partition, next, metadata from bookmarks"
        " order by consumers, topic, partition"
    )
    return [
        Mark(group, topic, part, Bookmark(next_, text)) for group, topic, part, next_, text in rows
    ]


def read_records(
    db: sqlite3.Connection, place: Place, number: int, offset: int, limit: int
) -> Sequence[Stored]:
    """Return up to `limit` records from an offset on, fewer when they are large.

    Returns nothing when the first of them is not there. Raises LogFault when a later one is not.
    """
    low = number * OFFSETS
    found: list[Stored] = []
    size = 0
    rows = db.execute(
        "select id, at_ms, key, value from records where id >= ? and id < ? order by id limit ?",
        [low + offset, low + OFFSETS, limit],
    )
    for id_, at_ms, key, value in rows:
        if id_ - low != offset + len(found):
            if not found:
                break
            raise LogFault(f"{place[0]}[{place[1]}] lacks record {offset + len(found)}")
        found.append(Stored(*place, id_ - low, at_ms, key, value))
        size += len(key) + len(value)
        if size > READ_BYTES:
            break
    rows.close()
    return found
