"""Options of a Carrom table (rule K7) on coins of the opponent, debts, early queens and breaks."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from sahrat.games.carrom import CARROM, Carrom, board
from sahrat.games.carrom.messages import (
    BoardWon,
    DebtsPaid,
    ShootsAgain,
    ShotJudged,
    TurnPassed,
)
from sahrat.games.carrom.physics import Rest, Shot
from sahrat.games.carrom.state import State, down
from sahrat.games.game import fold
from sahrat.messages.base import Message
from sahrat.messages.reasons import Refused
from tests.unit.games.carrom_table import (
    AHEAD,
    NO_CHANCE,
    NORTH,
    SOUTH,
    at,
    begun,
    means,
    position,
    shot,
    with_down,
)

WHITES = (3, 5, 7, 8, 10, 12, 14, 16)  # all but 18
BLACKS = board.BLACKS[:8]  # all but 19


def after(state: State, *fallen: int) -> State:
    """Return the match after a shot of the seat on turn in which these discs fall."""
    found: State = fold(CARROM, state, shot(state, *fallen))
    return found


# ---- early_queen_turn


def test_K7_an_early_queen_keeps_the_turn_and_goes_back_at_its_end() -> None:
    state = begun(early_queen_turn="again")
    assert means(state, 1) == ("Q1", [], "held", None, "again")
    state = after(state, 1)
    assert CARROM.view(state).before == "B0"
    assert means(state, 3) == ("N2", [], "held", None, "again")
    state = after(state, 3)
    assert means(state) == ("N1", [1], "board", None, "pass")
    assert means(state, 2) == ("N1", [1], "board", None, "pass")
    assert means(state, 0, 5) == ("S1", [1, 5, 3], "board", "striker", "pass")
    assert after(state).queen == "board"


def test_K7_a_held_queen_goes_back_with_a_striker_though_the_turn_stays() -> None:
    state = at(after(begun(early_queen_turn="again"), 1), striker_with_own="keeps_turn")
    assert means(state, 0, 3) == ("S1", [1, 3], "board", "striker", "again")


def test_K7_a_held_queen_covers_nothing() -> None:
    """She is not on the board, and was never the shooter's: a last coin is too early."""
    last = with_down(1, *WHITES, queen="held")
    assert means(last, 18) == ("N3", [1, 18], "board", "last_own", "pass")
    lost = at(last, last_coin_early="lose_board")
    assert means(lost, 18) == ("N3", [], "held", "last_own", "other wins: last_coin")


def test_K7_no_queen_is_early_where_she_counts_from_the_beginning() -> None:
    state = begun(early_queen_turn="again", queen_after_first="off")
    assert means(state, 1)[2:] == ("pending", None, "again")
    assert means(begun(early_queen_turn="again"), 1, 3)[2:] == ("covered", None, "again")


# ---- opponent_coin


def test_K7_a_fine_for_the_opponent_s_coin() -> None:
    state = at(with_down(3, 5), opponent_coin="stays_fine")
    assert means(state, 2) == ("N1", [3], "board", "other_coin", "pass")
    assert means(state, 2, 7) == ("N2", [3], "board", "other_coin", "again")
    assert shot(state, 2)[-1] == TurnPassed(seat=NORTH, why="no_own_coin")
    assert means(begun(opponent_coin="stays_fine"), 2) == ("N1", [], "board", "other_coin", "pass")
    assert means(state, 0, 2)[1:4] == ([3, 2], "board", "striker"), "the striker's price alone"
    assert means(state, 7) == ("N2", [], "board", None, "again")


def test_K7_no_fine_besides_a_last_coin_and_none_for_who_has_won() -> None:
    fine = {"opponent_coin": "stays_fine"}
    last = at(with_down(3, *BLACKS), **fine)
    assert means(last, 19) == ("N4", [19], "board", "last_other", "pass")
    won = at(with_down(1, *WHITES, queen="covered"), **fine)
    assert means(won, 2, 18) == ("C4", [], "covered", None, "own wins: all_down")


def test_K7_the_opponent_s_coin_returns_and_has_not_fallen() -> None:
    back = {"opponent_coin": "returns"}
    state = at(with_down(3, 5), **back)
    assert means(state, 4, 2) == ("N1", [4, 2], "board", None, "pass")
    assert means(state, 4, 7) == ("N2", [4], "board", None, "again")
    assert means(state, 4, 7, 0)[1] == [7, 3, 4], "last of all"
    last = at(with_down(3, *BLACKS), **back)
    assert means(last, 19) == ("N1", [19], "board", None, "pass")
    covered = at(with_down(1, 3, *BLACKS, queen="covered"), **back)
    assert means(covered, 19, 5) == ("C2", [19], "covered", None, "again")
    won = at(with_down(1, *WHITES, *BLACKS, queen="covered"), **back)
    assert means(won, 19, 18) == ("C4", [19], "covered", None, "own wins: all_down")
    both = at(state, **back, striker_with_opponent="stays")
    assert means(both, 4, 0)[1] == [3, 4]


# ---- striker_with_opponent


