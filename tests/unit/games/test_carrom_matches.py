"""Several boards to a match, and everybody for points (rule K7), each case by hand."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from sahrat.games.carrom import CARROM, board
from sahrat.games.carrom.messages import (
    BoardLaid,
    BoardWon,
    MatchWon,
    PointsWon,
    QueenReturned,
    SeatLeft,
    TurnPassed,
)
from sahrat.games.carrom.physics import position_hash
from sahrat.games.carrom.state import OVER, State
from sahrat.games.game import Awaited, fold
from sahrat.messages.base import Message
from tests.unit.games.carrom_table import (
    EAST,
    NO_CHANCE,
    NORTH,
    SOUTH,
    WEST,
    at,
    begun,
    judged,
    shot,
    with_down,
)

WHITES = (3, 5, 7, 8, 10, 12, 14, 16)  # all but 18
TO_POINTS: dict[str, Any] = {"match": "25_points"}


def after(state: State, *fallen: int) -> State:
    found: State = fold(CARROM, state, shot(state, *fallen))
    return found


def almost(**options: Any) -> State:
    """White needs 18 alone, and has the queen; black has two down."""
    state = at(with_down(1, 2, 4, *WHITES, queen="covered"), **options)
    return replace(state, covered_by=SOUTH)


# ---- several boards


def test_K7_the_next_board_is_broken_by_the_next_seat_and_he_has_white() -> None:
    won, laid = shot(almost(**TO_POINTS), 18)[-2:]
    assert won == BoardWon(colour="white", seats=(SOUTH,), why="all_down", points=7 + 3)
    assert isinstance(laid, BoardLaid)
    assert (laid.board, laid.breaker, laid.white, laid.black) == (2, NORTH, (NORTH,), (SOUTH,))
    turned = board.turned(board.RACK, 2)
    assert [(placed.disc, placed.x, placed.y) for placed in laid.places] == list(turned)
    assert laid.hash == position_hash(turned)
    state = after(almost(**TO_POINTS), 18)
    assert CARROM.awaited(state) == Awaited(NORTH, "shoot")
    assert (state.score, state.shots, CARROM.view(state).before) == ((10, 0), 6, "B0")
    assert judged(shot(state, 3)).row == "N2", "white is north's now"
    assert CARROM.places(state) == ()


def test_K7_partners_break_in_turn() -> None:
    state = replace(
        at(replace(almost(), seats=(0, 1, 2, 3)), players="2v2", match="best_of_3"), board=1
    )
    won, laid = shot(state, 18)[-2:]
    assert isinstance(won, BoardWon)
    assert (won.seats, won.points) == ((SOUTH, NORTH), 1)
    assert isinstance(laid, BoardLaid)
    assert (laid.breaker, laid.white, laid.black) == (EAST, (EAST, WEST), (SOUTH, NORTH))
    ended = shot(replace(state, score=(1, 1), board=3), 18)[-1]
    assert ended == MatchWon(seats=(SOUTH, NORTH), score=(2, 1), why="score")
    assert CARROM.places(fold(CARROM, state, [ended])) == ((0, 1), (2, 1), (1, 2), (3, 2))


@pytest.mark.parametrize(
    ("match", "before", "by", "points"),
    [
        ("25_points", 0, SOUTH, 10),
        ("25_points", 21, SOUTH, 10),
        ("25_points", 22, SOUTH, 7),
        ("25_points", 0, NORTH, 7),
        ("29_points", 0, SOUTH, 12),
        ("29_points", 28, SOUTH, 12),
        ("29_points", 0, NORTH, 7),
        ("best_of_3", 0, SOUTH, 1),
    ],
)
def test_K7_what_a_board_brings(match: str, before: int, by: int, points: int) -> None:
    state = replace(almost(match=match), covered_by=by, score=(before, 0))
    (won,) = [event for event in shot(state, 18) if isinstance(event, BoardWon)]
    assert won.points == points


@pytest.mark.parametrize(
    ("number", "score", "best"),
    [
        (2, (14, 24), None),
        (2, (15, 24), (25, 24)),
        (8, (0, 5), (10, 5)),
        (8, (0, 11), (10, 11)),
        (8, (0, 10), None),
        (9, (0, 10), None),
        (9, (1, 10), (11, 10)),
    ],
)
def test_K7_when_a_match_to_points_is_over(
    number: int, score: tuple[int, int], best: tuple[int, int] | None
) -> None:
    """The board brings 10 to the first side: 25, or the higher score after eight boards."""
    last = shot(replace(almost(**TO_POINTS), score=score, board=number), 18)[-1]
    if best is None:
        assert isinstance(last, BoardLaid)
        assert last.board == number + 1
    else:
        seats = (SOUTH,) if best[0] > best[1] else (NORTH,)
        assert last == MatchWon(seats=seats, score=best, why="score")


def test_K7_a_later_board_counts_for_the_side_and_not_for_the_colour() -> None:
    """North broke, so that he is white."""
    state = replace(almost(**TO_POINTS), breaker=NORTH, turn=NORTH, covered_by=NORTH, score=(9, 20))
    events = shot(state, 18)
    assert events[-2] == BoardWon(colour="white", seats=(NORTH,), why="all_down", points=10)
    assert events[-1] == MatchWon(seats=(NORTH,), score=(9, 30), why="score")
    assert CARROM.places(fold(CARROM, state, events)) == ((NORTH, 1), (SOUTH, 2))


def test_K8_who_leaves_loses_the_match_whatever_the_score() -> None:
    state = replace(begun(**TO_POINTS), score=(20, 0))
    left = CARROM.leave(state, SOUTH, NO_CHANCE)
    assert left[0] == SeatLeft(seat=SOUTH)
    assert isinstance(left[1], BoardWon)
    assert left[2] == MatchWon(seats=(NORTH,), score=(20, 9), why="left")
    over = fold(CARROM, state, left)
    assert over.turn == OVER
    assert CARROM.places(over) == ((NORTH, 1), (SOUTH, 2))


# ---- for points


def alone(players: int = 4, **options: Any) -> State:
    return begun(mode="points", players=players, **options)


def test_K7_seats_of_those_who_play_for_points() -> None:
    assert [alone(players).seats for players in (2, 3, 4)] == [
        (SOUTH, NORTH), (SOUTH, EAST, NORTH), (SOUTH, EAST, NORTH, WEST),
    ]  # fmt: skip
    shown = CARROM.view(alone(3))
    assert (shown.white, shown.black, shown.points) == ((), (), (0, 0, 0))


def test_K7_every_coin_is_one_s_own_and_counts_for_who_sank_it() -> None:
    state = after(alone(), 2, 3)
    assert state.turn == SOUTH
    assert CARROM.view(state).points == (15, 0, 0, 0)
    state = after(after(state), 5)
    assert (state.turn, CARROM.view(state).points) == (EAST, (15, 10, 0, 0))
    assert CARROM.view(state).down == (2, 1, 0, 0)
    found = judged(shot(state, 0, 9))
    assert (found.row, [placed.disc for placed in found.returned]) == ("S1", [9, 5])
    assert found.points == (15, 0, 0, 0), "his own coin alone pays"


def test_K7_the_first_coin_and_debts_are_each_seat_s_own() -> None:
    state = after(after(after(alone(striker_debt="carried"), 3)), 0)
    assert (state.turn, state.owed) == (NORTH, (0, 1, 0, 0))
    assert judged(shot(state, 1)).row == "Q1", "south's first coin is not north's"
    state = replace(state, turn=EAST)
    assert after(state, 7, 9).owed == (0, 0, 0, 0)
    assert CARROM.view(after(state, 7, 9)).points == (10, 5, 0, 0)


@pytest.mark.parametrize(
    ("values", "points"),
    [("5_10_50", 65), ("5_10_25", 40), ("1_1_3", 5), ("10_20_50", 80)],
)
def test_K7_the_queen_counts_for_who_covers_her(values: str, points: int) -> None:
    state = after(after(alone(point_values=values), 3), 1)
    assert CARROM.view(state).queen == "pending"
    state = after(state, 2)
    assert CARROM.view(state).points == (points, 0, 0, 0)


def ended(points: dict[int, tuple[int, ...]], queen: int, **options: Any) -> PointsWon:
    """Let south sink the last coin, 19, after each seat sank those; return the places."""
    taken = [-1] * board.DISCS
    for seat, coins in points.items():
        for coin in coins:
            taken[coin] = seat
    state = alone(**options)
    places = tuple(place for place in state.places if place[0] == 19)
    state = replace(state, places=places, taken=tuple(taken), queen="covered", covered_by=queen)
    (last,) = [event for event in shot(state, 19) if isinstance(event, PointsWon)]
    return last


def ranks(won: PointsWon) -> list[tuple[int, int, int]]:
    return [(rank.seat, rank.place, rank.points) for rank in won.ranks]


def test_K7_most_points_win() -> None:
    coins = {SOUTH: (2, 4), EAST: (3,), NORTH: (5, 7), WEST: (8, 9, 6)}
    assert ranks(ended(coins, EAST)) == [(1, 1, 60), (2, 2, 20), (3, 2, 20), (0, 4, 15)]


def test_K7_a_tie_goes_to_who_covered_the_queen_else_it_is_a_draw() -> None:
    owner = {SOUTH: (2,), EAST: (3, 5, 7), NORTH: (8,), WEST: (4, 6)}
    won = ended({**owner, SOUTH: (2, 10, 12)}, NORTH, point_values="5_10_25")
    assert ranks(won)[:3] == [(2, 1, 35), (0, 2, 30), (1, 2, 30)]
    tie = ended({SOUTH: (3, 2), NORTH: (9,)}, SOUTH, players=2, point_values="1_1_3")
    assert ranks(tie)[0][:2] == (SOUTH, 1)
    even = ended({SOUTH: (4,), NORTH: (3,)}, -1, players=2)
    assert ranks(even) == [(SOUTH, 1, 10), (NORTH, 1, 10)]
    close = ended({SOUTH: (), NORTH: (5, 7)}, NORTH, players=2, point_values="1_1_3")
    assert ranks(close) == [(NORTH, 1, 5), (SOUTH, 2, 1)]


def test_K7_of_equal_points_the_queen_s_owner_is_first() -> None:
    three = ended({SOUTH: (2, 4), NORTH: ()}, NORTH, players=2, point_values="1_1_3")
    assert ranks(three) == [(NORTH, 1, 3), (SOUTH, 2, 3)]


def test_K7_a_last_coin_too_early_goes_back_or_is_the_end() -> None:
    def last(**options: Any) -> tuple[Message, ...]:
        state = alone(**options)
        taken = tuple(EAST if 1 < disc < 19 else -1 for disc in range(board.DISCS))
        places = tuple(place for place in state.places if place[0] in (1, 19))
        first = (True,) * len(state.seats)
        return shot(replace(state, places=places, taken=taken, first=first), 19)

    assert judged(last()).row == "N3"
    assert last()[-1] == TurnPassed(seat=EAST, why="foul")
    lost = last(last_coin_early="lose_board")[-1]
    assert isinstance(lost, PointsWon)
    assert lost.why == "last_coin"
    assert ranks(lost) == [(1, 1, 130), (2, 2, 0), (3, 2, 0), (0, 4, 5)]


def test_K8_a_leaver_is_passed_over_and_his_queen_goes_back() -> None:
    state = after(after(alone(), 3), 1)
    left = CARROM.leave(state, SOUTH, NO_CHANCE)
    assert [type(event) for event in left] == [SeatLeft, QueenReturned, TurnPassed]
    assert left[-1] == TurnPassed(seat=EAST, why="left")
    state = fold(CARROM, state, left)
    assert (state.queen, CARROM.view(state).points[0]) == ("board", 10)
    returned = left[1]
    assert isinstance(returned, QueenReturned)
    assert returned.hash == position_hash(state.places)
    assert CARROM.leave(state, SOUTH, NO_CHANCE) == ()
    assert CARROM.leave(state, NORTH, NO_CHANCE) == (SeatLeft(seat=NORTH),)
    state = fold(CARROM, state, CARROM.leave(state, NORTH, NO_CHANCE))
    state = after(state)
    assert state.turn == WEST
    assert after(state).turn == EAST
    won = CARROM.leave(state, EAST, NO_CHANCE)[-1]
    assert isinstance(won, PointsWon)
    assert [rank[:2] for rank in ranks(won)] == [(WEST, 1), (EAST, 2), (NORTH, 3), (SOUTH, 4)]


def test_K8_the_weak_shot_and_bots_take_any_coin_for_points() -> None:
    state = alone()
    assert judged(CARROM.time_out(state, NO_CHANCE)).before == "B0"
    near = replace(state, places=((2, 0, -150_000), (3, 0, 200_000)), tries=0, queen="covered")
    weak = CARROM.time_out(near, NO_CHANCE)[0]
    assert getattr(weak, "dy", None) == 252_600 - 150_000
    before_pocket = replace(near, places=((2, -320_000, 310_000), (3, 320_000, 310_000)))
    wish = CARROM.bot(before_pocket, "seed")
    events = CARROM.decide(before_pocket, SOUTH, wish, NO_CHANCE)
    assert isinstance(events, tuple)
    assert judged(events).points[0] == 10, "the white one is worth more"
