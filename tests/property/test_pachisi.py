"""Any play of Pachisi keeps the board sound, folds from its log, and is what a slow oracle says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sahrat.games.game import fold
from sahrat.games.pachisi import PACHISI
from sahrat.games.pachisi.messages import (
    CowriesThrown,
    DeclineThrow,
    MoveGroup,
    MovePiece,
    SplitThrow,
    StartThrown,
    ThrowCowries,
)
from sahrat.games.pachisi.parts import Share
from sahrat.messages.match import LeaveTable
from tests.property.any_play import Action, any_play
from tests.property.pachisi_compare import compare
from tests.property.pachisi_play import STEPS_BOUND, Cowries, Shells, assert_sound, options_of
from tests.property.pachisi_tables import tables

items, pieces = st.integers(0, 3), st.integers(0, 3)
shares = st.builds(Share, piece=pieces, steps=st.integers(1, 12), lap=st.booleans())
intents = st.one_of(
    st.just(ThrowCowries(number="1")),
    st.builds(MovePiece, item=items, piece=pieces, lap=st.booleans()),
    st.builds(MovePiece, item=st.just(0), piece=pieces, lap=st.just(False)),
    st.builds(
        MoveGroup,
        item=items,
        pieces=st.lists(pieces, min_size=2, max_size=4).map(tuple),
        lap=st.booleans(),
    ),
    st.builds(SplitThrow, item=items, shares=st.lists(shares, min_size=2, max_size=4).map(tuple)),
    st.builds(DeclineThrow, item=items),
    st.just(LeaveTable()),
)
actions = st.one_of(
    st.tuples(st.just("act"), st.integers(0, 3), intents, st.integers(0, 7)),
    st.tuples(st.just("on turn"), st.just(0), intents, st.sampled_from((0, 1, 2, 3, 5, 6))),
    st.tuples(st.just("clock"), st.just(0), st.just(LeaveTable()), st.integers(0, 7)),
    st.tuples(st.just("bot"), st.just(0), st.just(LeaveTable()), st.sampled_from((0, 1, 3, 5, 6))),
)
leaves = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 3)), max_size=4)


@settings(max_examples=60)
@given(tables(), st.lists(actions, max_size=100), leaves)
def test_any_play_keeps_the_board_sound(
    options: dict[str, Any],
    play: list[Action],
    leavers: list[tuple[int, int]],
) -> None:
    """Refusals change nothing, events fold, exactly one seat is awaited until the match is over."""
    state, log = any_play(
        PACHISI,
        options,
        play,
        leavers,
        opening=Cowries(len(play)),
        chance=Shells,
        sound=assert_sound,
    )
    thrown = [event.index for event in log if isinstance(event, CowriesThrown | StartThrown)]
    assert thrown == list(range(state.throws))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("leaving", [0.0, 0.004], ids=["nobody", "some-leave"])
def test_whole_matches_are_what_the_oracle_says(players: int, leaving: float) -> None:
    played = compare({"players": players}, players, leaving=leaving, wild=0.1, steps=STEPS_BOUND)
    assert PACHISI.awaited(played.state) is None


@settings(max_examples=15)
@given(tables(), st.integers(0, 2**32), st.sampled_from((0.0, 0.01)))
def test_any_match_is_what_the_oracle_says(
    options: dict[str, Any], seed: int, leaving: float
) -> None:
    compare(options, seed, leaving=leaving, wild=0.02, steps=400)


@pytest.mark.parametrize("preset", ["six", "seven"])
@pytest.mark.parametrize("players", [2, 4])
def test_the_clock_alone_brings_every_match_to_its_end(players: int, preset: str) -> None:
    """Nobody ever acts: the game throws and moves for all, and the match ends."""
    cowries = Cowries(players)
    options = options_of({**PACHISI.options.presets[preset], "players": players})
    state = PACHISI.initial(options)
    steps = 0
    while PACHISI.awaited(state) is not None:
        state = fold(PACHISI, state, PACHISI.time_out(state, cowries))
        steps += 1
        assert steps < STEPS_BOUND
    assert [place for _, place in PACHISI.places(state)] == list(range(1, players + 1))
