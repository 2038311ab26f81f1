"""Who starts (rules P5.8, P6)."""

from __future__ import annotations

from sahrat.games.game import Chance
from sahrat.games.pachisi import board, throws
from sahrat.games.pachisi.messages import StartDecided, StartThrown
from sahrat.games.pachisi.state import State
from sahrat.messages.base import Message

Events = tuple[Message, ...]


def begin(state: State, chance: Chance) -> Events:
    """Return what decides who starts; nothing where it is the first seat."""
    match state.options.start:
        case "first_seat":
            return ()
        case "random":
            seat = state.seats[chance.lot(len(state.seats))]
            return (StartDecided(seat=seat, why="random"),)
        case "highest_throw":
            return _thrown_for(state, chance)


def _thrown_for(state: State, chance: Chance) -> Events:
    """Throw for the seats, in their order and without numbers, until one has the highest alone."""
    thrown: list[StartThrown] = []
    left = state.seats
    for _ in range(board.START_ROUNDS):
        this_round = [
            _thrown(state, chance, state.throws + len(thrown) + nth, seat)
            for nth, seat in enumerate(left)
        ]
        thrown += this_round
        highest = max(one.value for one in this_round)
        left = tuple(one.seat for one in this_round if one.value == highest)
        if len(left) == 1:
            break
    return *thrown, StartDecided(seat=left[0], why="highest_throw")


def _thrown(state: State, chance: Chance, index: int, seat: int) -> StartThrown:
    shells = state.options.cowries
    mouths = chance.cowries(index, seat, "", shells)
    value = throws.values(state.options)[mouths]
    return StartThrown(index=index, seat=seat, shells=shells, mouths=mouths, value=value)
