"""How bots shoot: they try aims in their head, and their hand shakes (rule K8).

What a bot thinks is an input of the match, which nobody computes again. Still it is the same
everywhere: it is made of the same few operations as the physics, and of a hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count, islice
from typing import Final

from sahrat.games.carrom import board, rules
from sahrat.games.carrom.board import Places
from sahrat.games.carrom.bot_aim import VECTOR, aims, on_line, whole
from sahrat.games.carrom.effects import effect_of
from sahrat.games.carrom.judging import shown
from sahrat.games.carrom.messages import Shoot
from sahrat.games.carrom.outcomes import row_of
from sahrat.games.carrom.rules import Simulate
from sahrat.games.carrom.state import State, for_points, party, points, value
from sahrat.games.carrom.weak import off_moon, overlaps


@dataclass(frozen=True, slots=True)
class Level:
    """How well a bot shoots.

    Attributes:
        tried: How many aims it plays in its head.
        again: How many of the best of them it plays again ..
        times: .. and how often, each time with errors as its hand makes them.
        turned: The spread of its errors of direction, in radians.
        faster: And of speed, as a part of it.
    """

    tried: int
    again: int
    times: int
    turned: float
    faster: float


LEVELS: Final = {
    "easy": Level(tried=4, again=0, times=0, turned=0.012, faster=0.06),
    "normal": Level(tried=20, again=4, times=4, turned=0.005, faster=0.03),
    "hard": Level(tried=30, again=8, times=6, turned=0.002, faster=0.015),
}
"""As many shots as fit 300 ms in Python."""

WILD: Final = 8  # shots that are tried where no aim is any good
OWN, QUEEN, OTHER, FOUL, WON = 10, 8, -8, -12, 100  # what a shot is worth
_DRAWS: Final = 12  # so many uniform numbers add up to a normal one with spread 1
_BYTES: Final = 4


def choose(state: State, seed: str, simulate: Simulate) -> Shoot:
    """Return the shot of the seat on turn.

    Where no aim promises anything it is the best of some wild ones, which at least stir the board.
    Where the striker has no room it is one that will be refused, and the clock plays.

    Args:
        state: A match in which a shot is awaited.
        seed: What its errors are drawn from: the same seed, the same shot.
        simulate: Computes a shot.
    """
    level = LEVELS[state.options.bot_level]
    places = board.turned(state.places, state.turn)
    if state.tries:
        return _shaken(_break(), level, f"{seed}|hand")
    spots = [x for x in on_line() if off_moon(x, state.options) and not overlaps(x, places)]
    if not spots:
        return Shoot(x=0, dx=0, dy=1, speed=board.WEAK_SPEED_UM_S)
    head = _Head(state, places, simulate)
    tried = head.ranked(aims(state, places, spots)[: level.tried])
    again = [(head.average(found, level, seed), found[1]) for found in tried[: level.again or 1]]
    again.sort(key=_by_worth)
    if not again or again[0][0] <= 0:
        again = head.ranked(list(islice(_wild(spots, seed), WILD)))
    return _shaken(again[0][1], level, f"{seed}|hand")


@dataclass(frozen=True, slots=True)
class _Head:
    """What a bot sees, in its own frame."""

    state: State
    places: Places
    simulate: Simulate

    def ranked(self, shots: Sequence[Shoot]) -> list[tuple[float, Shoot]]:
        """Return shots with what they are worth, the best first; equal ones stay in order."""
        return sorted(((self.worth(shot), shot) for shot in shots), key=_by_worth)

    def worth(self, shot: Shoot) -> float:
        """Return what a shot brings if it goes as it should."""
        fallen = self.simulate(rules.pushed(self.places, shot, self.state.options)).fallen
        found, coins = shown(self.state, fallen)
        own, other = coins
        effect = effect_of(row_of(found), found, len(own), self.state.options)
        return (
            OWN * self.coins(own)
            + (OTHER * len(other) if self.state.options.opponent_coin != "returns" else 0)
            + (QUEEN if found.queen and effect.queen != "board" else 0)
            + (FOUL if effect.foul is not None else 0)
            + {"own": self.won(own), "other": -WON, None: 0}[effect.winner]
        )

    def coins(self, own: Sequence[int]) -> float:
        """Return how many own coins these are as good as: for points, by what they are worth."""
        if not for_points(self.state):
            return len(own)
        options = self.state.options
        best = max(board.POINTS[options.point_values][:-1])
        return sum(value(options, coin) for coin in own) / best

    def won(self, own: Sequence[int]) -> int:
        """Return what the end of the board is worth that the shot brings: for points, nothing to
        whoever has not the most.
        """
        if not for_points(self.state):
            return WON
        now = points(self.state)
        mine = now[party(self.state, self.state.turn)]
        gained = sum(value(self.state.options, coin) for coin in own)
        return WON if mine + gained >= max(now) else 0

    def average(self, found: tuple[float, Shoot], level: Level, seed: str) -> float:
        """Return what a shot brings in the mean, as it should go and with errors."""
        worth, shot = found
        again = [
            self.worth(_shaken(shot, level, f"{seed}|{number}")) for number in range(level.times)
        ]
        return (worth + sum(again)) / (1 + len(again))


def _by_worth(found: tuple[float, Shoot]) -> float:
    return -found[0]


def _wild(spots: Sequence[int], seed: str) -> Iterator[Shoot]:
    """Yield shots from anywhere to anywhere, in the upper half of speeds."""
    drawn = _uniform(f"{seed}|wild")
    most = board.SPEED_UM_S[1]
    while True:
        yield Shoot(
            x=spots[int(next(drawn) * len(spots))],
            dx=whole((2.0 * next(drawn) - 1.0) * VECTOR),
            dy=1 + whole(next(drawn) * VECTOR),
            speed=whole(most * (0.5 + 0.5 * next(drawn))),
        )


def _break() -> Shoot:
    """Return the first shot: straight at the rack, as fast as may be."""
    return Shoot(x=0, dx=0, dy=-board.LINE_Y_UM, speed=board.SPEED_UM_S[1])


def _shaken(shot: Shoot, level: Level, seed: str) -> Shoot:
    """Return a shot as a hand makes it, in whole numbers that are a legal shot again."""
    errors = _normal(seed)
    turn, faster = level.turned * next(errors), level.faster * next(errors)
    dx, dy = shot.dx - turn * shot.dy, shot.dy + turn * shot.dx
    longest = float(board.DIRECTION_LIMIT)
    least, most = board.SPEED_UM_S
    return Shoot(
        x=shot.x,
        dx=whole(min(max(dx, -longest), longest)),
        dy=whole(min(max(dy, 1.0), longest)),
        speed=whole(min(max(shot.speed * (1.0 + faster), float(least)), float(most))),
    )


def _normal(seed: str) -> Iterator[float]:
    """Yield numbers around 0 with spread 1."""
    drawn = _uniform(seed)
    while True:
        yield sum(islice(drawn, _DRAWS), 0.0) - _DRAWS / 2.0


def _uniform(seed: str) -> Iterator[float]:
    """Yield numbers from 0 to below 1, drawn from a hash."""
    for number in count():
        digest = sha256(f"sahrat-carrom-bot-v1|{seed}|{number}".encode()).digest()
        yield int.from_bytes(digest[:_BYTES], "big") / 2.0 ** (8 * _BYTES)
