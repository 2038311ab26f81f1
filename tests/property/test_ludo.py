"""Any play of Ludo keeps the board sound, folds from its log, and is what a slow oracle says."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sahrat.games.game import Awaited, fold
from sahrat.games.ludo import LUDO, MOVE, ROLL, board
from sahrat.games.ludo.messages import EVENTS, DieRolled, MovePawn, RollDie
from sahrat.games.ludo.options import LudoOptions
from sahrat.games.ludo.state import OVER, State, legal_pawns
from sahrat.messages.base import Message
from sahrat.messages.match import LeaveTable
from sahrat.messages.reasons import Refused
from tests.property.ludo_oracle import Oracle

ROLLS_BOUND: Final = 4_000
"""Far off: of 3,000 matches of four, played at random and by bots, the longest had 908 rolls."""


class Die:
    """A die whose next fall is known."""

    def __init__(self, value: int) -> None:
        self.value = value
        self.asked = 0

    def die(self, index: int, seat: int, number: str) -> int:
        assert index >= 0
        assert seat in range(board.SEATS)
        assert number.isdigit() or not number
        self.asked += 1
        return self.value

    def cowries(self, index: int, seat: int, number: str, shells: int) -> int:
        raise AssertionError(f"no shells here: {index} {seat} {number} {shells}")


def _opened(players: int) -> State:
    return LUDO.initial(LudoOptions.model_validate({"players": players}))


def _picture(state: State) -> dict[str, Any]:
    awaited = LUDO.awaited(state)
    return {
        "awaited": None if awaited is None else (awaited.seat, awaited.action),
        "roll": state.roll,
        "sixes": state.sixes,
        "pawns": {seat: list(state.pawns[seat]) for seat in state.seats if state.pawns[seat]},
        "places": dict(LUDO.places(state)),
    }


def _assert_sound(state: State) -> None:
    """No square but a safe one holds two colours; who is awaited, may act; places are a ranking."""
    owners: dict[int, int] = {}
    for seat in state.seats:
        for progress in state.pawns[seat]:
            assert board.BASE <= progress <= board.HOME
            square = board.NOWHERE if progress == board.BASE else board.SQUARES[seat][progress]
            if square != board.NOWHERE and square not in board.SAFE:
                assert owners.setdefault(square, seat) == seat
    assert all(not state.pawns[seat] for seat in range(board.SEATS) if seat not in state.seats)
    given_places = [place for _, place in LUDO.places(state)]
    assert len(set(given_places)) == len(given_places)
    assert set(given_places) <= set(range(1, len(state.seats) + 1))
    assert 0 <= state.sixes < board.SIXES_LIMIT
    awaited = LUDO.awaited(state)
    if awaited is None:
        assert len(given_places) == len(state.seats)
        assert state.turn == OVER
        return
    assert awaited == Awaited(state.turn, MOVE if state.roll else ROLL)
    assert state.places[awaited.seat] == 0
    assert len(state.seats) - len(given_places) >= 2
    if state.roll:
        legal = legal_pawns(state.pawns[state.turn], state.roll)
        assert len({state.pawns[state.turn][pawn] for pawn in legal}) > 1


# ---- any intents at all

intents = st.one_of(
    st.just(RollDie(number="1")),
    st.builds(MovePawn, pawn=st.integers(0, 3)),
    st.just(LeaveTable()),
)
actions = st.one_of(
    st.tuples(st.just("act"), st.integers(0, 3), intents, st.integers(1, 6)),
    st.tuples(st.just("on turn"), st.just(0), intents, st.sampled_from((1, 2, 3, 4, 5, 6, 6, 6))),
    st.tuples(st.just("clock"), st.just(0), st.just(LeaveTable()), st.integers(1, 6)),
    st.tuples(st.just("bot"), st.just(0), st.just(LeaveTable()), st.integers(1, 6)),
)
leaves = st.lists(st.tuples(st.integers(0, 199), st.integers(0, 3)), max_size=4)


def _happens(state: State, action: tuple[str, int, Message, int]) -> tuple[Message, ...] | Refused:
    how, seat, intent, value = action
    if how == "clock":
        return LUDO.time_out(state, Die(value))
    if how == "bot":
        return LUDO.decide(state, state.turn, LUDO.bot(state), Die(value))
    return LUDO.decide(state, state.turn if how == "on turn" else seat, intent, Die(value))


@settings(max_examples=200)
@given(st.sampled_from((2, 3, 4)), st.lists(actions, max_size=200), leaves)
def test_any_play_keeps_the_board_sound(
    players: int,
    play: list[tuple[str, int, Message, int]],
    leavers: list[tuple[int, int]],
) -> None:
    """Refusals change nothing, events fold, exactly one seat is awaited until the match is over."""
    first = state = _opened(players)
    log: list[Message] = []
    for n, action in enumerate(play):
        for seat in [seat for at, seat in leavers if at == n]:
            left = LUDO.leave(state, seat, Die(0))
            log += left
            state = fold(LUDO, state, left)
            _assert_sound(state)
        if LUDO.awaited(state) is None:
            break
        decided = _happens(state, action)
        if isinstance(decided, Refused):
            assert action[0] in ("act", "on turn")
            continue
        assert decided
        assert all(type(event) in EVENTS for event in decided)
        log += decided
        state = fold(LUDO, state, decided)
        _assert_sound(state)
    assert fold(LUDO, first, log) == state
    rolled = [event.index for event in log if isinstance(event, DieRolled)]
    assert rolled == list(range(state.rolls))


# ---- whole matches beside the oracle


def _compare(players: int, seed: int, *, leaving: float, wild: float) -> int:
    """Play a whole match in both, with some nonsense in between; return its rolls."""
    chosen = random.Random(seed)
    state, oracle = _opened(players), Oracle(players)
    assert _picture(state) == oracle.picture()
    while (awaited := LUDO.awaited(state)) is not None:
        if chosen.random() < leaving:
            seat = chosen.randrange(4)
            state = fold(LUDO, state, LUDO.leave(state, seat, Die(0)))
            oracle.leave(seat)
        elif chosen.random() < wild:
            _nonsense(state, oracle, chosen)
        elif awaited.action == ROLL:
            value = chosen.choice((1, 2, 3, 4, 5, 6, 6))
            events = LUDO.decide(state, awaited.seat, RollDie(number="5"), Die(value))
            assert not isinstance(events, Refused)
            state = fold(LUDO, state, events)
            assert oracle.roll(awaited.seat, value) is None
        else:
            assert LUDO.bot(state) == MovePawn(pawn=oracle.preferred())
            pawn = chosen.choice(oracle.movable(awaited.seat, state.roll))
            events = LUDO.decide(state, awaited.seat, MovePawn(pawn=pawn), Die(0))
            assert not isinstance(events, Refused)
            state = fold(LUDO, state, events)
            assert oracle.move(awaited.seat, pawn) is None
        assert _picture(state) == oracle.picture()
        assert state.rolls < ROLLS_BOUND, "a match must end"
    return state.rolls


def _nonsense(state: State, oracle: Oracle, chosen: random.Random) -> None:
    """Try what is refused, at both; what would be taken is left out, as it would go on."""
    seat, pawn = chosen.randrange(4), chosen.randrange(4)
    for intent in (RollDie(number=""), MovePawn(pawn=pawn)):
        die = Die(3)
        decided = LUDO.decide(state, seat, intent, die)
        if isinstance(decided, Refused):
            assert die.asked == 0
            before = oracle.picture()
            word = oracle.roll(seat, 3) if isinstance(intent, RollDie) else oracle.move(seat, pawn)
            assert word == decided.reason
            assert oracle.picture() == before


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("leaving", [0.0, 0.004, 0.05], ids=["nobody", "some", "many-leave"])
def test_whole_matches_are_what_the_oracle_says(players: int, leaving: float) -> None:
    for seed in range(25):
        _compare(players, seed, leaving=leaving, wild=0.1)


@settings(max_examples=60)
@given(st.sampled_from((2, 3, 4)), st.integers(0, 2**32), st.sampled_from((0.0, 0.01)))
def test_any_match_is_what_the_oracle_says(players: int, seed: int, leaving: float) -> None:
    _compare(players, seed, leaving=leaving, wild=0.02)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_clock_alone_brings_every_match_to_its_end(players: int) -> None:
    """Nobody ever acts: the game rolls and moves for all, and the match ends."""
    for seed in range(20):
        chosen = random.Random(seed)
        state = _opened(players)
        while LUDO.awaited(state) is not None:
            state = fold(LUDO, state, LUDO.time_out(state, Die(chosen.randint(1, 6))))
            assert state.rolls < ROLLS_BOUND
        assert [place for _, place in LUDO.places(state)] == list(range(1, players + 1))
