"""Where a pawn may go, whom it captures there, and what that leaves to choose (rules L2, L5)."""

from __future__ import annotations

from dataclasses import dataclass

from sahrat.games.ludo import board
from sahrat.games.ludo.options import ON
from sahrat.games.ludo.state import State, opponents


@dataclass(frozen=True, slots=True)
class Choice:
    """What a roll leaves to the seat on turn.

    Attributes:
        pawns: Those that may be moved, ascending.
        declinable: Whether it may leave the roll unused instead.
    """

    pawns: tuple[int, ...] = ()
    declinable: bool = False


def choice(state: State, roll: int) -> Choice:
    """Return what a roll leaves to the seat on turn (rules L2.2, L5.17, L5.18)."""
    seat = state.turn
    ends = [landing(state, seat, progress, roll) for progress in state.pawns[seat]]
    pawns = tuple([pawn for pawn, end in enumerate(ends) if end is not None])
    if state.options.forced_capture == ON:
        capturing = tuple(
            pawn
            for pawn, end in enumerate(ends)
            if end is not None and captured_at(state, seat, end)
        )
        if capturing:
            return Choice(capturing)
    return Choice(pawns, declinable=state.options.may_pass == ON and bool(pawns))


def landing(state: State, seat: int, progress: int, roll: int) -> int | None:
    """Return where a seat's pawn ends by a roll; None where it may not move by it."""
    target = _target(state, seat, progress, roll)
    if target is None or state.options.block == "off":
        return target
    return None if _is_blocked(state, seat, progress, roll) else target


def _target(state: State, seat: int, progress: int, roll: int) -> int | None:
    """Return the same, whoever stands in the way (rules L2.2, L5.2, L5.13, L5.14)."""
    options = state.options
    if progress == board.BASE:
        return board.START if roll in board.ENTRY_ROLLS[options.entry_roll] else None
    if progress == board.HOME:
        return None
    target = progress + roll
    if target > board.LAST_SHARED and _goes_round(state, seat, progress):
        return target - board.LAP
    if target <= board.HOME:
        return target
    match options.home_exact:
        case "exact":
            return None
        case "overshoot_ok":
            return board.HOME
        case "bounce":
            return 2 * board.HOME - target


def _goes_round(state: State, seat: int, progress: int) -> bool:
    """Tell whether a pawn on the track passes by its column, as its seat has not captured yet."""
    if state.options.capture_before_home == "off" or progress > board.LAST_SHARED:
        return False
    return seat not in state.captors


def _is_blocked(state: State, seat: int, progress: int, roll: int) -> bool:
    """Tell whether an opponent's block stands where a pawn would pass or end (rule L5.11)."""
    if progress == board.BASE:
        way = [board.START]
    elif _goes_round(state, seat, progress):
        way = [(progress + step) % board.LAP for step in range(1, roll + 1)]
    else:
        way = list(range(progress + 1, min(progress + roll, board.LAST_SHARED) + 1))
    return any(_block_on(state, seat, board.SQUARES[seat][place]) for place in way)


def _block_on(state: State, seat: int, square: int) -> bool:
    if square in board.SAFE[state.options.safe]:
        return False
    return any(
        len(pawns_on(state, other, square)) >= board.STACK for other in opponents(state, seat)
    )


def captured_at(state: State, seat: int, progress: int) -> tuple[tuple[int, int], ...]:
    """Return (seat, pawn) of the opponents whom a seat's pawn that ends there sends back to their
    bases (rules L2.4, L5.12).
    """
    square = board.SQUARES[seat][progress]
    if square == board.NOWHERE or square in board.SAFE[state.options.safe]:
        return ()
    found: list[tuple[int, int]] = []
    for other in opponents(state, seat):
        theirs = pawns_on(state, other, square)
        if len(theirs) < board.STACK or state.options.stack_capture == "all":
            found += [(other, pawn) for pawn in theirs]
    return tuple(found)


def pawns_on(state: State, seat: int, square: int) -> tuple[int, ...]:
    """Return a seat's pawns on a shared square, ascending."""
    squares = board.SQUARES[seat]
    return tuple(
        pawn
        for pawn, progress in enumerate(state.pawns[seat])
        if progress != board.BASE and squares[progress] == square
    )
