"""The Ludo rules (`rules.md` L2, L3, L5, L6): what an intent, the clock or a leaver makes happen.

All of it is pure. What an event changes is `evolve`'s.
"""

from __future__ import annotations

from sahrat.games.game import Chance
from sahrat.games.ludo import board, bot
from sahrat.games.ludo.evolve import evolve
from sahrat.games.ludo.messages import (
    AgainReason,
    ChoiceOpened,
    DeclineRoll,
    DieRolled,
    MovePawn,
    MoveReason,
    PassReason,
    PawnCaptured,
    PawnMoved,
    RollDeclined,
    RollDie,
    RollsAgain,
    SeatFinished,
    SeatLeft,
    SeatRemained,
    SideWon,
    TurnPassed,
    TurnUndone,
)
from sahrat.games.ludo.moves import Choice, captured_at, choice, landing
from sahrat.games.ludo.options import ON
from sahrat.games.ludo.state import (
    OVER,
    Board,
    State,
    gone,
    next_seat,
    open_places,
    playing,
)
from sahrat.messages.base import Message
from sahrat.messages.reasons import Reason, Refused

Events = tuple[Message, ...]


def decide(state: State, seat: int, intent: Message, chance: Chance) -> Events | Refused:
    """Return what an intent makes happen, in order and never empty; or why it may not.

    The checks come in the order of `Reason`.
    """
    if state.turn == OVER:
        return Refused(Reason.NOT_PLAYING)
    if seat != state.turn:
        return Refused(Reason.NOT_YOUR_TURN)
    if isinstance(intent, RollDie):
        if state.roll:
            return Refused(Reason.MOVE_EXPECTED)
        return _roll(state, intent.number, chance)
    if not isinstance(intent, MovePawn | DeclineRoll):
        return Refused(Reason.WRONG_GAME)
    if not state.roll:
        return Refused(Reason.ROLL_FIRST)
    open_choice = choice(state, state.roll)
    if isinstance(intent, MovePawn):
        if intent.pawn not in open_choice.pawns:
            return Refused(Reason.ILLEGAL_MOVE)
        return _move(state, intent.pawn, state.roll, "chosen")
    if not open_choice.declinable:
        return Refused(Reason.ILLEGAL_MOVE, "this roll can't be left unused")
    return _declined(state)


def time_out(state: State, chance: Chance) -> Events:
    """Return what is played for the seat on turn when its time is over (rule L4).

    That is its roll, without a number, or the pawn that the fallback order prefers. A choice that
    the roll leaves is a step of its own.
    """
    if state.roll:
        return _move(state, bot.choose(state), state.roll, "clock")
    return _roll(state, "", chance)


def leave(state: State, seat: int) -> Events:
    """Return what happens when a seat leaves for good (rules L3, L6)."""
    if state.turn == OVER or gone(state, seat):
        return ()
    if seat in state.done:
        return (SeatLeft(seat=seat, place=state.places[seat]),)
    left = SeatLeft(seat=seat, place=_place_of_leaver(state))
    after = evolve(state, left)
    if (ending := _ending(after)) is not None:
        return left, ending
    if seat == state.turn:
        return left, TurnPassed(seat=next_seat(after, seat), why="left")
    if not state.roll:
        return (left,)
    before, now = choice(state, state.roll), choice(after, state.roll)
    return (left,) if before == now else (left, *_by_itself(after, now, state.roll, anew=True))


def _place_of_leaver(state: State) -> int:
    if state.options.teams == ON or state.options.finish == "first_only":
        return 0
    return open_places(state)[-1]


# ---- a roll


def _roll(state: State, number: str, chance: Chance) -> Events:
    """Roll, and do all that follows by itself: a pass, or the only move (rules L2.1 to L2.3)."""
    seat = state.turn
    value = chance.die(state.rolls, seat, number)
    void = _is_void(state, value)
    left = Choice() if void else choice(state, value)
    rolled = DieRolled(index=state.rolls, seat=seat, number=number, value=value, movable=left.pawns)
    if void:
        return rolled, *_undone(state), _passed(state, "third_six")
    if not left.pawns:
        again: list[AgainReason] = []
        if state.options.six_without_move == "roll_again":
            again = _six(state, value)
        return rolled, _go_on(state, again, "no_move")
    return rolled, *_by_itself(state, left, value)


