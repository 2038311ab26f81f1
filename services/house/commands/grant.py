"""`sahrat grant`: coins for a player, from the house's grants."""

from __future__ import annotations

from typing import Any, Final

import click

from sahrat.messages.base import INT_LIMIT
from sahrat.runtime.exits import Exit
from sahrat.runtime.ids import new_id
from services.gateway.coins import NewGrant
from services.house.counted import counted
from services.house.numbers import Whole
from services.house.office import Errand, Office, Unknown, made, operates
from services.house.problem import Problem
from services.house.source import finish

REFUSALS: Final = {
    "id_reused": "this --intent was used before for another player, amount, reason or operator; "
    "what it asked for then is done or refused, see `sahrat audit`",
    "too_much": f"all grants together, welcomes and what is earned too, stay below {INT_LIMIT:,} "
    "coins",
}
EXIT_CODES: Final = (
    "\b\nExit codes:\n"
    "  0  shown only, without --yes; or it stands in the journal\n"
    "  1  it was refused; or nobody has said in time that it is done, and the same --intent may\n"
    "     be given again\n"
    "  2  nothing is granted: it can't be asked for this way, no house answers, or the token is\n"
    "     no good"
)


@click.command(epilog=EXIT_CODES, short_help="Give a player coins.")
@click.argument("player", metavar="PLAYER_ID")
@click.argument("coins", type=Whole(1, INT_LIMIT - 1))
@click.option("--reason", required=True, help="Stands in the journal, and the player sees it.")
@click.option(
    "--intent",
    "intent_id",
    metavar="ID",
    help="Of an earlier attempt: what was granted under it is not granted again.",
)
@click.option("--yes", is_flag=True, help="Do it; else it is only shown.")
@operates
def command(
    errand: Errand, player: str, coins: int, reason: str, intent_id: str | None, yes: bool
) -> int:
    """Show what a player would be given, and what he has; with --yes, give it to him, and say where
    it stands in the journal.

    Coins are granted by operators and earned by playing; nobody sells them or passes them on, and
    no grant can be taken back. All that a house gives, welcomes and what is earned too, stays below
    9,007,199,254,740,992 coins in all: a grant beyond that is refused. The same command again is
    another grant, unless it names the same --intent.
    """
    wish = made(
        NewGrant,
        {
            "intent_id": (intent_id or new_id()).strip().lower(),
            "player_id": player.strip().lower(),
            "coins": coins,
            "reason": reason,
        },
    )
    return finish(_grant(errand, wish, yes=yes))


async def _grant(errand: Errand, wish: NewGrant, *, yes: bool) -> int:
    async with errand.office() as office:
        has = await _has(office, wish.player_id)
        gift = f"{counted(wish.coins, 'coin')} for {wish.player_id}"
        click.echo(f"{gift}, by {has['operator']}: {wish.reason}")
        click.echo(f"he has {_purse(has)}")
        if not has["known"]:
            click.echo("the journal has never seen this player: is the id right?")
        if not yes:
            click.echo("nothing is granted: add --yes to do it", err=True)
            return Exit.DONE
        click.echo(f"under --intent {wish.intent_id}", err=True)  # before anything can cut this off
        entry = await _given(office, errand.health, wish)
        where = "in the journal" if entry is None else f"entry {entry} of the journal"
        click.echo(f"done: {where}")
    return Exit.DONE


async def _has(office: Office, player_id: str) -> dict[str, Any]:
    found = await office.read(f"players/{player_id}")
    if found is None:
        raise Problem("no such page: is it a house of this version?")
    return found


def _purse(has: dict[str, Any]) -> str:
    held = f", and {has['held_coins']} held at tables" if has["held_coins"] else ""
    return f"{counted(has['available_coins'], 'coin')}{held}"


async def _given(office: Office, health: str, wish: NewGrant) -> int | None:
    """Grant, and return the entry, if it is at hand.

    Raises:
        Problem: It is not done, or nobody has said so.
    """
    again = f"ask again with --intent {wish.intent_id}, under which it is granted once at most"
    try:
        said = await office.ask("grants", wish)
    except Unknown as fault:
        why = f"{fault.message}: whether it was granted is not known"
        raise Problem(f"{why}: {again}; `sahrat audit` lists every grant", Exit.FAULT) from None
    match said["state"]:
        case "done":
            entry: int | None = said["entry"]
            return entry
        case "refused":
            why = REFUSALS.get(said["reason"], said["reason"])
            raise Problem(f"refused: {said['reason']}: {why}", Exit.FAULT)
        case _:
            raise Problem(
                "it is stored, and the journal has not said so yet: see that the wallet works "
                f"({health} says), and {again}",
                Exit.FAULT,
            )
