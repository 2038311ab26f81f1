"""`sahrat parquet`: a day of matches as Parquet files."""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sahrat.runtime.exits import Exit
from services.house import parquet
from services.house.analysts import reading
from services.house.counted import counted
from services.house.problem import Problem
from services.house.source import finish
from services.house.teller import Teller

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@click.command(short_help="Write a day of matches as Parquet files, for work outside.")
@click.argument("day", metavar="DAY", type=click.DateTime(["%Y-%m-%d"]))
@click.option(
    "--to",
    "folder",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the day's folder is to be, which is made if missing.",
)
@click.option("--replace", is_flag=True, help="Put it in the place of one that is there.")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="A house's folder, whether it runs or not.  [default: .sahrat in the checkout]",
)
def command(day: datetime, folder: Path, replace: bool, data: Path | None) -> None:
    """Write what analysts may read of the matches that ended on a DAY (UTC, as 2026-01-31) into the
    folder TO/DAY: a file for each view, and log_positions, the place of the log that they stand at.

    All files are as of one moment, and the folder appears when it is whole. Views and columns are
    explained in each file's metadata. `select * from 'TO/*/rolls.parquet'` in DuckDB reads the
    rolls of all days.
    """
    which = day.date()
    if which >= datetime.now(UTC).date():
        raise Problem(f"{which} is not over yet: a day is written once it is whole (UTC)")
    to = folder.resolve() / which.isoformat()
    if to.exists() and not replace:
        raise Problem(f"{to} is there already: --replace writes it anew")
    duck = _duckdb()
    teller = Teller(what="views")
    try:
        rows = finish(_write(data, duck, which, to, replace, teller))
    except OSError as fault:
        raise Problem(f"{fault.filename or to}: {fault.strerror}", Exit.FAULT) from None
    finally:
        teller.clear()
    matches = rows["ended_matches"]
    click.echo(
        f"{to}: {counted(matches, 'match', 'matches')}, {counted(sum(rows.values()), 'row')}"
    )
    if not matches:
        click.echo(f"no match ended on {which}: the files are there, without rows", err=True)


async def _write(
    data: Path | None, duck: DuckDBPyConnection, day: date, to: Path, replace: bool, teller: Teller
) -> dict[str, int]:
    async with reading(data, analyst=False, statement_ms=parquet.STATEMENT_MS) as connection:
        for _ in range(parquet.TRIES):
            made = parquet.partial(to)
            try:
                rows = await parquet.write_day(connection, duck, day, made, teller.tell)
                parquet.place(made, to, replace=replace)
            except parquet.Swapped:
                continue
            else:
                return rows
            finally:
                shutil.rmtree(made, ignore_errors=True)
    raise Problem("the read models are being made anew all the time: try again later", Exit.FAULT)


def _duckdb() -> DuckDBPyConnection:
    """Return what writes Parquet, on one thread: play needs the others."""
    try:
        import duckdb
    except ImportError:
        raise Problem("this needs DuckDB: pip install '.[parquet]' in the checkout") from None
    return duckdb.connect(config={"threads": 1, "memory_limit": "512MB"})
