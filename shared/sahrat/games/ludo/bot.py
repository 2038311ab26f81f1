"""Which pawn to move: the order of rule L4, for bots and for the clock."""

from __future__ import annotations

from sahrat.games.ludo import board
from sahrat.games.ludo.state import State, captured_at, landing, legal_pawns


def choose(state: State) -> int:
    """Return the pawn that rule L4 prefers: home, capture, out of the base, onto a safe square, out
    of reach of an opponent, the one furthest on; among equals the lowest number.

    Args:
        state: A match in which a choice is open.
    """
    return min(
        legal_pawns(state.pawns[state.turn], state.roll),
        key=lambda pawn: _rank(state, state.pawns[state.turn][pawn], pawn),
    )


def _rank(state: State, progress: int, pawn: int) -> tuple[int, int, int]:
    seat = state.turn
    target = landing(progress, state.roll)
    if target == board.HOME:
        return 0, 0, pawn
    if captured_at(state, seat, target):
        return 1, 0, pawn
    if progress == board.BASE:
        return 2, 0, pawn
    if board.SQUARES[seat][target] in board.SAFE:
        return 3, 0, pawn
    if in_reach(state, seat, progress):
        return 4, 0, pawn
    return 5, -progress, pawn


def in_reach(state: State, seat: int, progress: int) -> bool:
    """Tell whether an opponent could capture a seat's pawn there with one legal roll (rule L6)."""
    if progress == board.BASE:
        return False
    square = board.SQUARES[seat][progress]
    if square == board.NOWHERE or square in board.SAFE:
        return False
    for other in state.seats:
        if other == seat:
            continue
        for theirs in state.pawns[other]:
            # Entering puts a pawn on a start, which is safe: only pawns on the track can reach.
            if theirs == board.BASE:
                continue
            ends = board.SQUARES[other][theirs + 1 : theirs + 1 + board.FACES]
            if square in ends:
                return True
    return False
