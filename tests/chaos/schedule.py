"""What is struck, and when: all of it decided by a seed, and written out before it begins.

There are two lanes, which go on beside each other. One strikes what play needs, the other what only
the read models need: play must not notice that. In each a step begins when its time has come and
the house has recovered from the step before, whichever is later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final

from tests.chaos.proxy import Way

BROKER: Final = "broker"
DATABASE: Final = "postgres"
EVERYTHING: Final = "everything"
PROJECTION: Final = "projection"
WORKERS: Final[Mapping[str, int]] = {
    "rules": 2,
    "timer": 1,
    "bots": 1,
    "wallet": 1,
    PROJECTION: 1,
    "gateway": 2,
}
LONG_MINUTES: Final = 10.0  # from here on C46 and C49 are shown at their full length
C49_S: Final = 300.0
C46_S: Final = 60.0
C46_TIMES: Final = 5
F20_S: Final = 60.0
FIRST_S: Final = 3.0
CATCH_UP_S: Final = 45.0  # after C49, before anything else ends the projection


class Fault(StrEnum):
    """What is done to a process, besides what is done to its line (`Way`)."""

    KILL = "kill -9"
    REPLACE = "SIGTERM"
    FREEZE = "freeze"
    STOP = "stop"
    LOCK = "lock"
    FULL = "disk full"
    STORM = "storm"


CASES: Final[Mapping[tuple[Fault | Way, str, float], str]] = {
    (Fault.STOP, BROKER, C46_S): "C46",
    (Fault.STOP, DATABASE, C49_S): "C49",
    (Fault.LOCK, DATABASE, F20_S): "F20",
}
"""Outages that have to be as long as this once."""


@dataclass(frozen=True, slots=True)
class Blow:
    """One fault.

    Attributes:
        part: A worker such as `rules-1`, or one of the names above.
        lasts_s: For how long; 0: it is over at once, or as soon as the part is there again.
    """

    fault: Fault | Way
    part: str
    lasts_s: float = 0.0

    @property
    def name(self) -> str:
        """What it is called in a table, whichever of several workers it is."""
        case = CASES.get((self.fault, self.part, self.lasts_s))
        return f"{self.fault} {role_of(self.part)}{f' ({case})' if case else ''}"

    def __str__(self) -> str:
        lasts = f" for {self.lasts_s:g} s" if self.lasts_s else ""
        return f"{self.fault} {self.part}{lasts}"


Blows = tuple[Blow, ...]
"""Struck at once."""


@dataclass(frozen=True, slots=True)
class Step:
    """Blows that are struck at once, not before `at_s` seconds after the beginning."""

    at_s: float
    blows: tuple[Blow, ...]

    @property
    def name(self) -> str:
        """What it is called in a table."""
        return self.blows[0].name if len(self.blows) == 1 else "two at once"

    def __str__(self) -> str:
        return " + ".join(map(str, self.blows))


@dataclass(frozen=True, slots=True)
class Schedule:
    """All that is to be struck.

    Attributes:
        play: What play needs.
        reads: What it does not.
        stops: When both are done, C46: the broker is stopped for a minute, again and again.
    """

    play: tuple[Step, ...] = ()
    reads: tuple[Step, ...] = ()
    stops: tuple[Step, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, by their times."""
        return tuple(sorted(self.play + self.reads + self.stops, key=lambda step: step.at_s))

    @property
    def blows(self) -> tuple[Blow, ...]:
        """All that is struck."""
        return tuple(blow for step in self.steps for blow in step.blows)

    def lines(self) -> Iterator[str]:
        """Yield it for people, a step a line."""
        for step in self.steps:
            lane = "reads" if step in self.reads else "play"
            yield f"{step.at_s:7.1f} s  {lane:5}  {step}"


def workers() -> list[str]:
    """Return the workers of the house, by the names under which it starts them."""
    return [f"{role}-{n}" for role, count in WORKERS.items() for n in range(1, count + 1)]


def role_of(part: str) -> str:
    """Return what a part is, whichever of several."""
    role, _, number = part.rpartition("-")
    return role if number.isdecimal() else part


def schedule(seed: str, minutes: float) -> Schedule:
    """Return what is struck within so many minutes; C46 takes as long as it takes, after them."""
    limit_s = minutes * 60
    long = minutes >= LONG_MINUTES
    spared_s = FIRST_S + C49_S + CATCH_UP_S if long else 0.0
    play = _play(Random(f"{seed}/play"), limit_s, spared_s)
    reads = _reads(Random(f"{seed}/reads"), limit_s, long=long)
    stops = [
        Step(limit_s + n * (C46_S + 20), (Blow(Fault.STOP, BROKER, C46_S),))
        for n in range(C46_TIMES if long else 0)
    ]
    return Schedule(tuple(play), tuple(reads), tuple(stops))


# ---- what play needs

KILLED: Final = ("rules", "rules", "timer", "bots", "wallet", "gateway", "gateway", BROKER)
FROZEN: Final = ("timer", "bots", "wallet", "gateway")
CUT: Final = ("rules", "rules", "timer", "bots", "wallet", "gateway", PROJECTION)
PAIRED: Final = ("rules", "timer", "bots", "wallet", "gateway", BROKER)
SPARED: Final = frozenset({BROKER, EVERYTHING, PROJECTION})
SESSION_S: Final = 6.0  # a member of a group that is silent for longer has been replaced


