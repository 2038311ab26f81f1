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
from services.house.office import Errand, Unknown, made, operates
from services.house.problem import Problem
from services.house.source import finish

EXIT_CODES: Final = (
    "\b\nExit codes:\n"
    "  0  it stands in the journal\n"
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
@operates
def command(errand: Errand, player: str, coins: int, reason: str, intent_id: str | None) -> int:
    """Give a player coins, and say where it stands in the journal.

    Coins are granted by operators and earned by playing; nobody sells them or passes them on.
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
    again = f"ask again with --intent {wish.intent_id}, under which it is granted once at most"
    try:
        said = finish(_grant(errand, wish))
    except Unknown as fault:
        why = f"{fault.message}: whether it was granted is not known"
        raise Problem(f"{why}: {again}; `sahrat audit` lists every grant", Exit.FAULT) from None
    match said["state"]:
        case "done":
            entry = said["entry"]
            where = "in the journal" if entry is None else f"entry {entry} of the journal"
            click.echo(f"{counted(coins, 'coin')} for {wish.player_id}: {where}")
            return Exit.DONE
        case "refused":
            raise Problem(f"refused: {said['reason']}", Exit.FAULT)
        case _:
            raise Problem(
                "it is stored, and the journal has not said so yet: see that the wallet works "
                f"({errand.health} says), and {again}",
                Exit.FAULT,
            )


async def _grant(errand: Errand, wish: NewGrant) -> dict[str, Any]:
    async with errand.office() as office:
        click.echo(f"under --intent {wish.intent_id}", err=True)  # before anything can cut this off
        return await office.ask("grants", wish)
