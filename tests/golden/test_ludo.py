"""Ludo against the recorded games of `ludo.jsonl`, state by state. The format: README.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from sahrat.games.game import Awaited, fold
from sahrat.games.ludo import LUDO, LUDO_1, MOVE, ROLL, Ludo, board
from sahrat.games.ludo.messages import DeclineRoll, MovePawn, RollDie
from sahrat.games.ludo.state import OVER, State
from sahrat.messages.base import Message
from sahrat.messages.reasons import Reason, Refused

_LINES: Final = (Path(__file__).parent / "ludo.jsonl").read_text(encoding="utf-8").splitlines()
GAMES: Final[list[dict[str, Any]]] = [json.loads(line) for line in _LINES[1:]]

REPLAYED: Final = [pytest.param(game, id=game["id"]) for game in GAMES]


class Loaded:
    """The die of a recorded game: the number of its next step."""

    def __init__(self) -> None:
        self.value = 0
        self.asked: list[int] = []

    def die(self, index: int, seat: int, number: str) -> int:
        assert seat in range(board.SEATS)
        assert number == ""
        assert self.value
        self.asked.append(index)
        return self.value

    def lot(self, among: int) -> int:
        raise AssertionError(f"seat 0 starts these games, without a lot among {among}")

    def cowries(self, index: int, seat: int, number: str, shells: int) -> int:
        raise AssertionError(f"Ludo has no shells: {index}, {seat}, {number}, {shells}")


class Table:
    """One game under way, with what it must refuse tried at every stop."""

    def __init__(self, game: dict[str, Any], rules: Ludo = LUDO) -> None:
        options: Any = rules.options.model_validate({**game["options"], "players": game["players"]})
        self.chance = Loaded()
        self.state: State = LUDO.initial(options)
        self.log: list[Message] = list(LUDO.begin(self.state, self.chance))
        self.first = self.state

    def play(self, intent: Message) -> None:
        decided = LUDO.decide(self.state, self.state.turn, intent, self.chance)
        assert not isinstance(decided, Refused), decided
        self.take(decided)

    def take(self, events: tuple[Message, ...]) -> None:
        assert events
        self.log += events
        self.state = fold(LUDO, self.state, events)

    def refuses(self, intent: Message, reason: Reason) -> None:
        for seat in range(board.SEATS):
            expected = reason if seat == self.state.turn else Reason.NOT_YOUR_TURN
            if self.state.turn == OVER:
                expected = reason
            decided = LUDO.decide(self.state, seat, intent, self.chance)
            assert isinstance(decided, Refused)
            assert decided.reason == expected

    def step(self, step: dict[str, Any]) -> None:
        if "leave" in step:
            self.take(LUDO.leave(self.state, step["leave"], self.chance))
        if "roll" in step:
            self.chance.value = step["roll"]
            self.play(RollDie(number=""))
            self.chance.value = 0
        if "choose" in step:
            self.check_choice()
            self.play(MovePawn(pawn=step["choose"]))
        if "pass" in step:
            self.check_choice(declinable=True)
            self.play(DeclineRoll())
        assert set(step) <= {"leave", "roll", "choose", "pass"}

    def check_choice(self, *, declinable: bool = False) -> None:
        """A choice is open: nothing but a legal pawn is taken, and nothing declined where none is
        recorded to be.
        """
        assert LUDO.awaited(self.state) == Awaited(self.state.turn, MOVE)
        self.refuses(RollDie(number="1"), Reason.MOVE_EXPECTED)
        shown = LUDO.view(self.state)
        for pawn in range(board.PAWNS):
            if pawn not in shown.movable:
                self.refuses(MovePawn(pawn=pawn), Reason.ILLEGAL_MOVE)
        if self.state.options.may_pass == "off":
            self.refuses(DeclineRoll(), Reason.ILLEGAL_MOVE)
        assert shown.may_decline or not declinable


def _text(state: State) -> str:
    turn = "-" if state.turn == OVER else state.turn
    fields = [f"t{turn} s{state.sixes} x{state.owed} r{state.roll}"]
    for seat in state.seats:
        pawns = ",".join(map(str, state.pawns[seat])) or "gone"
        pawns += "+" * (seat in state.captors)
        fields.append(pawns + (f"#{state.places[seat]}" if state.places[seat] else ""))
    return "|".join(fields)


@pytest.mark.parametrize("game", REPLAYED)
def test_every_state_is_the_recorded_one(game: dict[str, Any]) -> None:
    table = Table(game)
    for n, (step, expected) in enumerate(zip(game["steps"], game["after"], strict=True)):
        table.step(step)
        assert _text(table.state) == expected, f"step {n}: {step}"
    assert [list(pair) for pair in LUDO.places(table.state)] == game["places"]
    assert LUDO.awaited(table.state) is None
    assert fold(LUDO, table.first, table.log) == table.state
    rolls = sum("roll" in step for step in game["steps"])
    assert table.chance.asked == list(range(rolls)), "rolls are counted from 0 without gaps"


@pytest.mark.parametrize("game", REPLAYED)
def test_a_choice_is_asked_for_exactly_where_one_is_recorded(game: dict[str, Any]) -> None:
    """A roll that no `choose` follows in its step leaves a choice open only where somebody left
    in between, which the recorded text shows.
    """
    table = Table(game)
    for step, expected in zip(game["steps"], game["after"], strict=True):
        if "roll" in step and len(step) > 1:
            table.step({"roll": step["roll"]})
            table.step({key: value for key, value in step.items() if key != "roll"})
        else:
            table.step(step)
        awaited = LUDO.awaited(table.state)
        open_choice = awaited is not None and awaited.action == MOVE
        assert open_choice == (" r0|" not in expected)
        if not open_choice and awaited is not None:
            assert awaited.action == ROLL
            table.refuses(MovePawn(pawn=0), Reason.ROLL_FIRST)
            table.refuses(DeclineRoll(), Reason.ROLL_FIRST)


@pytest.mark.parametrize("game", REPLAYED)
def test_everything_is_refused_after_the_end(game: dict[str, Any]) -> None:
    table = Table(game)
    for step in game["steps"]:
        table.step(step)
    table.refuses(RollDie(number="1"), Reason.NOT_PLAYING)
    for pawn in range(board.PAWNS):
        table.refuses(MovePawn(pawn=pawn), Reason.NOT_PLAYING)
    table.refuses(DeclineRoll(), Reason.NOT_PLAYING)
    for seat in table.state.seats:
        assert LUDO.leave(table.state, seat, table.chance) == ()


@pytest.mark.parametrize("game", REPLAYED)
def test_replaying_gives_the_same_events(game: dict[str, Any]) -> None:
    logs = []
    for _ in range(2):
        table = Table(game)
        for step in game["steps"]:
            table.step(step)
        logs.append(table.log)
    assert logs[0] == logs[1]


def test_all_games_are_replayed() -> None:
    assert "about" in json.loads(_LINES[0])
    assert len(GAMES) == len(REPLAYED) == 40
    assert sum(not game["options"] for game in GAMES) == 28
    assert len({option for game in GAMES for option in game["options"]}) == 12


@pytest.mark.parametrize("game", [pytest.param(g, id=g["id"]) for g in GAMES if not g["options"]])
def test_ludo_1_plays_the_games_without_options_alike(game: dict[str, Any]) -> None:
    logs = []
    for rules in (LUDO_1, LUDO):
        table = Table(game, rules)
        for step in game["steps"]:
            table.step(step)
        logs.append(table.log)
    assert logs[0] == logs[1]
