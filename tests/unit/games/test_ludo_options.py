"""Options of Ludo about moves and rolls, one by one, as rule L5 says them."""

from __future__ import annotations

import pytest

from sahrat.games.ludo import LUDO
from sahrat.games.ludo.messages import (
    DieRolled,
    PawnCaptured,
    RollsAgain,
    TurnPassed,
    TurnUndone,
)
from sahrat.games.ludo.options import LudoOptions
from sahrat.games.ludo.state import State
from tests.unit.games.ludo_table import (
    BLUE,
    FOUR,
    GREEN,
    IN_BASE,
    RED,
    YELLOW,
    Match,
    kinds,
    position,
    progress_on,
)


def opened(**options: str | int) -> State:
    return LUDO.initial(LudoOptions.model_validate(options))


# ---- leaving the base


@pytest.mark.parametrize(
    ("entry_roll", "enters"), [(6, (6,)), ("6_or_1", (1, 6)), ("any", (1, 2, 3, 4, 5, 6))]
)
def test_l5_2_what_brings_a_pawn_out_puts_it_on_its_start(
    entry_roll: str | int, enters: tuple[int, ...]
) -> None:
    for value in range(1, 7):
        match = Match(opened(entry_roll=entry_roll))
        match.rolls(value)
        assert match.state.pawns[RED] == ((0,) if value in enters else (-1,)) + (-1, -1, -1)
        assert match.state.turn == (RED if value == 6 else YELLOW), "only a six rolls again"


@pytest.mark.parametrize("out", [0, 1, 2, 4])
def test_l5_16_so_many_pawns_stand_on_their_start_when_play_begins(out: int) -> None:
    state = opened(players=4, pawns_out=out)
    for seat in FOUR:
        assert state.pawns[seat] == (0,) * out + (-1,) * (4 - out)


def test_l5_10_where_starts_are_not_safe_a_pawn_that_enters_captures() -> None:
    theirs = progress_on(YELLOW, 0)
    for safe, captures in (("starts+stars", 0), ("starts", 0), ("stars", 1), ("none", 1)):
        match = Match(position({YELLOW: (theirs, -1, -1, -1)}, safe=safe))
        assert kinds(match.rolls(6)).count("pawn_captured") == captures


@pytest.mark.parametrize(
    ("safe", "spared"), [("starts+stars", 8), ("starts", 4), ("stars", 4), ("none", 0)]
)
def test_l5_10_c02_the_safe_squares_are_those_of_the_table(safe: str, spared: int) -> None:
    """On each square that both walk, one after the other."""
    seen = []
    for square in (8, 13, 21, 26, 34, 39, 47, 0):
        on, other = (RED, YELLOW) if square else (GREEN, RED)
        match = Match(
            position(
                {
                    on: (progress_on(on, square) - 1, 56, 56, 56),
                    other: (progress_on(other, square), -1, -1, -1),
                },
                seats=FOUR,
                turn=on,
                safe=safe,
            )
        )
        seen.append(kinds(match.rolls(1)).count("pawn_captured"))
    assert seen.count(0) == spared


# ---- other rolls


@pytest.mark.parametrize("value", ["on", "off"])
def test_l5_3_6_7_a_reason_that_is_off_gives_no_roll(value: str) -> None:
    turn = RED if value == "on" else YELLOW
    match = Match(position({RED: (20, 56, 56, -1)}, six_again=value))
    match.rolls(6)
    match.moves(0)
    assert match.state.turn == turn
    theirs = progress_on(YELLOW, 23)
    where = {RED: (20, 56, 56, -1), YELLOW: (theirs, -1, -1, -1)}
    match = Match(position(where, capture_again=value))
    assert "pawn_captured" in kinds(match.rolls(3))
    assert match.state.turn == turn
    match = Match(position({RED: (53, 56, 56, -1)}, home_again=value))
    match.rolls(3)
    assert match.state.turn == turn


def test_l5_3_sixes_are_counted_though_they_give_no_roll() -> None:
    """Each six captures, which gives the next roll; the third is void all the same."""
    where = {RED: (9, 56, 56, 56), YELLOW: (15 + 26, 21 + 26 - 52 + 52, -1, -1)}
    match = Match(position(where, six_again="off", safe="none"))
    assert match.rolls(6)[-1] == RollsAgain(seat=RED, why=("capture",))
    assert match.rolls(6)[-1] == RollsAgain(seat=RED, why=("capture",))
    assert match.state.sixes == 2
    assert match.rolls(6)[-1] == TurnPassed(seat=YELLOW, why="third_six")


