"""`sahrat heads`: one digest over all matches that ended on a day, to be published."""

from __future__ import annotations

import sys
from datetime import date, datetime
from pathlib import Path
from typing import Final

import click

from services.audit.core.heads import Found, Heads
from services.house.counted import counted
from services.house.folder import LogKind
from services.house.heads import make
from services.house.source import Place, finish, locate, open_log, reads_log
from services.house.teller import Teller

LONG: Final = 50_000  # records: reading fewer takes seconds


@click.command(short_help="List what a day's matches came to, under one digest.")
@click.argument("day", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY")
@reads_log
def command(data: Path | None, kind: LogKind | None, day: datetime) -> None:
    r"""List the matches that ended on a day, like 2026-11-30, under one digest to be published.

    Whoever has that digest can be shown later that none of these matches was rewritten, lost or
    added since: `sahrat audit --heads FILE`. The day is that in UTC of the time at which the log
    stored a match's last record, and must be over by the log's time: a house that runs writes twice
    a second, so one that stood still over midnight must have been started again since.

    \b
    To standard output:
      digest 64 hex digits: SHA-256 of all lines that follow
      day, matches, damaged: which day, and how many of each
      then each match by its id: ID RECORDS DIGEST, the digest of its last record
    A damaged one, whose records do not follow one another, is marked as such on the day on which
    that happened. The digest needs no program of this house: `tail -n +2 FILE | sha256sum`.
    """
    teller = Teller(quiet_below=LONG)
    try:
        heads, found = finish(_heads(locate(None, data, kind, by_url=False), day.date(), teller))
    finally:
        teller.clear()
    sys.stdout.buffer.writelines(heads.lines())
    sys.stdout.buffer.flush()
    _tell(heads, found)


async def _heads(place: Place, day: date, teller: Teller) -> tuple[Heads, Found]:
    async with open_log(place) as log:
        return await make(log, day, teller.tell)


def _tell(heads: Heads, found: Found) -> None:
    """Say on standard error what nobody should have to look for."""
    whole = len(heads.heads) - len(heads.damaged)
    word = "match" if whole == 1 else "matches"
    click.echo(f"{whole} {word} ended on {heads.day}; digest {heads.digest()}", err=True)
    for head in heads.damaged:
        after = counted(head.records, "record")
        click.echo(f"damaged: match {head.match_id} after {after}", err=True)
    if found.strangers:
        many = counted(found.strangers, "record")
        click.echo(f"no match's, and passed over: {many}, first {found.stranger}", err=True)
