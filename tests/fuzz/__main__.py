"""`python -m tests.fuzz`: see the package."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from tests.fuzz import coverage

NO_GUIDE: Final = "atheris is not installed: inputs are guided by what became of them alone"


@click.command(context_settings={"max_content_width": 100})
@click.option("--seconds", type=click.FloatRange(1), default=120.0, show_default=True)
@click.option("--seed", type=click.IntRange(0), help="Of all choices.  [default: the time]")
@click.option("--target", "only", multiple=True, help="Feed this alone; `house` is one.")
@click.option(
    "--json", "results", type=click.Path(dir_okay=False, path_type=Path), help="For the figures."
)
@click.option(
    "--replay",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Feed an input that was found once more.",
)
def main(
    *,
    seconds: float,
    seed: int | None,
    only: tuple[str, ...],
    results: Path | None,
    replay: Path | None,
) -> None:
    """Feed hostile input to all that reads any, and to a whole house.

    Exits with 1 if an input did what none may, a process ended, or the house grew by 10 MB.
    """
    with coverage.instrumented():
        targets = importlib.import_module("tests.fuzz.targets")
    if replay is not None:
        _replay(replay, targets.TARGETS)
        return
    unknown = set(only) - {*targets.TARGETS, "house"}
    if unknown:
        raise click.BadParameter(f"no such target: {', '.join(sorted(unknown))}")
    seed = int(time.time()) if seed is None else seed
    click.echo(f"seed {seed}" if coverage.available() else f"seed {seed}; {NO_GUIDE}")
    wrong = importlib.import_module("tests.fuzz.report").run(
        [targets.TARGETS[name] for name in targets.TARGETS if not only or name in only],
        seconds=seconds,
        seed=seed,
        house=not only or "house" in only,
        results=results,
    )
    sys.exit(1 if wrong else 0)


def _replay(path: Path, targets: Mapping[str, Any]) -> None:
    """Feed one input, whose file's name begins with its target's; let it raise what it raises."""
    name = path.name.rpartition("-")[0]
    if name not in targets:
        raise click.BadParameter(f"{path.name} does not begin with a target's name")
    begun = time.process_time()
    click.echo(f"{name}: {targets[name].run(path.read_bytes())}")
    click.echo(f"{(time.process_time() - begun) * 1000:.2f} ms")


if __name__ == "__main__":
    main()
