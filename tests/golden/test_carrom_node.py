"""The browser's physics against the house's, as node runs it: recorded shots and boards, the same
numbers, and 1,000 shots by chance.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest

from sahrat.games.carrom import board, physics
from tests.golden.test_carrom import BOARDS
from tests.golden.test_carrom_shots import SHOTS, shot_of
from tests.property.carrom_shots import shots
from tests.property.test_carrom_shots import THOUSAND
from tests.servers import missing

DRIVER: Final = Path(__file__).with_name("carrom_node.mjs")


@pytest.fixture(scope="module")
def node() -> str:
    return shutil.which("node") or missing("node", "it runs the browser's part of Carrom")


def _asked(node: str, work: str, given: Iterable[Any] = ()) -> list[Any]:
    lines = "".join(json.dumps(one) + "\n" for one in given)
    found = subprocess.run(
        [node, str(DRIVER), work], input=lines, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    return [json.loads(line) for line in found.stdout.splitlines()]


def test_the_numbers_are_those_of_the_board(node: str) -> None:
    (numbers,) = _asked(node, "numbers")
    assert numbers.pop("PHYSICS_VERSION") == physics.PHYSICS_VERSION
    assert numbers == {name: getattr(board, name) for name in numbers}


def test_every_recorded_shot(node: str) -> None:
    given = [{"shot": asdict(shot_of(golden)), "discs": golden["discs"]} for golden in SHOTS]
    for golden, found in zip(SHOTS, _asked(node, "shots", given), strict=True):
        assert found["places"] == golden["result"], golden["id"]
        assert found["fallen"] == golden["pocketed"]
        assert found["steps"] == golden["steps"]
        assert found["hash"][:16] == golden["int_hash"]
        assert found["raw"][:16] == golden["raw_hash"]


def test_every_shot_of_the_recorded_boards(node: str) -> None:
    for golden, found in zip(BOARDS, _asked(node, "boards", BOARDS), strict=True):
        assert [shot["fallen"] for shot in found] == [s["pocketed"] for s in golden["shots"]]
        assert [shot["hash"][:16] for shot in found] == [s["hash"] for s in golden["shots"]]


def test_C55_a_thousand_shots_give_the_hash_that_python_gives(node: str) -> None:
    given = [{"shot": asdict(shot), "discs": board.DISCS} for shot in shots(1000, seed=3)]
    found = sha256()
    for shot in _asked(node, "shots", given):
        found.update(f"{shot['raw']} {tuple(shot['fallen'])} {shot['steps']}\n".encode())
    assert found.hexdigest() == THOUSAND


@pytest.mark.parametrize(
    "changes",
    [
        {"dx": 0.5},
        {"speed": 0},
        {"speed": 8_000_001},
        {"dx": 0, "dy": 0},
        {"dx": 1_000_001},
        {"places": [[1, 0, 0]]},
        {"places": [[0, 0, 0], [1, 36_549, 0]]},
        {"places": [[0, 0, 0], [1, -354_101, 0]]},
        {"places": [[0, 0, 0], [2, 0, 90_000], [2, 0, 180_000]]},
        {"places": [[0, 0, 0], [20, 0, 90_000]]},
    ],
)
def test_what_is_no_shot(node: str, changes: dict[str, Any]) -> None:
    shot = {"places": [[0, 0, 0]], "dx": 0, "dy": 1, "speed": 1, **changes}
    with pytest.raises(AssertionError, match="RangeError"):
        _asked(node, "shots", [{"shot": shot, "discs": board.DISCS}])
