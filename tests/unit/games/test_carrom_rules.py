"""Carrom rule by rule (`rules.md` K4 to K8), and the cases that others shipped."""

from __future__ import annotations

import pytest

from sahrat.games.carrom import CARROM, Carrom, board
from sahrat.games.carrom.messages import (
    BoardWon,
    DiscsRested,
    SeatLeft,
    Shoot,
    ShootsAgain,
    StrikerBlocked,
    StrikerShot,
    TurnPassed,
)
from sahrat.games.carrom.physics import BadShot, Shot, simulate
from sahrat.games.carrom.spots import put_back, spot
from sahrat.games.carrom.state import OVER, State, before_shot, down
from sahrat.games.game import Awaited, fold
from sahrat.games.ludo.messages import MovePawn
from sahrat.messages.base import Message
from sahrat.messages.reasons import Reason, Refused
from tests.unit.games.carrom_table import (
    EAST,
    NO_CHANCE,
    NORTH,
    SOUTH,
    WEST,
    begun,
    judged,
    position,
    told,
    with_down,
)

AHEAD = Shoot(x=0, dx=0, dy=1, speed=1_000_000)


def shot(state: State, *fallen: int) -> tuple[Message, ...]:
    """Return what the seat on turn brings about by a shot in which these discs fall."""
    found = Carrom(told(*fallen)).decide(state, state.turn, AHEAD, NO_CHANCE)
    assert not isinstance(found, Refused), found
    return found


def after(state: State, events: tuple[Message, ...]) -> State:
    found: State = fold(CARROM, state, events)
    return found


# ---- K4: seats


@pytest.mark.parametrize(
    ("players", "order"), [(2, [SOUTH, NORTH]), ("2v2", [SOUTH, EAST, NORTH, WEST])]
)
def test_K4_the_turn_passes_to_the_right(players: object, order: list[int]) -> None:
    state = begun(players=players)
    seen = []
    for _ in range(2 * len(order)):
        seen.append(state.turn)
        state = after(state, shot(state))
    assert seen == order * 2


def test_K4_whose_colours_are_whose() -> None:
    pairs = CARROM.view(begun(players="2v2"))
    assert (pairs.white, pairs.black) == ((SOUTH, NORTH), (EAST, WEST))
    singles = CARROM.view(begun())
    assert (singles.white, singles.black) == ((SOUTH,), (NORTH,))
    assert CARROM.seats(begun().options) == (SOUTH, NORTH)


def test_K4_everybody_shoots_from_his_own_side() -> None:
    """The same wish of each seat is the same shot, turned."""
    ends = []
    for seat in (SOUTH, EAST, NORTH, WEST):
        rack = board.turned(board.RACK, -seat % 4)
        state = position(rack, turn=seat, players="2v2")
        wish = Shoot(x=43_820, dx=-43_945, dy=252_600, speed=6_000_000)
        events = CARROM.decide(state, seat, wish, NO_CHANCE)
        assert not isinstance(events, Refused)
        rested = events[1]
        assert isinstance(rested, DiscsRested)
        places = tuple((placed.disc, placed.x, placed.y) for placed in rested.places)
        ends.append((board.turned(places, seat), rested.pocketed, rested.steps))
    assert ends[0] == ends[1] == ends[2] == ends[3]


# ---- K5, K6: cases


def test_C50_a_striker_that_falls_with_coins_of_both_colours() -> None:
    """White has two down; then striker, a black and a white coin fall."""
    state = with_down(3, 5)
    events = shot(state, 9, 0, 7)
    found = judged(events)
    assert (found.row, found.foul, found.foul_reason) == ("S1", True, "striker")
    assert [placed.disc for placed in found.returned] == [7, 3, 9]
    assert found.down == (1, 0)
    assert events[-1] == TurnPassed(seat=NORTH, why="foul")


def test_C51_a_striker_alone_is_a_foul_with_its_reason() -> None:
    events = shot(begun(), 0)
    found = judged(events)
    assert (found.foul, found.foul_reason, found.returned) == (True, "striker", ())
    assert events[-1] == TurnPassed(seat=NORTH, why="foul")


