"""Pachisi as it goes with the defaults, as rules P2 to P4, P6 and P7 say it."""

from __future__ import annotations

import pytest

from sahrat.games.pachisi import PACHISI, board, throws
from sahrat.games.pachisi.messages import (
    CowriesThrown,
    DeclineThrow,
    PieceCaptured,
    SeatFinished,
    SeatLeft,
    SeatRemained,
    ThrowCowries,
    ThrowsAgain,
    ThrowsLapsed,
    TurnPassed,
)
from sahrat.games.pachisi.options import PachisiOptions
from sahrat.games.pachisi.parts import OpenThrow
from sahrat.messages.match import LeaveTable
from sahrat.messages.reasons import Reason, Refused
from tests.unit.games.pachisi_table import (
    EAST,
    NORTH,
    SEVEN,
    SOUTH,
    WAITING,
    WEST,
    Loaded,
    Match,
    kinds,
    opened,
    piece,
    position,
    progress_on,
)

# ---- cowries


@pytest.mark.parametrize(
    ("cowries", "schedule", "worth", "enter"),
    [
        (6, "standard", (25, 10, 2, 3, 4, 5, 6), {6, 10, 25}),
        (7, "standard", (7, 10, 2, 3, 4, 25, 30, 14), {10, 25, 30}),
        (6, "murray", (6, 10, 2, 3, 4, 25, 12), {10, 25}),
        (7, "murray", (6, 10, 2, 3, 4, 25, 30, 12), {10, 25, 30}),
    ],
)
def test_p2_what_throws_are_worth(
    cowries: int, schedule: str, worth: tuple[int, ...], enter: set[int]
) -> None:
    options = PachisiOptions.model_validate({"cowries": cowries, "schedule": schedule})
    assert throws.values(options) == worth
    assert {value for value in worth if throws.enters(options, value)} == enter
    assert {value for value in worth if not throws.again(value)} == {*worth} & {2, 3, 4, 5}


def test_d_4_a_throw_says_what_it_was_drawn_from() -> None:
    shells = Loaded([6])
    decided = PACHISI.decide(opened(), SOUTH, ThrowCowries(number="99"), shells)
    assert shells.asked == [(0, SOUTH, "99", 6)]
    assert isinstance(decided, tuple)
    item = OpenThrow(throw=0, part="whole", value=6, enters=True)
    assert decided[0] == CowriesThrown(
        index=0, seat=SOUTH, number="99", shells=6, mouths=6, value=6, opened=(item,)
    )


# ---- a turn


def test_p4_1_nothing_moves_by_itself() -> None:
    match = Match(position({SOUTH: (20, 84, 84, 84)}))
    match.throws(4)
    assert match.state.using
    assert match.may() == (0,)
    match.moves(0)
    assert match.state.pieces[SOUTH][0] == 24
    assert match.state.turn == NORTH


def test_p4_1_c56_a_legal_move_may_be_declined() -> None:
    match = Match(position({SOUTH: (20, 84, 84, 84)}))
    match.throws(4)
    assert kinds(match.declines()) == ["declined", "turn_passed"]
    assert match.state.pieces[SOUTH][0] == 20


def test_p4_1_what_no_piece_can_use_lapses_without_a_step() -> None:
    match = Match(position({SOUTH: (80, 0, 0, 0)}, first_piece="grace_only"))
    assert match.throws(5)[1:] == (
        ThrowsLapsed(seat=SOUTH, items=(0,), why="overshoot"),
        TurnPassed(seat=NORTH, why="overshoot"),
    )


def test_p4_2_a_grace_enters_or_moves_and_gives_another_throw() -> None:
    for number, ends in ((0, 30), (1, 1)):
        match = Match(position({SOUTH: (20, 0, 0, 0)}))
        match.throws(10)
        assert match.may() == (0, 1, 2, 3)
        assert match.moves(number)[-1] == ThrowsAgain(seat=SOUTH, why="grace")
        assert match.state.pieces[SOUTH][number] == ends


