"""The options of a Carrom table (rule K7), each by what a shot means with it and without it."""

from __future__ import annotations

from typing import Any

import pytest

from sahrat.games.carrom import CARROM, board
from sahrat.games.carrom.bot_aim import aims, on_line
from sahrat.games.carrom.messages import DiscsRested, Shoot, StrikerShot
from sahrat.games.carrom.options import CarromOptions
from sahrat.games.game import fold
from sahrat.messages.reasons import Reason, Refused
from tests.unit.games.carrom_table import (
    NO_CHANCE,
    NORTH,
    SOUTH,
    at,
    begun,
    judged,
    means,
    position,
    shot,
    with_down,
)

ALL_BUT_ONE = (3, 5, 7, 8, 10, 12, 14, 16)  # white coins; 18 is the last
BLACKS = board.BLACKS
FEW = (True, False)


def test_K7_defaults_come_first_and_change_nothing() -> None:
    assert CarromOptions() == CarromOptions.model_validate(CarromOptions().model_dump())
    assert means(with_down(3), 0, 5) == ("S1", [5, 3], "board", "striker", "pass")


def test_K7_queen_off_there_is_none_and_nothing_waits_for_her() -> None:
    state = begun(queen="off")
    assert len(state.places) == 18
    assert board.QUEEN not in [disc for disc, _, _ in state.places]
    assert CARROM.view(state).before == "C"
    assert means(state, 3) == ("C2", [], "covered", None, "again")
    left = tuple(place for place in board.RACK if place[0] not in (1, *ALL_BUT_ONE))
    last = at(position(left, queen="covered"), queen="off")
    assert means(last, 18) == ("C4", [], "covered", None, "own wins: all_down")
    assert means(last, 18, 0) == ("S2", [18, 3], "covered", "striker", "pass")


def test_K7_queen_after_first_off_she_counts_from_the_beginning() -> None:
    assert means(begun(), 1) == ("Q1", [1], "board", None, "pass")
    assert means(begun(queen_after_first="off"), 1) == ("Q5", [], "pending", None, "again")


@pytest.mark.parametrize(("penalty", "back"), [(1, [7, 3]), (0, [7]), (2, [7, 3, 5])])
def test_K7_striker_penalty_so_many_go_back(penalty: int, back: list[int]) -> None:
    state = at(with_down(3, 5), striker_penalty=penalty)
    assert means(state, 7, 0) == ("S1", back, "board", "striker", "pass")
    assert means(at(with_down(), striker_penalty=penalty), 0)[1] == [], "nothing is owed"


def test_K7_striker_with_own_keeps_the_turn() -> None:
    state = at(with_down(3), striker_with_own="keeps_turn")
    assert means(state, 0, 5) == ("S1", [5, 3], "board", "striker", "again")
    assert means(state, 0, 2) == ("S1", [3, 2], "board", "striker", "pass"), "another's is not own"
    assert means(state, 0) == ("S1", [3], "board", "striker", "pass")


LOST = "other wins: last_coin"


@pytest.mark.parametrize(
    ("gone", "queen", "first", "fallen", "now"),
    [
        (ALL_BUT_ONE, "board", (True, True), (18,), ("N3", [], "board", "last_own", LOST)),
        (BLACKS[:8], "board", (True, True), (19,), ("N4", [], "board", "last_other", LOST)),
        (
            (*ALL_BUT_ONE, *BLACKS[:8]),
            "board",
            (True, True),
            (18, 19),
            ("N5", [], "board", "last_of_both", LOST),
        ),
        (BLACKS[:8], "board", (False, True), (1, 19), ("Q2", [], "pending", "last_other", LOST)),
        (BLACKS[:8], "board", (True, True), (1, 19), ("Q6", [], "pending", "last_other", LOST)),
        (
            (1, *BLACKS[:8]),
            "pending",
            (True, True),
            (19,),
            ("P5", [], "pending", "last_other", LOST),
        ),
    ],
)
def test_K7_last_coin_early_loses_the_board(
    gone: tuple[int, ...], queen: Any, first: tuple[bool, bool], fallen: tuple[int, ...], now: Any
) -> None:
    usual = with_down(*gone, queen=queen, first=first)
    row, back, _, foul, next_ = means(usual, *fallen)
    assert (row, foul, next_) == (now[0], now[3], "pass")
    assert back
    state = at(usual, last_coin_early="lose_board")
    assert means(state, *fallen) == now
    over = fold(CARROM, state, shot(state, *fallen))
    assert CARROM.awaited(over) is None
    assert CARROM.places(over) == ((NORTH, 1), (SOUTH, 2))
    assert means(at(with_down(), last_coin_early="lose_board"), 0)[3:] == ("striker", "pass")


