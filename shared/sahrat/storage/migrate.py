"""Makes the tables by numbered SQL files, each applied once and never changed again.

The files name no schema: they are run in the one that is asked for. So the same files make the
tables that are read, and those that a rebuild makes beside them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from psycopg.sql import SQL, Identifier

from sahrat.storage.pool import SCHEMA, Connection

FOLDER: Final = Path(__file__).resolve().parents[3] / "deploy" / "migrations"
FILE: Final = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")
LOCK: Final = 0x5A_48_52_41  # of all that changes which tables there are; the number is ours alone

_JOURNAL: Final = b"""
create table if not exists schema_migrations (
    number      integer     not null primary key,
    name        text        not null,
    sha256      text        not null,
    applied_at  timestamptz not null default now()
)
"""


class MigrationError(Exception):
    """The files and the database disagree; one line that says how. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file."""

    number: int
    name: str
    text: bytes

    @property
    def sha256(self) -> str:
        """The digest that it is remembered by."""
        return sha256(self.text).hexdigest()


def migrations(folder: Path = FOLDER) -> list[Migration]:
    """Return the files in order.

    Raises:
        MigrationError: There are none, a name is no migration's, or a number is missing or twice.
    """
    found: list[Migration] = []
    for path in sorted(folder.glob("*.sql")):
        match = FILE.fullmatch(path.name)
        if match is None:
            raise MigrationError(f"{path.name} is no name for a migration: 0001_what_it_makes.sql")
        found.append(Migration(int(match[1]), path.name, path.read_bytes()))
    if not found:
        raise MigrationError(f"no migrations in {folder}")
    for expected, migration in enumerate(found, start=1):
        if migration.number != expected:
            raise MigrationError(f"{migration.name} stands where number {expected} should")
    return found


async def migrate(
    connection: Connection, schema: str, wanted: Sequence[Migration] | None = None
) -> list[str]:
    """Bring a schema up to date, all or nothing, and return the names of what was applied.

    Args:
        connection: One outside a transaction; its search path stays as it is.
        schema: Made if it is missing.
        wanted: All migrations in order; None: those of the project.

    Raises:
        MigrationError: One that was applied is another one now, or is not known here: the
            database is a newer version's.
        psycopg.Error: The database is away, or a migration is wrong.
    """
    if SCHEMA.fullmatch(schema) is None:
        raise ValueError(f"no name for a schema: {schema!r}")
    files = migrations() if wanted is None else list(wanted)
    async with connection.transaction():
        await connection.execute("select pg_advisory_xact_lock(%s)", (LOCK,))
        await connection.execute(SQL("create schema if not exists {}").format(Identifier(schema)))
        await connection.execute(SQL("set local search_path to {}").format(Identifier(schema)))
        await connection.execute(_JOURNAL)
        pending = files[check(await applied(connection), files) :]
        for migration in pending:
            await connection.execute(migration.text)
            await connection.execute(
                "insert into schema_migrations (number, name, sha256) values (%s, %s, %s)",
                (migration.number, migration.name, migration.sha256),
            )
    return [migration.name for migration in pending]


async def applied(connection: Connection) -> list[tuple[int, str, str]]:
    """Return (number, name, SHA-256) of what the schema at hand is made of, in order."""
    cursor = await connection.execute(
        "select number, name, sha256 from schema_migrations order by number"
    )
    return [(number, name, digest) for number, name, digest in await cursor.fetchall()]


def check(done: Sequence[tuple[int, str, str]], files: Sequence[Migration]) -> int:
    """Return how many of the files have been applied.

    Raises:
        MigrationError: What was applied is not what the files say.
    """
    for index, (number, name, digest) in enumerate(done):
        if index >= len(files) or files[index].number != number:
            raise MigrationError(f"the database has {name}, which this version does not know")
        if files[index].sha256 != digest:
            raise MigrationError(
                f"{files[index].name} was changed after it had been applied: put it back, and "
                "write a new one"
            )
    return len(done)