def test_K7_the_opponent_s_coin_stays_where_the_striker_falls_too() -> None:
    stays = {"striker_with_opponent": "stays"}
    assert means(at(with_down(3), **stays), 2, 0, 5)[1] == [5, 3]
    last = with_down(3, *BLACKS)
    assert means(at(last, **stays), 0, 19) == ("S1", [3, 19], "board", "striker", "pass")
    lost = at(last, **stays, last_coin_early="lose_board")
    assert means(lost, 0, 19) == ("S1", [], "board", "striker", "other wins: last_coin")
    covered = at(with_down(1, 3, *BLACKS, queen="covered"), **stays)
    assert means(covered, 0, 19) == ("S2", [3], "covered", "striker", "other wins: all_down")


# ---- striker_debt


def paid(events: tuple[Message, ...]) -> tuple[list[int], tuple[int, ...]] | None:
    """Return what went back for a debt, and what is still owed; None where nothing did."""
    for event in events:
        if isinstance(event, DebtsPaid):
            return [placed.disc for placed in event.returned], event.owed
    return None


def test_K7_a_debt_is_paid_at_the_end_of_the_first_shot_that_can() -> None:
    state = begun(striker_debt="carried", striker_penalty=2)
    state = after(state, 0)
    assert state.owed == (2, 0)
    assert CARROM.view(state).owed == (2, 0)
    events = shot(state, 2, 3)  # black sinks a coin of each
    assert paid(events) == ([3], (1, 0))
    assert events[-1] == ShootsAgain(seat=NORTH, why="earned")
    state = fold(CARROM, state, events)
    assert state.first == (True, True), "the first coin is looked for before"
    assert down(state) == (0, 1)
    state = replace(state, turn=SOUTH)
    events = shot(state, 7, 5)
    assert paid(events) == ([5], (0, 0)), "the lowest number of all that are down"
    assert events[-1] == ShootsAgain(seat=SOUTH, why="earned")


def test_K7_debts_add_up_and_end_with_a_win() -> None:
    state = at(with_down(4), striker_debt="carried")
    state = after(replace(after(state, 0), turn=SOUTH), 0)
    assert state.owed == (2, 0)
    won = at(with_down(1, *WHITES, queen="covered"), striker_debt="carried")
    events = shot(replace(won, owed=(3, 0)), 18)
    assert isinstance(events[-1], BoardWon)
    assert paid(events) is None
    assert after(begun(), 0).owed == (0, 0)


def test_K7_only_the_striker_makes_debts() -> None:
    state = begun(striker_debt="carried", opponent_coin="stays_fine")
    assert after(state, 2).owed == (0, 0)


# ---- break_tries


def broken(state: State, *moved: int) -> Message:
    """Return who goes on after a shot that moves these pieces by 1 um."""

    def simulate(shot: Shot) -> Rest:
        return Rest(tuple((n, x, y + (n in moved)) for n, x, y in shot.places), (), 1)

    events = Carrom(simulate).decide(state, state.turn, AHEAD, NO_CHANCE)
    assert not isinstance(events, Refused)
    return events[-1]


def test_K7_a_break_that_touches_nothing_is_tried_three_times() -> None:
    state = begun(break_tries=3)
    for left in (2, 1):
        assert shot(state)[-1] == ShootsAgain(seat=SOUTH, why="untouched")
        state = after(state)
        assert CARROM.view(state).tries == left
    assert shot(state)[-1] == TurnPassed(seat=NORTH, why="no_own_coin")
    state = after(state)
    assert CARROM.view(state).tries == 0
    assert shot(state)[-1] == TurnPassed(seat=SOUTH, why="no_own_coin")
    assert shot(begun())[-1] == TurnPassed(seat=NORTH, why="no_own_coin")


def test_K7_whatever_is_touched_ends_the_tries() -> None:
    state = begun(break_tries=3)
    assert broken(state) == ShootsAgain(seat=SOUTH, why="untouched")
    assert broken(state, 14) == TurnPassed(seat=NORTH, why="no_own_coin")
    assert shot(state, 0)[-1] == TurnPassed(seat=NORTH, why="foul")
    assert after(state, 0).tries == 0
    assert shot(state, 2)[-1] == TurnPassed(seat=NORTH, why="no_own_coin")
    assert after(state, 3).tries == 0


def test_K7_a_break_along_the_side_touches_nothing() -> None:
    """By the physics itself: to the cushion and back, past everything."""
    state = begun(break_tries=3, queen="off")
    wish = AHEAD.model_copy(update={"x": 219_000})
    events = CARROM.decide(state, SOUTH, wish, NO_CHANCE)
    assert not isinstance(events, Refused)
    assert events[-1] == ShootsAgain(seat=SOUTH, why="untouched")


# ---- what there is to choose


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("early_queen_turn", ["pass", "again"]),
        ("opponent_coin", ["stays_pass", "stays_fine", "returns"]),
        ("striker_debt", ["none", "carried"]),
        ("striker_with_opponent", ["returns", "stays"]),
        ("aim_guide", ["short", "none", "long"]),
        ("break_tries", [1, 3]),
    ],
)
def test_K7_each_has_its_values_the_default_first(name: str, values: list[Any]) -> None:
    shown = CARROM.options.model_json_schema()["properties"][name]
    assert shown["enum"] == values
    assert shown["default"] == values[0]


def test_K7_the_weak_shot_of_a_held_queen_looks_for_coins() -> None:
    last = position(((18, 0, 100_000), (19, 40_000, 0)), queen="held")
    events = CARROM.time_out(last, NO_CHANCE)
    (found,) = [event for event in events if isinstance(event, ShotJudged)]
    assert found.before == "B1"
