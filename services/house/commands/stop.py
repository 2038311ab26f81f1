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
from services.house.office import Errand, Office, Unknown, made, operates
from services.house.problem import Problem
from services.house.source import finish, sound_match_id

AT_ONCE: Final = 16
ID_WIDTH: Final = 36
OVER: Final = "unknown_match"
REFUSALS: Final = {
    "parked": "its log is damaged, and the journal holds nothing for it: nothing is to go back",
    "already_settled": "its entries were shared out or went back before",
    "nothing_held": "the journal holds nothing for it (any more): nothing is to go back",
    "id_reused": "its entries were given back before, by another operator or for another reason",
    "late": "it took over ten seconds to reach rules: see that the house works",
}
EXIT_CODES: Final = (
    "\b\nExit codes:\n"
    "  0  shown only, without --yes; or every stop stands in the log, and every entry that was\n"
    "     held is back in the journal\n"
    "  1  no such match is on: it is over, which is said with when and how, or unknown; or of one\n"
    "     it is not known that it is stopped and its entries back\n"
    "  2  nothing is stopped: it can't be asked for this way, no house answers, or the token is\n"
    "     no good"
)


@click.command(epilog=EXIT_CODES, short_help="Stop matches; every entry goes back.")
@click.argument("match_id", required=False)
@click.option("--all", "everything", is_flag=True, help="All matches that are on.")
@click.option("--reason", help="Needed with --yes: it stands in the log, and the players see it.")
@click.option("--yes", is_flag=True, help="Do it; else it is only shown.")
@operates
def command(
    errand: Errand, match_id: str | None, everything: bool, reason: str | None, yes: bool
) -> int:
    """Show which matches would be stopped and what would go back to whom; with --yes, do it.

    Nobody wins a match that is stopped, and nobody loses: every entry goes back in full, those of
    players who have left too, and no fee is taken. Each stop is an intent of its own, with the
    operator and his reason, and is waited for until log and journal have it. The same command may
    be given again: a match is stopped once, and is shown until its entries are back.
    """
    if (match_id is None) != everything:
        raise Problem("name one match, or --all of them")
    wanted = None if match_id is None else sound_match_id(match_id)
    if yes and reason is None:
        raise Problem("--yes wants a --reason, which stands in the log")
    if reason is not None:
        made(NewStop, {"intent_id": new_id(), "match_id": wanted or new_id(), "reason": reason})
    return finish(_stop(errand, wanted, reason if yes else None))


async def _stop(errand: Errand, match_id: str | None, reason: str | None) -> int:
    """Show what would be stopped, and stop it if there is a reason to."""
    async with errand.office() as office:
        stops = await _matches(office, match_id)
        for line in _shown(stops):
            click.echo(line)
        if not stops:
            return Exit.DONE
        if reason is None:
            click.echo("nothing is stopped: add --reason and --yes to do it", err=True)
            return Exit.DONE
        said = await _stop_all(office, stops, reason)
    return _told(said, errand.health)


async def _stop_all(
    office: Office, stops: Sequence[dict[str, Any]], reason: str
) -> list[dict[str, Any]]:
    """Return what became of each stop: what the house said; or state `lost`, where nobody knows,
    or `unasked`, with a reason.
    """
    gate = asyncio.Semaphore(AT_ONCE)
    lost = ""

    async def one(stop: dict[str, Any]) -> dict[str, Any]:
        nonlocal lost
        match_id = stop["match_id"]
        wish = made(NewStop, {"intent_id": new_id(), "match_id": match_id, "reason": reason})
        async with gate:
            if lost:  # else each of many would wait as long for a house that is gone
                return {"match_id": match_id, "state": "unasked", "reason": lost}
            try:
                return await office.ask("stops", wish)
            except Unknown as fault:
                lost = fault.message
                return {"match_id": match_id, "state": "lost", "reason": fault.message}
            except Problem as problem:
                return {"match_id": match_id, "state": "unasked", "reason": problem.message}

    return await asyncio.gather(*(one(stop) for stop in stops))


async def _matches(office: Office, match_id: str | None) -> list[dict[str, Any]]:
    """Return what stopping a match would do, or all of them.

    Raises:
        Problem: No such match is on.
    """
    if match_id is not None:
        stop = await office.read(f"stops/{match_id}")
        if stop is None:
            raise Problem(f"match {match_id} {await office.over(match_id)}", Exit.FAULT)
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
    yield f"{'match, and who plays':{ID_WIDTH}}  {'phase':8}  {'entry':>9}  {'goes back':>9}"
    for stop in stops:
        yield (
            f"{stop['match_id']:{ID_WIDTH}}  {stop['phase']:8}  {stop['entry_coins']:9}  "
            f"{stop['refund_coins']:9}"
        )
        for player in stop["players"]:
            yield f"  {player['player_id'] or '(bot)':{ID_WIDTH}}  {player['nickname']}".rstrip()
    coins = sum(stop["refund_coins"] for stop in stops)
    go = "goes" if coins == 1 else "go"
    yield f"{counted(len(stops), 'match', 'matches')}, {counted(coins, 'coin')} {go} back"


def _told(said: Sequence[dict[str, Any]], health: str) -> int:
    """Say what became of each stop, and return the exit code."""
    done = [one for one in said if one["state"] == "done"]
    late = [one for one in said if one["state"] == "refunding"]
    over = [one for one in said if one["state"] == "refused" and one["reason"] == OVER]
    for one in done:
        record = "by the ledger" if one["seq"] is None else f"record {one['seq']}"
        entry = "" if one["entry"] is None else f", entry {one['entry']} of the journal"
        back = counted(one["refund_coins"], "coin")
        click.echo(f"{one['match_id']}  stopped, {record}: {back} back{entry}")
    for one in over:
        click.echo(f"{one['match_id']}  was over before", err=True)
    back, due = (sum(one["refund_coins"] for one in some) for some in (done, late))
    are = "is" if back == 1 else "are"
    still = f", {due} not yet" if due else ""
    click.echo(
        f"stopped {len(done) + len(late)} of {len(said)}, {counted(back, 'coin')} {are} back{still}"
    )
    left = [one for one in said if one not in done and one not in over]
    for one in left:
        click.echo(f"{one['match_id']}  {_why_left(one)}", err=True)
    if left:
        click.echo(
            f"give the same command again: a match is stopped once, and is shown until its entries "
            f"are back; whether rules and the wallet work {health} says, and `sahrat audit` lists "
            "every stop and refund",
            err=True,
        )
    nothing = len(said) == 1 and bool(over)
    return Exit.FAULT if left or nothing else Exit.DONE


def _why_left(one: dict[str, Any]) -> str:
    match one["state"]:
        case "refunding":
            coins = counted(one["refund_coins"], "coin")
            return f"NOT DONE: stopped, and its entries ({coins}) are not back yet"
        case "lost":
            return f"NOT KNOWN: {one['reason']}: it may be stopped"
        case "waiting":
            return "NOT DONE: rules has not judged it yet"
        case "refused":
            why = REFUSALS.get(one["reason"])
            return f"NOT DONE: refused: {one['reason']}{f': {why}' if why else ''}"
        case _:
            return f"NOT DONE: {one['reason']}"
