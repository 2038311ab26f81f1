"""Intents and events of Ludo. Rule numbers are those of `rules.md`.

An event says what happened, with all that a client needs to draw it and an auditor to check it.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from sahrat.games.ludo import board
from sahrat.messages.base import Count, MaybeNumber64, Message, Seat

Pawn = Annotated[int, Field(ge=0, lt=board.PAWNS)]
Face = Annotated[int, Field(ge=1, le=board.FACES)]
Progress = Annotated[int, Field(ge=board.BASE, le=board.HOME)]
Place = Annotated[int, Field(ge=1, le=board.SEATS)]
MaybePlace = Annotated[int, Field(ge=0, le=board.SEATS)]
MaybeFace = Annotated[int, Field(ge=0, le=board.FACES)]
Pawns = Annotated[tuple[Progress, ...], Field(max_length=board.PAWNS)]
Captors = Annotated[tuple[Seat, ...], Field(max_length=board.SEATS)]
AgainReason = Literal["six", "capture", "home", "owed"]
MoveReason = Literal["chosen", "only_move", "alike", "clock"]
PassReason = Literal["no_move", "third_six", "moved", "finished", "left", "declined"]

# ---- intents


class RollDie(Message):
    """Roll; the number goes into the roll (rule D). A bot's is empty."""

    type: Literal["ludo.roll"] = "ludo.roll"
    number: MaybeNumber64


class MovePawn(Message):
    """Move this pawn by the number rolled."""

    type: Literal["ludo.move"] = "ludo.move"
    pawn: Pawn


class DeclineRoll(Message):
    """Leave the roll unused, where the table allows it (rule L5.18)."""

    type: Literal["ludo.decline"] = "ludo.decline"


# ---- events


class StartRolled(Message):
    """A seat rolled for who starts, without a number (rule L5.21). `index`: as in `DieRolled`."""

    type: Literal["ludo.start_rolled"] = "ludo.start_rolled"
    index: Count
    seat: Seat
    value: Face


class StartDecided(Message):
    """This seat starts: its roll was the highest, or it was drawn by lot (rule L5.21)."""

    type: Literal["ludo.start_decided"] = "ludo.start_decided"
    seat: Seat
    why: Literal["random", "highest_roll"]


class DieRolled(Message):
    """The seat on turn rolled.

    Attributes:
        index: Rolls of the match are counted from 0; with the seat and the number it is what the
            value is computed from (rule D).
        movable: The pawns that may move by this roll, ascending. None: the turn passes (a void
            six among them). Several that are not alike: the player chooses; of what he may choose
            besides a `ChoiceOpened` tells.
    """

    type: Literal["ludo.rolled"] = "ludo.rolled"
    index: Count
    seat: Seat
    number: MaybeNumber64
    value: Face
    movable: Annotated[tuple[Pawn, ...], Field(max_length=board.PAWNS)]


class PawnMoved(Message):
    """A pawn went from `start` to `progress`.

    `why`: the player or his bot chose it; it was the only one; all that could move were alike;
    or the game chose because the time was over.
    """

    type: Literal["ludo.pawn_moved"] = "ludo.pawn_moved"
    seat: Seat
    pawn: Pawn
    start: Progress
    progress: Progress
    why: MoveReason


class PawnCaptured(Message):
    """A pawn was sent from `start` back to its base by the pawn of `captor` that just moved."""

    type: Literal["ludo.pawn_captured"] = "ludo.pawn_captured"
    seat: Seat
    pawn: Pawn
    start: Progress
    captor: Seat


class ChoiceOpened(Message):
    """The player chooses one of these pawns. Said where the roll alone does not say it: he may also
    decline the roll (rule L5.18), or what he may choose has changed since somebody left (rule L6).
    """

    type: Literal["ludo.choice_opened"] = "ludo.choice_opened"
    seat: Seat
    movable: Annotated[tuple[Pawn, ...], Field(min_length=1, max_length=board.PAWNS)]
    may_decline: bool


class RollDeclined(Message):
    """The player left his roll of `value` unused (rule L5.18)."""

    type: Literal["ludo.roll_declined"] = "ludo.roll_declined"
    seat: Seat
    value: Face


