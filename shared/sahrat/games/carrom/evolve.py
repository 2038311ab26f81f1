"""What an event makes of a match: it happened, and is never refused."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from sahrat.games.carrom import board
from sahrat.games.carrom.board import Places
from sahrat.games.carrom.messages import (
    BoardLaid,
    BoardWon,
    DebtsPaid,
    DiscsRested,
    Placed,
    SeatLeft,
    ShootsAgain,
    ShotJudged,
    StrikerBlocked,
    StrikerShot,
    TurnPassed,
)
from sahrat.games.carrom.state import OVER, State, down
from sahrat.messages.base import Message


def evolve(state: State, event: Message) -> State:
    """Return the match after an event.

    Raises:
        TypeError: It is no event of Carrom.
    """
    match event:
        case BoardLaid(board=number, breaker=breaker, places=places):
            return State(
                options=state.options,
                seats=state.seats,
                turn=breaker,
                board=number,
                places=_places(places),
                queen="board" if state.options.queen == "on" else "covered",
                tries=state.options.break_tries,
                shots=state.shots,
            )
        case StrikerShot() | StrikerBlocked():
            return replace(state, shots=state.shots + 1)
        case DiscsRested(pocketed=fallen, places=places):
            return rested(state, without_striker(_places(places)), fallen)
        case ShotJudged(returned=returned, queen=queen, owed=owed):
            after = put_down(state, _places(returned))
            first = tuple(
                had or coins > 0
                for had, coins in zip(state.first, down(after.places, after.options), strict=True)
            )
            return replace(after, queen=queen, first=first, owed=owed)
        case DebtsPaid(returned=returned, owed=owed):
            return replace(put_down(state, _places(returned)), owed=owed)
        case ShootsAgain() | SeatLeft():
            return state
        case TurnPassed(seat=seat):
            return replace(state, turn=seat)
        case BoardWon(colour=colour):
            return replace(state, turn=OVER, winner=board.COLOUR_NAMES.index(colour))
        case _:
            raise TypeError(f"{type(event).__name__} is no event of Carrom")


def rested(state: State, left: Places, fallen: Sequence[int]) -> State:
    """Return the match after a shot in which these fell and the others rest there, before it is
    judged.
    """
    untouched = left == state.places and not fallen
    return replace(state, places=left, tries=state.tries - 1 if untouched and state.tries else 0)


def put_down(state: State, returned: Places) -> State:
    """Return the match after pieces went back there."""
    return replace(state, places=tuple(sorted((*state.places, *returned))))


def layout(places: Places) -> tuple[Placed, ...]:
    """Return places as messages have them."""
    return tuple(Placed(disc=disc, x=x, y=y) for disc, x, y in places)


def without_striker(places: Places) -> Places:
    """Return places with the striker lifted."""
    return tuple(place for place in places if place[0] != board.STRIKER)


def _places(found: Sequence[Placed]) -> Places:
    return tuple((placed.disc, placed.x, placed.y) for placed in found)
