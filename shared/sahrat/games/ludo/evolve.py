"""What each event of Ludo changes. What the log says happened is never refused."""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from sahrat.games.ludo import board
from sahrat.games.ludo.messages import (
    ChoiceOpened,
    DieRolled,
    PawnCaptured,
    PawnMoved,
    RollDeclined,
    RollsAgain,
    SeatFinished,
    SeatLeft,
    SeatRemained,
    SideWon,
    StartDecided,
    StartRolled,
    TurnPassed,
    TurnUndone,
)
from sahrat.games.ludo.options import ON
from sahrat.games.ludo.state import OVER, Board, Pawns, State
from sahrat.messages.base import Message

T = TypeVar("T")


def evolve(state: State, event: Message) -> State:
    """Return the match after an event.

    Raises:
        TypeError: It is no event of Ludo.
    """
    match event:
        case DieRolled(value=value):
            sixes = state.sixes + 1 if value == board.AGAIN_ROLL else 0
            return replace(state, roll=value, sixes=sixes, rolls=state.rolls + 1)
        case PawnMoved(seat=seat, pawn=pawn, progress=progress):
            return replace(state, roll=0, pawns=_with_pawn(state, seat, pawn, progress))
        case PawnCaptured():
            return _captured(state, event)
        case ChoiceOpened():
            return state
        case RollDeclined():
            return replace(state, roll=0)
        case RollsAgain(why=why):
            return replace(state, roll=0, owed=_owed(state, why))
        case TurnUndone(pawns=pawns, captors=captors):
            return replace(state, pawns=pawns, captors=captors)
        case TurnPassed(seat=seat):
            return _turn_of(state, seat)
        case StartRolled():
            return replace(state, rolls=state.rolls + 1)
        case StartDecided(seat=seat):
            return replace(state, turn=seat)
        case SeatFinished() | SeatLeft() | SeatRemained() | SideWon():
            return _placed(state, event)
        case _:
            raise TypeError(f"{type(event).__name__} is no event of Ludo")


def _captured(state: State, event: PawnCaptured) -> State:
    captors = state.captors
    if state.options.capture_before_home == ON:
        captors = tuple(sorted({*captors, event.captor}))
    pawns = _with_pawn(state, event.seat, event.pawn, board.BASE)
    return replace(state, pawns=pawns, captors=captors)


def _owed(state: State, why: tuple[str, ...]) -> int:
    """Return the rolls that are due after the next one (rule L5.8): each reason adds one, and the
    next one is taken from them.
    """
    if state.options.bonus_stack == "one":
        return 0
    return state.owed + sum(reason != "owed" for reason in why) - 1


def _turn_of(state: State, seat: int) -> State:
    comes_back = state.options.three_sixes == "rollback_turn"
    before = Board(state.pawns, state.captors) if comes_back else None
    return replace(state, turn=seat, roll=0, sixes=0, owed=0, before=before)


def _placed(state: State, event: SeatFinished | SeatLeft | SeatRemained | SideWon) -> State:
    match event:
        case SeatFinished(seat=seat, place=place):
            state = replace(
                state,
                places=_put(state.places, seat, place),
                pawns=_put(state.pawns, seat, _taken_off(state.pawns[seat])),
                done=(*state.done, seat),
            )
            only = place and state.options.finish == "first_only"
            return _over(state) if only else state
        case SeatLeft(seat=seat, place=place):
            before = state.before and replace(
                state.before, pawns=_put(state.before.pawns, seat, ())
            )
            return replace(
                state,
                places=_put(state.places, seat, place),
                pawns=_put(state.pawns, seat, ()),
                before=before,
            )
        case SeatRemained(seat=seat, place=place):
            return _over(replace(state, places=_put(state.places, seat, place)))
        case SideWon(seats=seats):
            second = 0 if state.options.finish == "first_only" else 2
            places = tuple(
                (1 if seat in seats else second) if seat in state.seats else 0
                for seat in range(board.SEATS)
            )
            return _over(replace(state, places=places))


def _over(state: State) -> State:
    return replace(state, turn=OVER, roll=0, sixes=0, owed=0)


def _taken_off(pawns: Pawns) -> Pawns:
    """Return a seat's pawns without those that it had not to bring home (rule L5.15)."""
    return tuple(progress if progress == board.HOME else board.BASE for progress in pawns)


def _with_pawn(state: State, seat: int, pawn: int, progress: int) -> tuple[Pawns, ...]:
    return _put(state.pawns, seat, _put(state.pawns[seat], pawn, progress))


def _put(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return *values[:index], value, *values[index + 1 :]
