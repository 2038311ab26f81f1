"""Intents and events of Pachisi. Rule numbers are those of `rules.md`.

An event says what happened, with all that a client needs to draw it and an auditor to check it. A
seat is one of the four colours; where a player has two (rule P5.6) it is the colour that is meant.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from sahrat.games.pachisi import board
from sahrat.games.pachisi.parts import (
    AgainWhy,
    Choice,
    Group,
    How,
    Item,
    Items,
    LapseWhy,
    MaybePlace,
    Mouths,
    Moved,
    OpenThrow,
    PassWhy,
    Piece,
    Place,
    Progress,
    Shares,
    Shells,
    Square,
    Steps,
    UseWhy,
)
from sahrat.messages.base import Count, MaybeNumber64, Message, Seat

# ---- intents


class ThrowCowries(Message):
    """Throw; the number goes into the throw (rule D). A bot's is empty."""

    type: Literal["pachisi.throw"] = "pachisi.throw"
    number: MaybeNumber64


class MovePiece(Message):
    """Use an open throw with one piece: it enters, leaves the last square, or moves; `lap`: it goes
    round again (rule P5.28).
    """

    type: Literal["pachisi.move"] = "pachisi.move"
    item: Item
    piece: Piece
    lap: bool


class MoveGroup(Message):
    """Move pieces that stand on one square together (rule P5.17)."""

    type: Literal["pachisi.move_group"] = "pachisi.move_group"
    item: Item
    pieces: Group
    lap: bool


class SplitThrow(Message):
    """Share an open throw among pieces, which move in this order (rule P5.17)."""

    type: Literal["pachisi.split"] = "pachisi.split"
    item: Item
    shares: Shares


class DeclineThrow(Message):
    """Leave an open throw unused (rule P4.1)."""

    type: Literal["pachisi.decline"] = "pachisi.decline"
    item: Item


# ---- events


class StartThrown(Message):
    """A seat's cowries were thrown for who starts, without a number (rule P5.8). The rest is as in
    `CowriesThrown`.
    """

    type: Literal["pachisi.start_thrown"] = "pachisi.start_thrown"
    index: Count
    seat: Seat
    shells: Shells
    mouths: Mouths
    value: Steps


class StartDecided(Message):
    """This seat starts: its throw was the highest, or it was drawn by lot (rule P5.8)."""

    type: Literal["pachisi.start_decided"] = "pachisi.start_decided"
    seat: Seat
    why: Literal["highest_throw", "random"]


class CowriesThrown(Message):
    """The seat on turn threw.

    Attributes:
        index: Throws of the match are counted from 0; with the seat and the number it is what the
            shells are computed from (rule D).
        shells: There are so many (rule P5.2).
        mouths: So many of them lie mouth up.
        value: What that is worth (rule P2).
        opened: The open throws that it adds, in order. None: it is void, since no piece is on the
            board (rule P5.15).
    """

    type: Literal["pachisi.thrown"] = "pachisi.thrown"
    index: Count
    seat: Seat
    number: MaybeNumber64
    shells: Shells
    mouths: Mouths
    value: Steps
    opened: Annotated[tuple[OpenThrow, ...], Field(max_length=3)]


class ThrowsCancelled(Message):
    """The third of a kind in a row makes these open throws void (rule P5.24)."""

    type: Literal["pachisi.throws_cancelled"] = "pachisi.throws_cancelled"
    seat: Seat
    items: Items


class ChoiceOpened(Message):
    """The seat on turn uses or declines one of its open throws.

    Attributes:
        mover: Whose pieces it moves: its own or its partner's (rule P5.7).
        choices: One for each open throw, in order.
    """

    type: Literal["pachisi.choice_opened"] = "pachisi.choice_opened"
    seat: Seat
    mover: Seat
    choices: Annotated[tuple[Choice, ...], Field(min_length=1, max_length=board.OPEN_LIMIT)]


class ThrowUsed(Message):
    """An open throw was used, and is gone.

    Attributes:
        mover: Whose pieces moved.
        moves: In order; together, or one after the other where the throw was shared.
        why: The player or his bot chose it; or the game did because the time was over.
    """

    type: Literal["pachisi.used"] = "pachisi.used"
    seat: Seat
    item: Item
    mover: Seat
    how: How
    moves: Annotated[tuple[Moved, ...], Field(min_length=1, max_length=board.PIECES)]
    why: UseWhy


class ThrowDeclined(Message):
    """The player left an open throw unused (rule P4.1); it is gone."""

    type: Literal["pachisi.declined"] = "pachisi.declined"
    seat: Seat
    item: Item


class ThrowsLapsed(Message):
    """No piece can use these open throws: they are gone (rules P4.8, P5.11)."""

    type: Literal["pachisi.lapsed"] = "pachisi.lapsed"
    seat: Seat
    items: Items
    why: LapseWhy


class PieceCaptured(Message):
    """A piece was sent from `start` back to the Charkoni by `captor`, who just came there."""

    type: Literal["pachisi.captured"] = "pachisi.captured"
    seat: Seat
    piece: Piece
    start: Progress
    captor: Seat


