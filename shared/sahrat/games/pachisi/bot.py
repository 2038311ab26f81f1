"""What to do with open throws: the order of rule P7, for bots and for the clock. Neither ever
declines or moves a group, nor sends a piece round again if anything else can be done.
"""

from __future__ import annotations

from itertools import chain
from typing import Final

from sahrat.games.pachisi import board, throws
from sahrat.games.pachisi.moves import Use, at_hand, captured_at, destination, split, uses
from sahrat.games.pachisi.parts import Moved
from sahrat.games.pachisi.state import State, mover, opponents


def choose(state: State) -> Use:
    """Return the use of an open throw that rule P7 prefers: home, capture, in, onto a castle, out
    of reach of an opponent, the piece furthest on; among equals the lowest piece, then the first
    throw. Where no single piece can use one it is shared.

    Args:
        state: A match in which a throw is to be used.
    """
    plain = _best(state, laps=False)
    if plain is None:
        plain = _split(state, laps=False) or _best(state, laps=True) or _split(state, laps=True)
    assert plain is not None, "a throw that can be used"
    return plain


def _best(state: State, *, laps: bool) -> Use | None:
    found = chain.from_iterable(uses(state, number, laps=laps) for number in at_hand(state))
    return min(found, key=lambda use: _rank(state, use), default=None)


def _split(state: State, *, laps: bool) -> Use | None:
    ways = ((number, split(state, state.items[number], laps=laps)) for number in at_hand(state))
    return next((Use(number, "split", moves) for number, moves in ways if moves), None)


def _rank(state: State, use: Use) -> tuple[int, int, int, int]:
    seat, (moved,) = mover(state), use.moves
    kind = _kind(state, seat, moved)
    return kind, -moved.start if kind == _FURTHEST else 0, moved.piece, use.item


_FURTHEST: Final = 5


def _kind(state: State, seat: int, moved: Moved) -> int:
    if moved.progress == board.HOME:
        return 0
    if captured_at(state, seat, moved.progress):
        return 1
    if moved.start == board.CHARKONI:
        return 2
    if board.SQUARES[seat][moved.progress] in board.CASTLES:
        return 3
    return 4 if in_reach(state, seat, moved.start) else _FURTHEST


def in_reach(state: State, seat: int, progress: int) -> bool:
    """Tell whether an opponent's piece comes to a seat's piece there, off the castles, by one value
    of the table (rule P7).
    """
    square = board.SQUARES[seat][progress]
    if square == board.NOWHERE or square in board.CASTLES:
        return False
    return any(
        _comes_to(state, other, theirs, value, square)
        for other in opponents(state, seat)
        for theirs in state.pieces[other]
        if board.CHARKONI < theirs < board.HOME
        for value in throws.values(state.options)
    )


def _comes_to(state: State, seat: int, start: int, steps: int, square: int) -> bool:
    target = destination(state, seat, start, steps)
    return target is not None and board.SQUARES[seat][target] == square
