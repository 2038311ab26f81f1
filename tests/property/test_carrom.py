"""Whatever falls, a board stays sound: no piece is lost or made, and it goes on or is won."""

from __future__ import annotations

from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sahrat.games.carrom import CARROM, Carrom, board
from sahrat.games.carrom.messages import BoardWon, Shoot, ShotJudged, TurnPassed
from sahrat.games.carrom.outcomes import EFFECTS
from sahrat.games.carrom.state import OVER, State, down
from sahrat.games.game import fold
from sahrat.messages.base import Message
from sahrat.messages.codec import Codec, encode
from sahrat.messages.reasons import Refused
from tests.unit.games.carrom_table import NO_CHANCE, begun, told

AHEAD = Shoot(x=0, dx=0, dy=1, speed=1)
falls = st.lists(st.integers(0, 19), max_size=12, unique=True)


def play(players: object, shots: list[list[int]]) -> tuple[State, list[Message], list[State]]:
    """Let one shot after the other sink what of a list is still there; return how it went."""
    state, log, states = begun(players=players), list[Message](), list[State]()
    for wanted in shots:
        if state.turn == OVER:
            break
        there = {board.STRIKER, *(disc for disc, _, _ in state.places)}
        game = Carrom(told(*(disc for disc in wanted if disc in there)))
        x = next(x for x in range(0, 219_101, 50) if _legal(state, x))
        events = game.decide(state, state.turn, AHEAD.model_copy(update={"x": x}), NO_CHANCE)
        assert not isinstance(events, Refused)
        states.append(state)
        log += events
        state = fold(CARROM, state, events)
    return state, log, [*states, state]


def _legal(state: State, x: int) -> bool:
    """Try a place on the line by the refusal alone: the speed 0 is refused after it."""
    wish = AHEAD.model_copy(update={"x": x, "speed": 0})
    refused = CARROM.decide(state, state.turn, wish, NO_CHANCE)
    return isinstance(refused, Refused) and refused.reason == "bad_speed"


@given(st.sampled_from([2, "2v2"]), st.lists(falls, max_size=40))
def test_K5_a_board_stays_sound(players: object, shots: list[list[int]]) -> None:
    state, log, states = play(players, shots)
    assert fold(CARROM, begun(players=players), log) == state
    for found in states:
        _check_sound(found)
    judged = [event for event in log if isinstance(event, ShotJudged)]
    for before, after, event in zip(states, states[1:], judged, strict=False):
        _check_shot(before, after, event)
    for told_of in log:
        again: Message = Codec(type(told_of)).decode(encode(told_of))
        assert again == told_of
    assert orjson.loads(encode(CARROM.view(state)))["shots"] == state.shots


def _check_sound(state: State) -> None:
    ids = [disc for disc, _, _ in state.places]
    assert ids == sorted(set(ids))
    assert set(ids) <= set(range(board.QUEEN, board.DISCS))
    assert (board.QUEEN in ids) == (state.queen == "board")
    for one, other in pairwise(state.places):
        assert one[1:] != other[1:]
    white, black = down(state)
    if state.turn == OVER:
        assert state.queen == "covered"
        assert (white, black)[state.winner] == board.COINS_EACH
    else:
        assert max(white, black) < board.COINS_EACH
    for colour, coins in enumerate((white, black)):
        assert state.first[colour] or not coins


def _check_shot(before: State, after: State, event: ShotJudged) -> None:
    """What was judged is what became of the board."""
    effect = EFFECTS[event.row]
    assert event.down == down(after)
    assert event.queen == after.queen
    assert event.foul == (effect.foul is not None)
    back = {placed.disc for placed in event.returned}
    assert back <= {disc for disc, _, _ in after.places}
    if event.foul_reason == "striker":
        lost = {disc for disc, _, _ in before.places} - {disc for disc, _, _ in after.places}
        assert not lost, "every piece of such a shot goes back"
    assert (after.turn == before.turn) == (effect.turn == "again")


@given(st.lists(falls, min_size=1, max_size=30))
def test_K4_nobody_is_left_out(shots: list[list[int]]) -> None:
    """A turn that passes goes to the next seat, and a board ends with what was won."""
    state, log, _ = play("2v2", shots)
    turn = 0
    for event in log:
        if isinstance(event, TurnPassed):
            turn = (turn + 1) % 4
            assert event.seat == turn
    if state.turn == OVER:
        won = log[-1]
        assert isinstance(won, BoardWon)
        assert [seat for seat, place in CARROM.places(state) if place == 1] == list(won.seats)


@pytest.mark.parametrize("players", [2, "2v2"])
def test_K8_an_untouched_table_is_played_by_the_clock(players: object) -> None:
    """Nobody is there: the clock plays twenty turns, each as the one who shoots would see it."""
    state = begun(players=players)
    for _ in range(20):
        if state.turn == OVER:
            break
        state = fold(CARROM, state, CARROM.time_out(state, NO_CHANCE))
        _check_sound(state)
    assert state.shots == 20
