"""The read models in PostgreSQL: each batch's rows and its place in one transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final, LiteralString

import orjson
import structlog
from typing_extensions import override

from sahrat.messages import topics
from sahrat.messages.topics import Topic
from sahrat.storage.analysts import admit
from sahrat.storage.migrate import migrate
from sahrat.storage.pool import AWAY, LIVE, Connection, make_pool
from services.projection import statements
from services.projection.models import Overtaken, Places, ReadModels, Turn
from services.projection.rows import Place, RecordRow, SeatRow, View, Writes

TOPICS: Final = (topics.EVENTS, topics.WALLET_JOURNAL)
"""What the read models of one schema are made from."""
CONNECTIONS: Final = 4  # more partitions at a time than that only wait for each other

_log = structlog.get_logger("projection")


class Postgres(Places):
    """The places of one topic's read models, in one schema.

    Args:
        topic: The topic.
        dsn: The database.
        schema: The tables that are meant; made by `place` if they are missing.
        name: Who connects.
        most: Connections at a time.
    """

    away = AWAY

    def __init__(self, topic: Topic, dsn: str, schema: str, name: str, most: int) -> None:
        self._topic = topic
        self._schema = schema
        self._told = False
        self._pool = make_pool(dsn, name=name, most=most, schema=schema)

    @override
    async def open(self) -> None:
        await self._pool.open()

    @override
    async def close(self) -> None:
        await self._pool.close()

    @override
    async def place(self, partition: int) -> Place:
        async with self._pool.connection() as connection:
            await migrate(connection, self._schema)
            await self._admit_analysts(connection)
            for topic in TOPICS:  # whoever comes first makes all, as he does the tables
                await connection.execute(statements.PLACES, (topic.name, topic.partitions))
            cursor = await connection.execute(statements.PLACE, (self._topic.name, partition))
            for next_offset, high, digest in await cursor.fetchall():
                return Place(partition, next_offset, high, digest)
        raise Overtaken(f"partition {partition} has no place: the tables are being replaced")

    async def _admit_analysts(self, connection: Connection) -> None:
        refused = await admit(connection, self._schema)
        if refused and not self._told:
            self._told = True
            _log.warning(
                "analysts: this database's user may not do all; `sahrat analyst` says who may",
                refused=refused,
            )

    @asynccontextmanager
    async def begun(self, place: Place) -> AsyncIterator[Connection]:
        """Begin a batch's transaction at a place.

        Raises:
            Overtaken: The partition does not stand there (any more).
        """
        async with self._pool.connection() as connection, connection.transaction():
            # Before all else: whoever puts other tables in the place of these waits for this row,
            # and whoever comes after that finds the other row.
            cursor = await connection.execute(
                statements.FENCE, (self._topic.name, place.partition, place.next_offset)
            )
            if cursor.rowcount != 1:
                raise Overtaken(f"partition {place.partition} is not at {place.next_offset}")
            yield connection

    async def advance(self, connection: Connection, before: Place, after: Place) -> None:
        """Move the place on, as the last thing of a batch. Raises Overtaken."""
        cursor = await connection.execute(
            statements.ADVANCE,
            (
                after.next_offset,
                after.high,
                after.digest,
                self._topic.name,
                before.partition,
                before.next_offset,
            ),
        )
        if cursor.rowcount != 1:
            raise Overtaken(f"partition {before.partition} is not at {before.next_offset}")


class PostgresModels(Postgres, ReadModels):
    """The read models of the matches, in one schema.

    Args:
        dsn: The database.
        schema: The tables that are meant; made by `place` if they are missing.
        name: Who connects.
    """

    def __init__(self, dsn: str, *, schema: str = LIVE, name: str = "sahrat-projection") -> None:
        super().__init__(topics.EVENTS, dsn, schema, name, CONNECTIONS)

    @override
    @asynccontextmanager
    async def turn(self, place: Place) -> AsyncIterator[Turn]:
        async with self.begun(place) as connection:
            yield PostgresTurn(self, connection, place)


class PostgresTurn(Turn):
    """One batch's transaction, which holds the partition's row."""

    def __init__(self, models: PostgresModels, connection: Connection, place: Place) -> None:
        self._models = models
        self._connection = connection
        self._before = place

    @override
    async def views(self, match_ids: Sequence[str]) -> tuple[dict[str, View], frozenset[str]]:
        cursor = await self._connection.execute(statements.VIEWS, (list(match_ids),))
        rows = await cursor.fetchall()
        parked = frozenset(row[0] for row in rows if row[1])
        return {row[0]: _view(row) for row in rows if row[2] is not None}, parked

    @override
    async def digests(self, records: Sequence[tuple[str, int]]) -> dict[tuple[str, int], str]:
        ids, seqs = [match_id for match_id, _ in records], [seq for _, seq in records]
        cursor = await self._connection.execute(statements.DIGESTS, (ids, seqs))
        return {(match_id, seq): digest for match_id, seq, digest in await cursor.fetchall()}

    @override
    async def write(self, writes: Writes) -> None:
        if writes.records:
            await self._records(writes.records)
        await self._rows(statements.MATCHES, writes.matches)
        if writes.seated:
            await self._rows(statements.UNSEAT, writes.seated)
            await self._rows(statements.SEAT, writes.seated)
        await self._rows(statements.PLAYED, writes.played)
        await self._rows(statements.STANDINGS, [view for view in writes.played if view.places])
        await self._rows(statements.PARKED, writes.parked)
        await self._rows(statements.UNREADABLE, writes.unreadable)
        await self._models.advance(self._connection, self._before, writes.place)

    async def _records(self, rows: Sequence[RecordRow]) -> None:
        columns: tuple[list[Any], ...] = (
            [row.match_id for row in rows],
            [row.seq for row in rows],
            [row.partition for row in rows],
            [row.offset for row in rows],
            [row.value for row in rows],
        )
        await self._connection.execute(statements.RECORDS, columns)

    async def _rows(self, statement: LiteralString, rows: Sequence[Any]) -> None:
        if rows:
            await self._connection.execute(statement, (orjson.dumps(rows).decode(),))


def _view(row: Sequence[Any]) -> View:
    seats = tuple(SeatRow(*seat) for seat in row[20] or ())
    return replace(View(row[0], *row[2:20]), seats=seats)
