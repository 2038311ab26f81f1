"""The Ludo rules (`rules.md` L2, L3, L6): decide and evolve, both pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from sahrat.games.game import Chance
from sahrat.games.ludo import board, bot
from sahrat.games.ludo.messages import (
    AgainReason,
    DieRolled,
    MovePawn,
    MoveReason,
    PassReason,
    PawnCaptured,
    PawnMoved,
    RollDie,
    RollsAgain,
    SeatFinished,
    SeatLeft,
    SeatRemained,
    TurnPassed,
)
from sahrat.games.ludo.state import (
    OVER,
    State,
    captured_at,
    landing,
    legal_pawns,
    next_seat,
    open_places,
    playing,
)
from sahrat.messages.base import Message
from sahrat.messages.reasons import Reason, Refused

T = TypeVar("T")
Events = tuple[Message, ...]


def decide(state: State, seat: int, intent: Message, chance: Chance) -> Events | Refused:
    """Return what an intent makes happen, in order and never empty; or why it may not.

    The checks come in the order of `Reason`.
    """
    if state.turn == OVER:
        return Refused(Reason.NOT_PLAYING)
    if seat != state.turn:
        return Refused(Reason.NOT_YOUR_TURN)
    match intent:
        case RollDie(number=number):
            if state.roll:
                return Refused(Reason.MOVE_EXPECTED)
            return _roll(state, number, chance)
        case MovePawn(pawn=pawn):
            if not state.roll:
                return Refused(Reason.ROLL_FIRST)
            if pawn not in legal_pawns(state.pawns[seat], state.roll):
                return Refused(Reason.ILLEGAL_MOVE)
            return _move(state, pawn, state.roll, "chosen")
        case _:
            return Refused(Reason.WRONG_GAME)


def time_out(state: State, chance: Chance) -> Events:
    """Return what is played for the seat on turn when its time is over (rule L4).

    That is its roll, without a number, or the pawn that the fallback order prefers. A choice that
    the roll leaves is a step of its own.
    """
    if state.roll:
        return _move(state, bot.choose(state), state.roll, "clock")
    return _roll(state, "", chance)


def leave(state: State, seat: int) -> Events:
    """Return what happens when a seat leaves for good (rules L3, L6).

    An open choice of another seat stays as it is: nobody else's pawns decide what may move.
    """
    if state.turn == OVER or not state.pawns[seat]:
        return ()
    if state.places[seat]:
        return (SeatLeft(seat=seat, place=state.places[seat]),)
    left = SeatLeft(seat=seat, place=open_places(state)[-1])
    after = evolve(state, left)
    if (remained := _remained(after)) is not None:
        return left, remained
    if seat == state.turn:
        return left, TurnPassed(seat=next_seat(after, seat), why="left")
    return (left,)


def _roll(state: State, number: str, chance: Chance) -> Events:
    """Roll, and do all that follows by itself: a pass, or the only move (rules L2.1 to L2.3)."""
    seat, pawns = state.turn, state.pawns[state.turn]
    value = chance.die(state.rolls, seat, number)
    void = value == board.AGAIN_ROLL and state.sixes + 1 == board.SIXES_LIMIT
    movable = () if void else legal_pawns(pawns, value)
    rolled = DieRolled(index=state.rolls, seat=seat, number=number, value=value, movable=movable)
    if not movable:
        return rolled, _passed(state, "third_six" if void else "no_move")
    if len(movable) == 1:
        return rolled, *_move(state, movable[0], value, "only_move")
    if len({pawns[pawn] for pawn in movable}) == 1:  # rule L3: alike, so there is nothing to choose
        return rolled, *_move(state, movable[0], value, "alike")
    return (rolled,)


def _move(state: State, pawn: int, roll: int, why: MoveReason) -> Events:
    """Move a legal pawn, and pass the turn or not (rules L2.4 to L2.6)."""
    seat, start = state.turn, state.pawns[state.turn][pawn]
    target = landing(start, roll)
    moved = PawnMoved(seat=seat, pawn=pawn, start=start, progress=target, why=why)
    captured = tuple(
        PawnCaptured(seat=other, pawn=theirs, start=state.pawns[other][theirs], captor=seat)
        for other, theirs in captured_at(state, seat, target)
    )
    if (
        target == board.HOME
        and state.pawns[seat].count(board.HOME) + 1 == state.options.pawns_to_win
    ):
        return moved, *_finished(state, seat)
    reasons: list[AgainReason] = []
    if roll == board.AGAIN_ROLL:
        reasons.append("six")
    if captured:
        reasons.append("capture")
    if target == board.HOME:
        reasons.append("home")
    if reasons:  # rule L3: several reasons, one roll
        return moved, *captured, RollsAgain(seat=seat, why=tuple(reasons))
    return moved, *captured, _passed(state, "moved")


def _finished(state: State, seat: int) -> Events:
    finished = SeatFinished(seat=seat, place=open_places(state)[0])
    after = evolve(state, finished)
    if (remained := _remained(after)) is not None:
        return finished, remained
    return finished, TurnPassed(seat=next_seat(after, seat), why="finished")


def _remained(state: State) -> SeatRemained | None:
    """Return the end of the match if one seat is left playing (rule L2.5)."""
    still = playing(state)
    if len(still) > 1:
        return None
    return SeatRemained(seat=still[0], place=open_places(state)[0])


def _passed(state: State, why: PassReason) -> TurnPassed:
    return TurnPassed(seat=next_seat(state, state.turn), why=why)


def evolve(state: State, event: Message) -> State:
    """Return the match after an event. What the log says happened is never refused.

    Raises:
        TypeError: It is no event of Ludo.
    """
    match event:
        case DieRolled(value=value):
            sixes = state.sixes + 1 if value == board.AGAIN_ROLL else 0
            return replace(state, roll=value, sixes=sixes, rolls=state.rolls + 1)
        case PawnMoved(seat=seat, pawn=pawn, progress=progress):
            return replace(state, roll=0, pawns=_with_pawn(state, seat, pawn, progress))
        case PawnCaptured(seat=seat, pawn=pawn):
            return replace(state, pawns=_with_pawn(state, seat, pawn, board.BASE))
        case RollsAgain():
            return replace(state, roll=0)
        case TurnPassed(seat=seat):
            return replace(state, turn=seat, roll=0, sixes=0)
        case SeatFinished(seat=seat, place=place):
            places = _put(state.places, seat, place)
            return replace(
                state, places=places, pawns=_put(state.pawns, seat, _taken_off(state, seat))
            )
        case SeatLeft(seat=seat, place=place):
            places = _put(state.places, seat, place)
            return replace(state, places=places, pawns=_put(state.pawns, seat, ()))
        case SeatRemained(seat=seat, place=place):
            places = _put(state.places, seat, place)
            return replace(state, places=places, turn=OVER, roll=0, sixes=0)
        case _:
            raise TypeError(f"{type(event).__name__} is no event of Ludo")


def _taken_off(state: State, seat: int) -> tuple[int, ...]:
    """Return a seat's pawns without those that it had not to bring home (rule L6)."""
    return tuple(
        progress if progress == board.HOME else board.BASE for progress in state.pawns[seat]
    )


def _with_pawn(state: State, seat: int, pawn: int, progress: int) -> tuple[tuple[int, ...], ...]:
    return _put(state.pawns, seat, _put(state.pawns[seat], pawn, progress))


def _put(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return *values[:index], value, *values[index + 1 :]
