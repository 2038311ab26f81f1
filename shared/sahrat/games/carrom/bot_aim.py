"""Where a bot may aim: ghost balls (rule K8). All in the shooter's frame, um and um/s."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, sqrt
from typing import Final

from sahrat.games.carrom import board
from sahrat.games.carrom.board import Place, Places
from sahrat.games.carrom.messages import Shoot
from sahrat.games.carrom.state import State, before_shot, own_coins

SPOTS: Final = 21  # on the line, from one end to the other
THINNEST: Final = 0.25  # the cosine of the sharpest cut that is tried
RESERVES: Final = (1.2, 1.8)  # how much faster than it must a coin goes into its pocket
VECTOR: Final = 900_000.0  # the length of a direction, in whole numbers

_REACH: Final = float(board.STRIKER_RADIUS_UM + board.COIN_RADIUS_UM)
_COINS: Final = float(2 * board.COIN_RADIUS_UM)
_GIVEN: Final = (
    (100 + board.DISC_BOUNCE_PERCENT)
    / 100.0
    * (board.STRIKER_MG / (board.STRIKER_MG + board.COIN_MG))
)
"""The speed that a straight hit gives to a coin, as a part of the striker's."""
_POCKETS: Final = tuple(
    (x, y) for x in (-board.POCKET_UM, board.POCKET_UM) for y in (-board.POCKET_UM, board.POCKET_UM)
)


def on_line() -> Iterator[int]:
    """Yield the places on the line that are tried."""
    for number in range(SPOTS):
        yield board.LINE_HALF_UM * (2 * number - (SPOTS - 1)) // (SPOTS - 1)


def aims(state: State, places: Places, spots: Sequence[int]) -> list[Shoot]:
    """Return all shots that should send a piece into a pocket, are not cut too thinly and have free
    ways; the first ones leave the most room for errors.

    Args:
        state: The match.
        places: The pieces, in the shooter's frame.
        spots: Where on the line there is room for the striker.
    """
    wanted = targets(state, places)
    friction = board.FRICTIONS_PERCENT[state.options.board_speed]
    twice_slowing = 2.0 * friction * board.GRAVITY_UM_S2 / 100.0
    found = [
        aim
        for disc, x, y in places
        if disc in wanted
        for pocket in _POCKETS
        for aim in _at(places, (disc, x, y), pocket, spots, twice_slowing)
    ]
    found.sort(key=lambda aim: -aim[0])  # equal ones stay in the order in which they are found
    return [shot for _, shot in found]


def targets(state: State, places: Places) -> tuple[int, ...]:
    """Return the pieces that may fall: not the last own coin while the queen lies there, and not
    the queen before the first own coin fell.
    """
    before = before_shot(state)
    coins = own_coins(state, state.turn)
    own = tuple(disc for disc, _, _ in places if disc in coins)
    queen = (board.QUEEN,) if before == "B1" else ()
    if len(own) == 1 and before in ("B0", "B1"):
        return queen
    return (*queen, *own)


def whole(number: float) -> int:
    """Return the nearest whole number."""
    return floor(number + 0.5)


def _at(
    places: Places,
    target: Place,
    pocket: tuple[int, int],
    spots: Sequence[int],
    twice_slowing: float,
) -> Iterator[tuple[float, Shoot]]:
    """Yield the shots that send one piece into one pocket, each after what it promises."""
    disc, x, y = target
    to_x, to_y = float(pocket[0] - x), float(pocket[1] - y)
    way = sqrt(to_x * to_x + to_y * to_y)
    if way == 0.0 or not _is_free(places, (x, y), pocket, _COINS, disc):
        return
    ux, uy = to_x / way, to_y / way
    ghost_x, ghost_y = x - _REACH * ux, y - _REACH * uy
    for spot in spots:
        dx, dy = ghost_x - spot, ghost_y - board.LINE_Y_UM
        run = sqrt(dx * dx + dy * dy)
        if dy <= 0.0 or run == 0.0:
            continue
        cut = (dx * ux + dy * uy) / run
        start, ghost = (spot, board.LINE_Y_UM), (ghost_x, ghost_y)
        if cut < THINNEST or not _is_free(places, start, ghost, _REACH, disc):
            continue
        for reserve in RESERVES:
            coin = reserve * sqrt(twice_slowing * way)
            striker = coin / (_GIVEN * cut)
            speed = sqrt(striker * striker + twice_slowing * run)
            direction = whole(VECTOR * dx / run), whole(VECTOR * dy / run)
            if direction[1] > 0 and speed <= board.SPEED_UM_S[1]:
                shot = Shoot(x=spot, dx=direction[0], dy=direction[1], speed=whole(speed))
                yield cut / (run + way), shot


def _is_free(
    places: Places,
    start: tuple[float, float],
    end: tuple[float, float],
    apart: float,
    but: int,
) -> bool:
    """Tell whether no other piece comes nearer than `apart` to the way from start to end."""
    way_x, way_y = end[0] - start[0], end[1] - start[1]
    length = way_x * way_x + way_y * way_y
    for disc, x, y in places:
        if disc == but:
            continue
        dx, dy = x - start[0], y - start[1]
        part = (dx * way_x + dy * way_y) / length if length > 0.0 else 0.0
        part = min(max(part, 0.0), 1.0)
        off_x, off_y = dx - part * way_x, dy - part * way_y
        if off_x * off_x + off_y * off_y < apart * apart:
            return False
    return True
