"""`sahrat rebuild`: the read models made anew from the log."""

from __future__ import annotations

from pathlib import Path

import click
import psycopg

from sahrat.runtime.exits import Exit
from services.house.counted import counted
from services.house.database import open_database
from services.house.folder import Folder, LogKind, default_folder
from services.house.problem import Problem
from services.house.source import Place, finish, kind_of, locate, open_log, reads_log
from services.house.teller import Teller
from services.projection.core.journal import Damaged
from services.projection.rebuild import Progress, RebuildError, Rebuilt, rebuild


@click.command(short_help="Make the read models anew from the log.")
@reads_log
def command(data: Path | None, kind: LogKind | None) -> None:
    """Make the read models anew from the log, beside those that are read, and swap them in.

    Readers see the old ones or the new ones, each whole, also while the house runs. The database is
    the one that SAHRAT_POSTGRES names, or else the folder's own, which is started for this if it
    does not run.
    """
    folder = (data or default_folder()).resolve()
    teller = Teller()
    made = finish(_rebuild(locate(None, folder, kind, by_url=False), Folder(folder), teller))
    teller.clear()
    click.echo(f"made anew from {counted(made.records, 'record')}")
    if made.left:
        click.echo(made.left, err=True)


async def _rebuild(place: Place, folder: Folder, teller: Teller) -> Rebuilt:
    def tell(progress: Progress) -> None:
        teller.tell(progress.records, progress.total)

    async with open_log(place) as log, open_database(folder, kind_of(place)) as dsn:
        try:
            return await rebuild(log, dsn, tell)
        except RebuildError as refused:
            raise Problem(str(refused)) from None
        except Damaged as damage:
            raise Problem(f"the journal is damaged: {damage}", Exit.LOG) from None
        except psycopg.Error as fault:
            said = str(fault).partition("\n")[0] or type(fault).__name__
            raise Problem(f"the database: {said}", Exit.FAULT) from None
