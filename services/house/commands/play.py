"""`sahrat play`: phones play whole matches, and everything is compared afterwards."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypedDict, get_args

import click
import orjson
import uvloop
from pydantic import ValidationError
from typing_extensions import Unpack

from sahrat import games
from sahrat.games.game import TableOptions
from sahrat.match import limits
from sahrat.messages.words import say_where
from sahrat.runtime.exits import Exit
from services.house.numbers import Decimal, Whole
from services.house.play import Plan, Played, play
from services.house.problem import Problem
from services.house.progress import Progress
from services.house.served import welcome_coins
from services.house.source import House, finish, house_url, open_source
from services.house.tell_play import in_words, json_of

ENTRY: Final = 100
LONGEST: Final = 1.5  # times `drop_s`: so long a phone may be away
PHONES_LIMIT: Final = 2_000  # of one process, which also needs a file for each
EXIT_CODES: Final = (
    "\b\nExit codes:\n"
    "  0  every match ended, and everything was as it should be\n"
    "  1  something was not: a match not over in time, a record that a phone saw and the log\n"
    "     has not, a bot that acted for somebody who was back, a refusal that nothing explains\n"
    "  2  nothing is played: it can't be done this way, no house answers, it gives new players\n"
    "     too few coins, or who was asked did not say yes"
)
SEATS: Final = "players"
GAMES: Final = list(dict.fromkeys(game.name for game in games.GAMES.values()))
SHARE: Final = Decimal(0, 1)


def _options(game: str) -> type[TableOptions]:
    """Return the options of a game that is played. Raises Problem."""
    found = games.current(game)
    if found is None:
        raise Problem(f"this program has no game {game}")
    return found.options


def _others(game: str) -> list[str]:
    """Return the options of a game's tables but for the seats, sorted."""
    return sorted({*_options(game).model_fields} - {SEATS})


def _choices(game: str) -> str:
    """Return a game's options with the values that they can have, the default first."""
    fields = _options(game).model_fields
    return f"of {game} " + "; ".join(
        f"{name}={', '.join(map(str, get_args(fields[name].annotation)))}" for name in _others(game)
    )


def _presets() -> list[str]:
    """Return the names of all games' presets."""
    return [f"{name} of {game}" for game in GAMES for name in _options(game).presets]


class _Wanted(TypedDict):
    """Options that are a plan's as they stand."""

    game: str
    preset: str
    matches: int
    players: int
    bots: int
    seed: str
    leave: float
    drop: float
    drop_s: float
    parallel: int
    timeout_s: float


@click.command(epilog=EXIT_CODES, short_help="Play whole matches, and compare what was seen.")
@click.option(
    "--game",
    type=click.Choice(GAMES),
    default=GAMES[0],
    show_default=True,
    help="What is played.",
)
@click.option("--matches", type=Whole(1, 10_000), default=1, show_default=True, help="How many.")
@click.option(
    "--players", type=Whole(2, 4), default=2, show_default=True, help="Seats at each table."
)
@click.option(
    "--bots",
    type=Whole(0, 3),
    default=0,
    show_default=True,
    help="Seats that are left to bots; a phone plays on each of the others.",
)
@click.option("--coin", is_flag=True, help="At coin tables: bots sit at none of them.")
@click.option(
    "--entry",
    type=Whole(*limits.ENTRY_COINS),
    help="What each phone pays at a coin table.  [default: 100]",
)
@click.option("--yes", is_flag=True, help="Don't ask before phones leave a coin table.")
@click.option(
    "--seed",
    default=lambda: secrets.token_hex(4),
    show_default="by chance",
    help="What the phones choose, and when they leave.",
)
@click.option("--leave", type=SHARE, default=0.0, help="Share of phones that leave for good.")
@click.option("--drop", type=SHARE, default=0.0, help="Share of phones that lose their line.")
@click.option(
    "--drop-seconds",
    "drop_s",
    type=Decimal(0, 3600),
    default=5.0,
    show_default=True,
    help="For how long, half of it more or less; over 60 a bot sits down meanwhile.",
)
@click.option(
    "--options",
    multiple=True,
    metavar="NAME=VALUE",
    help=f"Another option of the tables: {'. '.join(map(_choices, GAMES))}.",
)
@click.option(
    "--preset",
    default="",
    metavar="NAME",
    help=f"Options that have a name, before any of --options: {', '.join(_presets())}.",
)
@click.option(
    "--parallel",
    type=Whole(1, 1_000),
    default=20,
    show_default=True,
    help="How many matches at a time.",
)
@click.option(
    "--step-delay-ms",
    type=Whole(0, 60_000),
    default=0,
    help="How long a phone thinks before it acts, in ms.",
)
@click.option(
    "--timeout",
    "timeout_s",
    type=Decimal(1),
    default=900.0,
    show_default=True,
    help="Seconds after which a match counts as stuck.",
)
@click.option("--json", "as_json", is_flag=True, help="Say how it went as one JSON object.")
@click.option("--url", help="A running house.  [default: the one on the folder]")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of a running house.  [default: .sahrat in the checkout]",
)
def command(
    coin: bool,
    entry: int | None,
    yes: bool,
    options: tuple[str, ...],
    step_delay_ms: int,
    as_json: bool,
    url: str | None,
    data: Path | None,
    **wanted: Unpack[_Wanted],
) -> int:
    """Play whole matches over WebSocket, with people's phones and bots, at a running house.

    Afterwards the records are read back, checked as `sahrat verify` does, and compared with what
    every phone saw. The phones stay below the messages a second that the house allows.

    At coin tables each phone waits for the coins that a development house gives a new player, pays
    its entry, and must have in the end what the match brought it. A phone that leaves such a table,
    or is away for over 60 seconds, loses its entry: where somebody sits at the terminal he is asked
    first.
    """
    if entry is not None and not coin:
        raise Problem("--entry: a free table has none; did you mean --coin as well?")
    plan = Plan(
        entry=(ENTRY if entry is None else entry) if coin else 0,
        options=_parsed(options),
        url=house_url(url, data),
        think_s=step_delay_ms / 1000,
        **wanted,
    )
    _check(plan)
    _warn(plan, ask=not yes)
    progress = Progress(plan.matches)
    try:
        played = finish(_play(plan, progress), uvloop.run)
    finally:
        progress.clear()
    if as_json:
        click.echo(orjson.dumps(json_of(plan, played), option=orjson.OPT_INDENT_2).decode())
    else:
        for line in in_words(plan, played):
            click.echo(line)
    return Exit.FAULT if any(one.problems for one in played) else Exit.DONE


