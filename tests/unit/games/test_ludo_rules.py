"""The Ludo rules, one table of cases a rule. Ids are rule numbers and case numbers."""

from __future__ import annotations

import pytest

from sahrat.games.game import Awaited
from sahrat.games.ludo import LUDO, MOVE, ROLL
from sahrat.games.ludo.messages import (
    DieRolled,
    MovePawn,
    PawnCaptured,
    PawnMoved,
    RollDie,
    RollsAgain,
    SeatFinished,
    SeatLeft,
    SeatRemained,
    TurnPassed,
)
from sahrat.games.ludo.options import LudoOptions
from sahrat.games.ludo.state import OVER, State
from sahrat.messages.base import Message
from sahrat.messages.match import LeaveTable
from sahrat.messages.reasons import Reason, Refused
from tests.unit.games.ludo_table import (
    BLUE,
    FOUR,
    GREEN,
    RED,
    YELLOW,
    Loaded,
    Match,
    kinds,
    position,
)

ROLL_INTENT = RollDie(number="1")


def _opened(players: int) -> State:
    return LUDO.initial(LudoOptions.model_validate({"players": players}))


# ---- L2 and L3: one roll, and all that follows from it by itself

PASSED = ["rolled", "turn_passed"]
MOVED = ["rolled", "pawn_moved", "turn_passed"]
MOVED_AGAIN = ["rolled", "pawn_moved", "rolls_again"]
CAPTURED = ["rolled", "pawn_moved", "pawn_captured", "rolls_again"]
CHOICE = ["rolled"]

ONE_ROLL = [
    pytest.param((-1, -1, -1, -1), 3, PASSED, (-1, -1, -1, -1), id="C07-all-in-base-one-try"),
    pytest.param((20, -1, -1, -1), 3, MOVED, (23, -1, -1, -1), id="C07-the-only-pawn-moves"),
    pytest.param((-1, -1, -1, -1), 6, MOVED_AGAIN, (0, -1, -1, -1), id="L3-alike-in-base"),
    pytest.param((20, 20, -1, -1), 3, MOVED, (23, 20, -1, -1), id="L3-alike-on-a-square"),
    pytest.param((53, 53, 56, 56), 1, MOVED, (54, 53, 56, 56), id="L3-alike-in-the-column"),
    pytest.param((20, -1, -1, -1), 6, CHOICE, (20, -1, -1, -1), id="L2.3-enter-or-move"),
    pytest.param((20, 21, -1, -1), 3, CHOICE, (20, 21, -1, -1), id="L2.3-two-pawns"),
    pytest.param((51, 20, 56, 56), 6, MOVED_AGAIN, (51, 26, 56, 56), id="C03-six-too-many"),
    pytest.param((51, 56, 56, -1), 5, MOVED_AGAIN, (56, 56, 56, -1), id="C03-exactly-home"),
    pytest.param((56, 56, 56, 54), 5, PASSED, (56, 56, 56, 54), id="C04-nothing-fits"),
    pytest.param((55, -1, -1, 56), 1, MOVED_AGAIN, (56, -1, -1, 56), id="C06-home-rolls-again"),
    pytest.param((55, -1, -1, 56), 2, PASSED, (55, -1, -1, 56), id="L3-55-needs-a-one"),
    pytest.param((55, 56, 56, 56), 6, PASSED, (55, 56, 56, 56), id="L3-six-without-a-move"),
    pytest.param((50, -1, -1, -1), 1, MOVED, (51, -1, -1, -1), id="L1-from-the-tip-inwards"),
    pytest.param((50, -1, -1, -1), 5, MOVED, (55, -1, -1, -1), id="L1-the-last-of-the-column"),
    pytest.param((10, 13, 56, 56), 3, CHOICE, (10, 13, 56, 56), id="L2.2-own-pawns-may-share"),
]


@pytest.mark.parametrize(("pawns", "value", "happens", "after"), ONE_ROLL)
def test_one_roll(
    pawns: tuple[int, ...], value: int, happens: list[str], after: tuple[int, ...]
) -> None:
    match = Match(position({RED: pawns}))
    assert kinds(match.rolls(value)) == happens
    assert match.state.pawns[RED] == after
    action = MOVE if happens == CHOICE else ROLL
    seat = YELLOW if happens[-1] == "turn_passed" else RED
    assert LUDO.awaited(match.state) == Awaited(seat, action)


@pytest.mark.parametrize("value", range(1, 7))
def test_c10_the_distance_is_the_number_and_only_a_six_rolls_again(value: int) -> None:
    match = Match(position({RED: (22, 56, 56, 56), YELLOW: (40, -1, -1, -1)}))
    events = match.rolls(value)
    assert match.state.pawns[RED][0] == 22 + value
    assert kinds(events) == (MOVED_AGAIN if value == 6 else MOVED)


