"""Pachisi against the recorded games of `pachisi.jsonl`, state by state. The format: README.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from sahrat.games.game import Awaited, fold
from sahrat.games.pachisi import PACHISI, THROW, USE, board
from sahrat.games.pachisi.messages import (
    DeclineThrow,
    MoveGroup,
    MovePiece,
    SplitThrow,
    ThrowCowries,
)
from sahrat.games.pachisi.options import PachisiOptions
from sahrat.games.pachisi.parts import OpenThrow, Share
from sahrat.games.pachisi.state import OVER, State
from sahrat.messages.base import Message
from sahrat.messages.reasons import Reason, Refused

_LINES: Final = (Path(__file__).parent / "pachisi.jsonl").read_text(encoding="utf-8").splitlines()
GAMES: Final[list[dict[str, Any]]] = [json.loads(line) for line in _LINES[1:]]

REPLAYED: Final = [pytest.param(game, id=game["id"]) for game in GAMES]


class Loaded:
    """The cowries of a recorded game: those of its next step."""

    def __init__(self) -> None:
        self.mouths: int | None = None
        self.asked: list[int] = []

    def die(self, index: int, seat: int, number: str) -> int:
        raise AssertionError(f"Pachisi has no die: {index}, {seat}, {number}")

    def lot(self, among: int) -> int:
        raise AssertionError(f"seat 0 starts these games, without a lot among {among}")

    def cowries(self, index: int, seat: int, number: str, shells: int) -> int:
        assert seat in range(board.SEATS)
        assert number == ""
        assert self.mouths is not None
        assert self.mouths <= shells
        self.asked.append(index)
        return self.mouths


class Table:
    """One game under way, with what it must refuse tried at every stop."""

    def __init__(self, game: dict[str, Any]) -> None:
        preset = PachisiOptions.presets[game["preset"]]
        options = PachisiOptions.model_validate(
            {**preset, **game["options"], "players": game["players"]}
        )
        self.chance = Loaded()
        self.state: State = PACHISI.initial(options)  # the throw-off is left out: seat 0 starts
        self.log: list[Message] = []
        self.first = self.state

    def play(self, intent: Message) -> None:
        decided = PACHISI.decide(self.state, self.state.turn, intent, self.chance)
        assert not isinstance(decided, Refused), decided
        self.take(decided)

    def take(self, events: tuple[Message, ...]) -> None:
        assert events
        self.log += events
        self.state = fold(PACHISI, self.state, events)

    def refuses(self, intent: Message, reason: Reason) -> None:
        for seat in range(board.SEATS):
            expected = reason if seat == self.state.turn else Reason.NOT_YOUR_TURN
            if self.state.turn == OVER:
                expected = reason
            decided = PACHISI.decide(self.state, seat, intent, self.chance)
            assert isinstance(decided, Refused)
            assert decided.reason == expected

    def step(self, step: dict[str, Any]) -> None:
        if "throw" in step:
            self.chance.mouths = step["throw"]
            self.play(ThrowCowries(number=""))
            self.chance.mouths = None
        elif "leave" in step:
            self.take(PACHISI.leave(self.state, step["leave"], self.chance))
        else:
            self.play(intent_of(step["use"]))

    def check_awaited(self) -> None:
        """Nothing but what is awaited is taken, and no choice but what the view shows."""
        turn = self.state.turn
        if not self.state.using:
            assert PACHISI.awaited(self.state) == Awaited(turn, THROW)
            self.refuses(MovePiece(item=0, piece=0, lap=False), Reason.ROLL_FIRST)
            self.refuses(DeclineThrow(item=0), Reason.ROLL_FIRST)
            return
        assert PACHISI.awaited(self.state) == Awaited(turn, USE)
        self.refuses(ThrowCowries(number="1"), Reason.MOVE_EXPECTED)
        shown = {choice.item: choice for choice in PACHISI.view(self.state).choices}
        assert list(shown) == list(range(len(self.state.items)))
        for item in range(len(shown) + 1):
            open_to = shown[item].pieces if item in shown else ()
            laps = shown[item].laps if item in shown else ()
            for piece in range(board.PIECES):
                if piece not in open_to:
                    self.refuses(MovePiece(item=item, piece=piece, lap=False), Reason.ILLEGAL_MOVE)
                if piece not in laps:
                    self.refuses(MovePiece(item=item, piece=piece, lap=True), Reason.ILLEGAL_MOVE)
            if item not in shown or not shown[item].may_decline:
                self.refuses(DeclineThrow(item=item), Reason.ILLEGAL_MOVE)


def intent_of(use: dict[str, Any]) -> Message:
    item, lap = use.get("item", 0), use.get("lap", False)
    if "decline" in use:
        return DeclineThrow(item=item)
    if "pieces" in use:
        return MoveGroup(item=item, pieces=tuple(use["pieces"]), lap=lap)
    if "parts" in use:
        shares = [Share(piece=p[0], steps=p[1], lap=len(p) > 2) for p in use["parts"]]
        return SplitThrow(item=item, shares=tuple(shares))
    return MovePiece(item=item, piece=use["piece"], lap=lap)


# ---- the state as text


def item_text(item: OpenThrow) -> str:
    match item.part:
        case "enter":
            return "e"
        case "pyada":
            return "+1"
        case _:
            return f"{item.value}{'e' * item.enters}"


def row_text(state: State, seat: int) -> str:
    if seat not in state.seats:
        return "-"
    return ".".join(map(str, state.pieces[seat])) + "x" * (seat in state.left)


def text(state: State) -> str:
    over, options = state.turn == OVER, state.options
    placed = sorted((state.places[seat], seat) for seat in state.seats if state.places[seat])
    gate = options.opening_gate == "on"
    credit = ".".join(str(state.credit[seat]) for seat in range(board.SEATS))
    return " ".join(
        (
            "-" if over else str(state.turn),
            "end" if over else USE if state.using else THROW,
            ",".join(map(item_text, state.items)) or "-",
            "+" if state.using and state.more else "-",
            f"{state.run_of[0]}{state.run}" if state.run else "-",
            "/".join(row_text(state, seat) for seat in range(board.SEATS)),
            "".join(map(str, state.entered)) or "-",
            ("".join(map(str, state.gate)) or "-") if gate else "-",
            credit if options.capture_before_home == "on" else "-",
            ",".join(f"{seat}:{place}" for place, seat in placed) or "-",
        )
    )


@pytest.mark.parametrize("game", REPLAYED)
def test_every_state_is_the_recorded_one(game: dict[str, Any]) -> None:
    table = Table(game)
    refused = dict(game["refused"])
    for n, (step, expected) in enumerate(zip(game["steps"], game["after"], strict=True)):
        if n in refused:
            table.refuses(intent_of(refused[n]), Reason.ILLEGAL_MOVE)
        table.step(step)
        assert text(table.state) == expected, f"step {n}: {step}"
    assert [list(pair) for pair in PACHISI.places(table.state)] == game["places"]
    assert (PACHISI.awaited(table.state) is None) == (not game.get("truncated"))
    assert fold(PACHISI, table.first, table.log) == table.state
    throws = sum("throw" in step for step in game["steps"])
    assert table.chance.asked == list(range(throws)), "throws are counted from 0 without gaps"


@pytest.mark.parametrize("game", REPLAYED)
def test_nothing_but_what_is_awaited_is_taken(game: dict[str, Any]) -> None:
    table = Table(game)
    for n, step in enumerate(game["steps"]):
        if n % 29 == 0:
            table.check_awaited()
        table.step(step)
    if not game.get("truncated"):
        table.refuses(ThrowCowries(number="1"), Reason.NOT_PLAYING)
        table.refuses(MovePiece(item=0, piece=0, lap=False), Reason.NOT_PLAYING)
        table.refuses(DeclineThrow(item=0), Reason.NOT_PLAYING)
        for seat in table.state.seats:
            assert PACHISI.leave(table.state, seat, table.chance) == ()


def test_all_games_are_replayed() -> None:
    assert "about" in json.loads(_LINES[0])
    assert len(GAMES) == len(REPLAYED) == 30
    assert sum(game["preset"] == "seven" for game in GAMES) == 6
    assert sum(len(game["refused"]) for game in GAMES) == 823
    assert {option for game in GAMES for option in game["options"]} == {
        "grace_use",
        "capture_before_home",
        "teams",
        "pieces_per_throw",
    }
