"""Rules D and P5: matches of Pachisi verify from their records alone, throws and start too."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest

from sahrat import verify
from sahrat.games.pachisi import PACHISI
from sahrat.games.pachisi.messages import DeclineThrow, ThrowCowries
from sahrat.messages.base import Message
from sahrat.messages.reasons import Reason
from tests.property.option_tables import CLOCKS
from tests.property.pachisi_play import acts
from tests.property.pachisi_tables import TABLES
from tests.unit.match.desk import Desk, event
from tests.unit.match.played import play, sound
from tests.unit.test_verify import first_with, rechained

ROWS: Final = TABLES.covering[::9]
DRAWN: Final = ("pachisi.thrown", "pachisi.start_thrown")


def act(desk: Desk, rng: random.Random) -> None:
    """Let the seat on turn do something that it may, or miss its time."""
    desk.wait(rng.choice((0.2, 1, 3)))
    if rng.random() < 0.05:
        desk.wait(30).due()
        return
    board: Any = PACHISI.view(desk.state.board)
    intent: Message = ThrowCowries(number=str(rng.getrandbits(64)))
    if board.using:
        intent = rng.choice([act for choice in board.choices for act in acts(choice)])
        if board.choices[0].may_decline and rng.random() < 0.1:
            intent = DeclineThrow(item=0)
    answer = desk.send(intent, who=desk.on_turn(), step=desk.state.step)
    assert not hasattr(answer, "reason"), answer


def played(n: int, **how: Any) -> Desk:
    return play(Desk(n=n, rules=PACHISI.rules), random.Random(n), act, **how)


def check(desk: Desk) -> verify.Report:
    report = sound(desk, *DRAWN)
    assert {draw.kind for draw in report.draws} == {"cowries"}
    return report


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_matches_with_all_kinds_of_options_verify(number: int) -> None:
    options = {name: value for name, value in ROWS[number].items() if name not in CLOCKS}
    coin = options["finish"] == "places" and number % 2 == 0
    check(played(100 + number, entry=33 * coin, leavers=number % 3, **options))


@pytest.mark.parametrize(
    ("players", "options", "throwers"),
    [
        (2, {}, [0, 2]),
        (3, {}, [0, 1, 2]),
        (2, {"two_colours": "on"}, [0, 1, 2, 3]),
        (2, {"two_colours": "on", "start": "random"}, []),
        (4, {"start": "first_seat"}, []),
    ],
)
def test_p5_8_who_starts(players: int, options: dict[str, Any], throwers: list[int]) -> None:
    desk = Desk(n=200, rules=PACHISI.rules)
    desk.table_of(*range(players), **options)
    opening = desk.records[-1]
    thrown = [e for e in opening.events if e.type == "pachisi.start_thrown"]
    assert [e.index for e in thrown] == list(range(len(thrown)))
    assert [e.seat for e in thrown[: len(throwers)]] == throwers
    turn = desk.state.board.turn
    assert event(opening, "step.opened").seat == (turn % 2 if "two_colours" in options else turn)
    if throwers:
        best = max(e.value for e in thrown[: len(throwers)])
        assert turn in [e.seat for e in thrown[: len(throwers)] if e.value == best]
    elif options["start"] == "first_seat":
        assert turn == 0


@pytest.mark.parametrize(
    ("kind", "field", "told"),
    [
        ("pachisi.start_thrown", "mouths", "roll 0 of seat 0 says"),
        ("pachisi.start_thrown", "shells", "roll 0 of seat 0 says|by the rules it is"),
        ("pachisi.start_decided", "seat", "pachisi.start_decided"),
        ("pachisi.thrown", "mouths", "says"),
        ("pachisi.thrown", "value", "pachisi.thrown"),
    ],
)
def test_what_was_thrown_can_t_be_changed(kind: str, field: str, told: str) -> None:
    desk = played(400, cowries=7, grace_use="bonus", pieces_per_throw="split")
    number, index = first_with(desk.values, kind)
    others = {"mouths": (2, 3), "shells": (6, 6), "seat": (0, 2), "value": (2, 3)}[field]

    def change(at: int, record: Any) -> None:
        if at == number:
            said = record["events"][index]
            said[field] = others[said[field] == others[0]]

    problem = verify.verify(rechained(desk.values, change)).problem
    assert f"record {number}" in problem
    assert any(words in problem for words in told.split("|"))


@pytest.mark.parametrize(
    ("entry", "options", "told"),
    [
        (0, {"teams": "on"}, "teams: two sides need 4 players"),
        (0, {"two_colours": "on", "players": 3}, "two_colours: "),
        (0, {"six_up": 35}, "six_up: it needs 7 cowries"),
        (0, {"recapture_void": "any"}, "recapture_void: "),
        (0, {"finished_partner": "plays_partner"}, "finished_partner: "),
        (0, {"last_square": "pyada_only"}, "last_square: "),
        (0, {"last_square": "pyada_only", "pyada": "on", "pyada_unit": "joined"}, "last_square: "),
        (10, {"players": 3, "finish": "first_only"}, "finish: a coin table of three or four"),
        (0, {"dice": 1}, "dice: not known; there are "),
        (0, {"cowries": 8}, "cowries: is none of 6, 7"),
    ],
)
def test_what_no_table_can_be_is_refused_with_the_reason(
    entry: int, options: dict[str, Any], told: str
) -> None:
    desk = Desk(rules=PACHISI.rules)
    answer = desk.open(entry=entry, **options)
    assert answer.reason is Reason.BAD_OPTIONS
    assert answer.detail.startswith(told)
    assert desk.records == []


SHORT: Final[dict[str, Any]] = {"cowries": 7, "grace_use": "bonus", "pieces_per_throw": "split"}


def test_p5_5_partners_share_the_prize() -> None:
    desk = played(602, entry=33, players=4, teams="on", **SHORT)
    report = check(desk)
    best = [seat for seat, place in report.places if place == 1]
    assert best in ([0, 2], [1, 3])
    assert report.prizes == ((best[0], 60), (best[1], 59))


def test_p5_6_a_player_with_two_colours_wins_once() -> None:
    desk = played(603, entry=100, two_colours="on", **SHORT)
    report = check(desk)
    assert sorted(report.places) in ([(0, 1), (1, 2)], [(0, 2), (1, 1)])
    assert report.prizes == ((report.places[0][0], 180),)
    assert desk.state.seats == (0, 1)
    thrown = {e.seat for r in desk.records for e in r.events if e.type == "pachisi.thrown"}
    assert thrown == {0, 1, 2, 3}


def test_p6_who_leaves_a_match_for_coins_loses_for_both_colours() -> None:
    desk = Desk(n=604, rules=PACHISI.rules).coin_table(0, 1, entry=100, two_colours="on")
    loser = desk.seat_of(0)
    desk.leave(0)
    report = check(desk)
    assert report.places == ((1 - loser, 1), (loser, 2))
    assert report.prizes == ((1 - loser, 180),)
