"""`sahrat analyst`: how an analyst connects."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import psycopg

from sahrat.runtime.exits import Exit
from sahrat.storage.analysts import ROLE
from sahrat.storage.pool import connect
from services.house.analysts import analyst_dsn, is_named, running_database
from services.house.local.binaries import psql_program
from services.house.problem import Problem
from services.house.source import finish

_READY = """
select
    to_regclass('log_positions') is not null,
    exists (select from pg_roles where rolname = %s)
"""


@click.command(short_help="Say how an analyst connects.")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of a house that runs.  [default: .sahrat in the checkout]",
)
def command(data: Path | None) -> None:
    r"""Print the line with which an analyst connects to the read models, by psql.

    The role sahrat_analyst reads the views of the schema live, which hold the matches that are
    over, and can write nothing. A statement of its is stopped after a minute, and three sessions
    may be open at once. `\dv` lists the views, and `\d+ VIEW` says what each column is.

    A house of one's own has its PostgreSQL on a socket that its owner alone can reach, without a
    password. Where SAHRAT_POSTGRES names the database, the role can connect once somebody who may
    has given it a password there: alter role sahrat_analyst password '..'.
    """
    dsn = finish(_look(data))
    program = "psql" if is_named() else psql_program()
    click.echo(f"{shlex.quote(program)} {shlex.quote(analyst_dsn(dsn))}")


async def _look(data: Path | None) -> str:
    """Return the database's DSN. Raises Problem where no analyst can use it."""
    dsn = await running_database(data)
    try:
        async with await connect(dsn, name="sahrat-analyst") as connection:
            cursor = await connection.execute(_READY, (ROLE,))
            views, role = await cursor.fetchone() or (False, False)
    except psycopg.Error as fault:
        said = str(fault).partition("\n")[0] or type(fault).__name__
        raise Problem(f"the database: {said}", Exit.FAULT) from None
    if not views:
        raise Problem("the views are not there yet: the house makes them when it runs")
    if not role:
        raise Problem(
            f"the house may not make roles in this database: let somebody who may run `create role "
            f"{ROLE} login`, and start the house again"
        )
    return dsn
