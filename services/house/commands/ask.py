"""`sahrat ask`: the ready questions of analysts, answered by the read models."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

import click

from services.house.analysts import Question, answer, questions, reading
from services.house.counted import counted
from services.house.problem import Problem
from services.house.source import finish

DAY: Final = click.DateTime(["%Y-%m-%d"])


@click.command(short_help="Answer a ready question about matches that are over.")
@click.argument("name", required=False)
@click.option("--from", "first", type=DAY, metavar="DAY", help="First day, UTC.  [default: all]")
@click.option("--to", "last", type=DAY, metavar="DAY", help="Last day, UTC.  [default: all]")
@click.option("--sql", is_flag=True, help="Show the question itself, and how to read its answer.")
@click.option("--csv", "as_csv", is_flag=True, help="Write the answer as CSV.")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="A house's folder, whether it runs or not.  [default: .sahrat in the checkout]",
)
def command(
    name: str | None,
    first: datetime | None,
    last: datetime | None,
    sql: bool,
    as_csv: bool,
    data: Path | None,
) -> None:
    """Answer a ready question about the matches that ended on some days; without a NAME, list them.

    The questions are SQL (deploy/analysts), each with a word on how to read the answer: --sql shows
    it. They only read, and see no match that is on. The database is the one that SAHRAT_POSTGRES
    names, or the folder's own, which is started for this if it does not run.
    """
    ready = questions()
    if name is None:
        width = max(map(len, ready))
        for question in ready.values():
            click.echo(f"{question.name:<{width}}  {question.asks}")
        return
    if name not in ready:
        raise Problem(f"{name[:60]} is no ready question: {', '.join(ready)}")
    if sql:
        click.echo(ready[name].text.decode(), nl=False)
        return
    if first is not None and last is not None and first > last:
        raise Problem("--from is after --to")
    days = {"from_day": first and first.date(), "to_day": last and last.date()}
    columns, rows = finish(_ask(data, ready[name], days))
    if as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows([columns, *rows])
    elif rows:
        for line in table(columns, rows):
            click.echo(line)
        click.echo(f"{counted(len(rows), 'row')}; --sql says how to read it", err=True)
    else:
        click.echo("nothing: no match of these days has anything to say to this", err=True)


async def _ask(
    data: Path | None, question: Question, days: dict[str, date | None]
) -> tuple[list[str], list[Sequence[Any]]]:
    async with reading(data) as connection:
        return await answer(connection, question, days)


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return rows as lines of text in columns; numbers stand to the right."""
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    lines = [list(columns), *cells]
    widths = [max(len(line[at]) for line in lines) for at in range(len(columns))]
    right = [all(not isinstance(row[at], str) for row in rows) for at in range(len(columns))]
    return [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    ]
