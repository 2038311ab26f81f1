"""What the property tests of Ludo have in common: dice, what must always hold, whole matches."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from sahrat.games.game import Awaited, fold
from sahrat.games.ludo import LUDO, MOVE, ROLL, board
from sahrat.games.ludo.messages import DeclineRoll, DieRolled, MovePawn, RollDie, StartRolled
from sahrat.games.ludo.options import LudoOptions
from sahrat.games.ludo.state import OVER, State, opponents
from sahrat.match import limits
from sahrat.messages.base import Message
from sahrat.messages.reasons import Refused
from tests.property.ludo_oracle import Oracle

STEPS_BOUND: Final = limits.RECORDS // 2
"""A step is a record, and a match with too many records is stopped (rule T): so far from that every
match of the tests ends, played at random or by bots. Some that have several rare options and are
played without any aim take longer: with `entry_roll` any, `safe` stars, `forced_capture`,
`may_pass` and `teams` one of 5,374 steps was seen, where bots need 700.
"""
SOUND_EVERY: Final = 10  # steps of a long match: to look at each takes longer than the match


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

    def lot(self, among: int) -> int:
        return self.value % among

    def cowries(self, index: int, seat: int, number: str, shells: int) -> int:
        raise AssertionError(f"no shells here: {index} {seat} {number} {shells}")


class Dice(Die):
    """The dice of a whole match, by a seed; they keep what fell."""

    def __init__(self, seed: object) -> None:
        super().__init__(0)
        self.chance = random.Random(f"dice {seed}")
        self.fell: list[int] = []

    def die(self, index: int, seat: int, number: str) -> int:
        self.value = self.chance.choice((1, 2, 3, 4, 5, 6, 6))
        self.fell.append(self.value)
        return super().die(index, seat, number)

    def lot(self, among: int) -> int:
        return self.chance.randrange(among)


def options_of(values: Mapping[str, Any]) -> LudoOptions:
    return LudoOptions.model_validate(dict(values))


def picture(state: State) -> dict[str, Any]:
    """Return what the oracle's picture shows, of the rules under test."""
    awaited, shown = LUDO.awaited(state), LUDO.view(state)
    return {
        "awaited": None if awaited is None else (awaited.seat, awaited.action),
        "roll": state.roll,
        "sixes": state.sixes,
        "pawns": {seat: list(state.pawns[seat]) for seat in state.seats if state.pawns[seat]},
        "places": dict(LUDO.places(state)),
        "owed": state.owed,
        "captors": list(state.captors),
        "movable": list(shown.movable),
        "may_decline": shown.may_decline,
    }


def assert_sound(state: State) -> None:
    """Pawns are where they can be; who is awaited, may act; places are a ranking."""
    options = state.options
    _assert_squares(state)
    assert all(not state.pawns[seat] for seat in range(board.SEATS) if seat not in state.seats)
    for seat in state.done:
        assert set(state.pawns[seat]) <= {board.HOME, board.BASE}
        assert not state.pawns[seat] or state.pawns[seat].count(board.HOME) == options.pawns_to_win
    places = [place for _, place in LUDO.places(state)]
    assert len(set(places)) == len(places) or sorted(places) in ([1, 1], [1, 1, 2, 2])
    assert set(places) <= set(range(1, len(state.seats) + 1))
    assert options.three_sixes == "off" or 0 <= state.sixes < options.sixes_limit
    assert options.bonus_stack == "add_up" or state.owed == 0
    assert (state.before is None) == (options.three_sixes != "rollback_turn")
    awaited = LUDO.awaited(state)
    if awaited is None:
        assert state.turn == OVER
        assert 1 in places
        assert options.finish == "first_only" or len(places) == len(state.seats)
        return
    assert awaited == Awaited(state.turn, MOVE if state.roll else ROLL)
    assert awaited.seat not in state.done
    assert state.pawns[awaited.seat]
    assert len([s for s in state.seats if state.pawns[s] and s not in state.done]) >= 2
    if state.roll:
        shown = LUDO.view(state)
        alike = {state.pawns[state.turn][pawn] for pawn in shown.movable}
        assert len(alike) > 1 or (shown.may_decline and alike)


def _assert_squares(state: State) -> None:
    """No square but a safe one holds two sides, unless stacks protect each other."""
    options = state.options
    on: dict[int, set[int]] = {}
    for seat in state.seats:
        for progress in state.pawns[seat]:
            assert board.BASE <= progress <= board.HOME
            if progress > board.LAST_SHARED and options.capture_before_home == "on":
                assert seat in state.captors
            square = board.NOWHERE if progress == board.BASE else board.SQUARES[seat][progress]
            if square not in (board.NOWHERE, *board.SAFE[options.safe]):
                on.setdefault(square, set()).add(seat)
    if options.stack_capture == "all":
        for seats in on.values():
            assert not any(set(opponents(state, seat)) & seats for seat in seats)


