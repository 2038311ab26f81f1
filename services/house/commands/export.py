"""`sahrat export`: a match's records as they are stored."""

from __future__ import annotations

import sys

import click

from sahrat.games import wire
from sahrat.messages.codec import Poison
from sahrat.messages.match import FINAL_EVENTS
from services.house.counted import counted
from services.house.records import read_match
from services.house.source import Where, finish, reads


@click.command(short_help="Write a match's records, as they are stored.")
@click.argument("match_id")
@reads
def command(where: Where, match_id: str) -> None:
    """Write a match's records to standard output, byte for byte as stored, one a line.

    `sahrat export ID > match.jsonl; sahrat verify match.jsonl` checks them. Nothing is written
    unless all of them could be read.
    """
    records = finish(read_match(where, match_id))
    out = sys.stdout.buffer
    out.write(b"".join(value + b"\n" for value in records))
    out.flush()
    over = _is_over(records[-1])
    on = "" if over else "; the match is not over"
    click.echo(f"{counted(len(records), 'record')}{on}", err=True)


def _is_over(value: bytes) -> bool:
    try:
        return isinstance(wire.RECORDS.decode(value).events[-1], FINAL_EVENTS)
    except Poison:  # whatever it is, it is what is stored
        return True
