"""What analysts do from the command line: where they connect, and the ready questions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import QueryCanceled, UndefinedTable
from psycopg.sql import SQL, Literal

from sahrat.runtime.database import named_database
from sahrat.runtime.exits import Exit
from sahrat.runtime.settings import POSTGRES, Settings
from sahrat.storage.analysts import ROLE, STATEMENT_MS
from sahrat.storage.pool import LIVE, Connection, connect
from services.house.database import find_database, open_database
from services.house.folder import Folder, default_folder
from services.house.problem import Problem
from services.house.source import kind_of, locate

QUESTIONS: Final = Path(__file__).resolve().parents[2] / "deploy" / "analysts"


@dataclass(frozen=True, slots=True)
class Question:
    """A ready question: its file's name, what it asks, and the statement that answers it."""

    name: str
    asks: str
    text: bytes


def questions(folder: Path = QUESTIONS) -> dict[str, Question]:
    """Return the ready questions by name, in order."""
    found = [(path.stem, path.read_bytes()) for path in sorted(folder.glob("*.sql"))]
    return {
        name: Question(name, text.decode().partition("\n")[0].removeprefix("-- "), text)
        for name, text in found
    }


def analyst_dsn(dsn: str) -> str:
    """Return how an analyst connects to a database, without any password."""
    parts = conninfo_to_dict(dsn)
    parts.pop("password", None)
    return make_conninfo("", **{**parts, "user": ROLE})


def is_named() -> bool:
    """Return whether the settings name the database. Raises BadSetting for what is none."""
    return named_database(Settings.read()) is not None


async def running_database(data: Path | None) -> str:
    """Return the DSN of the database that is named, or that runs on a folder.

    Raises:
        Problem: None does.
        BadSetting: The name is none.
        LocalError: There is no PostgreSQL.
    """
    folder = Folder((data or default_folder()).resolve())
    kind = "embedded" if is_named() else kind_of(locate(None, data, None, by_url=False))
    dsn = await find_database(folder, kind)
    if dsn is None:
        raise Problem(
            f"no PostgreSQL runs on {folder.path}: start the house with `sahrat run`, or set "
            f"{POSTGRES} to the database's DSN"
        )
    return dsn


@asynccontextmanager
async def reading(
    data: Path | None, *, analyst: bool = True, statement_ms: int = STATEMENT_MS
) -> AsyncIterator[Connection]:
    """Connect to the database that is named, or a folder's own, to read and do nothing else. One
    that does not run is started for this.

    Args:
        data: The folder.
        analyst: As the analysts' role, where that needs no password: in a folder's own.
        statement_ms: The longest that one statement may take.

    Raises:
        Problem: The database is away, or says no, also to a statement that is run here.
        BadSetting, LocalError: As `open_database`.
    """
    folder = Folder((data or default_folder()).resolve())
    named = is_named()
    kind = "embedded" if named else kind_of(locate(None, data, None, by_url=False))
    try:
        async with open_database(folder, kind) as dsn:
            own = analyst_dsn(dsn) if analyst and not named else dsn
            connection = await connect(own, name="sahrat-analyst", statement_ms=statement_ms)
            async with connection:
                await connection.execute("set default_transaction_read_only = on")
                yield connection
    except UndefinedTable:
        raise Problem(
            f"the views are not in the schema {LIVE} yet: the house makes them when it runs"
        ) from None
    except QueryCanceled:
        raise Problem(
            f"stopped after {statement_ms // 1000} s: ask about fewer days", Exit.FAULT
        ) from None
    except psycopg.Error as fault:
        said = str(fault).partition("\n")[0] or type(fault).__name__
        raise Problem(f"the database: {said}", Exit.FAULT) from None


async def answer(
    connection: Connection, question: Question, days: Mapping[str, date | None]
) -> tuple[list[str], list[Sequence[Any]]]:
    """Return the columns and rows that answer a question.

    Args:
        connection: One of `reading`.
        question: The question.
        days: `from_day` and `to_day`; None: all.
    """
    for name, day in days.items():
        if day is not None:
            await connection.execute(
                SQL("select set_config({}, {}, false)").format(
                    Literal(f"sahrat.{name}"), Literal(day.isoformat())
                )
            )
    cursor = await connection.execute(question.text)
    columns = [column.name for column in cursor.description or ()]
    return columns, [*await cursor.fetchall()]
