"""Are two sets of read models the same, row for row and byte for byte?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from psycopg.rows import TupleRow
from psycopg.sql import SQL, Identifier

from sahrat.storage.pool import SCHEMA, Connection, connect

SHOWN: Final = 5  # differences a table, of each side
ROW_CHARS: Final = 300
LONG_MS: Final = 600_000  # every row of every table is read
JOURNAL: Final = "schema_migrations"
_JOURNAL_COLUMNS: Final = ("number", "name", "sha256")  # not when they were applied


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that only one of the two has, or a table.

    Attributes:
        schema: The one that has it.
        row: The row as text, its beginning; empty: the whole table.
    """

    table: str
    schema: str
    row: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two schemas hold: rows by table of the first, and what does not fit."""

    rows: dict[str, int]
    differences: list[Difference]

    @property
    def equal(self) -> bool:
        """Whether they are the same."""
        return not self.differences


async def compare(dsn: str, first: str, second: str) -> Comparison:
    """Compare every table of two schemas at one moment; no order of rows counts.

    Args:
        dsn: The database.
        first: A schema, `live` for instance.
        second: The other one.

    Raises:
        ValueError: A name is no schema's.
        psycopg.Error: The database is away.
    """
    for schema in (first, second):
        if SCHEMA.fullmatch(schema) is None:
            raise ValueError(f"no name for a schema: {schema!r}")
    connection = await connect(dsn, name="sahrat-compare", statement_ms=LONG_MS)
    async with connection, connection.transaction():
        await connection.execute("set transaction isolation level repeatable read, read only")
        tables = {schema: await _tables(connection, schema) for schema in (first, second)}
        differences = [
            Difference(table, schema)
            for schema, other in ((first, second), (second, first))
            for table in tables[schema]
            if tables[other].get(table) != tables[schema][table]
        ]
        rows: dict[str, int] = {}
        for table, columns in tables[first].items():
            rows[table] = await _count(connection, first, table)
            if tables[second].get(table) == columns:
                names = list(_JOURNAL_COLUMNS) if table == JOURNAL else columns
                differences += await _differences(connection, table, names, first, second)
                differences += await _differences(connection, table, names, second, first)
    return Comparison(rows, differences)


async def _tables(connection: Connection, schema: str) -> dict[str, list[str]]:
    """Return the columns of each table, in order. Views are left out: they say what tables hold."""
    cursor = await connection.execute(
        "select table_name, array_agg(column_name::text order by ordinal_position) "
        "from information_schema.columns join information_schema.tables "
        "using (table_schema, table_name) "
        "where table_schema = %s and table_type = 'BASE TABLE' group by 1 order by 1",
        (schema,),
    )
    return dict(await cursor.fetchall())


async def _count(connection: Connection, schema: str, table: str) -> int:
    cursor = await connection.execute(
        SQL("select count(*) from {}").format(Identifier(schema, table))
    )
    row: TupleRow | None = await cursor.fetchone()
    assert row is not None
    return int(row[0])


async def _differences(
    connection: Connection, table: str, columns: list[str], has: str, lacks: str
) -> list[Difference]:
    names = SQL(", ").join(map(Identifier, columns))
    cursor = await connection.execute(
        SQL(
            "select left(odd::text, %s) from ("
            "select {names} from {has} except select {names} from {lacks}"
            ") as odd order by 1 limit %s"
        ).format(names=names, has=Identifier(has, table), lacks=Identifier(lacks, table)),
        (ROW_CHARS, SHOWN),
    )
    return [Difference(table, has, row) for (row,) in await cursor.fetchall()]