def _play(chance: Random, limit_s: float, spared_s: float) -> Iterator[Step]:
    """Yield steps up to a time; up to another one neither broker nor projection are struck, and
    what would have struck them comes after it, each kind once.
    """
    at_s, later = FIRST_S, dict[str, Blows]()
    coming = _rounds(chance)
    while True:
        if at_s >= spared_s and later:
            blows = later.pop(next(iter(later)))
        else:
            blows = next(coming)
            if at_s < spared_s and any(role_of(blow.part) in SPARED for blow in blows):
                later.setdefault(Step(0.0, blows).name, blows)
                continue
        if at_s + max(blow.lasts_s for blow in blows) > limit_s:
            return
        yield Step(round(at_s, 1), blows)
        at_s += max(_takes_s(blow) for blow in blows)


def _rounds(chance: Random) -> Iterator[Blows]:
    while True:
        yield from _round(chance)


def _round(chance: Random) -> Iterator[Blows]:
    """Yield each kind of fault once or twice, in any order."""
    found: list[list[Blows]] = [[(Blow(Fault.KILL, _one(chance, role)),)] for role in KILLED]
    found += [[(_freeze(chance, role),)] for role in ("rules", chance.choice(FROZEN))]
    found += [
        [(Blow(Fault.FREEZE, BROKER, _seconds(chance, 3, 9)),)],
        [(Blow(Fault.STOP, BROKER, _seconds(chance, 5, 20)),)],
        [(Blow(Fault.FULL, BROKER, _seconds(chance, 4, 10)),)],
        [(Blow(Fault.KILL, EVERYTHING),)],
        [(Blow(Fault.STORM, "rules", 24.0),)],
        [(Blow(Fault.REPLACE, worker),) for worker in workers()],  # one after the other: F24
    ]
    found += [[(_cut(chance, way),)] for way in Way]
    found += [[_pair(chance)] for _ in range(2)]
    chance.shuffle(found)
    for steps in found:
        yield from steps


def _pair(chance: Random) -> Blows:
    one, other = chance.sample(PAIRED, 2)
    if other != BROKER and chance.random() < 0.5:
        return Blow(Fault.KILL, _one(chance, one)), _freeze(chance, other)
    return Blow(Fault.KILL, _one(chance, one)), Blow(Fault.KILL, _one(chance, other))


def _freeze(chance: Random, role: str) -> Blow:
    return Blow(Fault.FREEZE, _one(chance, role), _seconds(chance, SESSION_S + 1, SESSION_S + 4))


def _cut(chance: Random, way: Way) -> Blow:
    if way is Way.CUT_OUT:  # long enough for a successor to have done the same
        return Blow(way, _one(chance, chance.choice(CUT)), _seconds(chance, SESSION_S + 3, 12))
    longer = way in (Way.CUT, Way.CUT_IN)
    lasts_s = _seconds(chance, 4, 12) if longer else _seconds(chance, 3, 6)
    return Blow(way, _one(chance, chance.choice(CUT)), lasts_s)


# ---- what only the read models need


def _reads(chance: Random, limit_s: float, *, long: bool) -> Iterator[Step]:
    at_s = FIRST_S
    if long:
        yield Step(at_s, (Blow(Fault.STOP, DATABASE, C49_S),))
        at_s += C49_S + CATCH_UP_S
        yield Step(at_s, (Blow(Fault.LOCK, DATABASE, F20_S),))
        at_s += F20_S + 10
    while True:
        found = [
            Blow(Fault.STOP, DATABASE, _seconds(chance, 5, 30)),
            Blow(Fault.KILL, DATABASE),
            Blow(Fault.LOCK, DATABASE, _seconds(chance, 5, 20)),
            Blow(Fault.KILL, f"{PROJECTION}-1"),
            _freeze(chance, PROJECTION),
        ]
        chance.shuffle(found)
        for blow in found:
            if at_s + blow.lasts_s > limit_s:
                return
            yield Step(round(at_s, 1), (blow,))
            at_s += _takes_s(blow) + _seconds(chance, 2, 8)


def _one(chance: Random, role: str) -> str:
    """Return one of the parts of a role."""
    return f"{role}-{chance.randint(1, WORKERS[role])}" if role in WORKERS else role


def _seconds(chance: Random, least: float, most: float) -> float:
    return round(chance.uniform(least, most), 1)


def _takes_s(blow: Blow) -> float:
    """Return after how long the house should play as before."""
    if blow.part == EVERYTHING:
        return 15.0
    if blow.part == BROKER:
        return blow.lasts_s + 8.0
    return blow.lasts_s + 5.0


def shown(steps: Sequence[Step]) -> list[list[object]]:
    """Return steps as JSON has them: when, and what for how long."""
    return [
        [step.at_s, [[str(blow.fault), blow.part, blow.lasts_s] for blow in step.blows]]
        for step in steps
    ]
