"""What the property tests of Pachisi have in common: cowries, what must always hold, matches."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from sahrat.games.game import Awaited, fold
from sahrat.games.pachisi import PACHISI, THROW, USE, board
from sahrat.games.pachisi.messages import (
    ChoiceOpened,
    CowriesThrown,
    DeclineThrow,
    MoveGroup,
    MovePiece,
    SplitThrow,
    StartThrown,
    ThrowCowries,
)
from sahrat.games.pachisi.options import PachisiOptions
from sahrat.games.pachisi.parts import Choice, Share
from sahrat.games.pachisi.state import OVER, State, has_sides, opponents, player, playing
from sahrat.match import limits
from sahrat.messages.base import Message

STEPS_BOUND: Final = limits.RECORDS
"""A step is a record, and the house stops a match with too many (rule T.1)."""
SOUND_EVERY: Final = 20  # steps of a long match: to look at each takes longer than the match
DECLINES: Final = 0.1


class Shells:
    """Cowries whose next fall is known."""

    def __init__(self, mouths: int = 0) -> None:
        self.mouths = mouths
        self.asked = 0

    def die(self, index: int, seat: int, number: str) -> int:
        raise AssertionError(f"no die here: {index} {seat} {number}")

    def cowries(self, index: int, seat: int, number: str, shells: int) -> int:
        assert index >= 0
        assert seat in range(board.SEATS)
        assert number.isdigit() or not number
        assert shells in (6, 7)
        self.asked += 1
        return min(self.mouths, shells)

    def lot(self, among: int) -> int:
        return self.mouths % among


class Cowries(Shells):
    """The cowries of a whole match, by a seed; they keep what fell. Graces come more often than
    they should.
    """

    def __init__(self, seed: object) -> None:
        super().__init__()
        self.chance = random.Random(f"cowries {seed}")
        self.fell: list[int] = []

    def cowries(self, index: int, seat: int, number: str, shells: int) -> int:
        up = self.chance.getrandbits(shells).bit_count()
        self.mouths = self.chance.choice((0, 1, 5, 6, shells)) if self.chance.random() < 0.1 else up
        self.fell.append(self.mouths)
        return super().cowries(index, seat, number, shells)

    def lot(self, among: int) -> int:
        return self.chance.randrange(among)


def options_of(values: Mapping[str, Any]) -> PachisiOptions:
    return PachisiOptions.model_validate(dict(values))


# ---- what must always hold


def assert_sound(state: State) -> None:
    """Pieces are where they can be; who is awaited, may act; places are a ranking."""
    options = state.options
    _assert_squares(state)
    assert all(not state.pieces[seat] for seat in range(board.SEATS) if seat not in state.seats)
    for seat in state.done:
        assert state.pieces[seat] == (board.HOME,) * board.PIECES
    places = [place for _, place in PACHISI.places(state)]
    assert len(set(places)) == len(places) or sorted(places) in ([1, 1], [1, 1, 2, 2])
    assert all(count >= 0 for count in state.credit)
    assert options.cancel_three == "on" or state.run == 0
    assert state.run < board.RUN_LIMIT
    assert options.recapture_void != "off" or state.captures == ()
    awaited = PACHISI.awaited(state)
    if awaited is None:
        assert state.turn == OVER
        assert 1 in places
        everybody = len(PACHISI.seats(options))
        assert options.finish == "first_only" or len(places) == everybody
        return
    assert awaited == Awaited(player(options, state.turn), USE if state.using else THROW)
    assert awaited.seat in PACHISI.seats(options)
    assert state.turn not in state.left
    assert state.turn in playing(state) or options.finished_partner == "plays_partner"
    assert len(playing(state)) >= 2
    assert options.timing == "turn_end" or state.using == bool(state.items)
    if state.using:
        shown = PACHISI.view(state).choices
        assert [choice.item for choice in shown] == list(range(len(state.items)))
        assert any(choice.pieces or choice.laps or choice.split for choice in shown)


def _assert_squares(state: State) -> None:
    """No shared square holds two sides; without credit nobody is home."""
    on: dict[int, set[int]] = {}
    for seat in state.seats:
        for progress in state.pieces[seat]:
            assert board.CHARKONI <= progress <= board.HOME
            square = board.SQUARES[seat][progress]
            if square != board.NOWHERE:
                on.setdefault(square, set()).add(seat)
    for seats in on.values():
        assert not any(set(opponents(state, seat)) & seats for seat in seats)
    if state.options.last_square == "no_stop":
        assert all(board.LAST not in row for row in state.pieces)
    if has_sides(state.options):
        assert not any(state.places) or state.turn == OVER


# ---- whoever chooses for all seats


class Player(Protocol):
    """Whoever chooses for all seats."""

    def __call__(self, played: Played, chance: random.Random) -> Message:
        """Return the intent of the seat on turn."""


def at_random(played: Played, chance: random.Random) -> Message:
    """Throw; do anything that may be done, and decline now and then where that is allowed."""
    if not played.state.using:
        return ThrowCowries(number=str(chance.getrandbits(64)))
    shown = played.shown
    open_to: list[Message] = [act for choice in shown for act in acts(choice)]
    declines = [DeclineThrow(item=choice.item) for choice in shown if choice.may_decline]
    if declines and chance.random() < DECLINES:
        return chance.choice(declines)
    return chance.choice(open_to)


def acts(choice: Choice) -> list[Message]:
    """Return what a choice shows that can be done with an open throw; of groups the largest."""
    found: list[Message] = [
        *(MovePiece(item=choice.item, piece=piece, lap=False) for piece in choice.pieces),
        *(MovePiece(item=choice.item, piece=piece, lap=True) for piece in choice.laps),
        *(MoveGroup(item=choice.item, pieces=g, lap=_laps(choice, g)) for g in choice.groups),
    ]
    if choice.split:
        found.append(SplitThrow(item=choice.item, shares=choice.split))
    return found


def _laps(choice: Choice, group: tuple[int, ...]) -> bool:
    return group[0] not in choice.pieces


def as_bots(played: Played, chance: random.Random) -> Message:
    """Act as a bot does."""
    del chance
    return PACHISI.bot(played.state, "")


def cut_up(state: State, chance: random.Random) -> SplitThrow | None:
    """Share an open throw among pieces somehow, whether it may be or not."""
    if not state.items:
        return None
    item = chance.randrange(len(state.items))
    value = state.items[item].value
    pieces = chance.sample(range(board.PIECES), chance.choice((2, 2, 3)))
    if value < len(pieces):
        return None
    cuts = sorted(chance.sample(range(1, value), len(pieces) - 1))
    steps = [b - a for a, b in zip([0, *cuts], [*cuts, value], strict=True)]
    laps = [chance.random() < 0.1 for _ in pieces]
    shares = [Share(piece=p, steps=s, lap=x) for p, s, x in zip(pieces, steps, laps, strict=True)]
    return SplitThrow(item=item, shares=tuple(shares))


# ---- whole matches


@dataclass
class Played:
    """A match, while it is played and after it.

    Attributes:
        shown: What may be done with the open throws, as the last event that told it.
    """

    options: PachisiOptions
    seed: object
    log: list[Message] = field(default_factory=list)
    steps: int = 0
    shown: tuple[Choice, ...] = ()

    def __post_init__(self) -> None:
        self.cowries = Cowries(self.seed)
        self.first = self.state = PACHISI.initial(self.options)
        self.take(PACHISI.begin(self.state, self.cowries))

    def take(self, events: tuple[Message, ...]) -> None:
        self.log += events
        for event in events:
            if isinstance(event, ChoiceOpened):
                self.shown = event.choices
        self.state = fold(PACHISI, self.state, events)

    def act(self, intent: Message) -> None:
        seat = player(self.options, self.state.turn)
        decided = PACHISI.decide(self.state, seat, intent, self.cowries)
        assert isinstance(decided, tuple), decided
        assert decided
        assert PACHISI.asked(decided[0]) == intent
        self.take(decided)
        self.steps += 1

    def assert_refolds(self) -> None:
        """The log alone gives the same state."""
        assert fold(PACHISI, self.first, self.log) == self.state

    def assert_counted(self) -> None:
        """Throws are counted from 0 without gaps, and nothing but the log shows any."""
        thrown = [
            event.index for event in self.log if isinstance(event, CowriesThrown | StartThrown)
        ]
        assert thrown == list(range(self.state.throws)) == list(range(len(self.cowries.fell)))


def play(
    options: PachisiOptions, seed: object, who: Player = at_random, leaving: float = 0.0
) -> Played:
    """Play a match to its end, and hold everything to what must be. Its state is at every step
    the fold of its events.
    """
    played, chance = Played(options, seed), random.Random(f"choices {seed}")
    assert_sound(played.state)
    while PACHISI.awaited(played.state) is not None:
        if chance.random() < leaving:
            seat = chance.choice(PACHISI.seats(options))
            played.take(PACHISI.leave(played.state, seat, played.cowries))
        else:
            played.act(who(played, chance))
        if played.steps % SOUND_EVERY == 0:
            assert_sound(played.state)
            if played.state.using:
                assert PACHISI.view(played.state).choices == played.shown
        assert played.steps < STEPS_BOUND, "a match must end"
    assert_sound(played.state)
    played.assert_counted()
    return played
