"""Whole shots: the same bits everywhere, symmetries, and long chains of them."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from hashlib import sha256
from multiprocessing import get_context
from typing import Any, Final

import pytest

from sahrat.games.carrom import board
from sahrat.games.carrom.board import Places, turned
from sahrat.games.carrom.physics import PURE, BadShot, Rest, Shot, best, check, simulate
from sahrat.games.carrom.physics.shots import BOARD, at_rest, placed, surface
from tests.property import carrom_oracle
from tests.property.carrom_shots import played, scattered, shot_at, shots

OVERLAP_UM: Final = 18  # slowing * DT^2
LONGEST: Final = 1_000  # steps; the longest ever seen had 650

# ---- the same bits


def test_C55_as_the_plain_algorithm_has_it() -> None:
    """Nothing that makes the search quicker changes a bit."""
    for shot in shots(60, seed=1):
        rest, raw = played(shot)
        ends, fell, steps = carrom_oracle.play(shot)
        assert raw == carrom_oracle.raw(shot)
        assert (list(rest.fallen), rest.steps) == (fell, steps)
        assert [place[0] for place in rest.places] == [n for n, end in enumerate(ends) if end.up]


def test_C55_python_and_numba_give_one_hash() -> None:
    engine = best()
    assert engine.name.startswith("numba "), "the development lock has it"
    assert _hash_of(PURE.name, 200, seed=2) == _hash_of(engine.name, 200, seed=2)
    assert _hash_of(engine.name, 1000, seed=3) == THOUSAND


THOUSAND: Final = "a3d58925fcf3875eb74cc202ca52dea67e849b23880af7d362b3d49a451fd110"
"""What Python, numba and node gave for 1,000 shots when physics 1 was made."""


def _hash_of(engine: str, count: int, seed: int) -> str:
    found = sha256()
    for shot in shots(count, seed):
        rest, raw = played(shot, PURE if engine == PURE.name else best())
        found.update(f"{raw} {rest.fallen} {rest.steps}\n".encode())
    return found.hexdigest()


_CHILD: Final = """
import json, sys
from sahrat.games.carrom.physics import Shot, simulate
whole = json.loads(sys.stdin.read())
places = tuple(tuple(place) for place in whole["places"])
shot = Shot(places, whole["dx"], whole["dy"], whole["speed"])
for _ in range(3):
    print(simulate(shot))