def test_K7_same_shot_cover_does_not_count() -> None:
    def now(gone: tuple[int, ...], *fallen: int) -> Any:
        return means(at(with_down(*gone), same_shot_cover="does_not_count"), *fallen)

    assert now((3,), 1, 5) == ("Q3", [], "pending", None, "again")
    assert now(ALL_BUT_ONE, 1, 18) == ("Q7", [1, 18], "board", "last_own", "pass")
    assert now(BLACKS[:8], 1, 5, 19) == ("Q4", [1, 19], "board", "last_other", "pass")
    both = (*ALL_BUT_ONE, *BLACKS[:8])
    assert now(both, 19, 1, 18) == ("Q7", [1, 18, 19], "board", "last_of_both", "pass")
    assert now((3,), 1) == ("Q5", [], "pending", None, "again"), "she alone is another matter"


@pytest.mark.parametrize(
    ("how", "one", "two"),
    [
        ("covered", ("Q3", [], "covered", None, "again"), ("Q3", [], "covered", None, "again")),
        ("must_cover", ("Q3", [], "pending", None, "again"), ("Q3", [], "covered", None, "again")),
        ("returns", ("Q3", [1], "board", None, "again"), ("Q3", [1], "board", None, "again")),
    ],
)
def test_K7_first_with_queen(how: str, one: Any, two: Any) -> None:
    state = at(begun(), first_with_queen=how)
    assert means(state, 3, 1) == one
    assert means(state, 3, 1, 5) == two
    later = at(with_down(3), first_with_queen=how)
    assert means(later, 5, 1) == ("Q3", [], "covered", None, "again"), "from B0 alone"
    last = at(with_down(*BLACKS[:8], first=(False, True)), first_with_queen=how)
    if how == "covered":
        assert means(last, 3, 1, 19)[4] == "other wins: all_down"
    else:
        assert means(last, 3, 1, 19) == ("Q4", [1, 19], "board", "last_other", "pass")
    both = at(begun(), first_with_queen=how, same_shot_cover="does_not_count")
    assert means(both, 3, 1, 5)[2] == ("board" if how == "returns" else "pending")


@pytest.mark.parametrize(
    ("x", "fits"), [(185_750, True), (185_751, False), (-211_149, False), (-211_150, True)]
)
def test_K7_cut_moon_forbidden(x: int, fits: bool) -> None:
    wish = Shoot(x=x, dx=0, dy=1, speed=1_000_000)
    anywhere = CARROM.decide(begun(), SOUTH, wish, NO_CHANCE)
    assert not isinstance(anywhere, Refused)
    found = CARROM.decide(begun(cut_moon="forbidden"), SOUTH, wish, NO_CHANCE)
    assert isinstance(found, Refused) != fits
    if isinstance(found, Refused):
        assert found.reason is Reason.STRIKER_OFF_LINE


def test_K7_cut_moon_binds_the_clock_and_bots() -> None:
    wall = tuple((n, x, -252_600) for n, x in enumerate(range(-146_000, 146_001, 73_000), 2))
    state = at(position((*wall, (18, 0, 0), (19, 0, 60_000))), cut_moon="forbidden")
    played = CARROM.time_out(state, NO_CHANCE)[0]
    assert isinstance(played, StrikerShot)
    assert abs(played.x) in (183_000, 184_000, 185_000)
    for seed in "abcdef":
        wish = CARROM.bot(state, seed)
        assert isinstance(wish, Shoot)
        assert not 185_750 < abs(wish.x) < 211_150


