"""`sahrat replay`: a match told step by step."""

from __future__ import annotations

import click

from services.house.records import read
from services.house.source import Where, finish, reads
from services.house.tell import clock, tell
from services.house.words import Language

SEQ_WIDTH = 5
CLOCK_WIDTH = 9


@click.command(short_help="Tell a match in words.")
@click.argument("match", metavar="MATCH_ID|FILE")
@click.option(
    "--lang",
    "language",
    type=click.Choice(["en", "ar"]),
    default="en",
    show_default=True,
    help="Told in English or in Arabic.",
)
@reads
def command(where: Where, match: str, language: Language) -> None:
    """Tell a match in words, from its records: a match's, a file that was exported, or - for
    standard input.

    Each line has the record's number, the time since the table was opened, and what happened. Pawns
    are counted from 1, squares along the pawn's own path. Whether the records are sound is not
    looked at: see `sahrat verify`.
    """
    for line in tell(finish(read(where, match)), language):
        number = str(line.seq) if line.first else ""
        since = clock(line.since_ms) if line.first else ""
        click.echo(f"{number:>{SEQ_WIDTH}} {since:>{CLOCK_WIDTH}}  {line.text}")
