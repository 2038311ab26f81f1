"""Options of Pachisi about throws and captures, one by one, as rule P5 says them."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from sahrat.games.pachisi import PACHISI
from sahrat.games.pachisi.messages import ThrowsAgain, TurnPassed
from sahrat.games.pachisi.parts import OpenThrow
from sahrat.games.pachisi.state import Captured
from tests.unit.games.pachisi_table import (
    NORTH,
    SEVEN,
    SOUTH,
    WAITING,
    Match,
    kinds,
    opened,
    piece,
    position,
    progress_on,
)

AT_THE_END: dict[str, Any] = {"timing": "turn_end"}

# ---- throws


def test_p5_3_six_mouths_of_seven_are_worth_thirty_or_thirty_five() -> None:
    for six_up in (30, 35):
        match = Match(
            position({SOUTH: (20, 20, 84, 84)}, cowries=7, six_up=six_up, pyada="on", **AT_THE_END)
        )
        match.throws(six_up)
        assert match.open() == f"{six_up}e 1", "it enters and brings a pyada"


@pytest.mark.parametrize(
    ("enter_on", "cowries", "enter"),
    [
        ("table", 6, {6, 10, 25}),
        ("table", 7, {10, 25, 30}),
        ("6_10_25", 7, {10, 25}),
        ("10_25", 6, {10, 25}),
        ("10_25_30", 6, {10, 25}),
        ("10_25_30", 7, {10, 25, 30}),
    ],
)
def test_p5_13_which_throws_enter_and_all_graces_give_another(
    enter_on: str, cowries: int, enter: set[int]
) -> None:
    for value in {6: (6, 10, 25), 7: (7, 10, 25, 30, 14)}[cowries]:
        options: dict[str, Any] = {"enter_on": enter_on, "cowries": cowries}
        match = Match(position({SOUTH: (20, 0, 0, 0)}, **options))
        match.throws(value)
        assert (1 in match.may()) == (value in enter)
        assert match.moves(0)[-1] == ThrowsAgain(seat=SOUTH, why="grace")


def test_p5_14_the_first_piece_may_need_a_grace_too() -> None:
    match = Match(opened(first_piece="grace_only"))
    assert match.throws(4)[-1] == TurnPassed(seat=NORTH, why="useless")


@pytest.mark.parametrize("timing", ["each_throw", "turn_end"])
def test_p5_15_a_seven_needs_a_piece_or_an_entering_grace_before(timing: str) -> None:
    options: dict[str, Any] = {"cowries": 7, "timing": timing}
    for value in (7, 14):
        match = Match(opened(**options))
        assert match.throws(value)[-1] == TurnPassed(seat=NORTH, why="no_piece")
        match = Match(opened(**options))
        match.throws(25)
        if timing == "each_throw":
            match.declines()  # which counts all the same
        assert kinds(match.throws(value))[-1] == "throws_again"
        match = Match(position({SOUTH: (20, 0, 0, 0)}, **options))
        match.throws(value)
        assert match.state.turn == SOUTH
        match = Match(opened(**options, seven_needs_piece="off"))
        assert kinds(match.throws(value))[-1] == "throws_again"


def test_p5_15_a_void_seven_stops_the_throwing_and_open_throws_are_played() -> None:
    """The 30 does not enter here, and so does not help the 7."""
    options: dict[str, Any] = {"cowries": 7, "enter_on": "10_25", "opening_gate": "off"}
    match = Match(position({SOUTH: (20, 0, 0, 0)}, **options, **AT_THE_END))
    match.throws(30)
    match.state = replace(match.state, pieces=(WAITING, *match.state.pieces[1:]))
    assert kinds(match.throws(7)) == ["thrown", "lapsed", "turn_passed"]
    match = Match(opened(cowries=7, cancel_three="on", seven_needs_piece="on"))
    match.throws(25, 10, 25)
    assert match.open() == ""
    assert match.throws(7)[-1] == TurnPassed(seat=NORTH, why="no_piece"), "a void one is no help"


def test_p5_9_all_throws_wait_for_one_that_is_no_grace() -> None:
    match = Match(position({SOUTH: (20, 0, 0, 0)}, **AT_THE_END))
    assert kinds(match.throws(10)) == ["thrown", "throws_again"]
    match.throws(25)
    assert not match.state.using
    match.throws(5)
    assert match.open() == "10e 25e 5"
    match.moves(0, item=2)
    match.moves(1, item=1)
    assert match.moves(1)[-1] == TurnPassed(seat=NORTH, why="played")
    assert match.state.pieces[SOUTH] == (25, 11, 0, 0)


def test_p5_9_a_capture_gives_one_further_turn_after_all_throws() -> None:
    where = {SOUTH: (20, 31, 0, 0), NORTH: (progress_on(NORTH, 14), progress_on(NORTH, 33), 0, 0)}
    match = Match(position(where, **AT_THE_END))
    match.throws(10, 2)
    assert kinds(match.moves(0, item=1)) == ["used", "captured", "choice_opened"]
    assert kinds(match.moves(1)) == ["used", "captured", "throws_again"]
    assert match.state.items == ()
    match.throws(2)
    match.moves(0)
    assert match.state.turn == NORTH, "several captures give one"


def test_p5_9_no_throw_is_too_large_there() -> None:
    match = Match(position({SOUTH: (82, 84, 84, 84)}, **AT_THE_END))
    match.throws(10)
    assert match.state.turn == SOUTH
    assert match.throws(3)[-1] == TurnPassed(seat=NORTH, why="useless")


def test_p5_10_nobody_enters_before_he_has_thrown_two_three_or_four() -> None:
    match = Match(opened(opening_gate="on"))
    assert kinds(match.throws(25)) == ["thrown", "lapsed", "throws_again"]
    assert kinds(match.throws(5)) == ["thrown", "lapsed", "turn_passed"]
    match.throws(2)
    assert match.may() == (0, 1, 2, 3), "the throw itself may be used"
    match = Match(opened(opening_gate="on", **AT_THE_END))
    match.throws(25, 3)
    assert (match.may(0), match.may(1)) == ((0, 1, 2, 3), (0, 1, 2, 3))


def test_p5_11_throws_are_used_in_any_order_or_as_thrown() -> None:
    where = {SOUTH: (80, 0, 84, 84)}
    match = Match(position(where, **AT_THE_END, enter_on="10_25"))
    match.throws(6, 10, 4)
    assert match.open() == "6 10e 4", "what can't be used stays open"
    match.moves(1, item=1)
    match.moves(1)
    assert match.state.pieces[SOUTH] == (80, 7, 84, 84)
    match = Match(position(where, **AT_THE_END, enter_on="10_25", throw_order="as_thrown"))
    events = match.throws(6, 10, 4)
    assert kinds(events)[1:] == ["lapsed", "choice_opened"]
    assert match.open() == "10e 4"
    assert match.refuses(piece(0, item=1))
    match.declines(1)
    match.moves(1)
    assert match.state.turn == NORTH


# ---- graces


def test_p5_12_while_a_piece_waits_a_grace_may_only_enter() -> None:
    match = Match(position({SOUTH: (83, 20, 0, 0)}, grace_use="must_enter", **AT_THE_END))
    match.throws(10, 10, 25, 3)
    assert [match.may(item) for item in range(4)] == [(2, 3)] * 3 + [(1,)]
    match.moves(2)
    match.moves(3)
    assert match.may(0) == (0, 1, 2, 3), "looked at when it is used"


def test_p5_12_a_bonus_enters_and_moves() -> None:
    match = Match(position({SOUTH: (83, 20, 0, 0)}, grace_use="bonus"))
    match.throws(10)
    assert (match.may(0), match.may(1)) == ((0, 2, 3), (1,))
    match.moves(2)
    assert match.may() == (1, 2), "the new piece may move at once"
    assert match.moves(2)[-1] == ThrowsAgain(seat=SOUTH, why="grace")
    assert match.state.pieces[SOUTH] == (83, 20, 11, 0)
    match.throws(25)
    match.declines(1)
    match.moves(0)
    assert match.state.pieces[SOUTH] == (84, 20, 11, 0)


def test_p5_16_what_can_be_used_must_be() -> None:
    match = Match(position({SOUTH: (20, 0, 0, 0)}, may_decline="off"))
    match.throws(10)
    assert not PACHISI.view(match.state).choices[0].may_decline


def test_p5_18_too_large_a_throw_may_be_merely_void() -> None:
    for value, ends in (("on", "turn_passed"), ("off", "throws_again")):
        match = Match(position({SOUTH: (81, 84, 84, 84)}, overshoot_ends_turn=value))
        assert kinds(match.throws(10)) == ["thrown", "lapsed", ends]


# ---- captures


def test_p5_20_a_capture_gives_no_throw() -> None:
    where = {SOUTH: (20, 0, 0, 0), NORTH: (progress_on(NORTH, 14), 0, 0, 0)}
    match = Match(position(where, capture_bonus="off"))
    match.throws(2)
    assert match.moves(0)[-1] == TurnPassed(seat=NORTH, why="played")


def test_p5_21_without_credit_a_piece_goes_round_again() -> None:
    for start, value, ends in ((73, 3, 76), (73, 5, 10), (76, 4, 12), (79, 4, 83), (80, 4, None)):
        match = Match(position({SOUTH: (start, 0, 0, 0)}, capture_before_home="on"))
        match.throws(value)
        if ends is None:
            assert match.state.turn == NORTH
            continue
        match.moves(0)
        assert match.state.pieces[SOUTH][0] == ends
    match = Match(position({SOUTH: (83, 0, 0, 0)}, capture_before_home="on"))
    match.throws(10)
    assert match.may() == (1, 2, 3), "nor does a grace take it home"


def test_p5_21_each_opponent_captured_by_a_move_is_one() -> None:
    where = {
        SOUTH: (20, 80, 0, 0),
        1: (progress_on(1, 14), progress_on(1, 14), 0, 0),
        NORTH: (progress_on(NORTH, 14), 0, 0, 0),
    }
    match = Match(position(where, players=4, capture_before_home="on"))
    match.throws(2)
    events = kinds(match.moves(0))
    assert events.count("captured") == 3
    assert match.state.credit == (2, 0, 0, 0)
    match.throws(4)
    match.moves(1)
    assert match.state.pieces[SOUTH][1] == 84


@pytest.mark.parametrize(
    ("option", "before", "credit"),
    [
        ("off", (), (1, 1)),
        ("first", (), (0, 1)),
        ("any", (), (0, 1)),
        ("first", (SOUTH, NORTH), (1, 1)),
        ("any", (SOUTH, NORTH), (0, 1)),
        ("first", (NORTH, SOUTH), (0, 1)),
    ],
)
def test_p5_22_a_capture_that_is_answered_on_its_square_counts_no_more(
    option: str, before: tuple[int, ...], credit: tuple[int, int]
) -> None:
    """`before`: one who had captured the other already."""
    match = _answered(option, *before)
    assert (match.state.credit[SOUTH], match.state.credit[NORTH]) == credit


def _answered(option: str, *before: int) -> Match:
    """South captures on square 14; north captures there what did it, on its next turn."""
    where = {
        SOUTH: (20, 0, 0, 0),
        NORTH: (progress_on(NORTH, 14), progress_on(NORTH, 11), 0, 0),
    }
    options: dict[str, Any] = {"capture_before_home": "on", "recapture_void": option}
    match = Match(position(where, capture_bonus="off", **options))
    if before:
        earlier = Captured(before[0], before[1], (3,), square=50, due=0, first=True)
        match.state = replace(match.state, captures=(earlier,))
    match.throws(2)
    match.moves(0)
    match.throws(3)
    match.moves(1)
    assert match.state.pieces[SOUTH] == WAITING
    return match


def test_p5_22_the_answer_can_be_answered_too() -> None:
    match = _answered("any")
    state = match.state
    south = (0, 20, 0, 0)
    match.state = replace(state, pieces=(south, *state.pieces[1:]))
    match.throws(2)
    match.moves(1)
    assert (match.state.credit[SOUTH], match.state.credit[NORTH]) == (1, 0)


def test_p5_22_a_turn_later_is_too_late() -> None:
    where = {SOUTH: (20, 50, 0, 0), NORTH: (progress_on(NORTH, 14), progress_on(NORTH, 11), 0, 0)}
    match = Match(
        position(where, capture_bonus="off", capture_before_home="on", recapture_void="any")
    )
    match.throws(2)
    match.moves(0)
    match.throws(3)
    match.declines()
    match.throws(3)
    match.moves(1)
    match.throws(3)
    match.moves(1)
    assert match.state.pieces[SOUTH][0] == 0
    assert (match.state.credit[SOUTH], match.state.credit[NORTH]) == (1, 1)


def test_p6_a_hundred_open_throws_are_enough() -> None:
    state = position({SOUTH: (20, 0, 0, 0)}, **AT_THE_END)
    item = OpenThrow(throw=0, part="whole", value=10, enters=True)
    match = Match(replace(state, items=(item,) * 98))
    assert kinds(match.throws(10)) == ["thrown", "throws_again"]
    assert kinds(match.throws(10)) == ["thrown", "choice_opened"]


# ---- void throws and pyadas


@pytest.mark.parametrize(
    ("thrown", "left"),
    [
        ((25, 10, 30, 3), "3"),
        ((7, 7, 7, 2), "2"),
        ((14, 7, 14, 7, 3), "14 7 14 7 3"),
        ((10, 7, 7, 7, 4), "10e 4"),
        ((25, 25, 30, 10, 10, 2), "10e 10e 2"),
    ],
)
def test_p5_24_the_third_of_a_kind_makes_three_void(thrown: tuple[int, ...], left: str) -> None:
    match = Match(position({SOUTH: (20, 0, 0, 0)}, **SEVEN))
    match.throws(*thrown)
    assert match.open() == left


def test_p5_25_the_third_of_a_kind_may_end_the_throwing() -> None:
    match = Match(position({SOUTH: (20, 0, 0, 0)}, **SEVEN, after_cancel="end_turn"))
    match.throws(14, 25, 10, 30)
    assert match.open() == "14"
    assert match.state.using
    match = Match(position({SOUTH: (20, 0, 0, 0)}, **SEVEN, after_cancel="end_turn"))
    assert match.throws(25, 10, 30)[-1] == TurnPassed(seat=NORTH, why="cancelled")


def test_p5_26_with_all_pieces_in_each_high_throw_brings_a_square() -> None:
    match = Match(position({SOUTH: (20, 1, 1, 84)}, **SEVEN))
    match.throws(25, 25, 3)
    assert match.open() == "25e 1 25e 1 3"
    assert sum(item.value for item in match.state.items) == 55
    assert [c.may_decline for c in PACHISI.view(match.state).choices] == [
        True,
        False,
        True,
        False,
        True,
    ]
    waiting = Match(position({SOUTH: (20, 1, 1, 0)}, **SEVEN))
    waiting.throws(25, 25, 3)
    assert waiting.open() == "25e 25e 3"


def test_p5_26_a_pyada_saves_from_too_large_a_throw_and_takes_the_last_square_home() -> None:
    match = Match(position({SOUTH: (83, 83, 84, 84)}, pyada="on", last_square="pyada_only"))
    match.throws(10)
    assert match.open() == "10e 1"
    assert (match.may(0), match.may(1)) == ((), (0, 1))
    assert kinds(match.moves(0, item=1)) == ["used", "lapsed", "throws_again"]
    assert match.state.pieces[SOUTH] == (84, 83, 84, 84)


def test_p5_27_a_joined_pyada_is_one_move() -> None:
    match = Match(position({SOUTH: (20, 83, 84, 84)}, pyada="on", pyada_unit="joined"))
    match.throws(25)
    assert match.open() == "26e"
    assert match.may() == (0, 1), "and a grace still takes the last square home"
    match.moves(0)
    assert match.state.pieces[SOUTH][0] == 46