def test_what_a_roll_says() -> None:
    """Everything a client draws and an auditor recomputes stands in the events."""
    match = Match(position({RED: (5, -1, -1, -1), YELLOW: (32, -1, 32, 8)}))
    chance = Loaded([1])
    decided = LUDO.decide(match.state, RED, RollDie(number="18446744073709551615"), chance)
    assert chance.asked == [(0, RED, "18446744073709551615")]
    assert decided == (
        DieRolled(index=0, seat=RED, number="18446744073709551615", value=1, movable=(0,)),
        PawnMoved(seat=RED, pawn=0, start=5, progress=6, why="only_move"),
        PawnCaptured(seat=YELLOW, pawn=0, start=32, captor=RED),
        PawnCaptured(seat=YELLOW, pawn=2, start=32, captor=RED),
        RollsAgain(seat=RED, why=("capture",)),
    )


@pytest.mark.parametrize(
    ("pawns", "theirs", "value", "why"),
    [
        pytest.param((20, 56, 56, 56), 40, 6, ("six",), id="L2.6-six"),
        pytest.param((20, 56, 56, 56), 52 - 3, 3, ("capture",), id="L2.6-capture"),
        pytest.param((17, 56, 56, 56), 52 - 3, 6, ("six", "capture"), id="L3-six-and-capture"),
        pytest.param((50, -1, 55, 55), 40, 6, ("six", "home"), id="L3-six-and-home"),
    ],
)
def test_reasons_are_joined_into_one_roll(
    pawns: tuple[int, ...], theirs: int, value: int, why: tuple[str, ...]
) -> None:
    match = Match(position({RED: pawns, YELLOW: (theirs, -1, -1, -1)}))
    events = match.rolls(value)
    if kinds(events) == CHOICE:
        events = match.moves(0)
    assert events[-1] == RollsAgain.model_validate({"seat": RED, "why": why})
    match.rolls(2)
    assert match.state.turn == YELLOW, "one more roll, not one a reason"


# ---- sixes


def test_c05_the_third_six_is_void_and_the_first_two_stand() -> None:
    match = Match(_opened(2))
    match.rolls(6)
    match.rolls(6)
    match.moves(0)
    events = match.rolls(6)
    assert events == (
        DieRolled(index=2, seat=RED, number="7", value=6, movable=()),
        TurnPassed(seat=YELLOW, why="third_six"),
    )
    assert match.state.pawns[RED] == (6, -1, -1, -1)
    assert match.state.sixes == 0


def test_l3_another_number_between_sixes_starts_the_count_anew() -> None:
    match = Match(position({RED: (18, 56, 56, 56), YELLOW: (2, -1, -1, -1)}))
    match.rolls(6)  # 24
    assert kinds(match.rolls(4)) == CAPTURED  # on 28, yellow's 2
    assert match.state.sixes == 0
    assert kinds(match.rolls(6)) == kinds(match.rolls(6)) == MOVED_AGAIN
    assert kinds(match.rolls(6)) == PASSED


def test_l3_no_bonus_survives_a_void_six() -> None:
    match = Match(position({RED: (17, 56, 56, 56), YELLOW: (49, 3, -1, -1)}))
    assert match.rolls(6)[-1] == RollsAgain(seat=RED, why=("six", "capture"))
    match.rolls(6)  # captures yellow's 3 on 29
    assert match.state.pawns[YELLOW] == (-1, -1, -1, -1)
    assert kinds(match.rolls(6)) == PASSED
    assert match.state.turn == YELLOW


def test_sixes_of_two_turns_are_not_added() -> None:
    match = Match(position({RED: (0, 56, 56, 56), YELLOW: (0, 56, 56, 56)}))
    match.rolls(6, 6, 1)
    assert match.state.turn == YELLOW
    match.rolls(6, 6, 1)
    assert kinds(match.rolls(6)) == MOVED_AGAIN


# ---- captures


def test_c01_a_pawn_on_a_start_is_safe_from_everyone() -> None:
    match = Match(
        position({RED: (35, -1, -1, -1), BLUE: (0, -1, -1, -1)}, seats=FOUR)
    )  # red 39 is blue's start
    assert kinds(match.rolls(4)) == MOVED
    assert match.state.pawns[RED][0] == 39
    assert match.state.pawns[BLUE][0] == 0
    assert match.state.turn == GREEN


def test_c12_the_capturing_pawn_stays() -> None:
    match = Match(position({RED: (10, -1, -1, -1), BLUE: (25, -1, -1, -1)}, seats=FOUR))
    assert kinds(match.rolls(2)) == CAPTURED  # blue's 25 is square 12
    assert match.state.pawns[RED] == (12, -1, -1, -1)
    assert match.state.pawns[BLUE] == (-1, -1, -1, -1)
    assert LUDO.awaited(match.state) == Awaited(RED, ROLL)