"""


@pytest.mark.parametrize("seed", ["0", "1", "random"])
def test_C55_another_process_and_a_warm_one_give_the_same(seed: str) -> None:
    shot = next(shots(1, seed=4))
    found = subprocess.run(
        [sys.executable, "-c", _CHILD],
        input=json.dumps(asdict(shot)),
        env={**os.environ, "PYTHONHASHSEED": seed, "TZ": "Asia/Riyadh", "LC_ALL": "C"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert found.stdout.splitlines() == [repr(simulate(shot))] * 3


def test_C55_a_shot_can_be_computed_by_a_spawned_process() -> None:
    """Shot and rest are plain values that travel: whoever judges need not wait himself."""
    shot = next(shots(1, seed=8))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(simulate, shot).result() == simulate(shot)


# ---- symmetries


def _mirrored(places: Places) -> Places:
    return tuple((disc, 0 - x, y) for disc, x, y in places)


def test_C53_a_mirrored_shot_ends_mirrored() -> None:
    for shot in shots(500, seed=5):
        other = replace(shot, places=_mirrored(shot.places), dx=-shot.dx)
        rest, mirror = _raw(shot), _raw(other)
        assert mirror[0] == [0.0 - x for x in rest[0]]
        assert mirror[1:] == rest[1:]


def test_C53_a_turned_shot_ends_turned() -> None:
    """Whoever sits at whatever side has the same board; to the last bit."""
    for shot in shots(500, seed=6):
        xs, ys, fallen, steps = _raw(shot)
        dx, dy = shot.dx, shot.dy
        for quarters in (1, 2, 3):
            dx, dy = dy, -dx
            turned_xs, turned_ys, *rest = _raw(
                Shot(turned(shot.places, quarters), dx, dy, shot.speed)
            )
            xs, ys = ys, [0.0 - x for x in xs]
            assert (turned_xs, turned_ys) == (xs, ys)
            assert rest == [fallen, steps]


def _raw(shot: Shot) -> tuple[list[float], list[float], tuple[int, ...], int]:
    """Return where all discs are before rounding, what fell, and the steps."""
    ends = placed(shot, best())
    rest = at_rest(ends, best().run(ends, BOARD))
    return list(ends.x), list(ends.y), rest.fallen, rest.steps


# ---- chains: each shot starts where the one before ended, in whole um


def test_chained_shots_stay_sound() -> None:
    """Two thousand shots: no disc is ever outside or inside another, and all come to rest."""
    chance, engine = random.Random(7), best()
    coins: Places = board.RACK
    for _ in range(2_000):
        shot = shot_at(coins, chance)
        rest = simulate(shot, engine)
        assert 0 < rest.steps < LONGEST
        _check_sound(rest)
        assert {*rest.fallen} | {disc for disc, _, _ in rest.places} == {
            disc for disc, _, _ in shot.places
        }
        coins = tuple(place for place in rest.places if place[0] != board.STRIKER)
        if len(coins) < 4 or _line_is_full(coins):
            coins = chance.choice([board.RACK, scattered(chance, chance.randint(5, 19))])


def _line_is_full(coins: Places) -> bool:
    return sum(abs(y - board.LINE_Y_UM) < 36_550 for _, _, y in coins) > 3


def _check_sound(rest: Rest) -> None:
    for disc, x, y in rest.places:
        radius = board.COIN_RADIUS_UM if disc else board.STRIKER_RADIUS_UM
        assert max(abs(x), abs(y)) <= board.HALF_UM - radius
        for other, left, up in rest.places:
            if other < disc:
                of_other = board.COIN_RADIUS_UM if other else board.STRIKER_RADIUS_UM
                least = radius + of_other - OVERLAP_UM
                assert (x - left) ** 2 + (y - up) ** 2 >= least**2


# ---- what the physics is not made for

SOUND: Final = Shot(((0, 0, board.LINE_Y_UM), *board.RACK), 3_000, 252_600, 8_000_000)


@pytest.mark.parametrize(
    "changes",
    [
        {"dx": 3_000.0},
        {"dy": True},
        {"speed": 1e6},
        {"speed": 0},
        {"speed": -1},
        {"speed": 8_000_001},
        {"dx": 0, "dy": 0},
        {"dx": 1_000_001},
        {"dy": -1_000_001},
        {"places": ()},
        {"places": board.RACK},
        {"places": ((0, 0, 0), (0, 0, 90_000))},
        {"places": ((0, 0, 0), (2, 0, 90_000), (1, 0, 180_000))},
        {"places": ((0, 0, 0), (20, 0, 90_000))},
        {"places": ((0, 0.5, 0),)},
        {"places": ((0, 349_351, 0),)},
        {"places": ((0, 0, 0), (1, 0, -354_101))},
        {"places": ((0, 0, 0), (1, 36_549, 0))},
    ],
)
def test_what_is_no_shot(changes: dict[str, Any]) -> None:
    check(SOUND)
    with pytest.raises(BadShot):
        simulate(replace(SOUND, **changes))


def test_a_striker_may_touch_a_coin() -> None:
    check(replace(SOUND, places=((0, 0, 0), (1, 36_550, 0))))


@pytest.mark.parametrize(
    "wrong",
    [
        {"disc_bounce_percent": 49},
        {"disc_bounce_percent": 101},
        {"cushion_bounce_percent": 49},
        {"cushion_bounce_percent": 101},
        {"friction_percent": 0},
    ],
)
def test_what_is_no_surface(wrong: dict[str, int]) -> None:
    with pytest.raises(BadShot):
        surface(**wrong)
