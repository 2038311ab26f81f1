"""The shot, as arithmetic: a fixed step, and the exact time of each impact within it.

Bits are the product here. Only `+ - * /`, `sqrt` and comparisons are used, because IEEE 754 gives
each of them one result on every machine; sums are written in one order, discs are taken by id, and
of equal times the first one found counts. A line-for-line port for browsers is the gateway's
`static/carrom/physics.js`; numba compiles these very functions (`engines`). Change an operation or
its order, and every stored match plays otherwise.

The phases of a step: `spread_friction` gives each moving disc the constant velocity that covers, in
the time that is left, the way it goes while friction slows it. `next_impact` finds what happens
first on these straight ways, `advance` goes there, `resolve` changes the speeds; and so on until
the step is over.

Lengths are um, times s. The model: no spin, no friction of discs on each other or on cushions, and
a disc whose centre is in a pocket's circle drops, however fast it is.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from math import sqrt
from typing import Final, NamedTuple

from sahrat.games.carrom import board

HALF: Final = float(board.HALF_UM)
POCKET_RADIUS: Final = float(board.POCKET_RADIUS_UM)
POCKET: Final = HALF - POCKET_RADIUS
WIDEST: Final = float(board.STRIKER_RADIUS_UM)  # no disc is wider
STEP: Final = 1.0 / float(board.STEPS_A_SECOND)
TOUCH: Final = board.TOUCH_NM / 1000.0
APPROACH: Final = float(board.APPROACH_UM_S)
STEPS_LIMIT: Final = board.STEPS_LIMIT
IMPACTS_THAT_BOUNCE: Final = board.IMPACTS_THAT_BOUNCE
IMPACTS_LIMIT: Final = board.IMPACTS_LIMIT

NOTHING, RIGHT, LEFT, TOP, BOTTOM, FALLS, MEET = range(7)
"""What comes next: a cushion, a pocket, another disc."""


class Surface(NamedTuple):
    """What the discs move on.

    Attributes:
        slowing: By how much friction slows a disc, um/s2.
        disc_bounce, cushion_bounce: The part of the approaching speed that is left after an impact.
    """

    slowing: float
    disc_bounce: float
    cushion_bounce: float


class Discs(NamedTuple):
    """All discs, by id: lists in Python, arrays where numba has compiled the phases.

    Attributes:
        x, y, vx, vy: Where they are and how fast; one that fell stays where it did.
        radius, lightness: Of each; the latter is 1/mass.
        present: 1 while a disc is on the board, else 0.
        fallen: The ids that fell, in order, then -1.
        ux, uy: The constant velocity until the next impact; 0 for a disc at rest.
        speed: Of a moving disc, at the last impact.
        moving: The ids of the discs that move, as many as `spread_friction` says.
    """

    x: MutableSequence[float]
    y: MutableSequence[float]
    vx: MutableSequence[float]
    vy: MutableSequence[float]
    radius: MutableSequence[float]
    lightness: MutableSequence[float]
    present: MutableSequence[int]
    fallen: MutableSequence[int]
    ux: MutableSequence[float]
    uy: MutableSequence[float]
    speed: MutableSequence[float]
    moving: MutableSequence[int]


def run(discs: Discs, surface: Surface) -> int:
    """Let the discs move until all rest; return how many steps found one moving."""
    for steps in range(STEPS_LIMIT):
        if step(discs, surface) == 0:
            return steps
    return STEPS_LIMIT


def step(discs: Discs, surface: Surface) -> int:
    """Move the discs by one step; return how many moved when it began."""
    left = STEP
    impacts = 0
    began = -1
    while True:
        count = spread_friction(discs, surface.slowing, left)
        if began < 0:
            began = count
        if count == 0:
            return began
        time, what, first, second = next_impact(discs, count, left)
        if time > 0.0:
            advance(discs, count, surface.slowing, time)
        if what == NOTHING:
            return began
        left = left - time
        impacts += 1
        if impacts > IMPACTS_LIMIT:
            stop(discs)
            return began
        if impacts <= IMPACTS_THAT_BOUNCE:
            resolve(discs, what, first, second, surface.disc_bounce, surface.cushion_bounce)
        else:
            resolve(discs, what, first, second, 0.0, 0.0)


def spread_friction(discs: Discs, slowing: float, time: float) -> int:
    """Give each moving disc its mean velocity over the time; return how many move.

    A disc that stops within the time has covered the exact way to where it stops.
    """
    vx, vy, ux, uy = discs.vx, discs.vy, discs.ux, discs.uy
    present, speed, moving = discs.present, discs.speed, discs.moving
    lost = slowing * time
    count = 0
    for i in range(len(vx)):
        ux[i] = 0.0
        uy[i] = 0.0
        if present[i] and (vx[i] != 0.0 or vy[i] != 0.0):
            s = sqrt(vx[i] * vx[i] + vy[i] * vy[i])
            f = s / (2.0 * slowing) / time if s <= lost else 1.0 - lost / (s + s)
            speed[i] = s
            ux[i] = vx[i] * f
            uy[i] = vy[i] * f
            moving[count] = i
            count += 1
    return count


def next_impact(discs: Discs, count: int, time: float) -> tuple[float, int, int, int]:
    """Return when the next impact comes, what it is, and the one or two discs that it concerns;
    (time, NOTHING, 0, 0) if none comes within the time.
    """
    x, y, ux, uy, radius, moving = discs.x, discs.y, discs.ux, discs.uy, discs.radius, discs.moving
    best, what, first, second = time, NOTHING, 0, 0
    fastest = 0.0
    for k in range(count):
        s = discs.speed[moving[k]]
        fastest = s if s > fastest else fastest
    for k in range(count):
        i = moving[k]
        u, w = ux[i], uy[i]
        edge = HALF - radius[i]
        if u != 0.0:
            t = (edge - x[i]) / u if u > 0.0 else (-edge - x[i]) / u
            t = 0.0 if t < 0.0 else t
            if t < best:
                best, what, first = t, RIGHT if u > 0.0 else LEFT, i
        if w != 0.0:
            t = (edge - y[i]) / w if w > 0.0 else (-edge - y[i]) / w
            t = 0.0 if t < 0.0 else t
            if t < best:
                best, what, first = t, TOP if w > 0.0 else BOTTOM, i
        # Of the four pockets only the nearest can be next.
        dx = x[i] + POCKET if x[i] < 0.0 else x[i] - POCKET
        dy = y[i] + POCKET if y[i] < 0.0 else y[i] - POCKET
        b = dx * u + dy * w
        c = dx * dx + dy * dy - POCKET_RADIUS * POCKET_RADIUS
        if c <= 0.0:
            if best > 0.0:
                best, what, first = 0.0, FALLS, i
        elif b < 0.0 and c + 2.0 * b * best < 0.0:
            d = b * b - (u * u + w * w) * c
            if d > 0.0:
                t = c / (sqrt(d) - b)
                if t < best:
                    best, what, first = t, FALLS, i
        t, j = next_meeting(discs, i, best, fastest)
        if j >= 0:
            best, what, first, second = t, MEET, i, j
    return best, what, first, second


def next_meeting(discs: Discs, i: int, best: float, fastest: float) -> tuple[float, int]:
    """Return when a moving disc meets another one before the time `best`, and which; (best, -1) if
    it meets none. Of two moving discs the one with the lower id looks for the other.

    Most others are too far: even if both went straight at each other, the one of them as fast as
    the `fastest` disc, they would not touch. These are passed over without more arithmetic, with a
    margin of 1 um, which is far above any error of rounding: it never changes a bit.
    """
    x, y, ux, uy, radius, present = (
        discs.x,
        discs.y,
        discs.ux,
        discs.uy,
        discs.radius,
        discs.present,
    )
    xi, yi, ui, wi, ri = x[i], y[i], ux[i], uy[i], radius[i]
    far = ri + WIDEST + (discs.speed[i] + fastest) * best + 1.0
    met = -1
    for j in range(len(x)):
        dx = x[j] - xi
        if dx > far or dx < -far:
            continue
        dy = y[j] - yi
        if dy > far or dy < -far:
            continue
        if not present[j] or (j <= i and (j == i or ux[j] != 0.0 or uy[j] != 0.0)):
            continue
        du = ux[j] - ui
        dw = uy[j] - wi
        b = dx * du + dy * dw
        if b < 0.0:
            reach = ri + radius[j]
            c = dx * dx + dy * dy - reach * reach
            if c <= TOUCH * reach:  # they touch: what counts is whether they really approach
                away = dx * (discs.vx[j] - discs.vx[i]) + dy * (discs.vy[j] - discs.vy[i])
                if away < -APPROACH * reach and best > 0.0:
                    best, met = 0.0, j
            elif c + 2.0 * b * best < 0.0:  # an exact and cheap no for most
                d = b * b - (du * du + dw * dw) * c
                if d > 0.0:
                    t = c / (sqrt(d) - b)
                    if t < best:
                        best, met = t, j
    return best, met


def advance(discs: Discs, count: int, slowing: float, time: float) -> None:
    """Move the moving discs on by a time within which nothing happens, and slow them down."""
    x, y, vx, vy = discs.x, discs.y, discs.vx, discs.vy
    lost = slowing * time
    for k in range(count):
        i = discs.moving[k]
        x[i] = x[i] + discs.ux[i] * time
        y[i] = y[i] + discs.uy[i] * time
        if discs.speed[i] <= lost:
            vx[i] = 0.0
            vy[i] = 0.0
        else:
            f = 1.0 - lost / discs.speed[i]
            vx[i] = vx[i] * f
            vy[i] = vy[i] * f


def resolve(
    discs: Discs, what: int, first: int, second: int, disc_bounce: float, cushion_bounce: float
) -> None:
    """Let happen what `next_impact` found: a fall, two discs that meet, or a cushion."""
    if what == FALLS:
        fall(discs, first)
    elif what == MEET:
        meet(discs, first, second, disc_bounce)
    else:
        edge = HALF - discs.radius[first]
        if what == RIGHT:
            discs.x[first] = edge
            discs.vx[first] = -cushion_bounce * discs.vx[first]
        elif what == LEFT:
            discs.x[first] = -edge
            discs.vx[first] = -cushion_bounce * discs.vx[first]
        elif what == TOP:
            discs.y[first] = edge
            discs.vy[first] = -cushion_bounce * discs.vy[first]
        else:
            discs.y[first] = -edge
            discs.vy[first] = -cushion_bounce * discs.vy[first]


def fall(discs: Discs, i: int) -> None:
    """Take a disc off the board."""
    discs.present[i] = 0
    discs.vx[i] = 0.0
    discs.vy[i] = 0.0
    place = 0
    while discs.fallen[place] >= 0:
        place += 1
    discs.fallen[place] = i


def meet(discs: Discs, i: int, j: int, bounce: float) -> None:
    """Exchange the momentum of two discs that meet, along the line of their centres."""
    vx, vy, lightness = discs.vx, discs.vy, discs.lightness
    dx = discs.x[j] - discs.x[i]
    dy = discs.y[j] - discs.y[i]
    d = sqrt(dx * dx + dy * dy)
    nx = dx / d
    ny = dy / d
    vn = (vx[j] - vx[i]) * nx + (vy[j] - vy[i]) * ny
    if vn < 0.0:
        impulse = -(1.0 + bounce) * vn / (lightness[i] + lightness[j])
        a = impulse * lightness[i]
        b = impulse * lightness[j]
        vx[i] = vx[i] - a * nx
        vy[i] = vy[i] - a * ny
        vx[j] = vx[j] + b * nx
        vy[j] = vy[j] + b * ny


def stop(discs: Discs) -> None:
    """Let all discs rest where they are: a way out that no shot has ever needed."""
    for i in range(len(discs.vx)):
        discs.vx[i] = 0.0
        discs.vy[i] = 0.0
