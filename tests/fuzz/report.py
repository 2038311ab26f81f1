"""Runs it all, and says what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import click
import orjson

from sahrat.runtime import logs
from tests.fuzz import coverage, workers
from tests.fuzz.house import besiege
from tests.fuzz.target import ROOT, Finding, Target

FOUND: Final = ROOT / ".fuzz"
REPLAY: Final = ".venv/bin/python -m tests.fuzz --replay"
WIDTH: Final = 14


def run(
    targets: Sequence[Target], *, seconds: float, seed: int, house: bool, results: Path | None
) -> bool:
    """Feed targets, the house, or both, each for half of the time; return whether all is well."""
    logs.configure("fuzz", level="error")
    figures: dict[str, Any] = {"seed": seed, "seconds": seconds, "targets": {}}
    wrong, exits = 0, 0
    targets_s = seconds / 2 if house else seconds
    if targets:
        click.echo(
            f"\n{'target':{WIDTH}}{'executions':>11}{'a second':>10}"
            f"{'median us':>11}{'slowest us':>12}{'outcomes':>9}  from"
        )
        for worker in workers.run(targets, seed, targets_s, guide=coverage.available()):
            figures["targets"][worker.target.name] = _row(worker)
            exits += worker.exited is not None
            for finding in worker.found.findings if worker.found else ():
                wrong += 1
                _tell(finding)
    if house:
        exits += _besieged(seconds - targets_s if targets else seconds, seed, figures)
        wrong += len(figures["house"]["problems"])
    click.echo(f"\nexits of workers: {exits}; found: {wrong}")
    if results is not None:
        results.write_bytes(orjson.dumps(figures, option=orjson.OPT_INDENT_2))
    return bool(wrong)


def _besieged(seconds: float, seed: int, figures: dict[str, Any]) -> int:
    """Attack a house, and say what came of it; return how often it ended."""
    siege = besiege(seconds, seed)
    figures["house"] = asdict(siege)
    click.echo(
        f"\nhouse: {siege.rounds + 1} rounds of attacks; it grew by {siege.grew_mb} MB to "
        f"{siege.rss_mb} MB, {siege.files} files open; beside them {siege.matches} matches, "
        f"{siege.acts} acts"
    )
    for name, (median, slowest) in (("calm", siege.calm_ms), ("attacked", siege.attacked_ms)):
        click.echo(f"  a neighbour's act, {name}: {median} ms, p99 {slowest} ms")
    for name, count in sorted({**siege.alarms, **siege.attacks}.items()):
        click.echo(f"  {name}: {count:,}")
    for problem in siege.problems:
        click.echo(f"FOUND house: {problem}")
    return siege.exits


def _row(worker: workers.Worker) -> dict[str, Any]:
    found = worker.found
    assert found is not None
    executions, seconds = sum(found.executions.values()), sum(found.seconds.values())
    parts = " ".join(f"{name} {n:,}" for name, n in found.executions.items() if name != "seeds")
    rate = executions / seconds if seconds else 0.0
    click.echo(
        f"{worker.target.name:{WIDTH}}{executions:>11,}{rate:>10,.0f}"
        f"{found.median_us:>11,.0f}{found.slowest_us:>12,.0f}{found.words:>9,}  {parts}"
    )
    return {
        "executions": found.executions,
        "executions_per_s": round(rate),
        "median_us": found.median_us,
        "slowest_us": found.slowest_us,
        "outcomes": found.words,
        "findings": [finding.what for finding in found.findings],
        "exited": worker.exited,
    }


def _tell(finding: Finding) -> None:
    """Keep an input that did what none may, and say how to bring it about again."""
    FOUND.mkdir(exist_ok=True)
    path = FOUND / f"{finding.target}-{sha256(finding.data).hexdigest()[:12]}"
    path.write_bytes(finding.data)
    click.echo(f"FOUND {finding.target}: {finding.what}\n      {REPLAY} {path.relative_to(ROOT)}")
