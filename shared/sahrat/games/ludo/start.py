"""Who starts (rules L2, L5.21, L6)."""

from __future__ import annotations

from sahrat.games.game import Chance
from sahrat.games.ludo import board
from sahrat.games.ludo.messages import StartDecided, StartRolled
from sahrat.games.ludo.state import State
from sahrat.messages.base import Message

Events = tuple[Message, ...]


def begin(state: State, chance: Chance) -> Events:
    """Return what decides who starts; nothing where it is the first seat by its colour."""
    match state.options.start:
        case "red":
            return ()
        case "random":
            seat = state.seats[chance.lot(len(state.seats))]
            return (StartDecided(seat=seat, why="random"),)
        case "highest_roll":
            return _rolled_for(state, chance)


def _rolled_for(state: State, chance: Chance) -> Events:
    """Let the seats roll, in their order and without numbers, until one has the highest alone."""
    rolled: list[StartRolled] = []
    left = state.seats
    for _ in range(board.START_ROUNDS):
        first = state.rolls + len(rolled)
        this_round = [
            StartRolled(index=index, seat=seat, value=chance.die(index, seat, ""))
            for index, seat in enumerate(left, first)
        ]
        rolled += this_round
        highest = max(one.value for one in this_round)
        left = tuple(one.seat for one in this_round if one.value == highest)
        if len(left) == 1:
            break
    return *rolled, StartDecided(seat=left[0], why="highest_roll")
