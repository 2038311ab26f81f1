"""The physics against what is known of discs without it: laws and closed forms.

Numbers that a test does not set are those of the game. Speeds are um/s, lengths um, angles degrees.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sahrat.games.carrom import board
from sahrat.games.carrom.physics import phases
from sahrat.games.carrom.physics.phases import Discs, Surface
from sahrat.games.carrom.physics.shots import BOARD, surface

COIN: Final = float(board.COIN_RADIUS_UM)
STRIKER: Final = float(board.STRIKER_RADIUS_UM)
COIN_G, STRIKER_G = 5.5, 15.0
GRAVITY: Final = 9_806_650.0
ELASTIC: Final = 1.0
HARDLY: Final = 1e-9  # um/s2: as good as no friction
STEP_ERROR_UM: Final = 18.0  # slowing * DT^2: what a step may be off by, and discs may overlap

Moving = tuple[float, float, float, float]


def discs(
    moving: Sequence[Moving],
    radii: Sequence[float] | None = None,
    masses: Sequence[float] | None = None,
) -> Discs:
    """Return discs from (x, y, vx, vy) of each; coins unless said otherwise."""
    count = len(moving)
    return Discs(
        x=[x for x, _, _, _ in moving],
        y=[y for _, y, _, _ in moving],
        vx=[vx for _, _, vx, _ in moving],
        vy=[vy for _, _, _, vy in moving],
        radius=list(radii or [COIN] * count),
        lightness=[1.0 / mass for mass in masses or [COIN_G] * count],
        present=[1] * count,
        fallen=[-1] * count,
        ux=[0.0] * count,
        uy=[0.0] * count,
        speed=[0.0] * count,
        moving=[0] * count,
    )


def until_met(found: Discs, bounce: float) -> Discs:
    """Move the first disc, without friction, until another one moves too."""
    for _ in range(2000):
        phases.step(found, Surface(HARDLY, bounce, ELASTIC))
        if any(found.vx[1:]) or any(found.vy[1:]):
            return found
    raise AssertionError("nothing was met")


def angle(x: float, y: float, other_x: float, other_y: float) -> float:
    """Return the angle between two vectors."""
    cross, dot = x * other_y - y * other_x, x * other_x + y * other_y
    return abs(math.degrees(math.atan2(cross, dot)))


# ---- friction and cushions


@pytest.mark.parametrize(("m_s", "mm"), [(0.1, 3.399), (0.7, 166.6), (1.0, 339.9)])
def test_where_a_disc_stops(m_s: float, mm: float) -> None:
    """v^2 / (2 mu g), mu 0.15."""
    v = m_s * 1e6
    found = discs([(-354_000.0, 0.0, v, 0.0)])
    phases.run(found, surface(friction_percent=15))
    way = found.x[0] + 354_000.0
    assert way == pytest.approx(v * v / (2 * 0.15 * GRAVITY), abs=1.0)
    assert way / 1000 == pytest.approx(mm, rel=3e-4)


def test_where_a_disc_stops_behind_a_cushion() -> None:
    """From x = 100 mm at 1.2 m/s; three quarters of what friction leaves come back."""
    start, edge, v = 100_000.0, board.HALF_UM - STRIKER, 1_200_000.0
    found = discs([(start, 0.0, v, 0.0)], [STRIKER])
    phases.run(found, BOARD)
    at_cushion = v * v - 2 * 0.12 * GRAVITY * (edge - start)
    rest = edge - 0.75**2 * at_cushion / (2 * 0.12 * GRAVITY)
    assert rest == pytest.approx(145_500, abs=50)
    assert found.x[0] == pytest.approx(rest, abs=STEP_ERROR_UM)


def test_a_cushion_takes_a_quarter_of_the_speed_towards_it() -> None:
    found = discs([(300_000.0, 0.0, 900_000.0, 900_000.0)])
    while found.vx[0] > 0:
        phases.step(found, Surface(HARDLY, ELASTIC, 0.75))
    assert found.vx[0] == pytest.approx(-0.75 * 900_000.0, rel=1e-9)
    assert found.vy[0] == pytest.approx(900_000.0, rel=1e-9)
    out = angle(-found.vx[0], found.vy[0], 1.0, 0.0)
    assert out == pytest.approx(53.130102, abs=1e-6)  # from the normal, in at 45 degrees


# ---- two discs


@pytest.mark.parametrize(("bounce", "first", "second"), [(1.0, 0.0, 1.0), (0.9, 0.05, 0.95)])
def test_equal_discs_head_on(bounce: float, first: float, second: float) -> None:
    v = 700_000.0
    found = until_met(discs([(-100_000.0, 0.0, v, 0.0), (0.0, 0.0, 0.0, 0.0)]), bounce)
    assert found.vx[0] == pytest.approx(first * v, rel=1e-12, abs=v * 1e-12)
    assert found.vx[1] == pytest.approx(second * v, rel=1e-12)
    assert found.vy[0] == found.vy[1] == 0.0


def test_the_striker_meets_a_coin_head_on() -> None:
    v = 700_000.0
    at = [(-100_000.0, 0.0, v, 0.0), (0.0, 0.0, 0.0, 0.0)]
    found = until_met(discs(at, [STRIKER, COIN], [STRIKER_G, COIN_G]), 0.9)
    k = (STRIKER_G - 0.9 * COIN_G) / (STRIKER_G + COIN_G)
    assert found.vx[0] / v == pytest.approx(k, rel=1e-12)
    assert found.vx[1] / v == pytest.approx(1.9 * STRIKER_G / (STRIKER_G + COIN_G), rel=1e-12)
    assert (round(found.vx[0] / v, 6), round(found.vx[1] / v, 6)) == (0.490244, 1.390244)


def at_an_angle(phi: float, radii: tuple[float, float]) -> list[Moving]:
    """Return a disc that comes along x and a resting one, so that the line of their centres, when
    they meet, is `phi` from x.
    """
    reach = sum(radii)
    aside = reach * math.sin(math.radians(phi))
    return [(-200_000.0, 0.0, 900_000.0, 0.0), (0.0, aside, 0.0, 0.0)]


@pytest.mark.parametrize(
    ("bounce", "phi", "expected"),
    [
        *((1.0, phi, 90.0) for phi in (15, 30, 45, 60)),
        (0.9, 15, 79.430027),
        (0.9, 30, 85.050389),
        (0.9, 45, 87.137595),
        (0.9, 60, 88.346473),
    ],
)
def test_equal_discs_part_at_an_angle(bounce: float, phi: float, expected: float) -> None:
    """90 - atan((1 - e) / (2 tan phi))."""
    found = until_met(discs(at_an_angle(phi, (COIN, COIN))), bounce)
    apart = angle(found.vx[0], found.vy[0], found.vx[1], found.vy[1])
    formula = 90 - math.degrees(math.atan((1 - bounce) / (2 * math.tan(math.radians(phi)))))
    assert formula == pytest.approx(expected, abs=1e-6)
    assert apart == pytest.approx(formula, abs=1e-6)


def test_how_far_a_coin_can_turn_the_striker() -> None:
    def turned(phi: float) -> float:
        found = discs(at_an_angle(phi, (STRIKER, COIN)), [STRIKER, COIN], [STRIKER_G, COIN_G])
        until_met(found, 0.9)
        return angle(found.vx[0], found.vy[0], 1.0, 0.0)

    k = (STRIKER_G - 0.9 * COIN_G) / (STRIKER_G + COIN_G)
    most = math.degrees(math.atan((1 - k) / (2 * math.sqrt(k))))
    assert most == pytest.approx(20.0026, abs=1e-4)
    angles = {phi: turned(phi) for phi in (20.0, 30.0, 34.0, 34.999, 36.0, 40.0, 60.0)}
    assert max(angles.values()) == angles[34.999] == pytest.approx(most, abs=1e-4)


@given(st.floats(-85.0, 85.0))
def test_a_coin_leaves_along_the_line_of_centres(phi: float) -> None:
    """The ghost ball: where the striker stands when it meets a coin says where the coin goes."""
    found = discs(at_an_angle(phi, (STRIKER, COIN)), [STRIKER, COIN], [STRIKER_G, COIN_G])
    until_met(found, 0.9)
    assert math.atan2(found.vy[1], found.vx[1]) == pytest.approx(math.radians(phi), abs=1e-9)


def test_a_cradle() -> None:
    """Of three equal discs that touch the last one takes all the speed, and nothing is left."""
    v = 900_000.0
    row = [(-100_000.0, 0.0, v, 0.0), *((2 * COIN * n, 0.0, 0.0, 0.0) for n in range(2))]
    found = discs(row)
    while found.vx[2] == 0.0:
        phases.step(found, Surface(HARDLY, ELASTIC, ELASTIC))
    assert found.vx[0] == found.vx[1] == 0.0
    assert found.vx[2] == pytest.approx(v, rel=1e-11)


# ---- laws


def momentum(found: Discs) -> tuple[float, float]:
    """Return the sum of mass times velocity."""
    pairs = list(zip(found.vx, found.vy, found.lightness, strict=True))
    return math.fsum(vx / w for vx, _, w in pairs), math.fsum(vy / w for _, vy, w in pairs)


def energy(found: Discs) -> float:
    """Return twice the energy."""
    moving = zip(found.vx, found.vy, found.lightness, strict=True)
    return math.fsum((vx * vx + vy * vy) / w for vx, vy, w in moving)


@given(
    st.lists(st.floats(-8e6, 8e6), min_size=4, max_size=4),
    st.floats(0.0, 2 * math.pi),
    st.floats(0.5, 1.0),
    st.booleans(),
)
def test_an_impact_keeps_momentum_and_gains_no_energy(
    speeds: list[float], phi: float, bounce: float, striker: bool
) -> None:
    radii = [STRIKER if striker else COIN, COIN]
    masses = [STRIKER_G if striker else COIN_G, COIN_G]
    reach = sum(radii)
    found = discs(
        [
            (0.0, 0.0, speeds[0], speeds[1]),
            (reach * math.cos(phi), reach * math.sin(phi), speeds[2], speeds[3]),
        ],
        radii,
        masses,
    )
    before, energy_before = momentum(found), energy(found)
    scale = sum(abs(v) for v in speeds) * STRIKER_G
    phases.meet(found, 0, 1, bounce)
    after = momentum(found)
    assert after[0] == pytest.approx(before[0], abs=scale * 4e-16 + 1e-9)
    assert after[1] == pytest.approx(before[1], abs=scale * 4e-16 + 1e-9)
    assert energy(found) <= energy_before * (1 + 1e-14)


@given(st.floats(1.0, 8e6), st.floats(-math.pi, math.pi), st.floats(0.0, 1 / 256))
def test_friction_never_raises_a_speed_and_never_turns_it(
    speed: float, phi: float, time: float
) -> None:
    vx, vy = speed * math.cos(phi), speed * math.sin(phi)
    found = discs([(0.0, 0.0, vx, vy)])
    count = phases.spread_friction(found, BOARD.slowing, 1 / 256)
    phases.advance(found, count, BOARD.slowing, time)
    assert abs(found.vx[0]) <= abs(vx)
    assert abs(found.vy[0]) <= abs(vy)
    assert found.vx[0] * vx >= 0.0
    assert found.vy[0] * vy >= 0.0


# ---- pockets, and nothing passes through anything


@pytest.mark.parametrize(("aside", "falls"), [(22_249.0, True), (22_251.0, False)])
def test_K1_a_disc_falls_as_soon_as_its_centre_is_in_the_pocket(aside: float, falls: bool) -> None:
    """A way that passes the pocket's centre at this distance, in front of it."""
    centre, tilt = float(board.POCKET_UM), math.sqrt(0.5)
    passing = centre - aside * tilt
    start = (passing + 40_000.0 * tilt, passing - 40_000.0 * tilt)
    found = discs([(*start, -900_000.0 * tilt, 900_000.0 * tilt)], [1.0])
    for _ in range(20):
        phases.step(found, Surface(HARDLY, ELASTIC, ELASTIC))
    assert found.fallen[0] == (0 if falls else -1)


@pytest.mark.parametrize("m_s", [8, 12, 40])
def test_no_disc_passes_through_another_or_a_cushion(m_s: int) -> None:
    chance = random.Random(m_s)
    for number in range(200):
        gap = 40_000.0 + 2_000.0 * number  # so that the impact comes anywhere in a step
        start = -300_000.0
        row = [(start, 0.0, m_s * 1e6, 0.0), (start + gap, chance.uniform(-9e3, 9e3), 0.0, 0.0)]
        found = discs(row, [STRIKER, COIN], [STRIKER_G, COIN_G])
        for _ in range(100):
            phases.step(found, BOARD)
            sound(found)
        assert (found.x[1], found.y[1]) != row[1][:2], f"missed at {gap}"


def sound(found: Discs) -> None:
    """No centre is beyond its cushion, and no two discs overlap by more than a step may be off."""
    present = [i for i in range(len(found.x)) if found.present[i]]
    for i in present:
        assert max(abs(found.x[i]), abs(found.y[i])) <= board.HALF_UM - found.radius[i]
        for j in (other for other in present if other < i):
            apart = math.hypot(found.x[i] - found.x[j], found.y[i] - found.y[j])
            assert apart >= found.radius[i] + found.radius[j] - STEP_ERROR_UM
