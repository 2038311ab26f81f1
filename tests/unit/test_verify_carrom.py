"""Matches of Carrom verify from their records alone: every shot is computed again (rule K3)."""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest

from sahrat import verify
from sahrat.games.carrom import CARROM, physics
from sahrat.games.carrom.messages import Shoot
from sahrat.messages.reasons import Reason
from services.house.hand_carrom import CarromHand
from tests.unit.match.desk import Desk, names, player, refold
from tests.unit.test_verify import first_with, rechained

SHOTS = ("carrom.striker_shot",)
MISSED = 0.05
LEAVERS_FROM = 8  # shots, from which on somebody may get up


def played(n: int, *, entry: int = 0, leavers: int = 0, **options: Any) -> Desk:
    """Play a match to its end as phones of ours do; some miss their time, or get up."""
    players = options.pop("players", 2)
    desk, rng = Desk(n=n, rules=CARROM.rules), random.Random(n)
    hand = CarromHand({"players": players, **options})
    seats = 4 if players == "2v2" else int(players)
    desk.open(0, entry=entry, players=players, **options)
    for who in range(1, seats):
        desk.join(who)
    if entry:
        desk.held()
    told = 0
    while desk.match.live:
        while told < len(desk.values):
            for shown in orjson.loads(desk.values[told])["events"]:
                hand.take(shown)
            told += 1
        if leavers and told > LEAVERS_FROM:
            leavers -= 1
            desk.leave(rng.randrange(seats))
        elif desk.state.sitters[desk.state.chair_of_seat(desk.state.step_seat)].bot:
            wish = desk.match.game.bot(desk.state.board, f"{n}|{desk.state.step}")
            desk.wait(1).send(wish, system="bots", step=desk.state.step)
        elif rng.random() < MISSED:
            desk.wait(15).due()
        else:
            shot = Shoot.model_validate(hand.choose(rng))
            desk.wait(1).send(shot, who=desk.on_turn(), step=desk.state.step)
    return desk


def check(desk: Desk) -> verify.Report:
    report = verify.verify(desk.values)
    assert report.problem == ""
    assert report.secret
    assert report.draws == []
    assert report.places == desk.state.places
    assert report.computed == sum(e.type in SHOTS for r in desk.records for e in r.events) > 0
    other = refold(desk, desk.values).get(desk.match_id)
    assert other is not None
    assert other.state == desk.state
    return report


@pytest.mark.parametrize(
    ("n", "table"),
    [
        (1, {}),
        (2, {"entry": 33}),
        (3, {"players": "2v2", "missed_limit": 3}),
        (4, {"players": "2v2", "entry": 100}),
        (5, {"leavers": 1, "bot_level": "easy"}),
        (6, {"entry": 33, "leavers": 1}),
        (7, {"last_coin_early": "lose_board", "striker_with_own": "keeps_turn"}),
        (8, {"cut_moon": "forbidden", "same_shot_cover": "does_not_count", "entry": 10}),
        (9, {"queen": "off", "striker_penalty": 2, "players": "2v2", "match": "best_of_3"}),
        (10, {"coins_each": 6, "board_speed": "fast", "leavers": 1}),
        (11, {"coins_each": 6, "mode": "points", "players": 3, "entry": 33}),
        (12, {"coins_each": 6, "mode": "points", "players": 4, "entry": 100, "leavers": 2}),
        (13, {"coins_each": 6, "match": "25_points", "entry": 33, "leavers": 1}),
    ],
)
def test_whole_matches_verify(n: int, table: dict[str, Any]) -> None:
    desk = played(n, **table)
    report = check(desk)
    assert report.end == "match.ended"
    best = [seat for seat, place in report.places if place == 1]
    alone = table.get("mode") == "points"
    assert alone or best in ([0], [2], [0, 2], [1, 3])
    if table.get("entry"):
        assert [seat for seat, _ in report.prizes][: len(best)] == best


def test_K5_who_misses_three_shots_in_a_row_plays_no_more() -> None:
    desk = Desk(n=7, rules=CARROM.rules)
    assert desk.open(0, players=2, missed_limit=5).reason is Reason.BAD_OPTIONS
    desk.open(0, players=2, missed_limit=3)
    desk.join(1)
    for misses in (1, 1, 2, 2, 3):
        absent = desk.on_turn()
        left = "player.left" in names(desk.wait(15).due())
        assert left == (misses == 3)
        assert desk.state.sitters[desk.state.chair(player(absent)) or 0].bot == left


@pytest.fixture(scope="module")
def match() -> list[bytes]:
    return played(8, bot_level="easy").values


def forged(lines: list[bytes], kind: str, field: str, value: Any) -> tuple[int, str]:
    """Change one thing in the middle of a match, and all digests with it; return the number of the
    record, and what is found.
    """
    number, index = first_with(lines, kind, after=len(lines) // 2)

    def change(at: int, record: Any) -> None:
        if at == number:
            told = record["events"][index]
            told[field] = value(told[field]) if callable(value) else value

    return number, verify.verify(rechained(lines, change)).problem


def moved(places: list[dict[str, int]]) -> list[dict[str, int]]:
    """Move one disc by a thousandth of a millimetre."""
    return [*places[:-1], {**places[-1], "x": places[-1]["x"] + (1 if places[-1]["x"] < 0 else -1)}]


def test_K3_one_changed_position_is_named(match: list[bytes]) -> None:
    number, problem = forged(match, "carrom.discs_rested", "places", moved)
    says, is_ = problem.split("; by the rules it is ")
    assert says.startswith(f"record {number} says carrom.discs_rested places=[")
    assert says.count('"disc"') == is_.count('"disc"') == 1, "that disc and no other is told"


def test_K3_what_is_left_out_for_a_hash_that_fits_is_found(match: list[bytes]) -> None:
    """Whoever changes a place and its hash together is found by the shot."""
    number, index = first_with(match, "carrom.discs_rested", after=10)

    def change(at: int, record: Any) -> None:
        if at == number:
            told = record["events"][index]
            told["places"] = moved(told["places"])
            places = tuple((p["disc"], p["x"], p["y"]) for p in told["places"])
            told["hash"] = physics.position_hash(places)

    problem = verify.verify(rechained(match, change)).problem
    assert problem.startswith(f"record {number} says carrom.discs_rested places=")


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("carrom.striker_shot", "speed", lambda speed: speed - 1),
        ("carrom.striker_shot", "dx", lambda dx: dx + 1_000),
        ("carrom.striker_shot", "why", "clock"),
        ("carrom.striker_shot", "index", lambda index: index + 1),
        ("carrom.discs_rested", "steps", lambda steps: steps + 1),
        ("carrom.discs_rested", "hash", "ab" * 32),
        ("carrom.shot_judged", "row", lambda row: "N1" if row != "N1" else "N2"),
        ("carrom.shot_judged", "queen", lambda q: "covered" if q != "covered" else "board"),
        ("carrom.turn_passed", "seat", lambda seat: 2 - seat),
    ],
)
def test_K5_what_a_shot_did_and_meant_can_t_be_changed(
    match: list[bytes], kind: str, field: str, value: Any
) -> None:
    number, problem = forged(match, kind, field, value)
    assert problem.startswith(f"record {number}")
    assert "carrom." in problem
