"""Options of Pachisi about pieces, partners and places, one by one, as rule P5 says them."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from sahrat.games.game import Awaited
from sahrat.games.pachisi import PACHISI, USE
from sahrat.games.pachisi.messages import MoveGroup, SideWon, ThrowCowries, TurnPassed
from sahrat.messages.reasons import Reason, Refused
from tests.unit.games.pachisi_table import (
    EAST,
    NORTH,
    SOUTH,
    WEST,
    Loaded,
    Match,
    kinds,
    opened,
    piece,
    position,
    progress_on,
)

HOME = (84, 84, 84, 84)
SPLIT: dict[str, Any] = {"pieces_per_throw": "split"}
TOGETHER: dict[str, Any] = {"pieces_per_throw": "group"}

# ---- several pieces by one throw


def test_p5_17_a_throw_is_shared_square_by_square() -> None:
    theirs = (progress_on(NORTH, 14), progress_on(NORTH, 35), 0, 0)
    match = Match(position({SOUTH: (20, 40, 0, 84), NORTH: theirs}, **SPLIT))
    match.throws(5)
    for parts in (((0, 2), (1, 2)), ((0, 2), (2, 3)), ((0, 2), (3, 3)), ((0, 4), (0, 1))):
        assert match.refuses(Match.split(*parts)), parts
    kinds_seen = match.shares((0, 2), (1, 3))
    assert kinds_seen == ["used", "captured", "captured", "throws_again"]
    assert match.state.pieces[SOUTH] == (22, 43, 0, 84)
    match.throws(2)
    match.moves(0)
    assert match.state.turn == NORTH, "captures by one throw give one"


def test_p5_17_each_share_is_looked_at_after_those_before() -> None:
    """The first one captures, so that the second may come home; not the other way round."""
    where = {SOUTH: (20, 82, 0, 0), NORTH: (progress_on(NORTH, 15), 0, 0, 0)}
    match = Match(position(where, **SPLIT, capture_before_home="on"))
    match.throws(5)
    assert match.refuses(Match.split((1, 2), (0, 3)))
    match.shares((0, 3), (1, 2))
    assert match.state.pieces[SOUTH] == (23, 84, 0, 0)


@pytest.mark.parametrize(
    ("pieces", "value", "ends"),
    [
        pytest.param((80, 79, 84, 84), 10, True, id="more-than-all-together"),
        pytest.param((80, 78, 84, 84), 10, False, id="all-of-them"),
        pytest.param((80, 78, 0, 84), 10, False, id="one-can-enter"),
    ],
)
def test_p5_17_too_large_is_what_all_together_can_not_move(
    pieces: tuple[int, ...], value: int, *, ends: bool
) -> None:
    match = Match(position({SOUTH: pieces}, **SPLIT))
    match.throws(value)
    assert (match.state.turn == NORTH) == ends


def test_p7_a_throw_is_shared_only_where_no_single_piece_can_use_it() -> None:
    match = Match(position({SOUTH: (80, 76, 78, 84)}, **SPLIT, enter_on="10_25"))
    match.throws(10)
    bots = PACHISI.bot(match.state, "")
    assert bots == Match.split((0, 4), (1, 6)), "the lower piece first, the larger share first"
    match.times_out()
    assert match.state.pieces[SOUTH] == (84, 82, 78, 84)


def test_p5_17_pieces_of_one_place_move_together() -> None:
    theirs = (progress_on(NORTH, 15), 0, 0, 0)
    match = Match(position({SOUTH: (20, 20, 20, 76), NORTH: theirs}, **TOGETHER))
    match.throws(3)
    for pieces in ((0, 3), (0, 0)):
        assert match.refuses(MoveGroup(item=0, pieces=pieces, lap=False))
    assert match.moves_together(2, 0) == ["used", "captured", "throws_again"]
    assert match.state.pieces[SOUTH] == (23, 20, 23, 76)
    match = Match(position({SOUTH: (8, 76, 0, 0)}, **TOGETHER))
    match.throws(3)
    assert match.refuses(MoveGroup(item=0, pieces=(0, 1), lap=False)), "8 and 76 are two places"


def test_p5_17_nothing_enters_leaves_the_last_square_or_takes_a_pyada_together() -> None:
    match = Match(position({SOUTH: (83, 83, 0, 0)}, **TOGETHER))
    match.throws(10)
    assert match.may() == (0, 1, 2, 3)
    for pieces in ((0, 1), (2, 3)):
        assert match.refuses(MoveGroup(item=0, pieces=pieces, lap=False))
    match = Match(position({SOUTH: (20, 20, 84, 84)}, **TOGETHER, pyada="on"))
    match.throws(10)
    assert match.refuses(MoveGroup(item=1, pieces=(0, 1), lap=False))
    match.moves_together(0, 1)
    assert match.may() == (0, 1)


def test_p5_19_own_pieces_meet_on_castles_alone() -> None:
    """From 20, 22 to 24 are shared squares; 25 is a castle. The column is free."""
    options: dict[str, Any] = {"own_stacking": "castles_only"}
    for other, value, may in ((23, 3, False), (25, 5, True), (22, 3, True)):
        match = Match(position({SOUTH: (20, other, 84, 84)}, **options))
        match.throws(value)
        assert (0 in match.may()) == may
    match = Match(position({SOUTH: (78, 80, 84, 84)}, **options))
    match.throws(2)
    assert 0 in match.may()
    partner = {SOUTH: (20, 0, 0, 0), NORTH: (progress_on(NORTH, 15), 0, 0, 0)}
    match = Match(position(partner, **options, players=4, teams="on"))
    match.throws(3)
    assert match.may() == ()
    match = Match(position({SOUTH: (20, 20, 84, 84)}, **options, **TOGETHER))
    match.throws(3)
    assert match.may() == (0, 1)
    assert match.refuses(MoveGroup(item=0, pieces=(0, 1), lap=False))


def test_p5_23_no_piece_stops_on_the_last_square() -> None:
    match = Match(position({SOUTH: (80, 20, 84, 84)}, last_square="no_stop"))
    match.throws(3)
    assert match.may() == (1,)


def test_p5_28_a_piece_on_its_tip_may_go_round_again() -> None:
    match = Match(position({SOUTH: (76, 84, 84, 84)}, second_lap="on"))
    match.throws(25)
    assert match.may() == ()
    assert PACHISI.view(match.state).choices[0].laps == (0,)
    assert PACHISI.bot(match.state, "") == piece(0, lap=True), "nothing else can be done"
    match.moves(0, lap=True)
    assert match.state.pieces[SOUTH][0] == 33
    match = Match(position({SOUTH: (76, 84, 84, 84)}, second_lap="on"))
    match.throws(4)
    assert PACHISI.bot(match.state, "") == piece(0)


def test_p5_28_where_it_goes_round_anyway_there_is_nothing_to_want() -> None:
    match = Match(position({SOUTH: (76, 84, 84, 84)}, second_lap="on", capture_before_home="on"))
    match.throws(3)
    assert match.refuses(piece(0, lap=True))
    match.moves(0)
    assert match.state.pieces[SOUTH][0] == 11


# ---- sides


def teams(**options: Any) -> dict[str, Any]:
    return {"players": 4, "teams": "on", **options}


def test_p5_5_partners_do_not_capture_each_other_and_share_castles() -> None:
    for square, start in ((15, 20), (13, 18)):
        theirs = (progress_on(NORTH, square), 0, 0, 0)
        match = Match(position({SOUTH: (start, 0, 0, 0), NORTH: theirs}, **teams()))
        match.throws(3)
        assert kinds(match.moves(0)) == ["used", "turn_passed"]


def test_p5_5_a_side_has_won_when_all_eight_are_home() -> None:
    where = {SOUTH: (80, 84, 84, 84), EAST: HOME, NORTH: (80, 84, 84, 84)}
    match = Match(position(where, **teams()))
    match.throws(4)
    assert kinds(match.moves(0)) == ["used", "seat_finished", "turn_passed"]
    assert match.state.turn == NORTH, "east has finished, and is skipped"
    match.throws(4)
    assert match.moves(0)[-1] == SideWon(seats=(SOUTH, NORTH))
    assert PACHISI.places(match.state) == ((SOUTH, 1), (NORTH, 1), (EAST, 2), (WEST, 2))


def test_p5_7_who_has_finished_may_play_his_partner() -> None:
    where = {SOUTH: (80, 84, 84, 84)}
    match = Match(position(where, **teams(finished_partner="plays_partner")))
    match.throws(4)
    match.moves(0)
    for _ in (EAST, NORTH, WEST):
        match.throws(2)
        match.declines()
    assert match.state.turn == SOUTH
    match.throws(3)
    match.moves(1)
    assert match.state.pieces[NORTH] == (0, 3, 0, 0), "north's first piece"
    assert NORTH in match.state.entered
    while match.state.turn != SOUTH:
        match.throws(2)
        match.declines()
    assert kinds(match.leaves(SOUTH)) == ["seat_left", "turn_passed"]
    assert match.state.turn == EAST, "the match goes on"


def test_p6_an_unfinished_partner_who_leaves_loses_for_his_side() -> None:
    match = Match(opened(**teams()))
    assert match.leaves(EAST)[-1] == SideWon(seats=(SOUTH, NORTH))


def test_p5_29_only_the_first_place_counts() -> None:
    match = Match(position({SOUTH: (80, 84, 84, 84)}, players=3, finish="first_only"))
    match.throws(4)
    match.moves(0)
    assert PACHISI.places(match.state) == ((SOUTH, 1),)
    assert PACHISI.awaited(match.state) is None
    match = Match(position({SOUTH: (80, 84, 84, 84), NORTH: HOME}, **teams(finish="first_only")))
    match.throws(4)
    match.moves(0)
    assert PACHISI.places(match.state) == ((SOUTH, 1), (NORTH, 1))


# ---- two colours


def test_p5_6_each_turn_moves_that_seat_s_colour_and_its_player_acts() -> None:
    match = Match(opened(two_colours="on"))
    assert PACHISI.seats(match.state.options) == (0, 1)
    for seat in (SOUTH, EAST, NORTH, WEST):
        assert match.state.turn == seat
        other = PACHISI.decide(match.state, 1 - seat % 2, ThrowCowries(number=""), Loaded([2]))
        assert other == Refused(Reason.NOT_YOUR_TURN)
        match.throws(3)
        assert PACHISI.awaited(match.state) == Awaited(seat % 2, USE)
        match.moves(0)
        assert match.state.pieces[seat] == (3, 0, 0, 0)


def test_p5_6_a_player_has_won_when_both_his_colours_are_home() -> None:
    where = {SOUTH: HOME, NORTH: (80, 84, 84, 84)}
    state = position(where, two_colours="on", turn=EAST)
    match = Match(state)
    match.throws(2)
    assert match.declines()[-1] == TurnPassed(seat=NORTH, why="played")
    match.throws(4)
    match.moves(0)
    assert match.state.places == (1, 2, 1, 2)
    assert PACHISI.places(match.state) == ((0, 1), (1, 2))


def test_p5_6_a_leaver_takes_both_his_colours_with_him() -> None:
    match = Match(replace(opened(two_colours="on"), turn=NORTH))
    assert kinds(match.leaves(1)) == ["seat_left", "side_won"]
    assert match.state.left == (EAST, WEST)
    assert PACHISI.places(match.state) == ((0, 1), (1, 2))
