"""A shot in whole numbers: what is pushed from where, and where everything rests (rule K3)."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from math import floor, sqrt
from struct import pack
from typing import Final

from sahrat.games.carrom import board
from sahrat.games.carrom.board import Places
from sahrat.games.carrom.physics.engines import PURE, Engine, ready
from sahrat.games.carrom.physics.phases import Discs, Surface

PHYSICS_VERSION: Final = 1
"""A new constant or another order of operations is a new version, and the old one stays."""

_PERCENT: Final = 100


class BadShot(ValueError):
    """A shot, or a surface, that the physics is not made for."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A push of the striker, in the frame of whoever shoots.

    Attributes:
        places: Every disc on the board, ascending by id, so the striker first; um.
        dx, dy: The direction, a vector of any length.
        speed: At the start, um/s.
        friction_percent: Of the board.
    """

    places: Places
    dx: int
    dy: int
    speed: int
    friction_percent: int = board.FRICTION_PERCENT


@dataclass(frozen=True, slots=True)
class Rest:
    """What came of a shot, in the same frame.

    Attributes:
        places: Every disc that is left on the board, ascending by id; um.
        fallen: The ids that fell, in order.
        steps: How many steps of 1/256 s found a disc moving.
    """

    places: Places
    fallen: tuple[int, ...]
    steps: int


def surface(
    friction_percent: int = board.FRICTION_PERCENT,
    disc_bounce_percent: int = board.DISC_BOUNCE_PERCENT,
    cushion_bounce_percent: int = board.CUSHION_BOUNCE_PERCENT,
) -> Surface:
    """Return what discs move on; `bounce` is the part of a speed that an impact leaves.

    Raises:
        BadShot: So little bounces that impacts would pile up, or more than came; or no friction.
    """
    for bounce in (disc_bounce_percent, cushion_bounce_percent):
        if not board.BOUNCE_LEAST_PERCENT <= bounce <= _PERCENT:
            raise BadShot(f"a bounce is {board.BOUNCE_LEAST_PERCENT} to 100 %, not {bounce}")
    if friction_percent < 1:
        raise BadShot("without friction nothing comes to rest")
    return Surface(
        slowing=friction_percent * board.GRAVITY_UM_S2 / _PERCENT,
        disc_bounce=disc_bounce_percent / _PERCENT,
        cushion_bounce=cushion_bounce_percent / _PERCENT,
    )


BOARD: Final = surface()


def simulate(shot: Shot, engine: Engine = PURE) -> Rest:
    """Return where everything rests after a shot.

    It takes some 5 ms in Python and up to 70 for a break. Shot and rest are plain values that may
    travel to another process and back, so that nobody who serves others waits here.

    Raises:
        BadShot: The physics is not made for such a shot.
    """
    discs = placed(shot, engine)
    return at_rest(discs, engine.run(discs, surface(shot.friction_percent)))


def quick(shot: Shot) -> Rest:
    """Return the same, computed by the fastest engine that this process has got ready.

    Raises:
        BadShot: The physics is not made for such a shot.
    """
    return simulate(shot, ready())


def placed(shot: Shot, engine: Engine = PURE, count: int = board.DISCS) -> Discs:
    """Return the discs with ids below `count` at the moment of the shot.

    Raises:
        BadShot: The physics is not made for such a shot.
    """
    check(shot, count)
    x, y, present = [0.0] * count, [0.0] * count, [0] * count
    for disc, x_um, y_um in shot.places:
        x[disc], y[disc], present[disc] = float(x_um), float(y_um), 1
    vx, vy = [0.0] * count, [0.0] * count
    length = sqrt(shot.dx * shot.dx + shot.dy * shot.dy)
    vx[board.STRIKER] = shot.speed * shot.dx / length
    vy[board.STRIKER] = shot.speed * shot.dy / length
    coins = count - 1
    array = engine.array
    return Discs(
        x=array(x),
        y=array(y),
        vx=array(vx),
        vy=array(vy),
        radius=array([float(board.STRIKER_RADIUS_UM)] + [float(board.COIN_RADIUS_UM)] * coins),
        lightness=array([1000.0 / board.STRIKER_MG] + [1000.0 / board.COIN_MG] * coins),
        present=array(present),
        fallen=array([-1] * count),
        ux=array([0.0] * count),
        uy=array([0.0] * count),
        speed=array([0.0] * count),
        moving=array([0] * count),
    )


def at_rest(discs: Discs, steps: int) -> Rest:
    """Return where discs lie, each coordinate rounded to the nearest um."""
    return Rest(
        places=tuple(
            (disc, floor(discs.x[disc] + 0.5), floor(discs.y[disc] + 0.5))
            for disc in range(len(discs.x))
            if discs.present[disc]
        ),
        fallen=tuple(int(disc) for disc in discs.fallen if disc >= 0),
        steps=steps,
    )


def check(shot: Shot, count: int = board.DISCS) -> None:
    """See to it that the physics is made for a shot.

    Raises:
        BadShot: A number is not whole, the striker is missing or on another disc, a disc is not
            within the cushions, there is no direction or a vector too long, or the speed is none
            or over the limit.
    """
    ids = [disc for disc, _, _ in shot.places]
    numbers = [number for place in shot.places for number in place]
    if not all(type(number) is int for number in (*numbers, shot.dx, shot.dy, shot.speed)):
        raise BadShot("every number is whole")
    if ids[:1] != [board.STRIKER] or ids != sorted(set(ids)) or ids[-1] >= count:
        raise BadShot(f"each of the ids 0 to {count - 1} stands once at most, the striker first")
    if not 0 < max(abs(shot.dx), abs(shot.dy)) <= board.DIRECTION_LIMIT:
        raise BadShot(f"a direction is not (0, 0) and goes to {board.DIRECTION_LIMIT}")
    if not 0 < shot.speed <= board.SPEED_LIMIT_UM_S:
        raise BadShot(f"a speed is 1 to {board.SPEED_LIMIT_UM_S} um/s")
    _, striker_x, striker_y = shot.places[0]
    for disc, x, y in shot.places:
        radius = board.COIN_RADIUS_UM if disc else board.STRIKER_RADIUS_UM
        if max(abs(x), abs(y)) > board.HALF_UM - radius:
            raise BadShot(f"disc {disc} is not within the cushions")
        apart = (x - striker_x) ** 2 + (y - striker_y) ** 2
        if disc and apart < (board.STRIKER_RADIUS_UM + board.COIN_RADIUS_UM) ** 2:
            raise BadShot(f"the striker stands on disc {disc}")


def position_hash(places: Places, count: int = board.DISCS) -> str:
    """Return the SHA-256, in hex, of a layout: for each id below `count` x, y and 1 as 32-bit
    integers, the lowest byte first; zeros where it is not on the board.
    """
    found = {disc: pack("<3i", x, y, 1) for disc, x, y in places}
    return sha256(b"".join(found.get(disc, bytes(12)) for disc in range(count))).hexdigest()