def test_l3_all_of_one_colour_are_captured_for_one_roll() -> None:
    match = Match(position({RED: (1, -1, -1, -1), YELLOW: (31, 31, 31, -1)}))
    events = match.rolls(4)
    assert kinds(events) == [*CAPTURED[:2], *["pawn_captured"] * 3, "rolls_again"]
    assert match.state.pawns[YELLOW] == (-1, -1, -1, -1)


def test_l3_passing_over_pawns_does_nothing() -> None:
    match = Match(position({RED: (1, -1, -1, -1), YELLOW: (30, 29, -1, -1)}))
    assert kinds(match.rolls(5)) == MOVED


def test_l3_columns_are_private() -> None:
    """Equal progress in two columns is two different squares."""
    match = Match(position({RED: (50, 56, 56, 56), YELLOW: (52, 52, -1, -1)}))
    assert kinds(match.rolls(2)) == MOVED


# ---- finishing


def test_c06_the_last_pawn_home_ends_a_match_of_two() -> None:
    match = Match(position({RED: (55, 56, 56, 56), YELLOW: (3, -1, -1, -1)}))
    assert match.rolls(1)[1:] == (
        PawnMoved(seat=RED, pawn=0, start=55, progress=56, why="only_move"),
        SeatFinished(seat=RED, place=1),
        SeatRemained(seat=YELLOW, place=2),
    )
    assert LUDO.awaited(match.state) is None
    assert LUDO.places(match.state) == ((RED, 1), (YELLOW, 2))
    assert match.refuses(ROLL_INTENT, Reason.NOT_PLAYING)


def test_l3_a_seat_that_finishes_has_no_further_roll_and_is_skipped() -> None:
    match = Match(position({RED: (50, 56, 56, 56), GREEN: (0, -1, -1, -1)}, seats=FOUR, sixes=1))
    assert match.rolls(6)[2:] == (
        SeatFinished(seat=RED, place=1),
        TurnPassed(seat=GREEN, why="finished"),
    )
    assert match.state.sixes == 0
    for seat in (GREEN, YELLOW, BLUE):
        assert match.state.turn == seat
        match.rolls(1)
    assert match.state.turn == GREEN


def test_l3_four_places_are_played_out() -> None:
    match = Match(position(dict.fromkeys(FOUR, (55, 56, 56, 56)), seats=FOUR))
    match.rolls(2, 1, 2, 1, 1)
    assert LUDO.places(match.state) == ((GREEN, 1), (BLUE, 2), (RED, 3), (YELLOW, 4))
    assert match.state.turn == OVER


@pytest.mark.parametrize("needed", [1, 2, 3])
def test_l5_fewer_pawns_finish_a_seat_and_the_others_leave_the_board(needed: int) -> None:
    home = (56,) * (needed - 1)
    pawns = (*home, 55, *(20, 21, 22)[: 4 - needed])
    match = Match(position({RED: pawns}, seats=FOUR, pawns_to_win=needed))
    match.rolls(1)
    events = match.moves(needed - 1)
    assert events[1:] == (SeatFinished(seat=RED, place=1), TurnPassed(seat=GREEN, why="finished"))
    assert match.state.pawns[RED] == (56,) * needed + (-1,) * (4 - needed)
    assert LUDO.places(match.state) == ((RED, 1),)


# ---- leaving for good (L3, L6)


def test_c17_leaving_on_the_own_turn_drops_the_open_roll() -> None:
    match = Match(position({GREEN: (3, 9, 54, -1)}, seats=FOUR, turn=GREEN))
    assert kinds(match.rolls(4)) == CHOICE
    assert match.leaves(GREEN) == (
        SeatLeft(seat=GREEN, place=4),
        TurnPassed(seat=YELLOW, why="left"),
    )
    assert match.state.pawns[GREEN] == ()
    assert LUDO.awaited(match.state) == Awaited(YELLOW, ROLL)
    match.rolls(1, 1)
    assert match.state.turn == RED
    match.rolls(1)
    assert match.state.turn == YELLOW


def test_l6_another_leaver_leaves_the_open_choice_alone() -> None:
    match = Match(position({RED: (3, 9, -1, -1)}, seats=FOUR))
    match.rolls(4)
    assert match.leaves(BLUE) == (SeatLeft(seat=BLUE, place=4),)
    assert LUDO.awaited(match.state) == Awaited(RED, MOVE)
    assert match.moves(1)[-1] == TurnPassed(seat=GREEN, why="moved")


def test_l6_the_last_one_left_takes_the_best_open_place() -> None:
    match = Match(_opened(4))
    match.leaves(RED)
    match.leaves(BLUE)
    assert match.leaves(GREEN) == (
        SeatLeft(seat=GREEN, place=2),
        SeatRemained(seat=YELLOW, place=1),
    )
    assert LUDO.places(match.state) == ((YELLOW, 1), (GREEN, 2), (BLUE, 3), (RED, 4))
    assert match.state.turn == OVER


