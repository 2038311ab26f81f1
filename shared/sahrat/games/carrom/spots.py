"""Where pieces go that come back (rule K6). All in whole numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sahrat.games.carrom import board
from sahrat.games.carrom.board import Place, Places

_MILLION = 1_000_000


def put_back(places: Places, discs: Sequence[int]) -> Places:
    """Return where discs come to lie that are put down one after the other, in this order."""
    found: list[Place] = []
    for disc in discs:
        x, y = spot((*places, *found))
        found.append((disc, x, y))
    return tuple(found)


def spot(places: Places) -> tuple[int, int]:
    """Return the centre if it is free, or the first free point of the rings around it."""
    return next(point for point in _points() if _is_free(point, places))


def _points() -> Iterator[tuple[int, int]]:
    yield 0, 0
    directions = _directions()
    for ring in range(1, board.HALF_UM):  # the board ends long before
        for ux, uy in directions:
            yield _part(ring, ux), _part(ring, uy)


def _part(ring: int, millionths: int) -> int:
    return (ring * board.SPOT_RING_UM * millionths + _MILLION // 2) // _MILLION


def _directions() -> tuple[tuple[int, int], ...]:
    """Return all directions, clockwise from the top."""
    found = list(board.SPOT_DIRECTIONS)
    for _ in range(3):
        found += [(uy, -ux) for ux, uy in found[-len(board.SPOT_DIRECTIONS) :]]
    return tuple(found)


def _is_free(point: tuple[int, int], places: Places) -> bool:
    x, y = point
    if max(abs(x), abs(y)) > board.HALF_UM - board.COIN_RADIUS_UM:
        return False
    corner_x, corner_y = abs(x) - board.POCKET_UM, abs(y) - board.POCKET_UM
    if corner_x * corner_x + corner_y * corner_y <= board.POCKET_RADIUS_UM**2:
        return False
    apart = (2 * board.COIN_RADIUS_UM) ** 2
    return all((x - left) ** 2 + (y - up) ** 2 >= apart for _, left, up in places)
