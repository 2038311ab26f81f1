"""What the Carrom tests have in common: positions written down by hand, and shots that are told.

`told` stands in for the physics where a test is about what a shot means: it says what falls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from sahrat.games.carrom import CARROM, Carrom, board
from sahrat.games.carrom.board import Places
from sahrat.games.carrom.messages import BoardWon, Queen, Shoot, ShootsAgain, ShotJudged, TurnPassed
from sahrat.games.carrom.options import CarromOptions
from sahrat.games.carrom.physics import Rest, Shot
from sahrat.games.carrom.rules import Simulate
from sahrat.games.carrom.state import State
from sahrat.games.game import fold
from sahrat.messages.base import Message
from sahrat.messages.reasons import Refused

SOUTH, EAST, NORTH, WEST = range(4)
WHITE, BLACK = board.COLOURS


class NoChance:
    """There is nothing to draw in Carrom."""

    def die(self, index: int, seat: int, number: str) -> int:
        raise AssertionError(f"no dice here: {index} {seat} {number}")

    def cowries(self, index: int, seat: int, number: str, shells: int) -> int:
        raise AssertionError(f"no shells here: {index} {seat} {number} {shells}")

    def lot(self, among: int) -> int:
        raise AssertionError(f"no lots here: {among}")


NO_CHANCE: Final = NoChance()


def begun(**options: object) -> State:
    """Return a match whose board has just been laid."""
    state = CARROM.initial(CarromOptions.model_validate(options))
    found: State = fold(CARROM, state, CARROM.begin(state, NO_CHANCE))
    return found


def position(
    places: Places,
    *,
    turn: int = SOUTH,
    queen: Queen = "board",
    first: Sequence[bool] = (True, True),
    players: int | str = 2,
    shots: int = 5,
) -> State:
    """Return a match in which these pieces lie on the board; all others are down."""
    return State(
        options=CarromOptions.model_validate({"players": players}),
        seats=board.SEATS_BY_PLAYERS[players],
        turn=turn,
        board=1,
        places=tuple(sorted(places)),
        queen=queen,
        first=tuple(first),
        shots=shots,
    )


def with_down(
    *gone: int, turn: int = SOUTH, queen: Queen = "board", first: Sequence[bool] = (True, True)
) -> State:
    """Return a match with the opening layout, but for pieces that are down."""
    left = tuple(place for place in board.RACK if place[0] not in gone)
    return position(left, turn=turn, queen=queen, first=first)


def told(*fallen: int) -> Simulate:
    """Return a physics in which these discs fall, in this order, and nothing else moves."""

    def simulate(shot: Shot) -> Rest:
        assert set(fallen) <= {disc for disc, _, _ in shot.places}
        left = tuple(place for place in shot.places if place[0] not in fallen)
        return Rest(left, fallen, 1)

    return simulate


def judged(events: Sequence[Message]) -> ShotJudged:
    """Return what was judged."""
    (found,) = [event for event in events if isinstance(event, ShotJudged)]
    return found


AHEAD: Final = Shoot(x=0, dx=0, dy=1, speed=1_000_000)


def at(state: State, **options: Any) -> State:
    """Return the same moment of a match at a table with other options."""
    chosen = CarromOptions.model_validate({"players": state.options.players, **options})
    return replace(state, options=chosen)


def shot(state: State, *fallen: int) -> tuple[Message, ...]:
    """Return what the seat on turn brings about by a shot in which these discs fall."""
    found = Carrom(told(*fallen)).decide(state, state.turn, AHEAD, NO_CHANCE)
    assert not isinstance(found, Refused), found
    return found


def means(state: State, *fallen: int) -> tuple[str, list[int], str, str | None, str]:
    """Return row, what went back, the queen, the foul and who goes on."""
    events = shot(state, *fallen)
    found = judged(events)
    match events[-1]:
        case ShootsAgain():
            next_ = "again"
        case TurnPassed():
            next_ = "pass"
        case BoardWon(seats=seats, why=why):
            next_ = f"{'own' if state.turn in seats else 'other'} wins: {why}"
        case other:
            raise AssertionError(other)
    back = [placed.disc for placed in found.returned]
    assert found.foul == (found.foul_reason is not None)
    return found.row, back, found.queen, found.foul_reason, next_
