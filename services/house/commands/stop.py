"""`sahrat stop`: ends matches without a winner; every entry goes back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, Final

import click

from sahrat.runtime.exits import Exit
from sahrat.runtime.ids import new_id
from services.gateway.coins import NewStop
from services.house.counted import counted
from services.house.office import Errand, Office, made, operates
from services.house.problem import Problem
from services.house.source import finish, sound_match_id

AT_ONCE: Final = 16
ID_WIDTH: Final = 36
OVER: Final = "unknown_match"
EXIT_CODES: Final = (
    "\b\nExit codes:\n"
    "  0  shown only, without --yes; or every stop stands in the log, and every entry that was\n"
    "     held is back in the journal\n"
    "  1  no such match is on; or one was not stopped, or its entries are not back in time\n"
    "  2  it can't be asked for this way, no house answers, or the token is no good"
)


@click.command(epilog=EXIT_CODES, short_help="Stop matches; every entry goes back.")
@click.argument("match_id", required=False)
@click.option("--all", "everything", is_flag=True, help="All matches that are on.")
@click.option("--reason", required=True, help="Stands in the log, and the players see it.")
@click.option("--yes", is_flag=True, help="Do it; else it is only shown.")
@operates
def command(errand: Errand, match_id: str | None, everything: bool, reason: str, yes: bool) -> int:
    """Show which matches would be stopped and what would go back to whom; with --yes, do it.

    Nobody wins a match that is stopped, and nobody loses: every entry goes back in full, those of
    players who have left too, and no fee is taken. Each stop is an intent of its own, with the
    operator and his reason, and is waited for until log and journal have it.
    """
    if (match_id is None) != everything:
        raise Problem("name one match, or --all of them")
    wanted = None if match_id is None else sound_match_id(match_id)
    made(NewStop, {"intent_id": new_id(), "match_id": wanted or new_id(), "reason": reason})
    return finish(_stop(errand, wanted, reason, yes=yes))


async def _stop(errand: Errand, match_id: str | None, reason: str, *, yes: bool) -> int:
    async with errand.office() as office:
        stops = await _matches(office, match_id)
        for line in _shown(stops):
            click.echo(line)
        if not stops:
            return Exit.DONE
        if not yes:
            click.echo("nothing is stopped: add --yes to do it", err=True)
            return Exit.DONE
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(stop: dict[str, Any]) -> dict[str, Any]:
            fields = {"intent_id": new_id(), "match_id": stop["match_id"], "reason": reason}
            async with gate:
                return await office.ask("stops", made(NewStop, fields))

        said = await asyncio.gather(*(one(stop) for stop in stops))
    return _told(said)


async def _matches(office: Office, match_id: str | None) -> list[dict[str, Any]]:
    """Return what stopping a match would do, or all of them.

    Raises:
        Problem: No such match is on.
    """
    if match_id is not None:
        stop = await office.read(f"stops/{match_id}")
        if stop is None:
            raise Problem(f"no match {match_id} is on here", Exit.FAULT)
        return [stop]
    found: list[dict[str, Any]] = []
    after: str | None = ""
    while after is not None:
        page = await office.read(f"stops?after={after}" if after else "stops")
        if page is None:
            raise Problem("no such page: is it a house of this version?")
        found += page["stops"]
        after = page["after"]
    return found


def _shown(stops: Sequence[dict[str, Any]]) -> Iterator[str]:
    if not stops:
        yield "no match is on"
        return
    yield f"{'match':{ID_WIDTH}}  {'phase':8}  {'entry':>9}  {'goes back':>9}  players"
    for stop in stops:
        names = ", ".join(player["nickname"] or "(bot)" for player in stop["players"])
        yield (
            f"{stop['match_id']:{ID_WIDTH}}  {stop['phase']:8}  {stop['entry_coins']:9}  "
            f"{stop['refund_coins']:9}  {names}"
        )
    coins = sum(stop["refund_coins"] for stop in stops)
    go = "goes" if coins == 1 else "go"
    yield f"{counted(len(stops), 'match', 'matches')}, {counted(coins, 'coin')} {go} back"


def _told(said: Sequence[dict[str, Any]]) -> int:
    """Say what became of each stop, and return the exit code."""
    done = [one for one in said if one["state"] == "done"]
    over = [one for one in said if one["state"] == "refused" and one["reason"] == OVER]
    for one in done:
        record = "by the ledger" if one["seq"] is None else f"record {one['seq']}"
        entry = "" if one["entry"] is None else f", entry {one['entry']} of the journal"
        back = counted(one["refund_coins"], "coin")
        click.echo(f"{one['match_id']}  stopped, {record}: {back} back{entry}")
    for one in over:
        click.echo(f"{one['match_id']}  was over before", err=True)
    coins = sum(one["refund_coins"] for one in done)
    are = "is" if coins == 1 else "are"
    click.echo(f"stopped {len(done)} of {len(said)}, {counted(coins, 'coin')} {are} back")
    left = [one for one in said if one not in done and one not in over]
    for one in left:
        why = one["reason"] or {
            "waiting": "rules has not judged it yet",
            "refunding": "stopped, and its entries are not back yet: see that the wallet works",
        }.get(one["state"], one["state"])
        click.echo(f"{one['match_id']}  NOT DONE: {why}", err=True)
    nothing = len(said) == 1 and bool(over)
    return Exit.FAULT if left or nothing else Exit.DONE
