"""`sahrat audit`: are all coins where the log says they must be?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import click
import orjson

from sahrat.runtime.exits import Exit
from sahrat.runtime.settings import POSTGRES
from sahrat.storage.pool import BadDsn
from services.audit import models
from services.audit.core.fault import Fault
from services.audit.core.report import Report
from services.audit.host import Audit
from services.house.database import find_database, open_database
from services.house.folder import Folder, LogKind, default_folder
from services.house.local.errors import LocalError
from services.house.problem import Problem
from services.house.source import Place, finish, kind_of, locate, open_log
from services.house.teller import Teller

LONG: Final = 50_000  # records: reading fewer takes seconds
EXIT_CODES: Final = (
    "\b\nExit codes:\n"
    "  0  balanced\n"
    "  1  a law is broken: which one, by which entry and which match\n"
    "  2  it can't be read: no such log, the log is away or not whole, or newer than this program"
)


@click.command(epilog=EXIT_CODES, short_help="Recompute every coin from the log.")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="A house's folder, whether it runs or not.  [default: .sahrat in the checkout]",
)
@click.option(
    "--log",
    "kind",
    type=click.Choice(["embedded", "kafka"]),
    help="Read the folder's log itself, or Kafka's.  [default: that of the folder's house]",
)
@click.option(
    "--postgres/--no-postgres",
    default=None,
    help="Compare PostgreSQL's balances too, and start the folder's own if it does not run; or do "
    "not look at it.  [default: compare if it is there]",
)
@click.option("--json", "as_json", is_flag=True, help="Say it all as one JSON object.")
def command(data: Path | None, kind: LogKind | None, postgres: bool | None, as_json: bool) -> int:
    """Recompute every coin from the topics alone, with none of the wallet's code.

    Every entry of the journal is held to its command, to the match's own record that this comes
    from, and to the laws: nothing is made or lost (W1), nobody is below zero (W2), a hold begins
    and ends once (W3), a match is settled or refunded, never both (W4), prizes are as the rules say
    (W5), refunds are the entries (W6), nobody plays for coins that are not held (W7), and each
    change has its cause (W8). Every match's prizes, refunds and earnings are worked out again from
    its own events.

    PostgreSQL is the one that SAHRAT_POSTGRES names, or the folder's own. It is compared at the
    entry at which it stands.
    """
    folder = Folder((data or default_folder()).resolve())
    teller = Teller(quiet_below=LONG)
    try:
        found = finish(
            _audit(locate(None, folder.path, kind, by_url=False), folder, postgres, teller)
        )
    except Problem as problem:
        problem.exit_code = int(Exit.USAGE)
        raise
    finally:
        teller.clear()
    if as_json:
        click.echo(orjson.dumps(_as_json(found), option=orjson.OPT_INDENT_2).decode())
    else:
        for line in _in_words(found):
            click.echo(line)
    return Exit.FAULT if isinstance(found, Fault) else Exit.DONE


async def _audit(
    place: Place, folder: Folder, postgres: bool | None, teller: Teller
) -> Report | Fault:
    shown = await _shown(folder, kind_of(place), postgres)
    async with open_log(place) as log:
        try:
            return await Audit(log, shown, teller.tell).run()
        except Fault as fault:
            return fault


async def _shown(folder: Folder, kind: LogKind, postgres: bool | None) -> models.Shown | str:
    """Return what PostgreSQL shows, or why it was not looked at.

    Raises:
        Problem: It was asked for, and can't be read.
        BadSetting, LocalError: The same.
    """
    if postgres is False:
        return "PostgreSQL was not looked at"
    if postgres:
        async with open_database(folder, kind) as dsn:
            shown = await _read(dsn)
        if isinstance(shown, str):
            raise Problem(f"{shown}: leave out --postgres to audit the log alone")
        return shown
    try:
        found = await find_database(folder, kind)
    except (LocalError, OSError) as fault:
        return f"PostgreSQL: {fault}"
    return "no PostgreSQL runs here" if found is None else await _read(found)


async def _read(dsn: str) -> models.Shown | str:
    try:
        return await models.read(dsn)
    except BadDsn as fault:
        raise Problem(f"{POSTGRES}: {fault}") from None


def _as_json(found: Report | Fault) -> dict[str, Any]:
    if isinstance(found, Fault):
        place = asdict(found.place)
        return {"balanced": False, "law": found.law, **place, "what": found.what}
    return {"balanced": True, **asdict(found)}


def _in_words(found: Report | Fault) -> Iterator[str]:
    if isinstance(found, Fault):
        yield f"NOT BALANCED: {found}"
        return
    yield f"balanced  {found.granted_coins:,} coins granted, each of them accounted for"
    yield (
        f"coins     {found.available_coins:,} in {found.players} players' hands, "
        f"{found.held_coins:,} held, {found.fee_coins:,} in fees"
    )
    yield (
        f"granted   {found.welcome_coins:,} as welcomes, {found.operator_coins:,} by operators, "
        f"{found.earned_coins:,} earned"
    )
    yield (
        f"matches   {found.coin_matches} for coins: {found.settled} settled, {found.refunded} "
        f"refunded, {found.playing} in play, {found.funding} being funded; "
        f"{found.free_matches} free: {found.rewarded} rewarded"
    )
    yield (
        f"holds     {found.holds} open, {found.released} released before play; "
        f"{len(found.pending)} records wait for the wallet"
    )
    refused = ", ".join(f"{count} {reason}" for reason, count in found.refused_entries.items())
    yield (
        f"journal   {found.entries} entries, {sum(found.refused_entries.values())} of them "
        f"refusals{f' ({refused})' if refused else ''}; {found.snapshots} snapshots"
    )
    yield (
        f"read      {found.records} records of matches, {found.commands} commands "
        f"({found.repeated_commands} repeated, {found.unread_commands} that are none, "
        f"{found.waiting_commands} waiting)"
    )
    for gift in found.given:
        if gift.operator:
            what = f"{gift.coins:,} to {gift.player_id} by {gift.operator}: {gift.reason}"
            yield f"grant     entry {gift.entry}, {what}"
    for stop in found.stops:
        yield f"stop      match {stop.match_id} by {stop.operator}: {stop.reason}"
    for back in found.returned:
        what = f"{back.coins:,} of match {back.match_id} by {back.operator}: {back.reason}"
        yield f"returned  entry {back.entry}, {what}"
    for match_id, why in found.damaged.items():
        yield f"damaged   match {match_id}: {why}"
    for entry in found.broken_snapshots:
        yield f"snapshot  of entry {entry} is damaged or came late, and is not used"
    if found.tables_entry is None:
        yield f"tables    not compared: {found.tables_said}"
    else:
        yield f"tables    PostgreSQL has the same balances at entry {found.tables_entry}"
    yield f"digest    {found.digest}"
