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
    """Everything the rules look at; equal states go on equally. What is said by party is said of
    white and black or, where everybody plays for points, of each seat (rule K7).

    Attributes:
        options: Of the table.
        seats: The seats that play began with, ascending.
        breaker: The seat that broke the board; its side has white.
        board: The number of the board, from 1; 0 before the first one is laid.
        places: Every piece on the board, without the striker, in the board's frame.
        turn: The seat on turn; `OVER` once the match is over.
        queen: Where she is; `pending` always waits for a cover by the seat on turn, and `held`
            goes back when its turn is over (rule K7).
        covered_by: The seat that covered her; `NOBODY` while none has.
        first: By party, whether it has ever had a coin down (rule K5).
        owed: By party, coins that are still to go back (rule K7).
        taken: For points: by disc, the seat that sank it; `NOBODY` of what lies on the board. Else
            empty.
        tries: Shots that are left to the breaker, the next one among them; 0 once it broke.
        shots: Shots of the match so far, which is the index of the next.
        score: What the first seat's side and the other have won of a match of several boards.
        winner: The colour that has won the board; `NOBODY` while none has.
        gone: For points: the seats that left for good, in this order.
        ranks: (seat, place), best place first; empty before the match is over.
    """

    options: CarromOptions
    seats: tuple[int, ...]
    turn: int
    breaker: int = board.SOUTH
    board: int = 0
    places: Places = ()
    queen: Queen = "board"
    covered_by: int = NOBODY
    first: tuple[bool, ...] = (False, False)
    owed: tuple[int, ...] = (0, 0)
    taken: tuple[int, ...] = ()
    tries: int = 0
    shots: int = 0
    score: tuple[int, ...] = (0, 0)
    winner: int = NOBODY
    gone: tuple[int, ...] = ()
    ranks: tuple[tuple[int, int], ...] = ()


def initial(options: CarromOptions) -> State:
    """Return the state before the first board is laid."""
    seats = board.SEATS_BY_PLAYERS[options.players]
    return State(options=options, seats=seats, turn=seats[0])


def for_points(state: State) -> bool:
    """Tell whether everybody plays alone, for the points of what he sinks (rule K7)."""
    return state.options.mode == "points"


def before_shot(state: State) -> Before:
    """Return what the next shot is judged in (rule K5)."""
    if state.queen == "covered":
        return "C"
    if state.queen == "pending":
        return "P"
    first = state.first[party(state, state.turn)]
    return "B1" if first or state.options.queen_after_first == "off" else "B0"


# ---- parties: white and black, or each seat


def party(state: State, seat: int) -> int:
    """Return a seat's colour, which is white for the breaker's side (rule K4); for points, where it
    stands among the seats.
    """
    number = state.seats.index(seat)
    return number if for_points(state) else (number - state.seats.index(state.breaker)) % 2


def parties(state: State) -> int:
    """Return how many there are."""
    return len(state.seats) if for_points(state) else len(board.COLOURS)


def side(state: State, colour: int) -> tuple[int, ...]:
    """Return the seats of a colour; none for points."""
    if for_points(state):
        return ()
    return tuple(seat for seat in state.seats if party(state, seat) == colour)


def team(state: State, colour: int) -> int:
    """Return whose score is that of a colour: 0 is the first seat's side, 1 the other."""
    return int(state.seats[0] not in side(state, colour))


def next_seat(state: State) -> int:
    """Return who shoots after the seat on turn when the turn passes (rule K4)."""
    at = state.seats.index(state.turn)
    return next(
        seat for seat in (*state.seats[at + 1 :], *state.seats[: at + 1]) if seat not in state.gone
    )


# ---- coins


def coins_of(options: CarromOptions, colour: int) -> tuple[int, ...]:
    """Return the coins of a colour that are played with, ascending (rule K7)."""
    left_out = board.LEFT_OUT[options.coins_each]
    return tuple(coin for coin in board.COINS[colour] if coin not in left_out)


def own_coins(state: State, seat: int) -> tuple[int, ...]:
    """Return the coins that a seat may sink: those of its colour; for points, all."""
    if for_points(state):
        return (*coins_of(state.options, board.WHITE), *coins_of(state.options, board.BLACK))
    return coins_of(state.options, party(state, seat))


def coins_down(state: State, of: int) -> tuple[int, ...]:
    """Return the coins of a party that are down, ascending."""
    if for_points(state):
        seat = state.seats[of]
        return tuple(disc for disc, by in enumerate(state.taken) if by == seat)
    left = {disc for disc, _, _ in state.places}
    return tuple(coin for coin in coins_of(state.options, of) if coin not in left)


def down(state: State) -> tuple[int, ...]:
    """Return how many coins of each party are down."""
    return tuple(len(coins_down(state, of)) for of in range(parties(state)))


def value(options: CarromOptions, disc: int) -> int:
    """Return what a piece is worth where everybody plays for points."""
    black, white, queen = board.POINTS[options.point_values]
    if disc == board.QUEEN:
        return queen
    return white if disc in board.WHITES else black


def points(state: State) -> tuple[int, ...]:
    """Return the points of each seat; empty where nobody plays for them."""
    if not for_points(state):
        return ()
    return tuple(
        sum(value(state.options, coin) for coin in coins_down(state, of))
        + (value(state.options, board.QUEEN) if state.covered_by == seat else 0)
        for of, seat in enumerate(state.seats)
    )