def test_C52_the_last_coin_never_counts_while_the_queen_is_out() -> None:
    state = with_down(3, 5, 7, 8, 10, 12, 14, 16)
    for _ in range(3):
        events = shot(state, 18)
        found = judged(events)
        assert (found.row, found.foul_reason, found.down) == ("N3", "last_own", (8, 0))
        assert [placed.disc for placed in found.returned] == [18]
        assert events[-1] == TurnPassed(seat=NORTH, why="foul")
        state = after(state, events)
        state = after(state, shot(state))
        assert state.turn == SOUTH


def test_C54_own_and_other_coin_in_one_shot() -> None:
    events = shot(with_down(3), 5, 9)
    assert judged(events).row == "N2"
    assert judged(events).down == (2, 1)
    assert events[-1] == ShootsAgain(seat=SOUTH, why="earned")


def test_C54_the_last_coin_of_a_colour_wins_whoever_sinks_it() -> None:
    state = with_down(1, 3, 5, 7, 8, 10, 12, 14, 16, turn=NORTH, queen="covered")
    events = shot(state, 18)
    assert judged(events).row == "C3"
    assert events[-1] == BoardWon(colour="white", seats=(SOUTH,), why="all_down")
    assert CARROM.places(after(state, events)) == ((SOUTH, 1), (NORTH, 2))


def test_K6_the_first_coin_is_remembered_whoever_sank_it_and_wherever_it_is_now() -> None:
    state = begun()
    assert before_shot(state) == "B0"
    state = after(state, shot(state, 2))  # white sinks a black coin
    assert state.first == (False, True)
    assert (state.turn, before_shot(state)) == (NORTH, "B1")
    state = after(state, shot(state, 0))  # black's striker falls: the coin goes back
    assert down(state) == (0, 0)
    assert state.first == (False, True)


def test_K6_a_coin_that_went_back_in_its_own_shot_was_never_first() -> None:
    state = after(begun(), shot(begun(), 0, 3))
    assert state.first == (False, False)


def test_K6_a_queen_that_waits_is_covered_by_the_very_next_shot_or_goes_back() -> None:
    state = after(with_down(3), shot(with_down(3), 1))
    assert (state.queen, state.turn, before_shot(state)) == ("pending", SOUTH, "P")
    covered = shot(state, 5)
    assert (judged(covered).row, judged(covered).queen) == ("P1", "covered")
    missed = shot(state)
    assert (judged(missed).row, judged(missed).foul) == ("P4", False)
    assert [placed.disc for placed in judged(missed).returned] == [1]
    lost = shot(state, 0, 5)
    assert [placed.disc for placed in judged(lost).returned] == [1, 5, 3]


def test_K6_a_covered_queen_stays_down_when_the_striker_falls() -> None:
    found = judged(shot(with_down(1, 3, queen="covered"), 0))
    assert (found.row, found.queen) == ("S2", "covered")
    assert [placed.disc for placed in found.returned] == [3]


def test_K6_the_last_coin_of_a_colour_is_the_one_that_fell_last() -> None:
    state = with_down(3, 5, 7, 8, 10, 12, 14)
    found = judged(shot(state, 18, 16))
    assert (found.row, [placed.disc for placed in found.returned]) == ("N3", [16])
    both = with_down(3, 5, 7, 8, 10, 12, 14, 16, 2, 4, 6, 9, 11, 13, 15, 17)
    found = judged(shot(both, 19, 18))
    assert (found.row, [placed.disc for placed in found.returned]) == ("N5", [18, 19])


@pytest.mark.parametrize(("extra", "row"), [((), "N3"), ((1,), "Q7")])
def test_K6_nine_coins_in_one_shot_before_any_other(extra: tuple[int, ...], row: str) -> None:
    assert before_shot(begun()) == "B0"
    assert judged(shot(begun(), *board.WHITES, *extra)).row == row


# ---- K6: where pieces go back to


def test_K6_the_centre_then_the_rings() -> None:
    assert spot(()) == (0, 0)
    assert spot(((1, 0, 0),)) == (0, 31_800)  # the first ring that is far enough is the fourth
    assert spot(((1, 0, 0), (2, 0, 31_800))) == (27_540, 15_900)
    assert put_back((), (1, 2, 3)) == ((1, 0, 0), (2, 0, 31_800), (3, 27_540, 15_900))


def test_K6_all_pieces_find_a_spot() -> None:
    found = put_back((), range(1, 20))
    for number, (_, x, y) in enumerate(found):
        for _, left, up in found[:number]:
            assert (x - left) ** 2 + (y - up) ** 2 >= 31_800**2


