"""A Ludo match at one moment, and what can be read off it."""

from __future__ import annotations

from dataclasses import dataclass

from sahrat.games.ludo import board
from sahrat.games.ludo.options import LudoOptions

OVER = -1
Pawns = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class State:
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
    """

    options: LudoOptions
    seats: tuple[int, ...]
    pawns: tuple[Pawns, ...]
    places: tuple[int, ...]
    turn: int
    roll: int = 0
    sixes: int = 0
    rolls: int = 0


def initial(options: LudoOptions) -> State:
    """Return the state before the first roll: all pawns in their bases, the first seat on turn."""
    seats = board.SEATS_BY_PLAYERS[options.players]
    full = (board.BASE,) * board.PAWNS
    return State(
        options=options,
        seats=seats,
        pawns=tuple(full if seat in seats else () for seat in range(board.SEATS)),
        places=(0,) * board.SEATS,
        turn=seats[0],
    )


def landing(progress: int, roll: int) -> int:
    """Return where a legal move by this roll ends (rule L2.2)."""
    return board.START if progress == board.BASE else progress + roll


def legal_pawns(pawns: Pawns, roll: int) -> tuple[int, ...]:
    """Return the pawns that may move by this roll, ascending (rule L2.2)."""
    return tuple(
        pawn
        for pawn, progress in enumerate(pawns)
        if (roll == board.ENTRY_ROLL if progress == board.BASE else progress + roll <= board.HOME)
    )


def captured_at(state: State, seat: int, progress: int) -> tuple[tuple[int, int], ...]:
    """Return (seat, pawn) of the opponents whom a pawn landing there sends home (rule L2.4)."""
    square = board.SQUARES[seat][progress]
    if square == board.NOWHERE or square in board.SAFE:
        return ()
    return tuple(
        (other, pawn)
        for other in state.seats
        if other != seat
        for pawn, theirs in enumerate(state.pawns[other])
        if theirs != board.BASE and board.SQUARES[other][theirs] == square
    )


def playing(state: State) -> tuple[int, ...]:
    """Return the seats that have neither finished nor left; each of the others has a place."""
    return tuple(seat for seat in state.seats if not state.places[seat])


def next_seat(state: State, seat: int) -> int:
    """Return who plays after a seat (rule L2.6). Somebody else must still be playing."""
    others = [other for other in playing(state) if other != seat]
    return next((other for other in others if other > seat), others[0])


def open_places(state: State) -> list[int]:
    """Return the places that nobody has yet, best first."""
    return [place for place in range(1, len(state.seats) + 1) if place not in state.places]
