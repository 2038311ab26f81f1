"""The whole house under faults, from the seeds of every push and from those that once failed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from services.house.simulation.run import simulate
from tests.integration.command import sahrat

PUSH: Final = 350  # seeds
CRASHES: Final = 1_500
LIMIT_S: Final = 1_800.0  # what it took is a figure of the bench, not a test
SEEDS: Final = Path(__file__).with_name("seeds.txt")


def once_failed() -> list[tuple[str, int]]:
    """Return the game and seed of each line that is no remark."""
    lines = [line.partition("#")[0].split() for line in SEEDS.read_text().splitlines()]
    return [(game, int(seed)) for game, seed in filter(None, lines)]


def test_F01_to_F16_whatever_strikes_nothing_is_lost() -> None:
    """Run by the command, on two cores beside the other tests."""
    code, out, err = sahrat("simulate", "--seeds", str(PUSH), "--json", limit_s=LIMIT_S)
    said = json.loads(out)
    assert [(one["seed"], one["problems"][:3]) for one in said["failed"]] == [], err
    assert said["crashes"] >= CRASHES
    assert said["never_struck"] == []
    assert code == 0


@pytest.mark.parametrize(("game", "seeds"), [("pachisi", range(2)), ("carrom", range(8))])
def test_F01_to_F16_another_game_changes_nothing(game: str, seeds: range) -> None:
    assert [(seed, simulate(seed, game).problems) for seed in seeds] == [(n, []) for n in seeds]


@pytest.mark.parametrize(("game", "seed"), once_failed())
def test_a_seed_that_failed_once_holds(game: str, seed: int) -> None:
    assert simulate(seed, game).problems == []


def test_F21_a_seed_is_the_same_run_in_every_process() -> None:
    """Nothing depends on the order of a set, or on what ran before."""
    there = subprocess.run(
        [sys.executable, "-c", f"from {__name__} import *; print(simulate(7).counts)"],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONHASHSEED": "3"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == str(simulate(7).counts)
