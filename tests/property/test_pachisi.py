"""Any play of Pachisi keeps the board sound, folds from its log, and is what a slow oracle says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sahrat.games.game import fold
from sahrat.games.pachisi import PACHISI
from sahrat.games.pachisi.messages import (
    EVENTS,
    CowriesThrown,
    DeclineThrow,
    MoveGroup,
    MovePiece,
    SplitThrow,
    StartThrown,
    ThrowCowries,
)
from sahrat.games.pachisi.parts import Share
from sahrat.games.pachisi.state import State, player
from sahrat.messages.base import Message
from sahrat.messages.match import LeaveTable
from sahrat.messages.reasons import Refused
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


def _happens(state: State, action: tuple[str, int, Message, int]) -> tuple[Message, ...] | Refused:
    how, seat, intent, mouths = action
    if how == "clock":
        return PACHISI.time_out(state, Shells(mouths))
    on_turn = player(state.options, state.turn)
    if how == "bot":
        return PACHISI.decide(state, on_turn, PACHISI.bot(state, ""), Shells(mouths))
    return PACHISI.decide(state, on_turn if how == "on turn" else seat, intent, Shells(mouths))


@settings(max_examples=60)
@given(tables(), st.lists(actions, max_size=100), leaves)
def test_any_play_keeps_the_board_sound(
    options: dict[str, Any],
    play: list[tuple[str, int, Message, int]],
    leavers: list[tuple[int, int]],
) -> None:
    """Refusals change nothing, events fold, exactly one seat is awaited until the match is over."""
    first = state = PACHISI.initial(options_of(options))
    log: list[Message] = list(PACHISI.begin(state, Cowries(len(play))))
    state = fold(PACHISI, state, log)
    for n, action in enumerate(play):
        for seat in [seat for at, seat in leavers if at == n]:
            left = PACHISI.leave(state, seat, Shells())
            log += left
            state = fold(PACHISI, state, left)
            assert_sound(state)
        if PACHISI.awaited(state) is None:
            break
        decided = _happens(state, action)
        if isinstance(decided, Refused):
            assert action[0] in ("act", "on turn")
            continue
        assert decided
        assert all(type(event) in EVENTS for event in decided)
        log += decided
        state = fold(PACHISI, state, decided)
        assert_sound(state)
    assert fold(PACHISI, first, log) == state
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
