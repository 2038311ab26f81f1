"""Options of Ludo about choosing, sides, places and who starts, as rules L5 and L6 say them."""

from __future__ import annotations

from sahrat.games.game import Awaited
from sahrat.games.ludo import LUDO, MOVE, ROLL
from sahrat.games.ludo.messages import (
    ChoiceOpened,
    DeclineRoll,
    DieRolled,
    MovePawn,
    RollDeclined,
    RollsAgain,
    SeatFinished,
    SeatLeft,
    SeatRemained,
    SideWon,
    StartDecided,
    StartRolled,
    TurnPassed,
)
from sahrat.games.ludo.options import LudoOptions
from sahrat.games.ludo.state import OVER, State
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
    progress_on,
)


def opened(**options: str | int) -> State:
    return LUDO.initial(LudoOptions.model_validate(options))


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
    assert LUDO.bot(match.state, "") == MovePawn(pawn=0)
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