def _is_void(state: State, value: int) -> bool:
    """Tell whether this is a six too many (rules L2.1, L5.4, L5.5)."""
    limit = state.options.sixes_limit
    many = value == board.AGAIN_ROLL and state.sixes + 1 == limit
    return many and state.options.three_sixes != "off"


def _undone(state: State) -> Events:
    """Return that the board goes back to the beginning of the turn (rule L5.4), if it does."""
    before = state.before
    if before is None or before == Board(state.pawns, state.captors):
        return ()
    return (TurnUndone(seat=state.turn, pawns=before.pawns, captors=before.captors),)


def _by_itself(state: State, left: Choice, roll: int, *, anew: bool = False) -> Events:
    """Return what the choice of a roll comes to (rule L2.3): the only move or one of several alike,
    if it has to be made; or the player's choice. The roll has told him of it unless he may decline
    it, or it is made `anew` since somebody left.
    """
    seat = state.turn
    if not left.declinable:
        if len(left.pawns) == 1:
            return _move(state, left.pawns[0], roll, "only_move")
        if len({state.pawns[seat][pawn] for pawn in left.pawns}) == 1:  # rule L3: no difference
            return _move(state, left.pawns[0], roll, "alike")
        if not anew:
            return ()
    return (ChoiceOpened(seat=seat, movable=left.pawns, may_decline=left.declinable),)


def _declined(state: State) -> Events:
    """Leave a roll unused, and its six too (rule L5.18)."""
    return RollDeclined(seat=state.turn, value=state.roll), _go_on(state, [], "declined")


# ---- a move


def _move(state: State, pawn: int, roll: int, why: MoveReason) -> Events:
    """Move a pawn that may by this roll, and pass the turn or not (rules L2.4 to L2.6)."""
    seat, start = state.turn, state.pawns[state.turn][pawn]
    target = landing(state, seat, start, roll)
    assert target is not None, "a pawn that may move"
    moved = PawnMoved(seat=seat, pawn=pawn, start=start, progress=target, why=why)
    captured = tuple(
        PawnCaptured(seat=other, pawn=theirs, start=state.pawns[other][theirs], captor=seat)
        for other, theirs in captured_at(state, seat, target)
    )
    home = state.pawns[seat].count(board.HOME) + (target == board.HOME)
    if home == state.options.pawns_to_win:
        return moved, *_finished(evolve(state, moved), seat)
    reasons = _six(state, roll)
    if captured and state.options.capture_again == ON:
        reasons.append("capture")
    if target == board.HOME and state.options.home_again == ON:
        reasons.append("home")
    return moved, *captured, _go_on(state, reasons, "moved")


def _six(state: State, roll: int) -> list[AgainReason]:
    """Return whether a roll itself brings another (rule L5.3)."""
    return ["six"] if roll == board.AGAIN_ROLL and state.options.six_again == ON else []


def _go_on(state: State, reasons: list[AgainReason], why: PassReason) -> Message:
    """Return another roll, for a new reason or an earlier one (rule L5.8); or the next turn."""
    if not reasons and state.owed:
        reasons = ["owed"]
    if reasons:  # rule L3: several reasons, one roll
        return RollsAgain(seat=state.turn, why=tuple(reasons))
    return _passed(state, why)


def _passed(state: State, why: PassReason) -> TurnPassed:
    return TurnPassed(seat=next_seat(state, state.turn), why=why)


# ---- the end


def _finished(state: State, seat: int) -> Events:
    place = 0 if state.options.teams == ON else open_places(state)[0]
    finished = SeatFinished(seat=seat, place=place)
    after = evolve(state, finished)
    if after.turn == OVER:  # rule L5.20: only the first place counts
        return (finished,)
    if (ending := _ending(after)) is not None:
        return finished, ending
    return finished, TurnPassed(seat=next_seat(after, seat), why="finished")


def _ending(state: State) -> SeatRemained | SideWon | None:
    """Return the end of the match if it has come (rules L2.5, L5.19)."""
    still = playing(state)
    if state.options.teams == ON:
        for seats in board.SIDES:
            others = tuple(seat for seat in state.seats if seat not in seats)
            given_up = any(gone(state, seat) and seat not in state.done for seat in others)
            if given_up or all(seat in state.done for seat in seats):
                return SideWon(seats=seats)
        return None
    if len(still) > 1:
        return None
    return SeatRemained(seat=still[0], place=open_places(state)[0])
