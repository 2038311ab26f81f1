"""A Pachisi match at one moment, and what can be read off it."""

from __future__ import annotations

from msgspec import Struct

from sahrat.games.pachisi import board
from sahrat.games.pachisi.options import ON, PachisiOptions
from sahrat.games.pachisi.parts import AgainWhy, OpenThrow

OVER = -1
Pieces = tuple[int, ...]


class Captured(Struct, frozen=True):
    """The last time that a seat captured another (rule P5.22).

    Attributes:
        captor, victim: Who captured whom.
        pieces: The captor's, that did it.
        square: The shared square.
        due: The victim's turn, by number, in which it can be taken away.
        first: It was the first time that the one captured the other.
    """

    captor: int
    victim: int
    pieces: Pieces
    square: int
    due: int
    first: bool


class State(Struct, frozen=True):
    """Everything the rules look at; equal states go on equally.

    Attributes:
        options: Of the table.
        seats: The colours that play began with, ascending.
        pieces: Progress of pieces 0..3 by seat 0..3; empty for a seat that is not there, or has
            left before it had all of them home.
        places: Place by seat 0..3; 0 while there is none.
        turn: The seat on turn; `OVER` once the match is over.
        items: The open throws, in the order thrown.
        using: One of them is to be used or declined; else a throw is awaited.
        more: Why another throw is owed after these, if one is.
        throws: Throws of the match so far, which is the index of the next.
        run_of, run: The kind of the last throws of this turn, and how many in a row; only where it
            matters (rule P5.24).
        graced: A throw that enters fell in this turn (rule P5.15); where throws wait for the end
            of the turn the open ones say so.
        entered: The seats that have brought in their first piece, ascending (rule P4.3).
        gate: The seats that have thrown 2, 3 or 4, ascending; only where it matters (rule P5.10).
        credit: Captures that count, by seat; only where it matters (rule P5.21).
        turns: How often each seat has been given the turn; only where it matters (rule P5.22).
        captures: The last one for each two seats, by captor and victim; only where it matters.
        done: The seats that have all pieces home, in that order.
        left: The seats that have left for good, ascending.
    """

    options: PachisiOptions
    seats: tuple[int, ...]
    pieces: tuple[Pieces, ...]
    places: tuple[int, ...]
    turn: int
    items: tuple[OpenThrow, ...] = ()
    using: bool = False
    more: AgainWhy | None = None
    throws: int = 0
    run_of: board.Run = ""
    run: int = 0
    graced: bool = False
    entered: tuple[int, ...] = ()
    gate: tuple[int, ...] = ()
    credit: tuple[int, ...] = (0,) * board.SEATS
    turns: tuple[int, ...] = (0,) * board.SEATS
    captures: tuple[Captured, ...] = ()
    done: tuple[int, ...] = ()
    left: tuple[int, ...] = ()


def initial(options: PachisiOptions) -> State:
    """Return the state before the first throw, the first seat on turn (rules P3, P5.6)."""
    seats = board.SEATS_BY_PLAYERS[options.players]
    if options.two_colours == ON:
        seats = tuple(range(board.SEATS))
    none = (board.CHARKONI,) * board.PIECES
    return State(
        options=options,
        seats=seats,
        pieces=tuple(none if seat in seats else () for seat in range(board.SEATS)),
        places=(0,) * board.SEATS,
        turn=seats[0],
    )


def has_sides(options: PachisiOptions) -> bool:
    """Tell whether opposite colours belong together (rules P5.5, P5.6)."""
    return ON in (options.teams, options.two_colours)


def player(options: PachisiOptions, seat: int) -> int:
    """Return whose seat at the table a colour is: its own, or the first of the player's two (rule
    P5.6).
    """
    return seat % len(board.SIDES) if options.two_colours == ON else seat


def side(state: State, seat: int) -> tuple[int, ...]:
    """Return a seat with its partner, if it has one."""
    return board.SIDES[seat % len(board.SIDES)] if has_sides(state.options) else (seat,)


def opponents(state: State, seat: int) -> tuple[int, ...]:
    """Return the seats at the table that are not of a seat's side."""
    own = side(state, seat)
    return tuple([other for other in state.seats if other not in own])


def playing(state: State) -> tuple[int, ...]:
    """Return the seats that have neither finished nor left."""
    return tuple(s for s in state.seats if s not in state.left and s not in state.done)


def mover(state: State) -> int:
    """Return whose pieces the seat on turn moves: its own, or its partner's (rule P5.7)."""
    if state.turn in state.done:
        return next(seat for seat in side(state, state.turn) if seat != state.turn)
    return state.turn


def next_seat(state: State, seat: int) -> int:
    """Return who plays after a seat (rules P3, P5.7). Somebody else must still be playing."""
    on = playing(state)
    if state.options.finished_partner == "plays_partner":
        on = tuple(other for other in state.seats if other not in state.left)
    others = [other for other in on if other != seat]
    return next((other for other in others if other > seat), others[0])


def open_places(state: State) -> list[int]:
    """Return the places that nobody has yet, best first; the first alone where no other counts."""
    last = 1 if state.options.finish == "first_only" else len(state.seats)
    return [place for place in range(1, last + 1) if place not in state.places]


def plays_at_the_end(options: PachisiOptions) -> bool:
    """Tell whether throws are used once the last one of a turn has fallen (rule P5.9)."""
    return options.timing == "turn_end"


def without_credit(state: State, seat: int) -> bool:
    """Tell whether a seat has still to capture before it may come home (rule P5.21)."""
    return state.options.capture_before_home == ON and not state.credit[seat]


def captured_last(state: State, captor: int, victim: int) -> Captured | None:
    """Return the last time that one seat captured another, where it matters (rule P5.22)."""
    return next((c for c in state.captures if (c.captor, c.victim) == (captor, victim)), None)