def test_K6_a_spot_is_free_at_exactly_a_coin_s_width() -> None:
    assert spot(((1, 31_800, 0),)) == (0, 0)
    assert spot(((1, 31_799, 0),)) != (0, 0)


# ---- K8: shots that are none

HIGH, LINE = ((1, 0, 300_000),), ((1, 0, 300_000), (2, 0, -252_600))
REFUSALS = [
    ({"x": 219_101}, HIGH, Reason.STRIKER_OFF_LINE),
    ({"x": -219_101, "dx": 0, "dy": 0}, LINE, Reason.STRIKER_OFF_LINE),
    ({"x": 36_549, "dx": 0, "dy": 0}, LINE, Reason.STRIKER_ON_COIN),
    ({"dx": 0, "dy": 0, "speed": 0}, HIGH, Reason.BAD_DIRECTION),
    ({"dx": 1_000_001, "dy": -1}, HIGH, Reason.BAD_DIRECTION),
    ({"dy": 1_000_001}, HIGH, Reason.BAD_DIRECTION),
    ({"dx": 5, "dy": 0, "speed": 0}, HIGH, Reason.NOT_FORWARD),
    ({"dx": 5, "dy": -1}, HIGH, Reason.NOT_FORWARD),
    ({"speed": 0}, HIGH, Reason.BAD_SPEED),
    ({"speed": -5}, HIGH, Reason.BAD_SPEED),
    ({"speed": 6_000_001}, HIGH, Reason.BAD_SPEED),
]


@pytest.mark.parametrize(("changes", "places", "reason"), REFUSALS)
def test_K8_a_shot_that_is_none(
    changes: dict[str, int], places: tuple[tuple[int, int, int], ...], reason: Reason
) -> None:
    """Each row also breaks what is checked later, where it can."""
    wish = AHEAD.model_copy(update=changes)
    state = position(places)
    found = CARROM.decide(state, SOUTH, wish, NO_CHANCE)
    assert isinstance(found, Refused)
    assert found.reason is reason


def test_K8_the_order_of_the_refusals_is_that_of_the_list() -> None:
    order = [list(Reason).index(reason) for _, _, reason in REFUSALS]
    assert order == sorted(order)


@pytest.mark.parametrize(
    "changes",
    [
        {"x": 219_100, "dx": 1_000_000, "dy": 1, "speed": 1},
        {"x": -219_100, "dx": -1_000_000, "dy": 1_000_000, "speed": 6_000_000},
        {"x": 36_550},
    ],
)
def test_K8_what_is_just_allowed(changes: dict[str, int]) -> None:
    wish = AHEAD.model_copy(update=changes)
    state = position(LINE)
    assert not isinstance(CARROM.decide(state, SOUTH, wish, NO_CHANCE), Refused)


def test_K8_no_shot_of_another_game_and_none_after_the_end() -> None:
    state = begun()
    assert CARROM.decide(state, SOUTH, MovePawn(pawn=0), NO_CHANCE) == Refused(Reason.WRONG_GAME)
    over = after(state, CARROM.leave(state, NORTH, NO_CHANCE))
    assert CARROM.decide(over, SOUTH, AHEAD, NO_CHANCE) == Refused(Reason.NOT_PLAYING)


def test_K8_a_fault_of_the_physics_is_no_refusal() -> None:
    """What the rules let through the physics must take; if not, the fault is ours."""
    with pytest.raises(BadShot):
        simulate(Shot(((0, 0, -252_600), (1, 0, -252_600)), 0, 1, 1))


# ---- K8: the weak shot


def weak(state: State) -> StrikerShot:
    found = CARROM.time_out(state, NO_CHANCE)[0]
    assert isinstance(found, StrikerShot)
    assert found.why == "clock"
    return found


def test_K8_the_weak_shot_aims_at_the_nearest_own_coin_ahead() -> None:
    state = position(((2, 0, -100_000), (3, 100_000, 0), (5, -100_000, 0), (7, 0, -300_000)))
    found = weak(state)
    assert (found.x, found.dx, found.dy, found.speed) == (0, 100_000, 252_600, 2_400_000)


def test_K8_of_two_as_near_the_lower_number() -> None:
    found = weak(position(((5, -100_000, 0), (3, 100_000, 0))))
    assert found.dx == 100_000


