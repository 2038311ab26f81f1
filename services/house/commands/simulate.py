"""`sahrat simulate`: the whole house under faults, from seeds."""

from __future__ import annotations

from typing import Any, Final

import click
import orjson

from sahrat import games
from sahrat.runtime.exits import Exit
from services.house.counted import counted
from services.house.simulation.many import Sum, simulate_many
from services.house.teller import Teller

EXIT_CODES: Final = (
    "\b\nExit codes:\n"
    "  0  nothing was lost, and whatever was promised held\n"
    "  1  it did not, in some seed; or a fault never struck though a thousand seeds ran\n"
    "  2  the command line can't be used"
)
ENOUGH: Final = 1_000  # seeds in which every fault must have struck
SHOWN: Final = 5  # problems of one seed


@click.command(epilog=EXIT_CODES, short_help="Play whole matches in a house under faults.")
@click.option(
    "--seeds",
    type=click.IntRange(1, 1_000_000),
    default=200,
    show_default=True,
    help="How many, from `--seed` on, or from 0.",
)
@click.option("--seed", type=click.IntRange(0), help="The first one; alone: only this one.")
@click.option(
    "--game",
    type=click.Choice(list(dict.fromkeys(game.name for game in games.GAMES.values()))),
    default="ludo",
    show_default=True,
    help="What is played.",
)
@click.option("--json", "as_json", is_flag=True, help="Say it all as one JSON object.")
@click.pass_context
def command(ctx: click.Context, seeds: int, seed: int | None, game: str, *, as_json: bool) -> int:
    """Play whole matches in a simulated house, on virtual time, and strike it with every fault.

    Each seed is a house of its own: all workers, gateways and phones as they are, on a log and a
    database in memory. Processes die at named points, freeze, are cut off and are two at once; the
    broker is away, slow or wrong about the time; topics hold what can't be read; bookmarks and
    tails are lost. Afterwards everything is checked: no record that a phone saw is gone, repeated
    ones are the same bytes, W1 to W8 hold, the read models equal a rebuild, no step ran out early
    or twice, every match is over and no coin is held.

    The same seed is the same run, so a failing one can be looked at again.
    """
    alone = seed is not None and ctx.get_parameter_source("seeds") is not (
        click.core.ParameterSource.COMMANDLINE
    )
    first = seed or 0
    wanted = [first] if alone else list(range(first, first + seeds))
    teller = Teller(what="seeds")
    total = simulate_many(wanted, game, lambda done: teller.tell(done.seeds, len(wanted)))
    teller.clear()
    never = total.never_struck if total.seeds >= ENOUGH else []
    if as_json:
        click.echo(orjson.dumps(_as_json(total, never), option=orjson.OPT_INDENT_2).decode())
    else:
        _tell(total, game, never)
    return Exit.FAULT if total.failed or never else Exit.DONE


def _tell(total: Sum, game: str, never: list[str]) -> None:
    for name, count in sorted(total.counts.items()):
        click.echo(f"{count:9,}  {name}")
    click.echo(
        f"{counted(total.seeds, 'seed')}: {counted(total.crashes, 'crash', 'crashes')}, "
        f"{counted(total.records, 'record')} of matches, {total.virtual_s / 3600:,.1f} hours of "
        f"the house's time; {counted(len(total.failed), 'failure')}"
    )
    for outcome in total.failed:
        click.echo(f"FAILED    sahrat simulate --game {game} --seed {outcome.seed}")
        for problem in outcome.problems[:SHOWN]:
            click.echo(f"          {problem}")
        if len(outcome.problems) > SHOWN:
            click.echo(f"          and {len(outcome.problems) - SHOWN} more")
    for name in never:
        click.echo(f"NEVER     {name} has struck in no seed")


def _as_json(total: Sum, never: list[str]) -> dict[str, Any]:
    return {
        "seeds": total.seeds,
        "crashes": total.crashes,
        "records": total.records,
        "virtual_s": round(total.virtual_s, 3),
        "failed": [vars(outcome) for outcome in total.failed],
        "never_struck": never,
        "counts": dict(sorted(total.counts.items())),
    }