class Player(Protocol):
    """Whoever chooses for all seats."""

    def __call__(self, state: State, chance: random.Random) -> Message:
        """Return the intent of the seat on turn."""


def at_random(state: State, chance: random.Random) -> Message:
    """Roll; move any pawn that may, or decline now and then where that is allowed."""
    if not state.roll:
        return RollDie(number=str(chance.getrandbits(64)))
    shown = LUDO.view(state)
    if shown.may_decline and chance.random() < 0.2:
        return DeclineRoll()
    return MovePawn(pawn=chance.choice(shown.movable))


def as_bots(state: State, chance: random.Random) -> Message:
    """Act as a bot does."""
    del chance
    return LUDO.bot(state, "")


@dataclass
class Played:
    """A match, while it is played and after it."""

    options: LudoOptions
    seed: object
    log: list[Message] = field(default_factory=list)
    steps: int = 0

    def __post_init__(self) -> None:
        self.dice = Dice(self.seed)
        self.first = self.state = LUDO.initial(self.options)
        self.take(LUDO.begin(self.state, self.dice))

    def take(self, events: tuple[Message, ...]) -> None:
        self.log += events
        self.state = fold(LUDO, self.state, events)

    def act(self, intent: Message) -> None:
        seat = self.state.turn
        decided = LUDO.decide(self.state, seat, intent, self.dice)
        assert not isinstance(decided, Refused), decided
        assert decided
        self.take(decided)
        self.steps += 1

    def assert_refolds(self) -> None:
        """The log alone gives the same state, and its rolls are counted from 0 without gaps."""
        assert fold(LUDO, self.first, self.log) == self.state
        rolled = [event.index for event in self.log if isinstance(event, DieRolled | StartRolled)]
        assert rolled == list(range(self.state.rolls)) == list(range(len(self.dice.fell)))


def play(
    options: LudoOptions, seed: object, player: Player = at_random, leaving: float = 0.0
) -> Played:
    """Play a match to its end, and hold everything to what must be."""
    played, chance = Played(options, seed), random.Random(f"choices {seed}")
    assert_sound(played.state)
    while LUDO.awaited(played.state) is not None:
        if chance.random() < leaving:
            played.take(LUDO.leave(played.state, chance.choice(played.state.seats), played.dice))
        else:
            played.act(player(played.state, chance))
        if played.steps % SOUND_EVERY == 0:
            assert_sound(played.state)
        assert played.steps < STEPS_BOUND, "a match must end"
    assert_sound(played.state)
    played.assert_refolds()
    return played


# ---- beside the oracle


def compare(values: Mapping[str, Any], seed: object, *, leaving: float, wild: float) -> Played:
    """Play a whole match in both, with some nonsense in between."""
    chance = random.Random(f"compared {seed}")
    played, oracle = Played(options_of(values), seed), Oracle(dict(values))
    if played.options.start == "highest_roll":
        falls = iter(played.dice.fell[:])
        oracle.throw_for_the_start(lambda: next(falls))
        assert next(falls, None) is None
    elif played.options.start == "random":
        oracle.turn = played.state.turn
    assert picture(played.state) == oracle.picture()
    while (awaited := LUDO.awaited(played.state)) is not None:
        if chance.random() < leaving:
            seat = chance.randrange(4)
            played.take(LUDO.leave(played.state, seat, played.dice))
            oracle.leave(seat)
        elif chance.random() < wild:
            _nonsense(played.state, oracle, chance)
        else:
            if played.state.roll:
                assert LUDO.bot(played.state, "") == MovePawn(pawn=oracle.preferred())
            intent = at_random(played.state, chance)
            played.act(intent)
            assert _told(oracle, awaited.seat, intent, played.dice.value) is None
        assert picture(played.state) == oracle.picture()
        if played.steps >= STEPS_BOUND:
            break  # the house would stop it before long
    played.assert_refolds()
    return played


def _told(oracle: Oracle, seat: int, intent: Message, value: int) -> str | None:
    match intent:
        case RollDie():
            return oracle.roll(seat, value)
        case MovePawn(pawn=pawn):
            return oracle.move(seat, pawn)
        case _:
            return oracle.decline(seat)


def _nonsense(state: State, oracle: Oracle, chance: random.Random) -> None:
    """Try what is refused, at both; what would be taken is left out, as it would go on."""
    seat = chance.randrange(4)
    for intent in (RollDie(number=""), MovePawn(pawn=chance.randrange(4)), DeclineRoll()):
        die = Die(3)
        decided = LUDO.decide(state, seat, intent, die)
        if isinstance(decided, Refused):
            assert die.asked == 0
            before = oracle.picture()
            assert _told(oracle, seat, intent, 3) == decided.reason
            assert oracle.picture() == before
