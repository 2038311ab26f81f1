"""One day of the analysts' views as Parquet files, for work outside."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composed, Identifier, Literal

from sahrat.storage.pool import LIVE, Connection
from services.house.problem import Problem

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

POSITIONS: Final = "log_positions"
STATEMENT_MS: Final = 600_000  # each view of a day is one statement; a million records take 25 s
TRIES: Final = 3
TYPES: Final[Mapping[str, str]] = {
    "bigint": "BIGINT",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "double precision": "DOUBLE",
    "integer": "INTEGER",
    "smallint": "SMALLINT",
    "text": "VARCHAR",
    "timestamp with time zone": "TIMESTAMPTZ",
}

_VIEWS: Final = """
select
    view.relname::text, coalesce(obj_description(view.oid), ''),
    json_agg(json_build_array(
        attname, format_type(atttypid, atttypmod), coalesce(col_description(view.oid, attnum), '')
    ) order by attnum)
from pg_class as view
join pg_attribute on attrelid = view.oid and attnum > 0 and not attisdropped
where view.relnamespace = %s::regnamespace and view.relkind = 'v'
group by view.oid, view.relname
having bool_or(attname = 'day') or view.relname = %s
order by 1
"""
_SCHEMA: Final = "select to_regnamespace(%s)::oid"


@dataclass(frozen=True, slots=True)
class View:
    """A view: its columns with type and comment, in order."""

    name: str
    comment: str
    columns: Sequence[tuple[str, str, str]]


class Swapped(Exception):
    """A rebuild put other tables in the place of those that were being read."""


async def write_day(
    connection: Connection,
    duck: DuckDBPyConnection,
    day: date,
    folder: Path,
    tell: Callable[[int, int], None],
) -> dict[str, int]:
    """Write every view's rows of a day, and the log's position, into an empty folder: all as they
    were at one moment.

    Args:
        connection: One that only reads.
        duck: Writes the files.
        day: On which the matches ended, UTC.
        folder: Where to; a file a view.
        tell: Told how many views are done, and how many there are.

    Returns:
        Rows by view.

    Raises:
        Swapped: The tables were replaced meanwhile: do it again.
        OSError: A file can't be written.
        psycopg.Error: The database is away, or too slow.
    """
    rows: dict[str, int] = {}
    async with connection.transaction():
        await connection.execute("set transaction isolation level repeatable read, read only")
        schema = await _one(connection, _SCHEMA, (LIVE,))
        cursor = await connection.execute(_VIEWS, (LIVE, POSITIONS))
        views = [
            View(name, comment, [(column, kind, said) for column, kind, said in columns])
            for name, comment, columns in await cursor.fetchall()
        ]
        positions = await _one(
            connection,
            "select coalesce(json_object_agg(topic || '/' || topic_partition, next_offset), '{}') "
            "from log_positions",
        )
        for done, view in enumerate(views):
            tell(done, len(views))
            text = folder / f"{view.name}.csv"
            with text.open("wb") as file:
                async with connection.cursor().copy(_copy(view, day)) as copy:
                    async for block in copy:
                        file.write(block)
            said = {
                "view": view.comment,
                "columns": json.dumps({column: said for column, _, said in view.columns}),
                "log_positions": json.dumps(positions),
            }
            rows[view.name] = _convert(duck, view, text, said)
            text.unlink()
        # Names are looked up at each statement, and rows seen as they were at the first: those of
        # new tables would not be seen.
        if await _one(connection, _SCHEMA, (LIVE,)) != schema:
            raise Swapped
        tell(len(views), len(views))
    return rows


def place(folder: Path, to: Path, *, replace: bool) -> None:
    """Put a folder that is whole where it is to be, in one step. Raises OSError."""
    old = folder.with_name(f"{folder.name}.old")
    if replace and to.exists():
        to.rename(old)
    folder.rename(to)
    shutil.rmtree(old, ignore_errors=True)


def partial(to: Path) -> Path:
    """Make and return the folder in which one is filled; no pattern for days finds it."""
    made = to.with_name(f".{to.name}.{os.getpid()}")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    return made


async def _one(connection: Connection, statement: str, values: Sequence[str] = ()) -> object:
    cursor = await connection.execute(statement.encode(), values)
    row: TupleRow | None = await cursor.fetchone()
    assert row is not None
    return row[0]


def _copy(view: View, day: date) -> Composed:
    columns = SQL(", ").join(Identifier(column) for column, _, _ in view.columns)
    which = SQL("") if view.name == POSITIONS else SQL("where day = {}").format(Literal(day))
    return SQL("copy (select {} from {} {}) to stdout (format csv)").format(
        columns, Identifier(view.name), which
    )


def _convert(duck: DuckDBPyConnection, view: View, text: Path, said: Mapping[str, str]) -> int:
    """Turn a view's CSV into Parquet, and return how many rows it has."""
    for column, kind, _ in view.columns:
        if kind not in TYPES:
            raise Problem(f"{view.name}.{column} is {kind}, for which Parquet has no type here")
    types = ", ".join(
        f"{_quoted(column)}: {_quoted(TYPES[kind])}" for column, kind, _ in view.columns
    )
    notes = ", ".join(f"{_quoted(name)}: {_quoted(value)}" for name, value in said.items())
    # An empty text stands in quotes, and nothing at all is null.
    done = duck.execute(
        f"copy (select * from read_csv({_quoted(str(text))}, header = false, auto_detect = false, "
        f"columns = {{{types}}}, delim = ',', quote = '\"', escape = '\"', nullstr = '', "
        "allow_quoted_nulls = false)) "
        f"to {_quoted(str(text.with_suffix('.parquet')))} "
        f"(format parquet, compression zstd, kv_metadata {{{notes}}})"
    ).fetchone()
    assert done is not None
    return int(done[0])


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
