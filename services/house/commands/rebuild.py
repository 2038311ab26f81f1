"""`sahrat rebuild`: the read models made anew from the log."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import click
import psycopg

from sahrat.runtime.exits import Exit
from sahrat.runtime.settings import POSTGRES, Settings
from services.house.folder import Folder, LogKind, default_folder
from services.house.local.postgres import LocalPostgres, running_dsn
from services.house.problem import Problem
from services.house.source import Place, finish, locate, open_log
from services.projection.rebuild import Progress, RebuildError, Rebuilt, rebuild


@click.command()
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="A house's folder, whether it runs or not.  [default: .sahrat in the checkout]",
)
@click.option(
    "--log",
    "kind",
    type=click.Choice(["embedded", "kafka"]),
    help="Which log to read.  [default: that of the folder's house]",
)
def command(data: Path | None, kind: LogKind | None) -> None:
    """Make the read models anew from the log, beside those that are read, and swap them in.

    Readers see the old ones or the new ones, each whole, also while the house runs. The database is
    the one that SAHRAT_POSTGRES names, or else the folder's own, which is started for this if it
    does not run.
    """
    folder = (data or default_folder()).resolve()
    teller = _Teller()
    made = finish(_rebuild(locate(None, folder, kind), Folder(folder), teller))
    teller.clear()
    click.echo(f"made anew from {made.records} records")
    if made.left:
        click.echo(made.left, err=True)


async def _rebuild(place: Place, folder: Folder, teller: _Teller) -> Rebuilt:
    async with open_log(place) as log, _database(folder) as dsn:
        try:
            return await rebuild(log, dsn, teller.tell)
        except RebuildError as refused:
            raise Problem(str(refused)) from None
        except psycopg.Error as fault:
            said = str(fault).partition("\n")[0] or type(fault).__name__
            raise Problem(f"the database: {said}", Exit.FAULT) from None


@asynccontextmanager
async def _database(folder: Folder) -> AsyncIterator[str]:
    """Yield the DSN of the database that has, or is to have, the read models."""
    named = Settings.read().postgres
    if named is not None:
        yield named.get_secret_value()
        return
    running = await asyncio.to_thread(running_dsn, folder.postgres)
    if running is not None:
        yield running
        return
    if not folder.path.exists():
        raise Problem(f"no database in {folder.path}: set {POSTGRES}, or name a house's --data")
    server = LocalPostgres(folder.postgres)
    try:
        yield await asyncio.to_thread(server.start)
    finally:
        await asyncio.to_thread(server.stop)


class _Teller:
    """Says on standard error how far it is, in one line of a terminal; elsewhere in tenths."""

    def __init__(self) -> None:
        self._alone = sys.stderr.isatty()
        self._said = -1

    def tell(self, progress: Progress) -> None:
        """Take how far it is."""
        percent = progress.percent if self._alone else progress.percent // 10 * 10
        if percent != self._said:
            self._said = percent
            text = f"{percent} % of {progress.total} records"
            click.echo(f"\r\x1b[K{text}" if self._alone else text, err=True, nl=not self._alone)

    def clear(self) -> None:
        """Leave nothing behind on a terminal."""
        if self._alone:
            click.echo("\r\x1b[K", err=True, nl=False)
