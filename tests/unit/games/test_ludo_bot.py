"""The order in which bots and the clock prefer pawns (rule L4)."""

from __future__ import annotations

import pytest

from sahrat.games.ludo import LUDO
from sahrat.games.ludo.bot import choose, in_reach
from sahrat.games.ludo.messages import MovePawn, RollDie
from tests.unit.games.ludo_table import BLUE, FOUR, GREEN, RED, YELLOW, position, progress_on

CASES = [
    # red's pawns, yellow's pawns, roll, the pawn that moves
    pytest.param((1, 54, 0, 56), (29, -1, -1, -1), 2, 1, id="home-before-capture"),
    pytest.param((10, 1, 6, 56), (29, -1, -1, -1), 2, 1, id="capture-before-safe"),
    pytest.param((2, -1, 56, 56), (34, -1, -1, -1), 6, 1, id="no-capture-on-a-safe-square"),
    pytest.param((20, -1, 2, 3), (40, -1, -1, -1), 6, 1, id="out-of-base-before-safe"),
    pytest.param((-1, 23, 2, 56), (3, -1, -1, -1), 6, 1, id="capture-before-out-of-base"),
    pytest.param((30, 19, 5, 12), (-1, -1, -1, -1), 2, 1, id="safe-before-furthest"),
    pytest.param((28, 40, 1, 56), (1, -1, -1, -1), 4, 0, id="leave-reach-before-furthest"),
    pytest.param((28, 31, 40, 56), (1, -1, -1, -1), 5, 0, id="in-reach-lowest-first"),
    pytest.param((10, 40, 30, 56), (-1, -1, -1, -1), 5, 1, id="furthest"),
    pytest.param((40, 40, 10, 30), (-1, -1, -1, -1), 5, 0, id="furthest-lowest-first"),
    pytest.param((48, 52, 11, 30), (-1, -1, -1, -1), 3, 1, id="the-column-counts-as-further"),
    pytest.param((49, 40, 56, 56), (-1, -1, -1, -1), 3, 0, id="the-column-is-no-safe-square"),
    pytest.param((55, 10, 20, 56), (-1, -1, -1, -1), 2, 2, id="only-pawns-that-may-move"),
]


@pytest.mark.parametrize(("red", "yellow", "roll", "pawn"), CASES)
def test_l4_order(red: tuple[int, ...], yellow: tuple[int, ...], roll: int, pawn: int) -> None:
    state = position({RED: red, YELLOW: yellow}, roll=roll)
    assert choose(state) == pawn
    assert LUDO.bot(state, "") == MovePawn(pawn=pawn)


def test_a_bot_rolls_without_a_number() -> None:
    assert LUDO.bot(position({}), "") == RollDie(number="")


@pytest.mark.parametrize(
    ("behind", "reached"), [(0, False), (1, True), (6, True), (7, False), (-1, False)]
)
def test_l6_in_reach_is_one_roll_behind(behind: int, reached: bool) -> None:
    theirs = progress_on(YELLOW, 20 - behind)
    state = position({RED: (20, -1, -1, -1), YELLOW: (theirs, -1, -1, -1)})
    assert in_reach(state, RED, 20) is reached


def test_l6_who_turns_into_his_column_before_the_square_does_not_reach_it() -> None:
    """Green's tip is square 11; from 10 it can't come to 12, which blue can."""
    state = position({RED: (12, -1, -1, -1), GREEN: (49, -1, -1, -1)}, seats=FOUR)
    assert not in_reach(state, RED, 12)
    state = position({RED: (12, -1, -1, -1), BLUE: (23, -1, -1, -1)}, seats=FOUR)
    assert in_reach(state, RED, 12)


@pytest.mark.parametrize("progress", [-1, 0, 8, 26, 51, 55, 56])
def test_l6_bases_safe_squares_columns_and_home_are_out_of_reach(progress: int) -> None:
    everywhere = position(
        {RED: (progress, -1, -1, -1), YELLOW: (progress_on(YELLOW, 7), 20, 50, 0)}, seats=FOUR
    )
    assert not in_reach(everywhere, RED, progress)