async def _play(plan: Plan, progress: Progress) -> list[Played]:
    async with open_source(House(plan.url)) as source:
        if plan.entry:
            can_pay(plan.entry, await welcome_coins(plan.url))
        return await play(plan, source, progress)


def _parsed(options: Sequence[str]) -> dict[str, str | int]:
    """Return the options by name, from `name=value`. Raises Problem."""
    found: dict[str, str | int] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not (name and equals and value):
            raise Problem(f"--options {option}: not NAME=VALUE, such as step_seconds=10")
        if name == SEATS:
            raise Problem(f"--options {option}: that is what --players says")
        if name in found:
            raise Problem(f"--options {option}: {name} is given twice")
        found[name] = int(value) if value.isascii() and value.isdecimal() else value
    return found


def _check(plan: Plan) -> None:
    """Raise Problem for a plan that no house could play."""
    if plan.bots >= plan.players:
        raise Problem(f"--bots {plan.bots}: one of the {plan.players} players must be a phone")
    if plan.bots and plan.entry:
        raise Problem(f"--bots {plan.bots}: no bot ever sits at a coin table")
    if (plan.players - plan.bots) * min(plan.parallel, plan.matches) > PHONES_LIMIT:
        raise Problem(f"over {PHONES_LIMIT} phones at a time: choose a lower --parallel")
    presets = _options(plan.game).presets
    if plan.preset and plan.preset not in presets:
        known = f"there are {', '.join(presets)}" if presets else f"{plan.game} has none"
        raise Problem(f"--preset {plan.preset}: {known}")
    try:
        options = _options(plan.game).model_validate(plan.terms.options)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise Problem(f"--options {say_where(first, _others(plan.game))}") from None
    game = games.current(plan.game)
    if game is not None and (unfit := game.refused(options, plan.entry)):
        raise Problem(f"--options {unfit}")


def can_pay(entry: int, welcome: int | None) -> None:
    """Raise Problem where no new player, as each phone is, could ever pay the entry."""
    if welcome is None or welcome >= entry:
        return
    if welcome:
        why = f"this house gives each {welcome:,}: choose an --entry up to that"
    else:
        why = (
            "this house gives them none: leave out --coin, or start one for development, with "
            "SAHRAT_WELCOME=1"
        )
    raise Problem(f"--entry {entry}: phones are new players, and {why}")


def _warn(plan: Plan, *, ask: bool) -> None:
    """Say what phones are going to lose at coin tables, and ask whoever sits at the terminal.

    Raises:
        Problem: He does not want that.
    """
    away = plan.drop > 0 and plan.drop_s * LONGEST > limits.AWAY_MS / 1000
    if not plan.entry or not (plan.leave or away):
        return
    click.echo(
        f"a phone that leaves, or is away for over {limits.AWAY_MS // 1000} s, loses its entry of "
        f"{plan.entry} coins",
        err=True,
    )
    someone = sys.stdin.isatty() and sys.stderr.isatty()
    if ask and someone and not _confirmed():
        raise Problem("nothing is played")


def _confirmed() -> bool:
    """Ask; who ends the input or interrupts has not said yes, and is on a line of his own."""
    try:
        return click.confirm("Let them?", err=True)
    except click.Abort:
        click.echo(err=True)
        return False
