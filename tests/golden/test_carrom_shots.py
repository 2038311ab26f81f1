"""Single shots against `carrom-shots.jsonl`, to the last bit. The format: README.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from sahrat.games.carrom.physics import PURE, Engine, Shot, best, position_hash
from tests.property.carrom_shots import played

_LINES: Final = (Path(__file__).parent / "carrom-shots.jsonl").read_text("utf-8").splitlines()
SHOTS: Final[list[dict[str, Any]]] = [json.loads(line) for line in _LINES[1:]]


def shot_of(golden: dict[str, Any]) -> Shot:
    """Return a recorded shot as the physics takes it."""
    dx, dy, speed = golden["shot"]
    return Shot(tuple((disc, x, y) for disc, x, y in golden["places"]), dx, dy, speed)


def _check(golden: dict[str, Any], engine: Engine) -> None:
    rest, raw = played(shot_of(golden), engine, golden["discs"])
    assert [list(place) for place in rest.places] == golden["result"]
    assert list(rest.fallen) == golden["pocketed"]
    assert rest.steps == golden["steps"]
    assert position_hash(rest.places, golden["discs"])[:16] == golden["int_hash"]
    assert raw[:16] == golden["raw_hash"]


@pytest.mark.parametrize("golden", [pytest.param(shot, id=shot["id"]) for shot in SHOTS])
def test_a_shot_in_python(golden: dict[str, Any]) -> None:
    _check(golden, PURE)


def test_all_shots_as_compiled_by_numba() -> None:
    engine = best()
    assert engine.name.startswith("numba "), "the development lock has it"
    for golden in SHOTS:
        _check(golden, engine)


def test_the_file_is_whole() -> None:
    assert "about" in json.loads(_LINES[0])
    kinds = [shot["kind"] for shot in SHOTS]
    assert len(SHOTS) == 120
    assert {kind: kinds.count(kind) for kind in sorted(set(kinds))} == {
        "break": 26,
        "chain": 52,
        "edge": 12,
        "reference": 4,
        "scatter": 26,
    }
