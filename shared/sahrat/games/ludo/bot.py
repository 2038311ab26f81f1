"""Which pawn to move: the order of rule L4, for bots and for the clock. Neither ever declines."""

from __future__ import annotations

from sahrat.games.ludo import board
from sahrat.games.ludo.moves import captured_at, choice, landing, pawns_on
from sahrat.games.ludo.state import State, opponents


def choose(state: State) -> int:
    """Return the pawn that rule L4 prefers: home, capture, out of the base, onto a safe square, out
    of reach of an opponent, the one furthest on; among equals the lowest number.

    Args:
        state: A match in which a choice is open.
    """
    return min(choice(state, state.roll).pawns, key=lambda pawn: _rank(state, pawn))


def _rank(state: State, pawn: int) -> tuple[int, int, int]:
    seat, progress = state.turn, state.pawns[state.turn][pawn]
    target = landing(state, seat, progress, state.roll)
    assert target is not None, "a pawn that may move"
    if target == board.HOME:
        return 0, 0, pawn
    if captured_at(state, seat, target):
        return 1, 0, pawn
    if progress == board.BASE:
        return 2, 0, pawn
    if board.SQUARES[seat][target] in board.SAFE[state.options.safe]:
        return 3, 0, pawn
    if in_reach(state, seat, progress):
        return 4, 0, pawn
    return 5, -progress, pawn


def in_reach(state: State, seat: int, progress: int) -> bool:
    """Tell whether an opponent could capture a seat's pawn there with one legal roll (rule L4)."""
    if progress == board.BASE:
        return False
    square = board.SQUARES[seat][progress]
    if square == board.NOWHERE or square in board.SAFE[state.options.safe]:
        return False
    if (
        state.options.stack_capture == "protected"
        and len(pawns_on(state, seat, square)) >= board.STACK
    ):
        return False
    return any(
        _reaches(state, other, theirs, square)
        for other in opponents(state, seat)
        if other not in state.done
        for theirs in state.pawns[other]
    )


def _reaches(state: State, seat: int, progress: int, square: int) -> bool:
    """Tell whether a seat's pawn could end on a shared square by some roll."""
    ends = (square - board.STARTS[seat]) % board.TRACK
    if ends > board.LAST_SHARED:
        return False
    # A six enters, whatever brings a pawn out besides (rule L5.2).
    roll = board.AGAIN_ROLL if progress == board.BASE else (ends - progress) % board.LAP
    if not 1 <= roll <= board.FACES:
        return False
    return landing(state, seat, progress, roll) == ends
