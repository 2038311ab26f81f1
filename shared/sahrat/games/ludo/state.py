"""A Ludo match at one moment, and what can be read off it."""

from __future__ import annotations

from msgspec import Struct

from sahrat.games.ludo import board
from sahrat.games.ludo.options import ON, LudoOptions

OVER = -1
Pawns = tuple[int, ...]


class Board(Struct, frozen=True):
    """What `three_sixes` = `rollback_turn` brings back (rule L5.4); see `State`."""

    pawns: tuple[Pawns, ...]
    captors: tuple[int, ...]


class State(Struct, frozen=True):
    """Everything the rules look at; equal states go on equally.

    Attributes:
        options: Of the table.
        seats: The seats that play began with, ascending.
        pawns: Progress of pawns 0..3 by seat 0..3; empty for a seat that is not there (any more).
        places: Place by seat 0..3; 0 while there is none.
        turn: The seat on turn; `OVER` once the match is over.
        roll: The number that waits for a choice; 0 if a roll is awaited.
        sixes: Sixes in a row in this turn so far.
        rolls: Rolls of the match so far, which is the index of the next.
        done: The seats that have brought their pawns home, in that order; of partners one may have
            that before his side has a place.
        owed: Rolls that are due after the one that is awaited or waits for a choice (rule L5.8).
        captors: The seats that have captured, ascending; only where it matters (rule L5.14).
        before: The board as this turn began; only where it may come back (rule L5.4).
    """

    options: LudoOptions
    seats: tuple[int, ...]
    pawns: tuple[Pawns, ...]
    places: tuple[int, ...]
    turn: int
    roll: int = 0
    sixes: int = 0
    rolls: int = 0
    done: tuple[int, ...] = ()
    owed: int = 0
    captors: tuple[int, ...] = ()
    before: Board | None = None


def initial(options: LudoOptions) -> State:
    """Return the state before the first roll, the first seat on turn (rules L2, L5.16)."""
    seats = board.SEATS_BY_PLAYERS[options.players]
    out = options.pawns_out
    each = (board.START,) * out + (board.BASE,) * (board.PAWNS - out)
    pawns = tuple(each if seat in seats else () for seat in range(board.SEATS))
    return State(
        options=options,
        seats=seats,
        pawns=pawns,
        places=(0,) * board.SEATS,
        turn=seats[0],
        before=Board(pawns, ()) if options.three_sixes == "rollback_turn" else None,
    )


def gone(state: State, seat: int) -> bool:
    """Tell whether a seat has left for good."""
    return not state.pawns[seat]


def playing(state: State) -> tuple[int, ...]:
    """Return the seats that have neither finished nor left."""
    return tuple(seat for seat in state.seats if state.pawns[seat] and seat not in state.done)


def next_seat(state: State, seat: int) -> int:
    """Return who plays after a seat (rule L2.6). Somebody else must still be playing."""
    others = [other for other in playing(state) if other != seat]
    return next((other for other in others if other > seat), others[0])


def open_places(state: State) -> list[int]:
    """Return the places that nobody has yet, best first; the first alone where no other counts."""
    last = 1 if state.options.finish == "first_only" else len(state.seats)
    return [place for place in range(1, last + 1) if place not in state.places]


def side(state: State, seat: int) -> tuple[int, ...]:
    """Return a seat with its partner, if it has one (rule L5.19)."""
    return board.SIDES[seat % len(board.SIDES)] if state.options.teams == ON else (seat,)


def opponents(state: State, seat: int) -> tuple[int, ...]:
    """Return the seats at the table that are not of a seat's side."""
    own = side(state, seat)
    return tuple(other for other in state.seats if other not in own)
