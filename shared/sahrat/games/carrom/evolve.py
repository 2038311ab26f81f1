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
    MatchWon,
    Placed,
    PointsWon,
    Queen,
    QueenReturned,
    SeatLeft,
    ShootsAgain,
    ShotJudged,
    StrikerBlocked,
    StrikerShot,
    TurnPassed,
)
from sahrat.games.carrom.state import NOBODY, OVER, State, down, for_points, parties, team
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
                breaker=breaker,
                board=number,
                places=_places(places),
                queen="board" if state.options.queen == "on" else "covered",
                first=(False,) * parties(state),
                owed=(0,) * parties(state),
                taken=(NOBODY,) * board.DISCS if for_points(state) else (),
                tries=state.options.break_tries,
                shots=state.shots,
                score=state.score,
            )
        case StrikerShot() | StrikerBlocked():
            return replace(state, shots=state.shots + 1)
        case DiscsRested(pocketed=fallen, places=places):
            return rested(state, without_striker(_places(places)), fallen)
        case ShotJudged(returned=returned, queen=queen, owed=owed):
            after = judged(put_down(state, _places(returned)), queen)
            had = zip(state.first, down(after), strict=True)
            return replace(after, first=tuple(ever or coins > 0 for ever, coins in had), owed=owed)
        case DebtsPaid(returned=returned, owed=owed):
            return replace(put_down(state, _places(returned)), owed=owed)
        case QueenReturned(returned=returned):
            return judged(put_down(state, _places(returned)), "board")
        case ShootsAgain():
            return state
        case SeatLeft(seat=seat):
            return replace(state, gone=(*state.gone, seat)) if for_points(state) else state
        case TurnPassed(seat=seat):
            return replace(state, turn=seat)
        case BoardWon():
            return _won(state, event)
        case MatchWon(seats=seats):
            return replace(state, turn=OVER, ranks=_two_sides(state, seats))
        case PointsWon(ranks=ranks):
            return replace(state, turn=OVER, ranks=tuple((rank.seat, rank.place) for rank in ranks))
        case _:
            raise TypeError(f"{type(event).__name__} is no event of Carrom")


def rested(state: State, left: Places, fallen: Sequence[int]) -> State:
    """Return the match after a shot in which these fell and the others rest there, before it is
    judged.
    """
    untouched = left == state.places and not fallen
    taken = tuple(
        state.turn if disc >= board.FIRST_COIN and disc in fallen else by
        for disc, by in enumerate(state.taken)
    )
    tries = state.tries - 1 if untouched and state.tries else 0
    return replace(state, places=left, taken=taken, tries=tries)


def put_down(state: State, returned: Places) -> State:
    """Return the match after pieces went back there."""
    back = {disc for disc, _, _ in returned}
    taken = tuple(NOBODY if disc in back else by for disc, by in enumerate(state.taken))
    return replace(state, places=tuple(sorted((*state.places, *returned))), taken=taken)


def judged(state: State, queen: Queen) -> State:
    """Return the match after the queen is there by a shot of the seat on turn."""
    covers = queen == "covered" and state.queen != "covered"
    return replace(state, queen=queen, covered_by=state.turn if covers else state.covered_by)


def _won(state: State, event: BoardWon) -> State:
    colour = board.COLOUR_NAMES.index(event.colour)
    state = replace(state, winner=colour)
    if state.options.match == "one_board":
        return replace(state, turn=OVER, ranks=_two_sides(state, event.seats))
    score = list(state.score)
    score[team(state, colour)] += event.points
    return replace(state, score=tuple(score))


def _two_sides(state: State, won: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Return the places of two sides: (seat, place), those that have won first."""
    lost = [seat for seat in state.seats if seat not in won]
    return (*((seat, 1) for seat in won), *((seat, 2) for seat in lost))


def layout(places: Places) -> tuple[Placed, ...]:
    """Return places as messages have them."""
    return tuple(Placed(disc=disc, x=x, y=y) for disc, x, y in places)


def without_striker(places: Places) -> Places:
    """Return places with the striker lifted."""
    return tuple(place for place in places if place[0] != board.STRIKER)


def _places(found: Sequence[Placed]) -> Places:
    return tuple((placed.disc, placed.x, placed.y) for placed in found)
