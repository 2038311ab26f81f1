"""`sahrat verify`: does everything in a match's records fit?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

import click
import orjson

from sahrat import games
from sahrat.runtime.exits import Exit
from sahrat.verify import NotRecords, Report, verify
from services.house.problem import Problem
from services.house.records import check_lines, is_file, read
from services.house.source import Where, finish, reads
from services.house.tell import clock, seated, tell

DIGEST: Final = re.compile(r"[0-9a-f]{64}")
COINS: Final = ("entries.settled", "entries.refunded", "coins.earned")
UNCOVERED: Final = (
    "last record: nothing covers it but what a phone saw: compare the digest, or give --head"
)
EXIT_CODES: Final = (
    "\b\nExit codes:\n"
    "  0  everything fits\n"
    "  1  something does not fit, and what\n"
    "  2  no records: no such file or match, an empty file, or one with a line that is no record\n"
    "  3  the log is away or damaged"
)


def _digest(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Return the digest as records have it. Raises BadParameter for what is none."""
    digest = None if value is None else value.strip().lower()
    if digest is not None and DIGEST.fullmatch(digest) is None:
        raise click.BadParameter("a digest has 64 hex digits")
    return digest


@click.command(epilog=EXIT_CODES, short_help="Check a match from its records alone.")
@click.argument("match", metavar="MATCH_ID|FILE")
@click.option("--head", callback=_digest, help="The digest of the last record that a phone saw.")
@click.option("--rolls", is_flag=True, help="Show every roll: its inputs, and what they give.")
@click.option("--json", "as_json", is_flag=True, help="Say it all as one JSON object.")
@reads
def command(where: Where, match: str, head: str | None, rolls: bool, as_json: bool) -> int:
    """Check a match from its records alone: a match's, a file's, or - for standard input.

    First the digests, on the raw lines: every record names that of the one before. Then, with the
    secret that the last record reveals: the commitment in the first, the deal, every roll, and by
    the rules every record from those before it, up to the places. Nothing follows the last record:
    its digest is what a phone saw last, so compare it, or give that one as --head.

    In a file each line is a record, byte for byte. Whether the lines end in LF or all in CRLF, and
    whether the last one ends at all, is the file's own affair.
    """
    records = finish(read(where, match))
    if is_file(match):
        check_lines(match, records)
    try:
        report = verify(records, head)
    except NotRecords as fault:
        raise Problem(f"{match}: {fault}") from None
    if as_json:
        found = orjson.dumps(_as_json(report, rolls=rolls), option=orjson.OPT_INDENT_2)
        click.echo(found.decode())
    else:
        for line in _in_words(report, records, rolls=rolls):
            click.echo(line)
        if head is None and not report.problem:
            click.echo(UNCOVERED)
    return Exit.FAULT if report.problem else Exit.DONE


def _as_json(report: Report, *, rolls: bool) -> dict[str, Any]:
    found = {"fits": not report.problem, **asdict(report)}
    if not rolls:
        found["draws"] = len(report.draws)
    return found


def _in_words(report: Report, records: Sequence[bytes], *, rolls: bool) -> Iterator[str]:
    told = [*tell(records)]
    length_ms = max((line.since_ms for line in told), default=0)
    yield f"match    {report.match_id or '?'}"
    yield f"rules    {report.rules or '?'}"
    yield f"records  {report.records}, over {clock(length_ms)} (minutes:seconds)"
    yield f"players  {', '.join(seated(records))}"
    if report.secret:
        game = games.find(report.rules)
        heavy = None if game is None else game.heavy
        if heavy is None:
            yield f"rolls    {len(report.draws)} computed again"
        else:
            yield f"{heavy.computes:8} {report.computed} computed again"
    if rolls:
        yield from (
            f"  {draw.kind} {draw.index:4}  seat {draw.seat}  number {draw.number or '-':20}  "
            f"says {draw.shown}, is {draw.due}"
            for draw in report.draws
        )
    if report.end:
        yield from (f"coins    {line.text}" for line in told if line.kind in COINS)
        yield f"end      {told[-1].text}"
    yield f"digest   {report.digest}"
    if report.problem:
        yield f"DOES NOT FIT: {report.problem}"
    elif report.secret:
        yield "fits: digests, commitment, deal, every roll, every step, the places and the coins"
    else:
        yield "fits so far: the digests; the match is not over, so nothing else can be checked yet"
