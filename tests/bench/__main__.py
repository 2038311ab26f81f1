"""`python -m tests.bench`: see the package."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, get_args

import click

from sahrat.log.port import LogFault
from sahrat.runtime import logs
from sahrat.runtime.settings import RATE_LIMIT
from tests.bench import carrom, drain, idle, memory, page, play, restart, verify, wallet
from tests.bench.against import Unreadable, earlier, median, worse
from tests.bench.ask import Ask
from tests.bench.carrom_tables import CARROM
from tests.bench.machine import describe
from tests.bench.places import LogKind
from tests.bench.processes import Failed, ended_by_signals
from tests.bench.report import Report, table

RESULTS: Final = Path(__file__).parents[2] / "bench.json"


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing that is measured.

    Attributes:
        about: What, in one line.
        run: Measures it on one log and puts the rows into the report. May raise Failed.
        logs: Whether it differs with the log; if not, it is measured once.
    """

    about: str
    run: Callable[[Ask, LogKind, Report], None]
    logs: bool = True


FIGURES: Final = {
    play.SATURATED: Figure("durable actions a second, as many as there can be", play.saturated),
    play.PACED: Figure("from action to the other phone's screen, at a fixed pace", play.paced),
    drain.DRAIN: Figure("rules judging what waits, and replay of what came of it", drain.drain),
    drain.PROJECTION: Figure("records into the read models", drain.projection),
    drain.REBUILD: Figure("the read models made anew from the topics", drain.rebuild),
    idle.OPEN: Figure("an action, by how many tables are open", idle.opened),
    idle.SPECTATORS: Figure("many who look on at one table", idle.watched),
    wallet.WALLET: Figure("commands folded, and from the last roll to the prize", wallet.wallet),
    restart.RESTART: Figure("time from start to work, by what was played before", restart.restart),
    memory.MEMORY: Figure("memory for each open table", memory.memory),
    verify.VERIFY: Figure("a match checked on its page", verify.verify, logs=False),
    page.PAGE: Figure("a table drawn, and a pawn that walks", page.page, logs=False),
    CARROM: Figure("a shot at Carrom, and a turn of its bots", carrom.carrom, logs=False),
}
LOGS: Final[tuple[LogKind, ...]] = get_args(LogKind)


def _count(
    name: str, default: int, about: str, most: int | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    kind = click.IntRange(1, most)
    return click.option(name, type=kind, default=default, show_default=True, help=about)


def _counts(
    name: str, default: tuple[int, ...], about: str, most: int | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        name,
        type=click.IntRange(1, most),
        multiple=True,
        default=default,
        show_default=True,
        help=f"{about} May be given again.",
    )


@click.command(context_settings={"max_content_width": 100})
@click.option("--list", "listed", is_flag=True, help="Say what is measured, and measure nothing.")
@click.option("--only", type=click.Choice([*FIGURES]), multiple=True, help="Measure this alone.")
@click.option("--log", type=click.Choice([*LOGS, "both"]), default="both", show_default=True)
@click.option(
    "--seconds",
    type=click.FloatRange(0.5),
    default=15.0,
    show_default=True,
    help="For how long actions are counted.",
)
@click.option(
    "--warm",
    "warm_s",
    type=click.FloatRange(0),
    default=5.0,
    show_default=True,
    help="For how many seconds is played before that.",
)
@_counts("--tables", (100, 1_000), "Of two phones each; all others are measured with the first.")
@click.option(
    "--games",
    type=click.Choice([*play.GAMES]),
    multiple=True,
    default=(*play.GAMES,),
    show_default=True,
    help="What is played, for `saturated`; may be given again.",
)
@click.option(
    "--rate",
    "rates",
    type=click.IntRange(1),
    multiple=True,
    default=(100, 500),
    show_default=True,
    help="Actions a second, for `paced`; may be given again.",
)
@_count("--drivers", 1, "Processes that the phones are spread over.")
@_count("--records", 60_000, "Prepared for `drain` and `projection`.")
@_counts("--rules", (1, 4), "Rules workers, on Kafka, for `saturated` and `drain`.", 12)
@_count("--ended", 10_000, "Matches that have ended before a restart.")
@_count("--live", 100, "Matches that are live at a restart.")
@_counts("--open", (100, 1_000, 10_000), "Tables that wait beside those that play.")
@_count("--spectators", 1_000, "Of one table.")
@_count("--rebuilt", 200_000, "Records that the read models are made anew from.")
@_count("--starts", 3, "Of each kind, of which the median counts.")
@_count("--runs", 1, "Of all that is measured; the median of each figure counts.")
@click.option(
    "--against",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Results of an earlier run on this machine: a ratio that is worse by 15 % is a failure.",
)
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where temporary folders are made, on the disk that is to be measured.",
)
@click.option(
    "--json",
    "results",
    type=click.Path(dir_okay=False, path_type=Path),
    default=RESULTS,
    help="The file for the results.  [default: bench.json in the checkout]",
)
def main(
    *,
    listed: bool,
    only: tuple[str, ...],
    log: str,
    runs: int,
    against: Path | None,
    results: Path,
    **sizes: Any,
) -> None:
    """Measure the house on this machine, and say what it was. `tests/bench` tells how to read it.

    Exits with 1 if a figure could not be measured, was measured with something amiss, or is worse
    than before; with 2 if what is asked for makes no sense.
    """
    if listed:
        for name, figure in FIGURES.items():
            click.echo(f"{name:12} {figure.about}")
        return
    try:
        before = {} if against is None else earlier(against)
    except Unreadable as fault:
        raise click.UsageError(str(fault)) from None
    logs.configure("bench", level="error")  # what fails is raised
    kinds = [kind for kind in LOGS if log in (kind, "both")]
    with ended_by_signals():
        made = [_measure(Ask(**sizes), only or [*FIGURES], kinds) for _ in range(runs)]
    problems = [problem for report in made for problem in report.problems]
    report = Report(
        {**made[0].head, "runs": runs}, median([report.rows for report in made]), problems
    )
    report.problems += [f"worse than before: {what}" for what in worse(report.rows, before)]
    report.save(results)
    if runs > 1 or len(only) != 1 or len(kinds) != 1:
        click.echo(f"\nall\n{table(report.rows)}")
    click.echo(f"\nresults: {results}")
    sys.exit(1 if _told(report.problems) else 0)


def _measure(ask: Ask, figures: Sequence[str], kinds: Sequence[LogKind]) -> Report:
    machine = describe(ask.folder or Path(tempfile.gettempdir()))
    click.echo(machine.text())
    options = {**asdict(ask), "folder": str(ask.folder or ""), "house --rate": RATE_LIMIT}
    report = Report({"machine": asdict(machine), "options": options})
    for name in figures:
        for kind in kinds if FIGURES[name].logs else kinds[:1]:
            begin_s, rows, problems = time.monotonic(), len(report.rows), len(report.problems)
            try:
                FIGURES[name].run(ask, kind, report)
            except (Failed, LogFault) as why:
                report.problems.append(f"{name} {kind}: {why}")
            click.echo(f"\n{name} {kind}, {time.monotonic() - begin_s:.0f} s")
            click.echo(table(report.rows[rows:]))
            _told(report.problems[problems:])
    return report


def _told(problems: Sequence[str]) -> Sequence[str]:
    for problem in problems:
        click.echo(f"PROBLEM: {problem}")
    return problems


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
    sys.exit(1)
