"""`sahrat audit`: are all coins where the log says they must be?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
import orjson

from sahrat.runtime.exits import Exit
from sahrat.runtime.settings import POSTGRES
from sahrat.storage.pool import BadDsn
from services.audit import models
from services.audit.core.fault import Fault
from services.audit.core.heads import Listed
from services.audit.core.report import Report
from services.audit.core.tables import Shown
from services.audit.host import Audit
from services.house import heads
from services.house.database import find_database, open_database
from services.house.folder import Folder, LogKind, default_folder
from services.house.local.errors import LocalError
from services.house.problem import Problem
from services.house.source import (
    Place,
    finish,
    kind_of,
    locate,
    open_log,
    reads_log,
    sound_player_id,
)
from services.house.tell_audit import in_words
from services.house.teller import Teller

NEWEST: Final = 20
NO_POSTGRES: Final = (
    "no PostgreSQL runs here: --postgres starts the house's own for this, and compares"
)
LONG: Final = 50_000  # records: reading fewer takes seconds
EXIT_CODES: Final = (
    "\b\nExit codes:\n"
    "  0  balanced; or every list is what the log has\n"
    "  1  a law is broken: which one, by which entry and which match; or a match is not as listed\n"
    "  2  it can't be read: no such log, the log is away or not whole, or newer than this program"
)


@click.command(epilog=EXIT_CODES, short_help="Recompute every coin from the log.")
@reads_log
@click.option(
    "--postgres/--no-postgres",
    default=None,
    help="Compare PostgreSQL's balances too, and start the folder's own if it does not run; or do "
    "not look at it.  [default: compare if it is there]",
)
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"]),
    help="List what operators did, and what was refused, from this time on (UTC).  "
    f"[default: the {NEWEST} newest of each; with --json all]",
)
@click.option("--player", metavar="PLAYER_ID", help="List each change of this player's coins too.")
@click.option(
    "--heads",
    "by_heads",
    is_flag=True,
    help="Look at no coin: hold the log to FILES, which `sahrat heads` wrote.",
)
@click.option("--json", "as_json", is_flag=True, help="Say it all as one JSON object.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
def command(
    data: Path | None,
    kind: LogKind | None,
    postgres: bool | None,
    since: datetime | None,
    player: str | None,
    by_heads: bool,
    as_json: bool,
    files: tuple[Path, ...],
) -> int:
    """Recompute every coin from the topics alone, with none of the wallet's code.

    Every entry of the journal is held to its command, to the match's own record that this comes
    from, and to the laws: nothing is made or lost (W1), nobody is below zero (W2), a hold begins
    and ends once (W3), a match is settled or refunded, never both (W4), prizes are as the rules say
    (W5), refunds are the entries (W6), nobody plays for coins that are not held (W7), and each
    change has its cause (W8). Every match's prizes, refunds and earnings are worked out again from
    its own events. Three more are named where they are broken: the journal is one chain of whole
    entries (chain), free matches earn what they may (M2), and PostgreSQL shows what the journal
    says (tables): no coin hangs on this last one, and `sahrat rebuild` mends it.

    PostgreSQL is the one that SAHRAT_POSTGRES names, or the folder's own. At the entry at which it
    stands all balances are compared, and what players read of their history up to there. Where the
    house does not run and its log is Kafka's, its broker is started for this and stopped again.

    With --heads it is the matches of whole days: each list that `sahrat heads` wrote is held to the
    log, and every match is named that was rewritten, lost, added or moved to another day since.
    """
    player_id = "" if player is None else sound_player_id(player)
    if by_heads != bool(files):
        raise click.UsageError("--heads and the files that `sahrat heads` wrote go together")
    if by_heads and not (postgres is None and since is None and player is None):
        raise click.UsageError("--heads looks at no coin: leave out --postgres, --since, --player")
    folder = Folder((data or default_folder()).resolve())
    teller = Teller(quiet_below=LONG)
    try:
        if by_heads:
            return _hold(folder, kind, files, teller, as_json=as_json)
        place = locate(None, folder.path, kind, by_url=False)
        found = finish(_audit(place, folder, postgres, player_id, teller))
    except Problem as problem:
        problem.exit_code = int(Exit.USAGE)
        raise
    finally:
        teller.clear()
    if isinstance(found, Report) and since is not None:
        found.forget_before(int(since.replace(tzinfo=UTC).timestamp() * 1000))
    if as_json:
        click.echo(orjson.dumps(_as_json(found), option=orjson.OPT_INDENT_2).decode())
    else:
        for line in in_words(found, NEWEST if since is None else None):
            click.echo(line)
    return Exit.FAULT if isinstance(found, Fault) else Exit.DONE


def _hold(
    folder: Folder, kind: LogKind | None, files: Sequence[Path], teller: Teller, *, as_json: bool
) -> int:
    """Hold the log to lists of heads."""
    lists = [(str(path), heads.read_list(path)) for path in files]
    held = finish(_compare(locate(None, folder.path, kind, by_url=False), lists, teller))
    teller.clear()
    if as_json:
        click.echo(orjson.dumps(heads.as_json(held), option=orjson.OPT_INDENT_2).decode())
    else:
        for line in (line for one in held for line in heads.in_words(one)):
            click.echo(line)
    return Exit.DONE if all(one.same for one in held) else Exit.FAULT


async def _compare(
    place: Place, lists: Sequence[tuple[str, Listed]], teller: Teller
) -> list[heads.Held]:
    async with open_log(place) as log:
        return await heads.compare(log, lists, teller.tell)


async def _audit(
    place: Place, folder: Folder, postgres: bool | None, player_id: str, teller: Teller
) -> Report | Fault:
    shown = await _shown(folder, kind_of(place), postgres)
    async with open_log(place) as log:
        try:
            return await Audit(log, shown, teller.tell, player_id).run()
        except Fault as fault:
            return fault


async def _shown(folder: Folder, kind: LogKind, postgres: bool | None) -> Shown | str:
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
    return NO_POSTGRES if found is None else await _read(found)


async def _read(dsn: str) -> Shown | str:
    try:
        return await models.read(dsn)
    except BadDsn as fault:
        raise Problem(f"{POSTGRES}: {fault}") from None


def _as_json(found: Report | Fault) -> dict[str, Any]:
    if isinstance(found, Fault):
        place = asdict(found.place)
        return {"balanced": False, "law": found.law, **place, "what": found.what}
    return {"balanced": True, **asdict(found)}