class CaptureCounted(Message):
    """A seat captured pieces of `victim` on a shared square with these pieces: that is one capture
    more of those that it needs before it may come home (rule P5.21).
    """

    type: Literal["pachisi.capture_counted"] = "pachisi.capture_counted"
    seat: Seat
    victim: Seat
    pieces: Annotated[tuple[Piece, ...], Field(min_length=1, max_length=board.PIECES)]
    square: Square


class CaptureVoided(Message):
    """That a seat captured `victim` counts no more: it was captured there in turn (rule P5.22)."""

    type: Literal["pachisi.capture_voided"] = "pachisi.capture_voided"
    seat: Seat
    victim: Seat


class ThrowsAgain(Message):
    """The seat on turn throws again (rules P4.2, P4.7)."""

    type: Literal["pachisi.throws_again"] = "pachisi.throws_again"
    seat: Seat
    why: AgainWhy


class TurnPassed(Message):
    """The turn is this seat's now; throws that are still open are gone."""

    type: Literal["pachisi.turn_passed"] = "pachisi.turn_passed"
    seat: Seat
    why: PassWhy


class SeatFinished(Message):
    """A seat has all its pieces home.

    `place`: 0 for one of a side, which has its place later (rules P5.5, P5.6).
    """

    type: Literal["pachisi.seat_finished"] = "pachisi.seat_finished"
    seat: Seat
    place: MaybePlace


class SeatLeft(Message):
    """A player left for good: the pieces of these colours are off the board. `place` is a rank
    only; a seat that had finished keeps the one it had (rule P6). 0: it has none.
    """

    type: Literal["pachisi.seat_left"] = "pachisi.seat_left"
    seat: Seat
    colours: Annotated[tuple[Seat, ...], Field(min_length=1, max_length=2)]
    place: MaybePlace


class SeatRemained(Message):
    """Only this seat had neither finished nor left: it takes the best open place, and the game
    is over (rule P4.11).
    """

    type: Literal["pachisi.seat_remained"] = "pachisi.seat_remained"
    seat: Seat
    place: Place


class SideWon(Message):
    """All pieces of both colours are home, or one of the other side has left for good: these two
    have the first place, and the game is over (rules P5.5, P5.6).
    """

    type: Literal["pachisi.side_won"] = "pachisi.side_won"
    seats: Annotated[tuple[Seat, ...], Field(min_length=2, max_length=2)]


# ---- views


class PachisiBoard(Message):
    """The game at one moment, for whoever did not see the records before.

    Attributes:
        seats: The colours that play began with, ascending.
        pieces: Progress of pieces 0..3 by seat 0..3; empty for one that is not there (any more).
        places: Place by seat 0..3; 0 while there is none.
        turn: The seat on turn; None once the game is over.
        mover: Whose pieces it moves; the same but for a partner's (rule P5.7).
        using: A throw is to be used; else one is to be thrown, and then open ones wait for the end
            of the turn (rule P5.9).
        open: The open throws, in order.
        choices: What may be done with each of them; empty unless one is to be used.
        more: Another throw is owed after these.
        throws: Throws of the match so far, which is the index of the next.
        run_of, run: How many throws of a kind there have been in a row, where it matters (rule
            P5.24).
        entered: The seats that have brought in their first piece, ascending (rule P4.3).
        gate: The seats that have thrown 2, 3 or 4, ascending, where it matters (rule P5.10).
        credit: Captures that count, by seat, where it matters (rule P5.21).
        done: The seats that have all pieces home, in that order.
    """

    type: Literal["pachisi.board"] = "pachisi.board"
    seats: Annotated[tuple[Seat, ...], Field(max_length=board.SEATS)]
    pieces: Annotated[
        tuple[Annotated[tuple[Progress, ...], Field(max_length=board.PIECES)], ...],
        Field(min_length=board.SEATS, max_length=board.SEATS),
    ]
    places: Annotated[tuple[MaybePlace, ...], Field(min_length=board.SEATS, max_length=board.SEATS)]
    turn: Seat | None
    mover: Seat | None
    using: bool
    open: Annotated[tuple[OpenThrow, ...], Field(max_length=board.OPEN_LIMIT)]
    choices: Annotated[tuple[Choice, ...], Field(max_length=board.OPEN_LIMIT)]
    more: bool
    throws: Count
    run_of: board.Run
    run: Count
    entered: Annotated[tuple[Seat, ...], Field(max_length=board.SEATS)]
    gate: Annotated[tuple[Seat, ...], Field(max_length=board.SEATS)]
    credit: Annotated[tuple[Count, ...], Field(min_length=board.SEATS, max_length=board.SEATS)]
    done: Annotated[tuple[Seat, ...], Field(max_length=board.SEATS)]


INTENTS: Final = (ThrowCowries, MovePiece, MoveGroup, SplitThrow, DeclineThrow)
EVENTS: Final = (
    StartThrown,
    StartDecided,
    CowriesThrown,
    ThrowsCancelled,
    ChoiceOpened,
    ThrowUsed,
    ThrowDeclined,
    ThrowsLapsed,
    PieceCaptured,
    CaptureCounted,
    CaptureVoided,
    ThrowsAgain,
    TurnPassed,
    SeatFinished,
    SeatLeft,
    SeatRemained,
    SideWon,
)