def test_p4_2_the_other_throw_is_kept_if_the_grace_is_declined_or_of_no_use() -> None:
    match = Match(position({SOUTH: (20, 0, 0, 0)}))
    match.throws(10)
    assert match.declines()[-1] == ThrowsAgain(seat=SOUTH, why="grace")
    match = Match(opened(first_piece="grace_only", opening_gate="on"))
    assert kinds(match.throws(10)) == ["thrown", "lapsed", "throws_again"]


def test_p4_3_the_first_piece_leaves_by_any_throw_and_once() -> None:
    match = Match(opened())
    match.throws(3)
    match.moves(2)
    assert match.state.pieces[SOUTH] == (0, 0, 3, 0)
    match.throws(2)
    match.declines()  # north keeps its right
    match.throws(5)
    assert match.may() == (2,), "only the first of each player"
    match.moves(2)
    match.throws(4)
    match.moves(0)
    assert match.state.pieces[NORTH][0] == 4


def test_p4_3_a_captured_piece_needs_a_throw_that_enters_even_if_it_is_the_only_one() -> None:
    theirs = progress_on(NORTH, 6)
    match = Match(position({SOUTH: (12, 0, 0, 0), NORTH: (theirs, 0, 0, 0)}))
    match.throws(2)
    match.moves(0)
    assert match.state.pieces[NORTH] == WAITING
    match.throws(2)
    match.declines()
    assert kinds(match.throws(3)) == ["thrown", "lapsed", "turn_passed"]


def test_p4_3_a_grace_that_does_not_enter_brings_nobody_in() -> None:
    match = Match(opened(cowries=7, seven_needs_piece="off"))
    assert kinds(match.throws(7)) == ["thrown", "lapsed", "throws_again"]


def test_p4_4_own_pieces_share_squares_and_nobody_bars_the_way() -> None:
    match = Match(position({SOUTH: (20, 24, 0, 0), NORTH: (progress_on(NORTH, 14),) * 2 + (0, 0)}))
    match.throws(4)
    match.moves(0)
    assert match.state.pieces[SOUTH][:2] == (24, 24)


@pytest.mark.parametrize("square", sorted(board.CASTLES))
def test_p4_5_nobody_ends_on_a_castle_that_an_opponent_holds(square: int) -> None:
    at = progress_on(SOUTH, square)
    start = at - 3 if at > board.TIP else board.RETURN - 3
    for holder, may in ((EAST, ()), (SOUTH, (0,))):
        where = {SOUTH: (start, 84, 84, at if holder == SOUTH else 84)}
        if holder == EAST:
            where[EAST] = (progress_on(EAST, square), 0, 0, 0)
        match = Match(position(where, players=4))
        match.throws(3)
        assert tuple(p for p in match.may() if p == 0) == may
        match = Match(position(where, players=4))
        match.throws(4)
        assert 0 in match.may(), "passing is allowed"


def test_p4_6_all_who_stand_there_go_back() -> None:
    where = {
        SOUTH: (20, 0, 0, 0),
        EAST: (progress_on(EAST, 15), 0, 0, 0),
        NORTH: (progress_on(NORTH, 15), progress_on(NORTH, 15), 0, 0),
    }
    match = Match(position(where, players=4))
    match.throws(3)
    events = match.moves(0)
    assert [(e.seat, e.piece, e.captor) for e in events if isinstance(e, PieceCaptured)] == [
        (EAST, 0, SOUTH),
        (NORTH, 0, SOUTH),
        (NORTH, 1, SOUTH),
    ]
    assert events[-1] == ThrowsAgain(seat=SOUTH, why="capture")
    assert match.state.pieces[NORTH] == WAITING


def test_p4_7_a_grace_and_a_capture_give_one_throw() -> None:
    match = Match(position({SOUTH: (20, 0, 0, 0), NORTH: (progress_on(NORTH, 22), 0, 0, 0)}))
    match.throws(10)
    assert kinds(match.moves(0)) == ["used", "captured", "throws_again"]
    match.throws(2)
    match.moves(0)
    assert match.state.turn == NORTH