class TurnUndone(Message):
    """A six too many: the board is as it was when this seat's turn began (rule L5.4).

    Attributes:
        pawns: Progress of pawns 0..3 by seat 0..3; empty for a seat that is not there (any more).
        captors: The seats that have captured, ascending, where it matters (rule L5.14).
    """

    type: Literal["ludo.turn_undone"] = "ludo.turn_undone"
    seat: Seat
    pawns: Annotated[tuple[Pawns, ...], Field(min_length=board.SEATS, max_length=board.SEATS)]
    captors: Captors


class RollsAgain(Message):
    """The seat on turn has one more roll, for one reason or several (rule L2.6); where reasons add
    up, `owed` says that none is new, and an earlier one has not been used up yet (rule L5.8).
    """

    type: Literal["ludo.rolls_again"] = "ludo.rolls_again"
    seat: Seat
    why: Annotated[tuple[AgainReason, ...], Field(min_length=1, max_length=3)]


class TurnPassed(Message):
    """The turn is this seat's now."""

    type: Literal["ludo.turn_passed"] = "ludo.turn_passed"
    seat: Seat
    why: PassReason


class SeatFinished(Message):
    """A seat has as many pawns home as it needs; the others are taken off the board.

    `place`: 0 for one of partners, whose side has its place later (rule L5.19).
    """

    type: Literal["ludo.seat_finished"] = "ludo.seat_finished"
    seat: Seat
    place: MaybePlace


class SeatLeft(Message):
    """A seat left for good: its pawns are off the board. `place` is a rank only; a seat that had
    finished keeps the one it had (rule L6). 0: it has none, as one of partners, or where only the
    first place counts.
    """

    type: Literal["ludo.seat_left"] = "ludo.seat_left"
    seat: Seat
    place: MaybePlace


class SeatRemained(Message):
    """Only this seat had neither finished nor left: it takes the best open place, and the game
    is over (rule L2.5).
    """

    type: Literal["ludo.seat_remained"] = "ludo.seat_remained"
    seat: Seat
    place: Place


class SideWon(Message):
    """Both partners have their pawns home, or one of the others has left for good: these two have
    the first place, and the game is over (rule L5.19).
    """

    type: Literal["ludo.side_won"] = "ludo.side_won"
    seats: Annotated[tuple[Seat, ...], Field(min_length=2, max_length=2)]


# ---- views


class LudoBoard(Message):
    """The game at one moment, for whoever did not see the records before.

    Attributes:
        seats: The seats that play began with, ascending.
        pawns: Progress of pawns 0..3 by seat 0..3; empty for a seat that is not there (any more).
        places: Place by seat 0..3; 0 while there is none.
        turn: The seat on turn; None once the game is over.
        roll: The number that waits for a choice; 0 if a roll is awaited.
        movable: The pawns to choose from, ascending; empty if a roll is awaited.
        sixes: Sixes in a row in this turn so far.
        rolls: Rolls of the match so far, which is the index of the next.
        may_decline: Whether the roll may be left unused instead.
        owed: Rolls that are due after the one that is awaited or waits for a choice.
        done: The seats that have brought their pawns home, in that order.
        captors: The seats that have captured, ascending, where it matters (rule L5.14).
    """

    type: Literal["ludo.board"] = "ludo.board"
    seats: Annotated[tuple[Seat, ...], Field(max_length=board.SEATS)]
    pawns: Annotated[tuple[Pawns, ...], Field(min_length=board.SEATS, max_length=board.SEATS)]
    places: Annotated[tuple[MaybePlace, ...], Field(min_length=board.SEATS, max_length=board.SEATS)]
    turn: Seat | None
    roll: MaybeFace
    movable: Annotated[tuple[Pawn, ...], Field(max_length=board.PAWNS)]
    sixes: Count
    rolls: Count
    may_decline: bool
    owed: Count
    done: Annotated[tuple[Seat, ...], Field(max_length=board.SEATS)]
    captors: Captors


INTENTS: Final = (RollDie, MovePawn, DeclineRoll)
EVENTS: Final = (
    StartRolled,
    StartDecided,
    DieRolled,
    ChoiceOpened,
    RollDeclined,
    PawnMoved,
    PawnCaptured,
    TurnUndone,
    RollsAgain,
    TurnPassed,
    SeatFinished,
    SeatLeft,
    SeatRemained,
    SideWon,
)
