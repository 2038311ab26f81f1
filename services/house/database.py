"""The database that has a house's read models, for a command that runs once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import click

from sahrat.runtime.database import named_database
from sahrat.runtime.settings import POSTGRES, Settings
from services.house.folder import Folder, LogKind
from services.house.local.postgres import LocalPostgres, running_dsn
from services.house.problem import Problem


async def find_database(folder: Folder, kind: LogKind) -> str | None:
    """Return the DSN of the database that is named, or that runs on the folder for such a log; None
    for none.

    Raises:
        BadSetting: The name is none.
        LocalError: There is no PostgreSQL.
    """
    named = named_database(Settings.read())
    if named is not None:
        return named
    return await asyncio.to_thread(running_dsn, folder.postgres(kind))


@asynccontextmanager
async def open_database(folder: Folder, kind: LogKind) -> AsyncIterator[str]:
    """Yield the DSN of the database that has, or is to have, the read models: the one that is
    named, or else the folder's own, which is started for this if it does not run.

    Raises:
        BadSetting: The name is none.
        LocalError: It can't be started.
        Problem: Nobody says which one it is.
    """
    found = await find_database(folder, kind)
    if found is not None:
        yield found
        return
    if not folder.path.exists():
        raise Problem(f"no database in {folder.path}: set {POSTGRES}, or name a house's --data")
    server = LocalPostgres(folder.postgres(kind))
    click.echo(f"starting the PostgreSQL of {folder.path} for this", err=True)
    try:
        yield await asyncio.to_thread(server.start)
    finally:
        await asyncio.to_thread(server.stop)
