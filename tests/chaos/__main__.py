"""`python -m tests.chaos`: see the package."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import click
import orjson
import uvloop

from sahrat.runtime import logs
from services.house.local.errors import LocalError
from tests.bench.machine import describe
from tests.bench.processes import ended_by_signals
from tests.chaos.clocked import wrong_clock
from tests.chaos.report import as_json, faults_table, losses_table
from tests.chaos.run import Result, kept_if, run
from tests.chaos.schedule import Schedule, schedule, shown


@click.command(context_settings={"max_content_width": 100})
@click.option(
    "--minutes",
    type=click.FloatRange(0.5),
    default=10.0,
    show_default=True,
    help="For so long faults are struck; from 10 on the broker then stops five times for a minute.",
)
@click.option("--seed", help="The same seed, the same schedule.  [default: any]")
@click.option(
    "--json",
    "results",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file for the results.",
)
def main(minutes: float, seed: str | None, results: Path | None) -> None:
    """Strike a house on Kafka while phones play, and look in its topics and tables what was lost.

    Exits with 1 if anything was, and keeps the house's folder then. `tests/chaos` tells how to read
    it.
    """
    seed = seed or secrets.token_hex(4)
    logs.configure("chaos", level="error")
    logging.disable(logging.CRITICAL)  # that broker and house are away is no news here
    machine = describe(Path(tempfile.gettempdir()))
    plan = schedule(seed, minutes)
    clock = wrong_clock(seed)
    click.echo(f"{machine.text()}\n\nseed {seed}: {len(plan.blows)} faults")
    click.echo(clock or "no clock is wrong: libfaketime is not installed here")
    for line in plan.lines():
        click.echo(line)
    click.echo("")
    found: list[Result] = []
    with (
        ended_by_signals(),
        kept_if(lambda: bool(found and found[0].verdict.findings)) as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        try:
            found.append(runner.run(run(plan, seed, folder, click.echo, clock=clock)))
        except LocalError as fault:
            raise click.ClickException(str(fault)) from None
    _tell(found[0], plan, folder)
    if results is not None:
        told = {"machine": asdict(machine), "seed": seed, "minutes": minutes, "clock": str(clock)}
        told |= {"schedule": shown(plan.steps), **as_json(found[0].rows, found[0].verdict)}
        results.write_bytes(orjson.dumps(told, option=orjson.OPT_INDENT_2) + b"\n")
    sys.exit(1 if found[0].verdict.findings else 0)


def _tell(result: Result, plan: Schedule, folder: Path) -> None:
    click.echo("")
    for line in faults_table(result.rows):
        click.echo(line)
    kinds = len({blow.fault for blow in plan.blows})
    figures = " ".join(f"{name}={n:,}" for name, n in result.verdict.figures.items())
    click.echo(f"\n{result.verdict.figures['blows']} faults of {kinds} kinds; {figures}\n")
    for line in losses_table(result.verdict):
        click.echo(line)
    if result.verdict.findings:
        click.echo(f"its folder is kept: {folder}")
    else:
        click.echo("nothing was lost")


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
    sys.exit(1)
