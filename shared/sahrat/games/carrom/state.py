"""A Carrom match at one moment, and what can be read off it."""

from __future__ import annotations

from msgspec import Struct

from sahrat.games.carrom import board
from sahrat.games.carrom.board import Places
from sahrat.games.carrom.messages import Before, Queen
from sahrat.games.carrom.options import CarromOptions

OVER = -1
NOBODY = -1


class State(Struct, frozen=True):
    """Everything the rules look at; equal states go on equally.

    Attributes:
        options: Of the table.
        seats: The seats that play began with, ascending.
        board: The number of the board, from 1; 0 before the first one is laid.
        places: Every piece on the board, without the striker, in the board's frame.
        turn: The seat on turn; `OVER` once the match is over.
        queen: Where she is; `pending` always waits for a cover by the seat on turn, and `held`
            goes back when its turn is over (rule K7).
        first: By colour, whether it has ever had a coin down (rule K5).
        owed: By colour, coins that are still to go back (rule K7).
        tries: Shots that are left to the breaker, the next one among them; 0 once it broke.
        shots: Shots of the match so far, which is the index of the next.
        winner: The colour that has won; `NOBODY` while none has.
    """

    options: CarromOptions
    seats: tuple[int, ...]
    turn: int
    board: int = 0
    places: Places = ()
    queen: Queen = "board"
    first: tuple[bool, ...] = (False, False)
    owed: tuple[int, ...] = (0, 0)
    tries: int = 0
    shots: int = 0
    winner: int = NOBODY


def initial(options: CarromOptions) -> State:
    """Return the state before the first board is laid."""
    seats = board.SEATS_BY_PLAYERS[options.players]
    return State(options=options, seats=seats, turn=seats[0])


def before_shot(state: State) -> Before:
    """Return what the next shot is judged in (rule K5)."""
    if state.queen == "covered":
        return "C"
    if state.queen == "pending":
        return "P"
    first = state.first[board.colour_of(state.turn, state.seats)]
    return "B1" if first or state.options.queen_after_first == "off" else "B0"


def coins_of(options: CarromOptions, colour: int) -> tuple[int, ...]:
    """Return the coins of a colour that are played with, ascending (rule K7)."""
    left_out = board.LEFT_OUT[options.coins_each]
    return tuple(coin for coin in board.COINS[colour] if coin not in left_out)


def coins_down(state: State, colour: int) -> tuple[int, ...]:
    """Return the coins of a colour that are down, ascending."""
    left = {disc for disc, _, _ in state.places}
    return tuple(coin for coin in coins_of(state.options, colour) if coin not in left)


def down(places: Places, options: CarromOptions) -> tuple[int, ...]:
    """Return how many coins of each colour are down."""
    left = {disc for disc, _, _ in places}
    return tuple(
        sum(coin not in left for coin in coins_of(options, colour)) for colour in board.COLOURS
    )


def side(state: State, colour: int) -> tuple[int, ...]:
    """Return the seats of a colour."""
    return tuple(seat for seat in state.seats if board.colour_of(seat, state.seats) == colour)


def next_seat(state: State) -> int:
    """Return who shoots after the seat on turn when the turn passes (rule K4)."""
    return state.seats[(state.seats.index(state.turn) + 1) % len(state.seats)]
