"""The read models in PostgreSQL: each batch's rows and its place in one transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final, LiteralString

import orjson
from typing_extensions import override

from sahrat.messages import topics
from sahrat.storage.migrate import migrate
from sahrat.storage.pool import AWAY, LIVE, Connection, make_pool
from services.projection import statements
from services.projection.models import Overtaken, ReadModels, Turn
from services.projection.rows import Place, RecordRow, SeatRow, View, Writes

TOPIC: Final = topics.EVENTS.name
CONNECTIONS: Final = 4  # more partitions at a time than that only wait for each other


class PostgresModels(ReadModels):
    """The read models of one schema.

    Args:
        dsn: The database.
        schema: The tables that are meant; made by `place` if they are missing.
        name: Who connects.
    """

    away = AWAY

    def __init__(self, dsn: str, *, schema: str = LIVE, name: str = "sahrat-projection") -> None:
        self._schema = schema
        self._pool = make_pool(dsn, name=name, most=CONNECTIONS, schema=schema)

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
            await connection.execute(statements.PLACES, (TOPIC, topics.EVENTS.partitions))
            cursor = await connection.execute(statements.PLACE, (TOPIC, partition))
            for next_offset, high, digest in await cursor.fetchall():
                return Place(partition, next_offset, high, digest)
        raise Overtaken(f"partition {partition} has no place: the tables are being replaced")

    @override
    @asynccontextmanager
    async def turn(self, place: Place) -> AsyncIterator[Turn]:
        async with self._pool.connection() as connection, connection.transaction():
            # Before all else: whoever puts other tables in the place of these waits for this row,
            # and whoever comes after that finds the other row.
            cursor = await connection.execute(
                statements.FENCE, (TOPIC, place.partition, place.next_offset)
            )
            if cursor.rowcount != 1:
                raise Overtaken(f"partition {place.partition} is not at {place.next_offset}")
            yield PostgresTurn(connection, place)


class PostgresTurn(Turn):
    """One batch's transaction, which holds the partition's row."""

    def __init__(self, connection: Connection, place: Place) -> None:
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
        after, before = writes.place, self._before
        cursor = await self._connection.execute(
            statements.ADVANCE,
            (
                after.next_offset,
                after.high,
                after.digest,
                TOPIC,
                before.partition,
                before.next_offset,
            ),
        )
        if cursor.rowcount != 1:
            raise Overtaken(f"partition {before.partition} is not at {before.next_offset}")

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