@pytest.mark.parametrize(
    ("pieces", "value", "ends"),
    [
        pytest.param((81, 84, 84, 84), 10, True, id="c56-a-ten-when-three-are-needed"),
        pytest.param((81, 70, 84, 84), 10, False, id="another-piece-can"),
        pytest.param((81, 80, 84, 84), 10, True, id="all-would-pass"),
        pytest.param((81, 0, 84, 84), 10, False, id="one-can-enter"),
        pytest.param((83, 84, 84, 84), 10, False, id="one-can-leave-the-last-square"),
    ],
)
def test_p4_8_too_large_a_throw_ends_the_turn_even_a_grace(
    pieces: tuple[int, ...], value: int, *, ends: bool
) -> None:
    match = Match(position({SOUTH: pieces}))
    match.throws(value)
    assert (match.state.turn == NORTH) == ends


def test_p4_8_a_throw_of_no_other_use_is_merely_void() -> None:
    """A castle that is held, and a piece that no plain throw can bring in."""
    theirs = progress_on(EAST, 13)
    match = Match(position({SOUTH: (11, 84, 84, 84), EAST: (theirs, 0, 0, 0)}, players=4))
    assert kinds(match.throws(10)) == ["thrown", "lapsed", "throws_again"]


def test_p4_9_only_an_exact_throw_brings_a_piece_home() -> None:
    match = Match(position({SOUTH: (80, 70, 0, 0)}))
    match.throws(5)
    assert match.may() == (1,)
    match.moves(1)
    match.throws(2)
    match.declines()
    match.throws(4)
    match.moves(0)
    assert match.state.pieces[SOUTH][0] == board.HOME


def test_p4_10_a_throw_that_enters_takes_a_piece_from_the_last_square() -> None:
    for value, may in ((25, (0,)), (10, (0,)), (6, (0,)), (2, ())):
        match = Match(position({SOUTH: (83, 84, 84, 84)}, players=3))
        match.throws(value)
        assert match.may() == may
    match = Match(position({SOUTH: (83, 84, 84, 84)}, players=3))
    match.throws(25)
    assert match.moves(0)[-2:] == (
        SeatFinished(seat=SOUTH, place=1),
        TurnPassed(seat=EAST, why="finished"),
    ), "no other throw after the last piece"


def test_p4_11_the_last_one_takes_the_last_place() -> None:
    match = Match(position({SOUTH: (80, 84, 84, 84)}))
    match.throws(4)
    assert match.moves(0)[-2:] == (
        SeatFinished(seat=SOUTH, place=1),
        SeatRemained(seat=NORTH, place=2),
    )
    assert PACHISI.places(match.state) == ((SOUTH, 1), (NORTH, 2))
    assert PACHISI.awaited(match.state) is None


# ---- refusals


def test_refusals_come_in_their_order() -> None:
    match = Match(position({SOUTH: (80, 84, 84, 84)}))
    assert match.refuses(piece(0), Reason.ROLL_FIRST)
    assert match.refuses(LeaveTable(), Reason.WRONG_GAME)
    for intent in (ThrowCowries(number=""), piece(0), LeaveTable()):
        decided = PACHISI.decide(match.state, NORTH, intent, Loaded([]))
        assert decided == Refused(Reason.NOT_YOUR_TURN)
    match.throws(4)
    assert match.refuses(ThrowCowries(number="1"), Reason.MOVE_EXPECTED)
    for wish in (piece(1), piece(0, item=1), piece(0, lap=True), DeclineThrow(item=1)):
        assert match.refuses(wish)
    match.moves(0)
    for intent in (ThrowCowries(number=""), piece(0), LeaveTable()):
        assert match.refuses(intent, Reason.NOT_PLAYING)


# ---- leaving