@pytest.mark.parametrize(("speed", "friction"), [("normal", 0.12), ("slow", 0.16), ("fast", 0.09)])
def test_K7_board_speed_by_how_far_a_striker_goes(speed: str, friction: float) -> None:
    """On an empty part of the board it stops after v^2 / (2 mu g)."""
    state = at(position(((1, 0, 300_000), (3, 0, 260_000))), board_speed=speed)
    wish = Shoot(x=200_000, dx=0, dy=1, speed=700_000)
    events = CARROM.decide(state, SOUTH, wish, NO_CHANCE)
    assert not isinstance(events, Refused)
    rested = events[1]
    assert isinstance(rested, DiscsRested)
    striker = rested.places[0]
    way_um = 700_000**2 / (2 * friction * 9_806_650)
    assert (striker.disc, striker.x) == (0, 200_000)
    assert striker.y == pytest.approx(-252_600 + way_um, abs=1)


@pytest.mark.parametrize(("dx", "dy"), [(1, 0), (0, -1), (-3, -5)])
def test_K7_back_shot(dx: int, dy: int) -> None:
    wish = Shoot(x=0, dx=dx, dy=dy, speed=500_000)
    refused = CARROM.decide(begun(), SOUTH, wish, NO_CHANCE)
    assert isinstance(refused, Refused)
    assert refused.reason is Reason.NOT_FORWARD
    assert not isinstance(CARROM.decide(begun(back_shot="on"), SOUTH, wish, NO_CHANCE), Refused)
    nowhere = wish.model_copy(update={"dx": 0, "dy": 0})
    refused = CARROM.decide(begun(back_shot="on"), SOUTH, nowhere, NO_CHANCE)
    assert isinstance(refused, Refused)
    assert refused.reason is Reason.BAD_DIRECTION


@pytest.mark.parametrize("speed", ["slow", "fast"])
def test_K7_bots_know_how_fast_the_board_is(speed: str) -> None:
    """Their aims are as fast as the way needs."""
    state = position(((1, 0, 0), (3, 150_000, 100_000), (5, -150_000, 120_000)))
    spots, slowest = list(on_line()), list[dict[tuple[int, int, int], int]]()
    for one in (state, at(state, board_speed=speed)):
        found: dict[tuple[int, int, int], int] = {}
        for aim in aims(one, one.places, spots):
            way = (aim.x, aim.dx, aim.dy)
            found[way] = min(found.get(way, aim.speed), aim.speed)
        slowest.append(found)
    usual, here = slowest
    shared = [way for way in usual if way in here]
    assert shared
    assert all((here[way] > usual[way]) == (speed == "slow") for way in shared)


def test_K7_six_coins_each_the_sixth_is_the_last() -> None:
    state = begun(coins_each=6)
    on = [disc for disc, _, _ in state.places]
    assert on == [1, 2, 3, 4, 5, 6, 7, 9, 10, 13, 14, 17, 18]
    assert CARROM.view(state).down == (0, 0)
    assert means(state, 0) == ("S1", [], "board", "striker", "pass"), "none of those left out"
    left = tuple(place for place in state.places if place[0] not in (3, 5, 7, 10, 14))
    last = at(position(left), coins_each=6)
    assert CARROM.view(last).down == (5, 0)
    assert means(last, 18) == ("N3", [18], "board", "last_own", "pass")
    assert means(last, 0) == ("S1", [3], "board", "striker", "pass")
    covered = at(position(left[1:], queen="covered"), coins_each=6)
    assert means(covered, 18) == ("C4", [], "covered", None, "own wins: all_down")
    assert judged(shot(covered, 18)).down == (6, 0)
