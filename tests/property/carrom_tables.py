"""Tables of Carrom with all kinds of options, played by telling what falls."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Final

from sahrat.games.carrom import CARROM, Carrom
from sahrat.games.carrom.messages import (
    BoardLaid,
    BoardWon,
    DebtsPaid,
    MatchWon,
    PointsWon,
    Shoot,
    ShootsAgain,
    ShotJudged,
    TurnPassed,
)
from sahrat.games.carrom.options import CarromOptions
from sahrat.games.carrom.state import OVER, State, points
from sahrat.games.game import fold
from sahrat.messages.base import Message
from sahrat.messages.reasons import Refused
from tests.property.carrom_referee import Referee, Said
from tests.property.option_tables import OptionTables
from tests.unit.games.carrom_table import NO_CHANCE, told

TABLES: Final = OptionTables(
    CarromOptions, {("players", 3): {"mode": "points"}, ("players", 4): {"mode": "points"}}
)
AHEAD: Final = Shoot(x=0, dx=0, dy=1, speed=1_000_000)
LEAVES: Final = 0.002
SHOTS_BOUND: Final = 4_000  # in a match of at most 5,000 records

Falls = Callable[[random.Random, State], list[int]]


def falls(chance: random.Random, state: State) -> list[int]:
    """Return what falls in a shot: mostly few, now and then the striker and very many."""
    there = [disc for disc, _, _ in state.places]
    most = len(there) if chance.random() < 0.03 else chance.choice((0, 0, 1, 1, 1, 2, 3))
    fell = chance.sample(there, min(most, len(there)))
    if chance.random() < 0.08:
        fell.insert(chance.randint(0, len(fell)), 0)
    return fell


def compare(values: Mapping[str, Any], seed: int, what: Falls = falls) -> State:
    """Play a match by chance, to its end; after each shot it stands as the referee says."""
    chance = random.Random(seed)
    options = CarromOptions.model_validate(values)
    state: State = CARROM.initial(options)
    first = state
    referee = Referee(options.model_dump(), list(state.seats))
    log: list[Message] = list(CARROM.begin(state, NO_CHANCE))
    state = fold(CARROM, state, log)
    while state.turn != OVER:
        assert state.shots < SHOTS_BOUND, values
        if chance.random() < LEAVES:
            seat = chance.choice([seat for seat in state.seats if seat not in referee.left])
            referee.leave(seat)
            events = CARROM.leave(state, seat, NO_CHANCE)
        else:
            fell = what(chance, state)
            decided = Carrom(told(*fell)).decide(state, state.turn, AHEAD, NO_CHANCE)
            assert not isinstance(decided, Refused), decided
            events = decided
            _check_shot(events, referee.shot(fell, touched=bool(fell)))
        log += events
        state = fold(CARROM, state, events)
        _check_state(state, events, referee)
    assert fold(CARROM, first, log) == state
    return state


def _check_shot(events: tuple[Message, ...], said: Said) -> None:
    found = next(event for event in events if isinstance(event, ShotJudged))
    debts = [event for event in events if isinstance(event, DebtsPaid)]
    assert (found.before, found.row, found.queen) == (said.before, said.row, said.queen)
    assert (found.foul_reason or "-", found.foul) == (said.foul, said.foul != "-")
    assert [placed.disc for placed in found.returned] == said.back
    assert [placed.disc for one in debts for placed in one.returned] == said.debts
    match said.turn:
        case "again" | "untouched":
            last = events[-1]
            assert isinstance(last, ShootsAgain)
            assert last.why == ("earned" if said.turn == "again" else "untouched")
        case "pass":
            assert isinstance(events[-1], TurnPassed)
        case _:
            assert any(isinstance(event, BoardWon | PointsWon) for event in events)


def _check_state(state: State, events: tuple[Message, ...], referee: Referee) -> None:
    assert (state.turn == OVER) == (referee.winners is not None)
    assert list(state.score) == [referee.score[0], referee.score[1]]
    if referee.winners is not None:
        _check_end(state, events, referee.winners)
        return
    assert (state.turn, state.board) == (referee.turn, referee.number)
    assert {disc for disc, _, _ in state.places} == referee.up
    assert state.queen == referee.queen
    assert state.owed == tuple(referee.debt.values())
    assert state.first == tuple(referee.ever.values())
    assert list(points(state)) == [
        referee.points(seat) for seat in (referee.seats if referee.alone else [])
    ]
    board = CARROM.view(state)
    assert board.down == tuple(len(referee.down(group)) for group in referee.debt)
    if isinstance(events[-1], BoardLaid):
        white = [seat for seat in state.seats if not referee.alone and not referee.group(seat)]
        assert (events[-1].breaker, list(events[-1].white)) == (referee.breaker, white)


def _check_end(state: State, events: tuple[Message, ...], winners: list[list[int]]) -> None:
    assert isinstance(events[-1], BoardWon | MatchWon | PointsWon)
    due, place = [], 1
    for seats in winners:
        due += [(seat, place) for seat in seats]
        alone = state.options.mode == "points"
        place += len(seats) if alone else 1
    assert list(CARROM.places(state)) == due
    assert sorted(seat for seat, _ in due) == list(state.seats)