def test_p6_a_leaver_on_turn_loses_his_throws_and_the_last_open_place() -> None:
    match = Match(position({SOUTH: (20, 0, 0, 0)}, players=4))
    match.throws(10)
    assert match.leaves(SOUTH) == (
        SeatLeft(seat=SOUTH, colours=(SOUTH,), place=4),
        TurnPassed(seat=EAST, why="left"),
    )
    assert (match.state.items, match.state.pieces[SOUTH]) == ((), ())
    match.leaves(WEST)
    assert match.leaves(EAST)[-1] == SeatRemained(seat=NORTH, place=1)
    assert PACHISI.places(match.state) == ((NORTH, 1), (EAST, 2), (WEST, 3), (SOUTH, 4))


def test_p6_who_has_finished_keeps_place_and_pieces() -> None:
    match = Match(position({SOUTH: (80, 84, 84, 84)}, players=3))
    match.throws(4)
    match.moves(0)
    assert match.leaves(SOUTH) == (SeatLeft(seat=SOUTH, colours=(SOUTH,), place=1),)
    assert match.state.pieces[SOUTH] == (84,) * 4
    assert PACHISI.leave(match.state, SOUTH, Loaded([])) == ()


def test_p6_a_choice_that_changes_by_somebody_s_leaving_is_told_anew() -> None:
    where = {SOUTH: (18, 22, 84, 84), EAST: (progress_on(EAST, 13), 0, 0, 0)}
    match = Match(position(where, players=4))
    match.throws(3)
    assert match.may() == (1,), "square 13 is held"
    assert kinds(match.leaves(EAST)) == ["seat_left", "choice_opened"]
    assert match.may() == (0, 1)
    assert kinds(match.leaves(WEST)) == ["seat_left"]


# ---- bots and the clock


@pytest.mark.parametrize(
    ("pieces", "others", "value", "chosen"),
    [
        pytest.param((80, 20, 0, 0), {}, 4, 0, id="1-home"),
        pytest.param((20, 80, 0, 0), {NORTH: 14}, 2, 0, id="2-capture"),
        pytest.param((0, 20, 11, 40), {}, 10, 0, id="3-enter"),
        pytest.param((20, 40, 8, 30), {}, 4, 2, id="4-onto-a-castle"),
        pytest.param((65, 20, 26, 11), {NORTH: 8}, 2, 1, id="5-out-of-reach"),
        pytest.param((20, 40, 8, 30), {}, 3, 1, id="6-furthest-on"),
        pytest.param((30, 30, 8, 8), {}, 3, 0, id="among-equals-the-lowest"),
    ],
)
def test_p7_the_order_of_bots_and_of_the_clock(
    pieces: tuple[int, ...], others: dict[int, int], value: int, chosen: int
) -> None:
    where = {SOUTH: pieces}
    for seat, square in others.items():
        where[seat] = (progress_on(seat, square), 0, 0, 0)
    match = Match(position(where))
    match.throws(value)
    assert PACHISI.bot(match.state, "") == piece(chosen)
    match.times_out()
    assert match.state.pieces[SOUTH][chosen] != pieces[chosen]


def test_p7_the_clock_throws_without_a_number() -> None:
    match = Match(opened())
    (thrown, *_) = match.times_out(2)
    assert isinstance(thrown, CowriesThrown)
    assert thrown.number == ""
    assert PACHISI.bot(opened(), "") == ThrowCowries(number="")


# ---- the seven of a turn


def test_c56_a_long_turn_in_which_nothing_is_void() -> None:
    match = Match(position({SOUTH: (20, 0, 0, 0)}, **{**SEVEN, "pyada": "off"}))
    thrown = (25, 25, 14, 10, 30, 7, 25, 30, 7, 10, 14, 25, 3)
    match.throws(*thrown)
    assert sum(item.value for item in match.state.items) == sum(thrown) == 207 + 18
    assert match.state.using
    assert match.state.turn == SOUTH


def test_c56_three_high_throws_are_void() -> None:
    match = Match(position({SOUTH: (20, 0, 0, 0)}, **SEVEN))
    match.throws(25, 10)
    assert kinds(match.throws(30)) == ["thrown", "throws_cancelled", "throws_again"]
    assert match.state.items == ()
    match.throws(3)
    assert match.open() == "3"
