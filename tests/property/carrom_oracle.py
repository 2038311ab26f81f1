"""The shot once more, plainly: every moving disc against every other, nothing passed over.

It follows the page that decided the physics, with names of its own, and shares no line with the
code under test. Discs are dictionaries by id; lengths in um, times in s.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from math import sqrt
from struct import pack

from sahrat.games.carrom.physics import Shot

HALF, PR, DT, EPS, TOL = 370000.0, 22250.0, 1.0 / 256.0, 1.0, 0.001
ACC, ED, EW = 1176798.0, 0.9, 0.75


@dataclass
class Disc:
    x: float
    y: float
    vx: float
    vy: float
    r: float
    w: float
    up: bool
    ux: float = 0.0
    uy: float = 0.0
    s: float = 0.0


def play(shot: Shot, discs: int = 20) -> tuple[list[Disc], list[int], int]:
    """Return the discs at rest, the ids that fell, in order, and the number of steps."""
    all_ = [Disc(0.0, 0.0, 0.0, 0.0, 15900.0, 1 / 5.5, False) for _ in range(discs)]
    all_[0].r, all_[0].w = 20650.0, 1 / 15
    for disc, x, y in shot.places:
        all_[disc].x, all_[disc].y, all_[disc].up = float(x), float(y), True
    length = sqrt(shot.dx * shot.dx + shot.dy * shot.dy)
    all_[0].vx, all_[0].vy = shot.speed * shot.dx / length, shot.speed * shot.dy / length
    fell: list[int] = []
    steps = 0
    while _step(all_, fell):
        steps += 1
    return all_, fell, steps


def raw(shot: Shot, discs: int = 20) -> str:
    """Return the SHA-256, in hex, of the doubles: every x by id, then every y."""
    ends, _, _ = play(shot, discs)
    values = [disc.x for disc in ends] + [disc.y for disc in ends]
    return sha256(pack(f"<{len(values)}d", *values)).hexdigest()


def _step(all_: list[Disc], fell: list[int]) -> int:
    rem, first = DT, -1
    while True:
        moving = []
        for i, a in enumerate(all_):
            a.ux = a.uy = 0.0
            if a.up and (a.vx != 0.0 or a.vy != 0.0):
                a.s = sqrt(a.vx * a.vx + a.vy * a.vy)
                f = a.s / (2.0 * ACC) / rem if a.s <= ACC * rem else 1.0 - ACC * rem / (a.s + a.s)
                a.ux, a.uy = a.vx * f, a.vy * f
                moving.append(i)
        first = len(moving) if first < 0 else first
        if not moving:
            return first
        best, what, i, j = _search(all_, moving, rem)
        if best > 0.0:
            for a in (all_[k] for k in moving):
                a.x, a.y = a.x + a.ux * best, a.y + a.uy * best
                f = 0.0 if a.s <= ACC * best else 1.0 - ACC * best / a.s
                a.vx, a.vy = a.vx * f, a.vy * f
                if f == 0.0:
                    a.vx = a.vy = 0.0
        if not what:
            return first
        rem = rem - best
        _happen(all_, fell, what, i, j)


def _search(all_: list[Disc], moving: list[int], rem: float) -> tuple[float, str, int, int]:
    best, what, one, two = rem, "", 0, 0
    for i in moving:
        a = all_[i]
        lim = HALF - a.r
        for axis, p, u in (("x", a.x, a.ux), ("y", a.y, a.uy)):
            if u != 0.0:
                t = max((lim - p) / u if u > 0.0 else (-lim - p) / u, 0.0)
                if t < best:
                    best, what, one = t, axis + ("+" if u > 0.0 else "-"), i
        dx = a.x + (HALF - PR) if a.x < 0.0 else a.x - (HALF - PR)
        dy = a.y + (HALF - PR) if a.y < 0.0 else a.y - (HALF - PR)
        b, c = dx * a.ux + dy * a.uy, dx * dx + dy * dy - PR * PR
        if c <= 0.0:
            if best > 0.0:
                best, what, one = 0.0, "pocket", i
        elif b < 0.0 and (d := b * b - (a.ux * a.ux + a.uy * a.uy) * c) > 0.0:
            t = c / (sqrt(d) - b)
            if c + 2.0 * b * best < 0.0 and t < best:
                best, what, one = t, "pocket", i
        for j, o in enumerate(all_):
            if not o.up or j == i or (j < i and (o.ux != 0.0 or o.uy != 0.0)):
                continue
            dx, dy, du, dw = o.x - a.x, o.y - a.y, o.ux - a.ux, o.uy - a.uy
            b, rr = dx * du + dy * dw, a.r + o.r
            c = dx * dx + dy * dy - rr * rr
            if b >= 0.0:
                continue
            if c <= TOL * rr:
                if dx * (o.vx - a.vx) + dy * (o.vy - a.vy) < -EPS * rr and best > 0.0:
                    best, what, one, two = 0.0, "disc", i, j
            elif c + 2.0 * b * best < 0.0 and (d := b * b - (du * du + dw * dw) * c) > 0.0:
                t = c / (sqrt(d) - b)
                if t < best:
                    best, what, one, two = t, "disc", i, j
    return best, what, one, two


def _happen(all_: list[Disc], fell: list[int], what: str, i: int, j: int) -> None:
    a, o = all_[i], all_[j]
    lim = HALF - a.r
    match what:
        case "pocket":
            a.up, a.vx, a.vy = False, 0.0, 0.0
            fell.append(i)
        case "disc":
            dx, dy = o.x - a.x, o.y - a.y
            d = sqrt(dx * dx + dy * dy)
            nx, ny = dx / d, dy / d
            vn = (o.vx - a.vx) * nx + (o.vy - a.vy) * ny
            if vn < 0.0:
                pushed = -(1.0 + ED) * vn / (a.w + o.w)
                a.vx, a.vy = a.vx - pushed * a.w * nx, a.vy - pushed * a.w * ny
                o.vx, o.vy = o.vx + pushed * o.w * nx, o.vy + pushed * o.w * ny
        case "x+" | "x-":
            a.x, a.vx = lim if what == "x+" else -lim, -EW * a.vx
        case _:
            a.y, a.vy = lim if what == "y+" else -lim, -EW * a.vy