@pytest.mark.parametrize("limit", [2, 3, 4, 5])
def test_l5_5_the_six_that_is_one_too_many(limit: int) -> None:
    match = Match(position({RED: (0, 56, 56, 56)}, sixes_limit=limit))
    for _ in range(limit - 1):
        assert match.rolls(6)[-1] == RollsAgain(seat=RED, why=("six",))
    assert match.rolls(6)[-1] == TurnPassed(seat=YELLOW, why="third_six")
    assert match.state.pawns[RED][0] == 6 * (limit - 1)


def test_l5_4_without_a_limit_no_six_is_one_too_many() -> None:
    match = Match(position({RED: (0, 56, 56, 56)}, three_sixes="off", sixes_limit=2))
    for count in range(1, 8):
        match.rolls(6)
        assert match.state.sixes == count
    assert match.state.turn == RED


def test_l5_4_a_turn_is_taken_back_with_its_captures_and_marks() -> None:
    where = {RED: (18, -1, 56, 56), YELLOW: (50, 30, -1, -1)}  # yellow's 50 is square 24
    state = position(
        where, three_sixes="rollback_turn", capture_before_home="on", seats=FOUR, turn=BLUE
    )
    match = Match(state)
    match.rolls(1)  # blue can't move; red's turn begins
    match.rolls(6)
    assert kinds(match.moves(0)) == ["pawn_moved", "pawn_captured", "rolls_again"]
    match.leaves(GREEN)
    match.rolls(6)
    match.moves(1)
    assert (match.state.captors, match.state.pawns[YELLOW][0]) == ((RED,), -1)
    events = match.rolls(6)
    back = (where[RED], (), where[YELLOW], IN_BASE)
    assert events == (
        DieRolled(index=3, seat=RED, number="7", value=6, movable=()),
        TurnUndone(seat=RED, pawns=back, captors=()),
        TurnPassed(seat=YELLOW, why="third_six"),
    )
    assert (match.state.pawns, match.state.captors) == (back, ()), "who left stays off"


def test_l5_4_where_nothing_has_changed_nothing_is_taken_back() -> None:
    match = Match(
        position(
            {RED: (55, 56, 56, 56)}, three_sixes="rollback_turn", six_without_move="roll_again"
        )
    )
    match.rolls(6, 6)
    assert kinds(match.rolls(6)) == ["rolled", "turn_passed"]


def test_l5_9_a_six_without_a_move_rolls_again_unless_sixes_give_nothing() -> None:
    for six_again, turn in (("on", RED), ("off", YELLOW)):
        match = Match(
            position({RED: (55, 56, 56, 56)}, six_without_move="roll_again", six_again=six_again)
        )
        match.rolls(6)
        assert match.state.turn == turn


def test_l5_8_each_reason_gives_a_roll_of_its_own() -> None:
    match = Match(
        position(
            {RED: (17, 56, 56, 56), YELLOW: (49, 49, -1, -1)}, bonus_stack="add_up"
        )  # 23: two of yellow's
    )
    assert match.rolls(6)[-1] == RollsAgain(seat=RED, why=("six", "capture"))
    assert match.state.owed == 1, "both captured are one reason"
    assert match.rolls(1)[-1] == RollsAgain(seat=RED, why=("owed",))
    assert match.state.owed == 0
    assert match.rolls(1)[-1] == TurnPassed(seat=YELLOW, why="moved")


def test_l5_8_a_roll_without_a_move_uses_up_one_that_is_owed() -> None:
    state = position({RED: (55, 56, 56, 56)}, bonus_stack="add_up")
    match = Match(state)
    match.state = LUDO.evolve(state, RollsAgain(seat=RED, why=("six", "capture", "home")))
    assert match.state.owed == 2
    assert match.rolls(2)[-1] == RollsAgain(seat=RED, why=("owed",))
    assert match.rolls(2)[-1] == RollsAgain(seat=RED, why=("owed",))
    assert match.rolls(2)[-1] == TurnPassed(seat=YELLOW, why="no_move")


@pytest.mark.parametrize("end", ["void", "finished"])
def test_l5_8_a_turn_that_is_over_owes_nothing(end: str) -> None:
    pawns = (0, 56, 56, 56) if end == "void" else (50, 56, 56, 56)
    state = position({RED: pawns}, bonus_stack="add_up", seats=FOUR, sixes=2 * (end == "void"))
    match = Match(state)
    match.state = LUDO.evolve(state, RollsAgain(seat=RED, why=("six", "capture")))
    match.rolls(6)
    assert (match.state.turn, match.state.owed) == (GREEN, 0)


