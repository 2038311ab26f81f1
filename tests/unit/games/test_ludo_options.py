"""The options of Ludo one by one, as rule L5 says them. Ids are rule numbers."""

from __future__ import annotations

import pytest

from sahrat.games.game import Awaited
from sahrat.games.ludo import LUDO, MOVE, ROLL
from sahrat.games.ludo.messages import (
    ChoiceOpened,
    DeclineRoll,
    DieRolled,
    MovePawn,
    PawnCaptured,
    RollDeclined,
    RollsAgain,
    SeatFinished,
    SeatLeft,
    SeatRemained,
    SideWon,
    StartDecided,
    StartRolled,
    TurnPassed,
    TurnUndone,
)
from sahrat.games.ludo.options import LudoOptions
from sahrat.games.ludo.state import OVER, State
from sahrat.messages.reasons import Reason, Refused
from tests.unit.games.ludo_table import (
    BLUE,
    FOUR,
    GREEN,
    IN_BASE,
    RED,
    YELLOW,
    Loaded,
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


# ---- choosing


def test_l5_17_only_pawns_that_capture_may_move() -> None:
    theirs = progress_on(YELLOW, 23)
    match = Match(
        position(
            {RED: (20, 30, 19, -1), YELLOW: (theirs, -1, -1, -1)},
            forced_capture="on",
            may_pass="on",
        )
    )
    assert kinds(match.rolls(3)) == ["rolled", "pawn_moved", "pawn_captured", "rolls_again"]
    match = Match(
        position(
            {RED: (20, 30, 20, 21), YELLOW: (theirs, theirs - 1, theirs + 1, -1)},
            forced_capture="on",
            may_pass="on",
        )
    )
    rolled = match.rolls(3)
    assert rolled == (DieRolled(index=0, seat=RED, number="7", value=3, movable=(0, 2, 3)),)
    assert match.refuses(MovePawn(pawn=1), Reason.ILLEGAL_MOVE)
    refused = match.decide(DeclineRoll())
    assert isinstance(refused, Refused)
    assert refused.reason is Reason.ILLEGAL_MOVE


def test_l5_18_nothing_moves_by_itself_and_a_six_is_given_up_with_its_roll() -> None:
    match = Match(position({RED: (20, -1, 56, 56)}, may_pass="on"))
    assert match.rolls(2)[1:] == (ChoiceOpened(seat=RED, movable=(0,), may_decline=True),)
    assert LUDO.awaited(match.state) == Awaited(RED, MOVE)
    assert LUDO.view(match.state).may_decline
    assert match.declines() == (
        RollDeclined(seat=RED, value=2),
        TurnPassed(seat=YELLOW, why="declined"),
    )
    match = Match(position({RED: (20, -1, 56, 56)}, may_pass="on", six_without_move="roll_again"))
    match.rolls(6)
    assert match.declines()[-1] == TurnPassed(seat=YELLOW, why="declined")
    match = Match(position({RED: (55, -1, 56, 56)}, may_pass="on"))
    assert kinds(match.rolls(2)) == ["rolled", "turn_passed"], "there is nothing to decline"


def test_l5_18_what_is_owed_stays_owed() -> None:
    state = position({RED: (20, 30, 56, 56)}, may_pass="on", bonus_stack="add_up")
    match = Match(state)
    match.state = LUDO.evolve(state, RollsAgain(seat=RED, why=("six", "capture")))
    match.rolls(6)
    assert match.declines()[-1] == RollsAgain(seat=RED, why=("owed",))
    assert LUDO.awaited(match.state) == Awaited(RED, ROLL)


def test_l5_18_neither_bots_nor_the_clock_decline() -> None:
    match = Match(position({RED: (20, -1, 56, 56)}, may_pass="on"))
    match.rolls(2)
    assert LUDO.bot(match.state) == MovePawn(pawn=0)
    assert kinds(match.times_out()) == ["pawn_moved", "turn_passed"]


def test_l5_18_where_it_is_off_nothing_can_be_declined() -> None:
    match = Match(position({RED: (20, 30, 56, 56)}))
    assert match.refuses(DeclineRoll(), Reason.ROLL_FIRST)
    match.rolls(2)
    refused = match.decide(DeclineRoll())
    assert isinstance(refused, Refused)
    assert refused.reason is Reason.ILLEGAL_MOVE


# ---- sides and places


def test_l5_19_partners_do_not_capture_each_other_and_win_together() -> None:
    match = Match(
        position(
            {RED: (20, 56, 56, 56), YELLOW: (progress_on(YELLOW, 23), 56, 56, 56)},
            seats=FOUR,
            teams="on",
        )
    )
    assert kinds(match.rolls(3)) == ["rolled", "pawn_moved", "turn_passed"]
    match = Match(
        position({RED: (55, 56, 56, 56), YELLOW: (55, 56, 56, 56)}, seats=FOUR, teams="on")
    )
    assert match.rolls(1)[2:] == (
        SeatFinished(seat=RED, place=0),
        TurnPassed(seat=GREEN, why="finished"),
    )
    assert LUDO.places(match.state) == ()
    match.rolls(1)
    assert match.rolls(1)[2:] == (SeatFinished(seat=YELLOW, place=0), SideWon(seats=(RED, YELLOW)))
    assert LUDO.places(match.state) == ((RED, 1), (YELLOW, 1), (GREEN, 2), (BLUE, 2))
    assert match.state.turn == OVER


def test_l5_19_who_is_through_is_skipped_and_loses_nothing_by_leaving() -> None:
    match = Match(
        position({RED: (55, 56, 56, 56), YELLOW: (55, 56, 56, 56)}, seats=FOUR, teams="on")
    )
    match.rolls(1)
    assert match.leaves(RED) == (SeatLeft(seat=RED, place=0),)
    match.rolls(1)
    assert match.rolls(1)[-1] == SideWon(seats=(RED, YELLOW)), "his pawns are home all the same"


def test_l6_an_unfinished_partner_who_leaves_loses_for_his_side() -> None:
    match = Match(position({}, seats=FOUR, teams="on", turn=BLUE))
    assert match.leaves(GREEN) == (SeatLeft(seat=GREEN, place=0), SideWon(seats=(RED, YELLOW)))
    assert LUDO.places(match.state) == ((RED, 1), (YELLOW, 1), (GREEN, 2), (BLUE, 2))


def test_l5_20_only_the_first_place_counts() -> None:
    match = Match(position({RED: (55, 56, 56, 56)}, seats=FOUR, finish="first_only"))
    assert match.rolls(1)[2:] == (SeatFinished(seat=RED, place=1),)
    assert LUDO.places(match.state) == ((RED, 1),)
    assert match.state.turn == OVER
    match = Match(position({}, finish="first_only"))
    assert match.leaves(RED) == (SeatLeft(seat=RED, place=0), SeatRemained(seat=YELLOW, place=1))
    assert LUDO.places(match.state) == ((YELLOW, 1),)
    sides = Match(
        position(
            {RED: (55, 56, 56, 56), YELLOW: (56,) * 4}, seats=FOUR, teams="on", finish="first_only"
        )
    )
    sides.state = LUDO.evolve(sides.state, SeatFinished(seat=YELLOW, place=0))
    assert sides.rolls(1)[-1] == SideWon(seats=(RED, YELLOW))
    assert LUDO.places(sides.state) == ((RED, 1), (YELLOW, 1))


# ---- who starts


def test_l5_21_the_highest_roll_starts_and_ties_roll_again() -> None:
    state = opened(players=4, start="highest_roll")
    chance = Loaded([5, 2, 5, 5, 3, 6, 6, 1, 4])
    events = LUDO.begin(state, chance)
    rolled = [(RED, 5), (GREEN, 2), (YELLOW, 5), (BLUE, 5), (RED, 3), (YELLOW, 6), (BLUE, 6)]
    rolled += [(YELLOW, 1), (BLUE, 4)]
    assert events == (
        *(
            StartRolled(index=index, seat=seat, value=value)
            for index, (seat, value) in enumerate(rolled)
        ),
        StartDecided(seat=BLUE, why="highest_roll"),
    )
    assert chance.asked == [(index, seat, "") for index, (seat, _) in enumerate(rolled)]
    match = Match(state)
    for event in events:
        match.state = LUDO.evolve(match.state, event)
    assert LUDO.awaited(match.state) == Awaited(BLUE, ROLL)
    assert match.rolls(1)[0] == DieRolled(index=9, seat=BLUE, number="7", value=1, movable=())


def test_l6_a_tie_without_end_ends() -> None:
    events = LUDO.begin(opened(start="highest_roll"), Loaded([3] * 100))
    assert len(events) == 2 * 20 + 1
    assert events[-1] == StartDecided(seat=RED, why="highest_roll")


class Lot(Loaded):
    def lot(self, among: int) -> int:
        assert among == 3
        return 2


def test_l5_21_the_lot_counts_the_occupied_seats() -> None:
    (decided,) = LUDO.begin(opened(players=3, start="random"), Lot([]))
    assert decided == StartDecided(seat=YELLOW, why="random")
    assert LUDO.begin(opened(), Loaded([])) == ()


# ---- leaving while another chooses (L6)


def test_l6_a_choice_is_worked_out_again_when_somebody_leaves() -> None:
    """Red may only capture green's pawn; without green it may move either pawn."""
    theirs = progress_on(GREEN, 24)
    match = Match(
        position(
            {RED: (21, 21, 20, -1), GREEN: (theirs, progress_on(GREEN, 23), -1, -1)},
            seats=FOUR,
            forced_capture="on",
        )
    )
    assert match.rolls(3) == (DieRolled(index=0, seat=RED, number="7", value=3, movable=(0, 1, 2)),)
    assert match.leaves(BLUE) == (SeatLeft(seat=BLUE, place=4),), "nothing has changed"
    where = position(
        {
            RED: (21, 30, 20, -1),
            GREEN: (theirs, -1, -1, -1),
            BLUE: (progress_on(BLUE, 23), -1, -1, -1),
        },
        seats=FOUR,
        forced_capture="on",
    )
    match = Match(where)
    assert match.rolls(3) == (DieRolled(index=0, seat=RED, number="7", value=3, movable=(0, 2)),)
    events = match.leaves(GREEN)
    assert kinds(events) == ["seat_left", "pawn_moved", "pawn_captured", "rolls_again"]
    assert match.state.pawns[RED] == (21, 30, 23, -1), "the one option left is played"


def test_l6_pawns_that_a_leaver_barred_may_move_again() -> None:
    barred = progress_on(GREEN, 31)
    match = Match(
        position(
            {RED: (20, 30, 22, -1), GREEN: (barred, barred, -1, -1)},
            seats=FOUR,
            block="two_block",
        )
    )
    assert match.rolls(3) == (DieRolled(index=0, seat=RED, number="7", value=3, movable=(0, 2)),)
    assert match.leaves(GREEN) == (
        SeatLeft(seat=GREEN, place=4),
        ChoiceOpened(seat=RED, movable=(0, 1, 2), may_decline=False),
    )
    match.moves(1)
    assert match.state.pawns[RED][1] == 33
