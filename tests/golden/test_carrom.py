"""Carrom against recorded boards and the table of outcomes. The format: README.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from sahrat.games.carrom import CARROM, SHOOT, Carrom, board
from sahrat.games.carrom.messages import (
    BoardLaid,
    BoardWon,
    DiscsRested,
    Shoot,
    ShootsAgain,
    ShotJudged,
    StrikerShot,
    TurnPassed,
)
from sahrat.games.carrom.options import CarromOptions
from sahrat.games.carrom.outcomes import EFFECTS, Shown, row_of
from sahrat.games.carrom.physics import best, position_hash, simulate
from sahrat.games.carrom.physics.shots import Rest, Shot
from sahrat.games.carrom.state import OVER, State
from sahrat.games.game import Awaited, fold
from sahrat.messages.base import Message
from sahrat.messages.reasons import Reason, Refused
from tests.unit.games.carrom_table import NO_CHANCE

_FOLDER: Final = Path(__file__).parent
_LINES: Final = (_FOLDER / "carrom-boards.jsonl").read_text("utf-8").splitlines()
BOARDS: Final[list[dict[str, Any]]] = [json.loads(line) for line in _LINES[1:]]
OUTCOMES: Final[list[dict[str, Any]]] = json.loads(
    (_FOLDER / "carrom-outcomes.json").read_text("utf-8")
)
SEATS: Final = ("south", "east", "north", "west")
COLOURS: Final = ("white", "black")
GOLDEN: Final = [pytest.param(golden, id=golden["id"]) for golden in BOARDS]


def _compiled(shot: Shot) -> Rest:
    return simulate(shot, best())


def _triples(places: Any) -> list[list[int]]:
    return [[placed.disc, placed.x, placed.y] for placed in places]


class Table:
    """One board under way."""

    def __init__(self, golden: dict[str, Any], game: Carrom) -> None:
        self.game = game
        self.state: State = game.initial(CarromOptions.model_validate(golden["options"]))
        self.first = self.state
        self.log: list[Message] = []
        (laid,) = game.begin(self.state, NO_CHANCE)
        assert isinstance(laid, BoardLaid)
        assert (laid.board, SEATS[laid.breaker]) == (golden["board"], golden["breaker"])
        assert [SEATS[seat] for seat in laid.white] == golden["white"]
        assert [SEATS[seat] for seat in laid.black] == golden["black"]
        assert _triples(laid.places) == golden["places"]
        assert laid.hash[:16] == golden["hash"]
        self.take((laid,))

    def take(self, events: tuple[Message, ...]) -> None:
        assert events
        self.log += events
        self.state = fold(self.game, self.state, events)

    def shoot(self, golden: dict[str, Any]) -> tuple[Message, ...]:
        """Play a recorded shot as it was played, and try it as everybody else before."""
        seat = SEATS.index(golden["seat"])
        x, dx, dy, speed = golden["shot"]
        wish = Shoot(x=x, dx=dx, dy=dy, speed=speed)
        assert self.game.awaited(self.state) == Awaited(seat, SHOOT)
        for other in {0, 1, 2, 3} - {seat}:
            refused = self.game.decide(self.state, other, wish, NO_CHANCE)
            assert refused == Refused(Reason.NOT_YOUR_TURN)
        if golden.get("timeout"):
            events = self.game.time_out(self.state, NO_CHANCE)
        else:
            decided = self.game.decide(self.state, seat, wish, NO_CHANCE)
            assert not isinstance(decided, Refused), decided
            events = decided
        shot = events[0]
        assert isinstance(shot, StrikerShot)
        assert [shot.x, shot.dx, shot.dy, shot.speed] == golden["shot"]
        assert (shot.why == "clock") == golden.get("timeout", False)
        assert self.game.asked(shot) == (None if golden.get("timeout") else wish)
        return events


def _check(golden: dict[str, Any], events: tuple[Message, ...], state: State) -> None:
    """Compare what a shot brought about with the record; `state` is the match after it."""
    _, rested, judged, turn = events
    assert isinstance(rested, DiscsRested)
    assert isinstance(judged, ShotJudged)
    assert list(rested.pocketed) == golden["pocketed"]
    assert rested.hash == position_hash(
        tuple((placed.disc, placed.x, placed.y) for placed in rested.places)
    )
    assert (judged.before, judged.row) == (golden["state"], golden["row"])
    assert _triples(judged.returned) == golden["returned"]
    assert (judged.queen, judged.foul) == (golden["queen"], golden["foul"])
    assert (judged.foul_reason is not None) == judged.foul
    assert list(judged.down) == golden["down"]
    assert judged.hash[:16] == golden["hash"]
    assert position_hash(state.places) == judged.hash
    kinds: dict[str, type[Message]] = {"again": ShootsAgain, "pass": TurnPassed, "end": BoardWon}
    assert isinstance(turn, kinds[golden["turn"]])
    following = None if state.turn == OVER else SEATS[state.turn]
    assert following == golden["next"]


@pytest.mark.parametrize("golden", GOLDEN)
def test_every_shot_of_a_board_is_as_recorded(golden: dict[str, Any]) -> None:
    table = Table(golden, CARROM)
    for number, shot in enumerate(golden["shots"]):
        events = table.shoot(shot)
        table.take(events)
        _check(shot, events, table.state)
        assert table.state.shots == number + 1
    assert table.game.awaited(table.state) is None
    won = COLOURS.index(golden["winner"])
    assert table.state.winner == won
    winners, losers = golden[COLOURS[won]], golden[COLOURS[1 - won]]
    assert [(SEATS[seat], place) for seat, place in CARROM.places(table.state)] == [
        *((seat, 1) for seat in winners),
        *((seat, 2) for seat in losers),
    ]
    assert fold(CARROM, table.first, table.log) == table.state


def test_every_board_is_the_same_as_compiled_by_numba() -> None:
    for golden in BOARDS:
        table = Table(golden, Carrom(_compiled))
        for shot in golden["shots"]:
            events = table.shoot(shot)
            table.take(events)
            _check(shot, events, table.state)


def test_the_boards_file_is_whole() -> None:
    assert "about" in json.loads(_LINES[0])
    assert len(BOARDS) == 16
    assert sum(golden["options"] == {"players": "2v2"} for golden in BOARDS) == 4
    rows = {shot["row"] for golden in BOARDS for shot in golden["shots"]}
    assert len(rows) >= 17
    assert any(shot.get("timeout") for golden in BOARDS for shot in golden["shots"])


@pytest.mark.parametrize(
    "golden", OUTCOMES, ids=lambda golden: "-".join(map(str, golden.values()))[:24]
)
def test_K5_every_combination_has_its_row(golden: dict[str, Any]) -> None:
    shown = Shown(
        before=golden["state"],
        own=golden["own"],
        other=golden["opponent"],
        queen=golden["queen"],
        striker=golden["striker"],
    )
    row = row_of(shown)
    effect = EFFECTS[row]
    assert row == golden["row"]
    back = golden["returns"]
    was_off = golden["queen"] or golden["state"] == "P"
    assert (was_off and effect.queen == "board") == back["queen"]
    for mine, theirs, fell in (
        (effect.own, back["own"], golden["own"]),
        (effect.other, back["opponent"], golden["opponent"]),
    ):
        assert {"all": "all of this shot"}.get(mine, mine) == theirs or (
            theirs == "none" and fell == "0"
        )
    assert effect.penalty == back["penalty"]
    assert (effect.foul is not None) == golden["foul"]
    assert (effect.queen, effect.turn) == (golden["queen_after"], golden["turn"])
    assert {"own": "own", "other": "opponent", None: None}[effect.winner] == golden["winner"]


def test_K5_all_combinations_are_there() -> None:
    keys = ("state", "own", "opponent", "queen", "striker")
    assert len({tuple(golden[key] for key in keys) for golden in OUTCOMES}) == len(OUTCOMES) == 96
    assert {golden["row"] for golden in OUTCOMES} == set(EFFECTS)
    assert board.COINS_EACH == 9