def test_K8_the_weak_shot_aims_at_the_queen_when_one_coin_is_left() -> None:
    pieces = ((1, 50_000, 200_000), (3, 0, 0))
    assert (weak(position(pieces)).dx, weak(position(pieces)).dy) == (50_000, 452_600)
    covered = weak(position(pieces[1:], queen="covered"))
    assert (covered.dx, covered.dy) == (0, 252_600)


def test_K8_nothing_ahead() -> None:
    found = weak(position(((3, 0, -300_000), (1, 300_000, 0), (5, 5, -252_600 - 40_000))))
    assert (found.dx, found.dy) == (0, 1)


def test_K8_the_first_free_place_of_the_line() -> None:
    coin_on_line = ((2, -5_000, -252_600), (3, 0, 0))
    assert weak(position(coin_on_line)).x == 32_000
    left = ((2, 5_000, -252_600), (3, 0, 0))
    assert weak(position(left)).x == -32_000


def test_K8_north_s_weak_shot_is_in_his_own_frame() -> None:
    found = weak(position(((2, 30_000, 0), (3, 0, 100_000)), turn=NORTH))
    assert (found.seat, found.dx, found.dy) == (NORTH, -30_000, 252_600)


def test_K8_no_room_for_the_striker() -> None:
    """Seven coins on the line: the turn counts as a shot in which nothing fell."""
    wall = tuple((disc, x, -252_600) for disc, x in enumerate(range(-219_000, 219_001, 73_000), 2))
    pending = position((*wall, (19, 0, 0)), queen="pending")
    events = CARROM.time_out(pending, NO_CHANCE)
    assert isinstance(events[0], StrikerBlocked)
    found = judged(events)
    assert (found.row, [placed.disc for placed in found.returned]) == ("P4", [1])
    assert events[-1] == TurnPassed(seat=NORTH, why="no_own_coin")
    assert after(pending, events).shots == pending.shots + 1
    assert CARROM.asked(events[0]) is None


# ---- K8: leaving


@pytest.mark.parametrize(
    ("players", "seat", "places"),
    [
        (2, SOUTH, ((NORTH, 1), (SOUTH, 2))),
        (2, NORTH, ((SOUTH, 1), (NORTH, 2))),
        ("2v2", EAST, ((SOUTH, 1), (NORTH, 1), (EAST, 2), (WEST, 2))),
        ("2v2", NORTH, ((EAST, 1), (WEST, 1), (SOUTH, 2), (NORTH, 2))),
    ],
)
def test_K8_whoever_leaves_for_good_loses_for_his_side(
    players: object, seat: int, places: tuple[tuple[int, int], ...]
) -> None:
    state = begun(players=players)
    events = CARROM.leave(state, seat, NO_CHANCE)
    won = events[-1]
    assert events[0] == SeatLeft(seat=seat)
    assert isinstance(won, BoardWon)
    assert won.why == "left"
    over = after(state, events)
    assert over.turn == OVER
    assert CARROM.awaited(over) is None
    assert CARROM.places(over) == places
    assert CARROM.places(state) == ()
    assert CARROM.leave(over, SOUTH, NO_CHANCE) == ()


# ---- what is seen


def test_what_anybody_sees() -> None:
    state = after(begun(), shot(begun(), 3, 1))
    seen = CARROM.view(state)
    assert (seen.turn, seen.before, seen.queen, seen.down) == (SOUTH, "C", "covered", (1, 0))
    assert (seen.first, seen.shots, seen.winner, seen.board) == ((True, False), 1, None, 1)
    assert {placed.disc for placed in seen.places} == set(range(2, 20)) - {3}
    over = CARROM.view(after(state, CARROM.leave(state, SOUTH, NO_CHANCE)))
    assert (over.turn, over.before, over.winner) == (None, None, "black")


def test_whom_it_waits_for() -> None:
    assert CARROM.awaited(begun()) == Awaited(SOUTH, "shoot")


def test_nothing_is_rolled() -> None:
    events = shot(begun())
    assert CARROM.number(AHEAD) is None
    assert all(CARROM.draw(event, NO_CHANCE) is None for event in events)
    assert CARROM.asked(events[0]) == AHEAD
    assert all(CARROM.asked(event) is None for event in events[1:])


def test_an_event_of_another_game_is_a_fault() -> None:
    with pytest.raises(TypeError):
        CARROM.evolve(begun(), AHEAD)
