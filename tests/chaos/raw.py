"""The log and the read models as they are stored, read without any of the house's own code.

What is checked with it must not be read by what is checked.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson
import psycopg
from aiokafka import AIOKafkaConsumer, TopicPartition

INTENTS: Final = "sahrat.match.intents.v1"
EVENTS: Final = "sahrat.match.events.v1"
ANSWERS: Final = "sahrat.match.refusals.v1"
JOURNAL: Final = "sahrat.wallet.journal.v1"
PARTITIONS: Final = 12
READ_MS: Final = 5_000  # a broker that gives nothing for so long has an end that is not there


@dataclass(frozen=True, slots=True)
class Line:
    """One stored record. `at_ms` is the broker's append time."""

    partition: int
    offset: int
    at_ms: int
    key: bytes
    value: bytes

    def decoded(self) -> Any:
        """Return the value as JSON objects; raises ValueError where it is no JSON."""
        return orjson.loads(self.value)


@dataclass(frozen=True, slots=True)
class Log:
    """The three match topics, each in order of partition and offset."""

    intents: list[Line] = field(default_factory=list)
    events: list[Line] = field(default_factory=list)
    answers: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Tables:
    """The read models.

    Attributes:
        records: (partition, offset, value) by (match id, seq).
        matches: (phase, seq, digest) by match id.
        standings: Place by (match id, seat).
        parked: The reason by match id.
        ends: The next offset that is projected, by partition.
    """

    records: Mapping[tuple[str, int], tuple[int, int, bytes]]
    matches: Mapping[str, tuple[str, int, str]]
    standings: Mapping[tuple[str, int], int]
    parked: Mapping[str, str]
    ends: Mapping[int, int]


async def read_kafka(servers: str) -> Log:
    """Read the match topics of a broker from their first record to their end of this moment."""
    consumer = AIOKafkaConsumer(
        bootstrap_servers=servers,
        group_id=None,
        enable_auto_commit=False,
        auto_offset_reset="none",
        check_crcs=True,
    )
    await consumer.start()
    try:
        return Log(*[await _read_topic(consumer, name) for name in (INTENTS, EVENTS, ANSWERS)])
    finally:
        await consumer.stop()


async def stored(servers: str) -> int:
    """Return how many records a broker has that read models are made of: of matches, and of coins.
    Raises KafkaError while it is away.
    """
    consumer = AIOKafkaConsumer(bootstrap_servers=servers, group_id=None)
    try:
        await consumer.start()
        places = [TopicPartition(EVENTS, partition) for partition in range(PARTITIONS)]
        return sum((await consumer.end_offsets([*places, TopicPartition(JOURNAL, 0)])).values())
    finally:
        await consumer.stop()


async def _read_topic(consumer: AIOKafkaConsumer, name: str) -> list[Line]:
    places = [TopicPartition(name, partition) for partition in range(PARTITIONS)]
    consumer.assign(places)
    starts = await consumer.beginning_offsets(places)
    ends = await consumer.end_offsets(places)
    for place in places:
        consumer.seek(place, starts[place])
    rest = {place for place in places if ends[place] > starts[place]}
    found: list[Line] = []
    while rest:
        batch = await consumer.getmany(timeout_ms=READ_MS)
        if not batch:
            raise TimeoutError(f"{name}: nothing comes, though the end is not reached")
        for place, records in batch.items():
            for record in records:
                if record.offset < ends[place]:
                    key, value = record.key or b"", record.value or b""
                    found.append(Line(place.partition, record.offset, record.timestamp, key, value))
            if records[-1].offset + 1 >= ends[place]:
                rest.discard(place)
    return sorted(found, key=lambda line: (line.partition, line.offset))


def read_sqlite(file: Path) -> Log:
    """Read the match topics of an embedded house, whether it runs or not."""
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as db:
        return Log(*[_select(db, name) for name in (INTENTS, EVENTS, ANSWERS)])


def _select(db: sqlite3.Connection, topic: str) -> list[Line]:
    rows: Iterable[tuple[int, int, int, bytes, bytes]] = db.execute(
        'select partition, "offset", at_ms, key, value from log where topic = ?'
        ' order by partition, "offset"',
        [topic],
    )
    return [Line(*row) for row in rows]


def projected(dsn: str, topics: Sequence[str] = (EVENTS,)) -> int:
    """Return how many records of topics the read models have taken, in all partitions."""
    with psycopg.connect(dsn) as db:
        row = db.execute(
            "select coalesce(sum(next_offset), 0)::int from live.projection_progress"
            " where topic = any(%s)",
            [[*topics]],
        ).fetchone()
    return 0 if row is None else int(row[0])


def unfinished(dsn: str) -> int:
    """Return how many matches and holds of coins are open, as far as the read models know."""
    with psycopg.connect(dsn) as db:
        row = db.execute(
            "select (select count(*) from live.matches"
            " where phase not in ('ended', 'stopped', 'closed'))"
            " + (select count(*) from live.accounts where held_coins > 0)"
        ).fetchone()
    return 0 if row is None else int(row[0])


def read_tables(dsn: str, schema: str = "live") -> Tables:
    """Read the read models in one snapshot."""
    with psycopg.connect(dsn) as db:
        db.execute("set transaction isolation level repeatable read, read only")
        db.execute("select set_config('search_path', %s, true)", [schema])
        records = db.execute(
            "select match_id, seq, topic_partition, topic_offset, value from records"
        ).fetchall()
        matches = db.execute("select match_id, phase, seq, digest from matches").fetchall()
        standings = db.execute("select match_id, seat, place from match_standings").fetchall()
        parked = db.execute("select match_id, reason from parked_matches").fetchall()
        ends = db.execute(
            "select topic_partition, next_offset from projection_progress where topic = %s",
            [EVENTS],
        ).fetchall()
    return Tables(
        records={(row[0], row[1]): (row[2], row[3], bytes(row[4])) for row in records},
        matches={row[0]: (row[1], row[2], row[3]) for row in matches},
        standings={(row[0], row[1]): row[2] for row in standings},
        parked=dict(parked),
        ends=dict(ends),
    )
