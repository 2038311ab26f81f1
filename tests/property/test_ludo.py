"""Any play of Ludo keeps the board sound, folds from its log, and is what a slow oracle says."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sahrat.games.game import fold
from sahrat.games.ludo import LUDO
from sahrat.games.ludo.messages import (
    DeclineRoll,
    DieRolled,
    MovePawn,
    RollDie,
    StartRolled,
)
from sahrat.messages.match import LeaveTable
from tests.property.any_play import Action, any_play
from tests.property.ludo_play import STEPS_BOUND, Dice, Die, assert_sound, compare, options_of
from tests.property.ludo_tables import tables

# ---- any intents at all

intents = st.one_of(
    st.just(RollDie(number="1")),
    st.builds(MovePawn, pawn=st.integers(0, 3)),
    st.just(DeclineRoll()),
    st.just(LeaveTable()),
)
actions = st.one_of(
    st.tuples(st.just("act"), st.integers(0, 3), intents, st.integers(1, 6)),
    st.tuples(st.just("on turn"), st.just(0), intents, st.sampled_from((1, 2, 3, 4, 5, 6, 6, 6))),
    st.tuples(st.just("clock"), st.just(0), st.just(LeaveTable()), st.integers(1, 6)),
    st.tuples(st.just("bot"), st.just(0), st.just(LeaveTable()), st.integers(1, 6)),
)
leaves = st.lists(st.tuples(st.integers(0, 199), st.integers(0, 3)), max_size=4)


@settings(max_examples=150)
@given(tables(), st.lists(actions, max_size=200), leaves)
def test_any_play_keeps_the_board_sound(
    options: dict[str, Any],
    play: list[Action],
    leavers: list[tuple[int, int]],
) -> None:
    """Refusals change nothing, events fold, exactly one seat is awaited until the match is over."""
    state, log = any_play(
        LUDO, options, play, leavers, opening=Dice(len(play)), chance=Die, sound=assert_sound
    )
    rolled = [event.index for event in log if isinstance(event, DieRolled | StartRolled)]
    assert rolled == list(range(state.rolls))


# ---- whole matches beside the oracle


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("leaving", [0.0, 0.004, 0.05], ids=["nobody", "some", "many-leave"])
def test_whole_matches_are_what_the_oracle_says(players: int, leaving: float) -> None:
    for seed in range(3):
        played = compare({"players": players}, seed, leaving=leaving, wild=0.1)
        assert played.steps < STEPS_BOUND


@settings(max_examples=25)
@given(tables(), st.integers(0, 2**32), st.sampled_from((0.0, 0.01)))
def test_any_match_is_what_the_oracle_says(
    options: dict[str, Any], seed: int, leaving: float
) -> None:
    compare(options, seed, leaving=leaving, wild=0.02)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_clock_alone_brings_every_match_to_its_end(players: int) -> None:
    """Nobody ever acts: the game rolls and moves for all, and the match ends."""
    for seed in range(5):
        chosen = random.Random(seed)
        state = LUDO.initial(options_of({"players": players}))
        while LUDO.awaited(state) is not None:
            state = fold(LUDO, state, LUDO.time_out(state, Die(chosen.randint(1, 6))))
            assert state.rolls < STEPS_BOUND
        assert [place for _, place in LUDO.places(state)] == list(range(1, players + 1))
