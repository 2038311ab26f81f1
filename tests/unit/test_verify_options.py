"""Rules D and L5: matches with options verify from their records alone, who starts included."""

from __future__ import annotations

import random
from typing import Any

import pytest

from sahrat import verify
from sahrat.games.ludo.messages import DeclineRoll, MovePawn, RollDie
from sahrat.messages import match as m
from sahrat.messages.reasons import Reason
from tests.property.ludo_tables import TABLES
from tests.property.option_tables import CLOCKS
from tests.unit.match.desk import Desk, event, player
from tests.unit.match.played import play, sound
from tests.unit.test_verify import first_with, rechained


def act(desk: Desk, rng: random.Random) -> None:
    """Let the seat on turn do something that it may, or miss its time."""
    board: Any = desk.match.game.view(desk.state.board)
    desk.wait(rng.choice((0.2, 1, 3)))
    if rng.random() < 0.05:
        desk.wait(30).due()
        return
    intent: Any = RollDie(number=str(rng.getrandbits(64)))
    if board.may_decline and rng.random() < 0.2:
        intent = DeclineRoll()
    elif board.movable:
        intent = MovePawn(pawn=rng.choice(board.movable))
    answer = desk.send(intent, who=desk.on_turn(), step=desk.state.step)
    assert not hasattr(answer, "reason"), answer


def played(n: int, **how: Any) -> Desk:
    return play(Desk(n=n), random.Random(n), act, **how)


def check(desk: Desk) -> verify.Report:
    return sound(desk, "ludo.rolled", "ludo.start_rolled")


SHORT = {"pawns_to_win": 1}
ROWS = TABLES.covering[::4]


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_matches_with_all_kinds_of_options_verify(number: int) -> None:
    options = {name: value for name, value in ROWS[number].items() if name not in CLOCKS}
    coin = options["finish"] == "places" and number % 2 == 0
    check(played(100 + number, entry=33 * coin, leavers=2, **{**options, **SHORT}))


@pytest.mark.parametrize("start", ["random", "highest_roll"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_who_starts_is_drawn_again(start: str, players: int) -> None:
    desk = played(200 + players, start=start, players=players, **SHORT)
    check(desk)
    opening = next(r for r in desk.records if any(e.type == "match.started" for e in r.events))
    decided, step = event(opening, "ludo.start_decided"), event(opening, "step.opened")
    assert (decided.why, decided.seat) == (start, step.seat)
    rolled = [e for e in opening.events if e.type == "ludo.start_rolled"]
    assert [e.index for e in rolled] == list(range(len(rolled)))
    assert bool(rolled) == (start == "highest_roll")
    if rolled:
        best = max(e.value for e in rolled[:players])
        assert decided.seat in [e.seat for e in rolled[:players] if e.value == best]


def test_each_seat_starts_by_lot_now_and_then() -> None:
    first = set()
    for n in range(60):
        desk = Desk(n=300 + n)
        desk.table_of(0, 1, 2, start="random")
        first.add(event(desk.records[-1], "ludo.start_decided").seat)
    assert first == {0, 1, 2}


@pytest.mark.parametrize(
    ("start", "kind", "field", "told"),
    [
        ("random", "ludo.start_decided", "seat", "ludo.start_decided"),
        ("highest_roll", "ludo.start_decided", "seat", "ludo.start_decided"),
        ("highest_roll", "ludo.start_rolled", "value", "roll 0 of seat 0 says"),
    ],
)
def test_who_starts_can_t_be_changed(start: str, kind: str, field: str, told: str) -> None:
    desk = played(400, start=start, **SHORT)
    number, index = first_with(desk.values, kind)

    def change(at: int, record: Any) -> None:
        if at == number:
            value = record["events"][index][field]
            record["events"][index][field] = 2 - value if field == "seat" else value % 6 + 1

    problem = verify.verify(rechained(desk.values, change)).problem
    assert f"record {number}" in problem
    assert told in problem


def test_a_declined_roll_that_could_not_be_is_found() -> None:
    desk = played(500, may_pass="on", forced_capture="on", **SHORT)
    number, index = first_with(desk.values, "ludo.roll_declined")

    def change(at: int, record: Any) -> None:
        for one in record["events"]:
            if one["type"] == "table.opened":
                one["options"]["may_pass"] = "off"

    assert first_with(desk.values, "ludo.choice_opened")[0] < number
    assert index == 0
    assert verify.verify(rechained(desk.values, change)).problem


# ---- refused when the table opens


@pytest.mark.parametrize(
    ("entry", "options", "told"),
    [
        (0, {"teams": "on"}, "teams: two sides need 4 players"),
        (0, {"may_pass": "on", "capture_before_home": "on"}, "may_pass: with capture_before_home"),
        (
            0,
            {"block": "two_block", "capture_before_home": "on", "safe": "stars"},
            "block: with capture_before_home",
        ),
        (10, {"players": 3, "finish": "first_only"}, "finish: a coin table of three or four"),
        (10, {"players": 4, "teams": "on", "finish": "first_only"}, "finish: "),
        (0, {"dice": 1}, "dice: not known; there are "),
        (0, {"time_match": "off"}, "time_match: not known; there are "),
        (0, {"sixes_limit": 6}, "sixes_limit: is none of 2, 3, 4, 5"),
        (0, {"entry_roll": 1}, "entry_roll: is none of 6, 6_or_1, any"),
        (0, {"pawns_out": 3}, "pawns_out: is none of 0, 1, 2, 4"),
    ],
)
def test_what_no_table_can_be_is_refused_with_the_reason(
    entry: int, options: dict[str, Any], told: str
) -> None:
    desk = Desk()
    answer = desk.open(entry=entry, **options)
    assert answer.reason is Reason.BAD_OPTIONS
    assert answer.detail.startswith(told)
    assert desk.records == []


def test_first_only_pays_one_prize_at_a_coin_table_of_two() -> None:
    desk = played(600, entry=100, finish="first_only", **SHORT)
    report = check(desk)
    ((seat, place),) = report.places
    assert (place, report.prizes, report.fee_coins) == (1, ((seat, 180),), 20)


def test_first_only_earns_the_others_what_any_other_place_does() -> None:
    desk = played(601, players=3, finish="first_only", **SHORT)
    check(desk)
    rewards = event(desk.records[-1], "coins.earned").rewards
    (winner,) = desk.state.places
    assert [(r.seat == winner[0], r.coins) for r in rewards] == [(True, 20), (False, 5), (False, 5)]
    assert {r.player_id for r in rewards} == {player(n) for n in range(3)}


def test_partners_share_the_prize() -> None:
    desk = played(602, entry=33, players=4, teams="on", **SHORT)
    report = check(desk)
    best = [seat for seat, place in report.places if place == 1]
    assert best in ([0, 2], [1, 3])
    assert report.prizes == ((best[0], 60), (best[1], 59))
    assert isinstance(desk.records[-1].events[-1], m.MatchEnded)
