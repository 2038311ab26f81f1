"""The weak shot, which the clock plays for whoever lets his time run out (rule K8)."""

from __future__ import annotations

from collections.abc import Iterator

from sahrat.games.carrom import board
from sahrat.games.carrom.board import Place, Places
from sahrat.games.carrom.messages import Shoot
from sahrat.games.carrom.options import CarromOptions
from sahrat.games.carrom.state import State, own_coins


def weak_shot(state: State) -> Shoot | None:
    """Return the shot that is played when the time is over; None if there is no room for the
    striker on the points of the line that it tries.
    """
    places = board.turned(state.places, state.turn)
    legal = (x for x in _grid() if off_moon(x, state.options) and not overlaps(x, places))
    x = next(legal, None)
    if x is None:
        return None
    dx, dy = 0, 1
    target = _target(state, places, x)
    if target is not None:
        _, target_x, target_y = target
        dx, dy = target_x - x, target_y - board.LINE_Y_UM
    return Shoot(x=x, dx=dx, dy=dy, speed=board.WEAK_SPEED_UM_S)


def overlaps(x: int, places: Places) -> bool:
    """Tell whether a striker at x on the line would overlap a piece, in the shooter's frame."""
    apart = (board.STRIKER_RADIUS_UM + board.COIN_RADIUS_UM) ** 2
    return any((x - left) ** 2 + (board.LINE_Y_UM - up) ** 2 < apart for _, left, up in places)


def off_moon(x: int, options: CarromOptions) -> bool:
    """Tell whether a striker at x on the line leaves the base circles' red free or covers it, where
    it has to (rule K7).
    """
    near, far = board.MOON_UM
    return options.cut_moon == "allowed" or not near < abs(x) < far


def _grid() -> Iterator[int]:
    yield 0
    for x in range(board.WEAK_GRID_UM, board.LINE_HALF_UM + 1, board.WEAK_GRID_UM):
        yield x
        yield -x


def _target(state: State, places: Places, x: int) -> Place | None:
    coins = own_coins(state, state.turn)
    own = [place for place in places if place[0] in coins]
    queen = [place for place in places if place[0] == board.QUEEN]
    wanted = queen if queen and len(own) == 1 else own
    ahead = [place for place in wanted if place[2] > board.LINE_Y_UM]
    return min(
        ahead,
        key=lambda place: ((place[1] - x) ** 2 + (place[2] - board.LINE_Y_UM) ** 2, place[0]),
        default=None,
    )