def test_l6_who_had_finished_keeps_his_place() -> None:
    match = Match(position({RED: (56,) * 4}, seats=FOUR, turn=GREEN, places={RED: 1}))
    assert match.leaves(RED) == (SeatLeft(seat=RED, place=1),)
    assert match.state.turn == GREEN
    match.leaves(BLUE)
    match.leaves(YELLOW)
    assert LUDO.places(match.state) == ((RED, 1), (GREEN, 2), (YELLOW, 3), (BLUE, 4))


def test_nobody_leaves_twice_nor_from_where_nobody_sits() -> None:
    match = Match(_opened(3))
    match.leaves(GREEN)
    for seat in (GREEN, BLUE):
        assert LUDO.leave(match.state, seat, Loaded([])) == ()


# ---- refusals, in the order of the checks


def test_refusals_come_in_their_order() -> None:
    opened = _opened(2)
    choice = position({RED: (3, 9, -1, -1)}, roll=4)
    over = position({RED: (56,) * 4}, turn=OVER, places={RED: 1, YELLOW: 2})
    move = MovePawn(pawn=2)
    cases: list[tuple[State, int, Message, Reason]] = [
        (over, GREEN, move, Reason.NOT_PLAYING),
        (opened, YELLOW, move, Reason.NOT_YOUR_TURN),
        (opened, GREEN, LeaveTable(), Reason.NOT_YOUR_TURN),
        (opened, RED, LeaveTable(), Reason.WRONG_GAME),
        (opened, RED, move, Reason.ROLL_FIRST),
        (choice, RED, ROLL_INTENT, Reason.MOVE_EXPECTED),
        (choice, RED, move, Reason.ILLEGAL_MOVE),
    ]
    for state, seat, intent, reason in cases:
        assert LUDO.decide(state, seat, intent, Loaded([])) == Refused(reason)
    order = list(Reason)
    found = [order.index(reason) for *_, reason in cases]
    assert found == sorted(found)


def test_c08_a_refused_roll_does_not_touch_the_die() -> None:
    match = Match(position({RED: (3, 9, -1, -1)}))
    match.rolls(4)
    for number in range(5):
        assert match.refuses(RollDie(number=str(number)), Reason.MOVE_EXPECTED)
    match.moves(0)
    chance = Loaded([5])
    LUDO.decide(match.state, YELLOW, ROLL_INTENT, chance)
    assert chance.asked == [(1, YELLOW, "1")], "the next roll is the one that would have come"


def test_c09_one_roll_a_step() -> None:
    match = Match(_opened(2))
    match.rolls(3)
    assert LUDO.decide(match.state, RED, ROLL_INTENT, Loaded([])) == Refused(Reason.NOT_YOUR_TURN)
    assert kinds(tuple(match.log)).count("rolled") == 1


def test_c11_absent_colours_have_nothing() -> None:
    match = Match(_opened(2))
    for turn in range(200):
        match.times_out(turn % 6 + 1)
        assert match.state.pawns[GREEN] == match.state.pawns[BLUE] == ()
        assert match.state.turn in (RED, YELLOW)
    seats = {getattr(event, "seat", RED) for event in match.log}
    assert seats == {RED, YELLOW}
    match.leaves(RED)
    assert LUDO.places(match.state) == ((YELLOW, 1), (RED, 2))


def test_c13_a_move_before_its_roll_is_refused_and_not_kept() -> None:
    match = Match(position({RED: (3, 9, -1, -1)}))
    assert match.refuses(MovePawn(pawn=0), Reason.ROLL_FIRST)
    assert kinds(match.rolls(4)) == CHOICE
    assert match.state.pawns[RED] == (3, 9, -1, -1)


# ---- the clock


def test_the_clock_rolls_without_a_number_and_leaves_the_choice_as_a_step() -> None:
    match = Match(position({RED: (3, 9, -1, -1)}))
    assert match.times_out(4) == (DieRolled(index=0, seat=RED, number="", value=4, movable=(0, 1)),)
    assert LUDO.awaited(match.state) == Awaited(RED, MOVE)
    assert match.times_out()[0] == PawnMoved(seat=RED, pawn=1, start=9, progress=13, why="clock")


def test_the_clock_s_roll_plays_what_follows_by_itself() -> None:
    match = Match(position({RED: (3, -1, -1, -1)}))
    assert kinds(match.times_out(4)) == MOVED


# ---- the log


def test_an_event_of_another_game_is_a_fault() -> None:
    with pytest.raises(TypeError, match="LeaveTable"):
        LUDO.evolve(_opened(2), LeaveTable())