# ---- blocks and stacks


@pytest.mark.parametrize(
    ("block", "way", "may"),
    [
        pytest.param("two_block", (23, 23), False, id="ends-on-it"),
        pytest.param("two_block", (21, 21), True, id="a-safe-square-is-none"),
        pytest.param("two_block", (22, 22), False, id="passes-it"),
        pytest.param("two_block", (22, 23), True, id="single-pawns"),
        pytest.param("two_block", (24, 24), True, id="beyond"),
        pytest.param("off", (22, 22), True, id="no-blocks"),
    ],
)
def test_l5_11_nobody_else_passes_or_ends_on_a_block(
    block: str, way: tuple[int, int], may: bool
) -> None:
    """Red goes from 20 to 23."""
    theirs = tuple(progress_on(BLUE, square) for square in way)
    match = Match(
        position({RED: (20, 56, 56, 56), BLUE: (*theirs, -1, -1)}, seats=FOUR, block=block)
    )
    match.rolls(3)
    assert match.state.pawns[RED][0] == (23 if may else 20)


def test_l5_11_its_owner_and_his_partner_pass_it() -> None:
    for seat in (RED, YELLOW):
        theirs = progress_on(seat, 22)
        where = {RED: (20, 56, 56, 56), seat: (theirs, theirs, -1, -1)}
        if seat == RED:
            where = {RED: (20, 22, 22, 56)}
        match = Match(position(where, seats=FOUR, block="two_block", teams="on"))
        match.rolls(3)
        if match.state.roll:
            match.moves(0)
        assert match.state.pawns[RED][0] == 23


def test_l5_11_a_start_that_is_not_safe_can_be_blocked() -> None:
    theirs = progress_on(YELLOW, 0)
    for safe, out in (("stars", -1), ("starts", 0)):
        match = Match(position({YELLOW: (theirs, theirs, -1, -1)}, safe=safe, block="two_block"))
        match.rolls(6)
        assert match.state.pawns[RED][0] == out


def test_l5_12_two_together_stay_and_a_single_one_goes() -> None:
    two, one = progress_on(YELLOW, 23), progress_on(BLUE, 23)
    match = Match(
        position(
            {RED: (20, 56, 56, 56), YELLOW: (two, two, -1, -1), BLUE: (one, -1, -1, -1)},
            seats=FOUR,
            stack_capture="protected",
        )
    )
    events = match.rolls(3)
    assert [e for e in events if isinstance(e, PawnCaptured)] == [
        PawnCaptured(seat=BLUE, pawn=0, start=one, captor=RED)
    ]
    assert match.state.pawns[RED][0] == 23


# ---- home


@pytest.mark.parametrize(
    ("home_exact", "start", "value", "ends"),
    [
        ("exact", 54, 3, 54),
        ("exact", 54, 2, 56),
        ("overshoot_ok", 54, 3, 56),
        ("overshoot_ok", 51, 6, 56),
        ("bounce", 54, 3, 55),
        ("bounce", 55, 2, 55),
        ("bounce", 55, 6, 51),
        ("bounce", 51, 6, 55),
        ("bounce", 54, 2, 56),
    ],
)
def test_l5_13_what_leads_past_home(home_exact: str, start: int, value: int, ends: int) -> None:
    match = Match(position({RED: (start, -1, -1, 56)}, home_exact=home_exact, six_again="off"))
    events = match.rolls(value)
    if match.state.roll:
        match.moves(0)
    assert match.state.pawns[RED][0] == ends
    assert match.state.turn == (RED if ends == 56 else YELLOW), "home earns another roll"
    if home_exact == "bounce":
        assert "pawn_moved" in kinds(events) + kinds(tuple(match.log))


def test_l5_14_without_a_capture_a_pawn_goes_round_again() -> None:
    for captors, ends in (((), 2), ((RED,), 53)):
        state = position({RED: (48, -1, -1, -1)}, capture_before_home="on")
        for seat in captors:
            captured = PawnCaptured(seat=YELLOW, pawn=0, start=3, captor=seat)
            state = LUDO.evolve(state, captured)
        match = Match(state)
        match.rolls(5)
        assert match.state.pawns[RED][0] == ends
