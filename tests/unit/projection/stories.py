"""Partitions full of matches, played by the real rules: what the projection is tried on."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sahrat.games.ludo import LUDO
from sahrat.games.ludo.messages import MovePawn, RollDie
from sahrat.log.live import LivePartition
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.envelope import Record
from sahrat.messages.stored import Draft, Stored
from sahrat.messages.topics import partition_of
from tests.unit.match.desk import START_MS, Desk, gateway, line, player, uuid7


def numbers(partition: int, count: int) -> list[int]:
    """Numbers of matches that belong into a partition."""
    found: list[int] = []
    n = 0
    while len(found) < count:
        n += 1
        if partition_of(uuid7(START_MS, n)) == partition:
            found.append(n)
    return found


@dataclass
class Story:
    """One partition on which several matches are played at once; one clock for all.

    `values` are the records in the order of the topic, `intents` what caused them.
    """

    partition: int = 3
    values: list[bytes] = field(default_factory=list)
    records: list[Record[Any]] = field(default_factory=list)
    intents: list[Stored] = field(default_factory=list)
    desks: list[Desk] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.live = LivePartition(self.partition)

    def desk(self) -> Desk:
        """Another match of this partition, not opened yet."""
        desk = Desk(n=numbers(self.partition, len(self.desks) + 1)[-1])
        assert desk.partition == self.partition
        desk.live, desk.intents = self.live, self.intents
        desk.values, desk.records = self.values, self.records
        desk.now_ms = max([START_MS, *(other.now_ms for other in self.desks)])
        self.desks.append(desk)
        return desk

    @property
    def drafts(self) -> list[Draft]:
        """The records of the topic, with their keys."""
        return [
            Draft(record.match_id.encode(), value)
            for record, value in zip(self.records, self.values, strict=True)
        ]

    @property
    def stored(self) -> list[Stored]:
        """The same as a log would hand them out."""
        return store(self.drafts, self.partition)

    def cut(self, count: int) -> Story:
        """The same topic when it had only so many records."""
        part = Story(self.partition, self.values[:count], self.records[:count])
        part.desks = self.desks
        return part

    def wait(self, seconds: float) -> Story:
        """Let time pass at all tables."""
        now_ms = max(desk.now_ms for desk in self.desks) + round(seconds * 1000)
        for desk in self.desks:
            desk.now_ms = now_ms
        return self


def store(drafts: Sequence[Draft], partition: int = 3, first: int = 0) -> list[Stored]:
    return [
        Stored(
            topics.EVENTS.name,
            partition,
            first + index,
            START_MS + first + index,
            draft.key,
            draft.value,
        )
        for index, draft in enumerate(drafts)
    ]


def step(desk: Desk, rng: random.Random) -> None:
    """Let the seat on turn roll, move, or run out of time."""
    awaited = LUDO.awaited(desk.state.board)
    assert awaited is not None
    sitter = desk.state.sitters[desk.state.chair_of_seat(desk.state.step_seat)]
    if rng.random() < 0.05:
        desk.wait(15).due()
        return
    who: dict[str, Any] = {"system": "bots"} if sitter.bot else {"who": desk.on_turn()}
    if awaited.action == "roll":
        number = "" if sitter.bot else str(rng.getrandbits(64))
        desk.send(RollDie(number=number), **who, step=desk.state.step)
        return
    for pawn in rng.sample(range(4), 4):
        outcome = desk.send(MovePawn(pawn=pawn), **who, step=desk.state.step)
        if isinstance(outcome, Record):
            return


def play_all(story: Story, rng: random.Random, steps: int = 100_000) -> None:
    """Play random steps at all tables in play, now here, now there, until all are over."""
    for _ in range(steps):
        playing = [
            desk
            for desk in story.desks
            if (match := story.live.get(desk.match_id)) and match.live and match.known.board
        ]
        if not playing:
            return
        story.wait(rng.choice([0.2, 1, 3]))
        step(rng.choice(playing), rng)


def everything(partition: int = 3, seed: int = 1) -> Story:
    """A partition where everything happens that a row is made of.

    Two and four seats, a bot's fill, a player who leaves and one who comes back, a lost gateway, a
    house that stood still, a table closed, one that is open, and a match that is stopped.
    """
    rng = random.Random(seed)
    story = Story(partition)
    two, four, filled = story.desk(), story.desk(), story.desk()
    two.table_of(0, 1)
    four.table_of(2, 3, 4, 5)
    filled.open(6, players=4)
    story.wait(15)
    filled.due()
    closed, waits = story.desk(), story.desk()
    closed.open(7, players=4)
    closed.join(8)
    closed.send(m.LeaveTable(), who=8)
    closed.send(m.LeaveTable(), who=7)
    waits.open(0, players=4)
    waits.join(1)
    waits.send(m.LeaveTable(), who=0)
    play_all(story, rng, 60)
    four.send(m.LeaveTable(), who=3)
    two.send(m.LeaveTable(), who=0)
    play_all(story, rng, 20)
    two.join(0)
    filled.put(filled.envelope(m.GatewayLost(gateway=gateway()), system="gateway"))
    story.wait(4)
    filled.put(filled.envelope(m.Tick(last_ms=filled.now_ms - 3500), system="timer"))
    four.send(m.LineUp(player_id=player(4), line=line(4, 1)), system="gateway")
    stopped = story.desk()
    stopped.table_of(7, 8)
    play_all(story, rng, 30)
    stopped.send(
        m.StopMatch(reason="operator", operator="amal", detail="a test"), system="operator"
    )
    play_all(story, rng)
    return story


def many(partition: int, matches: int, seed: int = 1, steps: int = 100_000) -> Story:
    """A partition of two-seat matches, all played at once."""
    rng = random.Random(seed)
    story = Story(partition)
    for _ in range(matches):
        story.desk().table_of(*rng.sample(range(10), 2))
    play_all(story, rng, steps)
    return story
