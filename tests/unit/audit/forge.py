"""Matches written by hand, a record at a time, and what the real router and ledger make of them.

The audit knows no game, so a match needs none: a deal, and places at its end.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from sahrat.ledger import snapshot
from sahrat.ledger.journal import Book
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.base import Message
from sahrat.messages.codec import encode
from sahrat.messages.envelope import GENESIS, Cause, Record
from sahrat.messages.stored import Stored
from sahrat.messages.topics import partition_of
from services.audit.core.fault import Fault
from services.house.simulation.partitions import FEW, partitions
from services.wallet.core import folding
from services.wallet.core.routing import command_of
from tests.house.bank import KEY
from tests.unit.audit.story import COMMANDS, JOURNAL, Copy
from tests.unit.ledger.desk import granting, player, refunding, welcoming
from tests.unit.match.desk import RULES, START_MS, line, uuid7

SECRET = "5" * 64


@dataclass
class Forge:
    """Writes a log.

    Attributes:
        routed: Whether the router is at work; judging: and the ledger.
        every: Entries from one snapshot to the next.
    """

    now_ms: int = START_MS
    routed: bool = True
    judging: bool = True
    every: int = snapshot.EVERY
    copy: Copy = field(default_factory=lambda: Copy({}))
    book: Book = field(default_factory=Book)
    _heads: dict[str, tuple[int, str]] = field(default_factory=dict)
    _causes: Any = field(default_factory=lambda: itertools.count(1))

    # ---- writing

    def put(self, place: tuple[str, int], key: bytes, value: bytes) -> Stored:
        """Store a record as it is."""
        stored = self.copy.records.setdefault(place, [])
        stored.append(Stored(*place, len(stored), self.now_ms, key, value))
        return stored[-1]

    def send(self, command: w.WalletCommand | bytes) -> None:
        """Send a command, and let the ledger judge it."""
        value = command if isinstance(command, bytes) else encode(command)
        stored = self.put(COMMANDS, KEY, value)
        if self.judging:
            self.judge(stored)

    def judge(self, stored: Stored) -> None:
        """Let the ledger take a command."""
        with partitions(self.copy.parts):
            for output in folding.step(self.book, stored, self.every):
                if isinstance(output, folding.Entry):
                    self.put(JOURNAL, KEY, output.draft.value)
                elif isinstance(output, folding.Whole):
                    for draft in output.drafts:
                        self.put(JOURNAL, KEY, draft.value)

    def record(self, match_id: str, *events: Message) -> Record[Any]:
        """Write a match's next record, and route it."""
        seq, digest = self._heads.get(match_id, (0, GENESIS))
        with partitions(self.copy.parts):
            partition = partition_of(match_id)
        offset = next(self._causes)
        intents = (topics.INTENTS.name, partition)
        while len(self.copy.records.get(intents, ())) <= offset:  # what else was asked there
            self.put(intents, match_id.encode(), b"{}")
        record = Record[Any](
            match_id=match_id,
            seq=seq + 1,
            at_ms=self.now_ms,
            caused_by=Cause(
                intent_id=uuid7(START_MS, 7_000_000 + offset),
                sender="system:gateway",
                partition=partition,
                offset=offset,
                at_ms=self.now_ms,
            ),
            rules=RULES,
            prev=digest,
            events=events,
        )
        value = encode(record)
        self._heads[match_id] = (seq + 1, sha256(value).hexdigest())
        self.put((topics.EVENTS.name, partition), match_id.encode(), value)
        command = command_of(record)
        if command is not None and self.routed:
            self.send(command)
        return record

    # ---- people

    def welcome(self, *who: int) -> None:
        for number in who:
            self.send(welcoming(number))

    def grant(self, who: int, coins: int, n: int = 1, reason: str = "prize") -> None:
        self.send(granting(who, coins, n, reason))

    # ---- matches

    def open(
        self, n: int, *players: str, entry: int = 0, seats: int = 0, teams: str = "off"
    ) -> str:
        """Open a table and let players sit down; empty ones are bots."""
        match_id = uuid7(START_MS, n)
        opened = m.TableOpened(
            game="ludo",
            options={"teams": teams},
            seats=seats or len(players),
            entry_coins=entry,
            key_id="k1",
            commitment=SECRET,
            fill_ms=0,
            idle_ms=0,
        )
        self.record(match_id, opened, *(sit(p) for p in players))
        return match_id

    def fund(self, n: int, *players: str, entry: int, teams: str = "off") -> str:
        """Open a coin table, full, with its funding."""
        match_id = self.open(n, *players[:-1], entry=entry, seats=len(players), teams=teams)
        self.record(match_id, sit(players[-1]), began(2, entry, players))
        return match_id

    def start(self, match_id: str, count: int) -> str:
        """Let play begin; who sat down first has seat 0."""
        self.record(match_id, m.MatchStarted(seats=range_(count), dealt=range_(count)))
        return match_id

    def coin(self, n: int, *players: str, entry: int, teams: str = "off") -> str:
        """A coin match in play."""
        return self.start(self.fund(n, *players, entry=entry, teams=teams), len(players))

    def free(self, n: int, *players: str) -> str:
        """A free match in play."""
        return self.start(self.open(n, *players), len(players))

    def earn(self, n: int, who: str) -> str:
        """A free match against a bot, won."""
        match_id = self.free(n, who, "")
        self.record(match_id, earned((0, who, 20)), ended((0, 1), (1, 2)))
        return match_id


def rich() -> Forge:
    """A log in which four players have 1,000 coins each."""
    forge = Forge()
    forge.welcome(0, 1, 2, 3)
    return forge


def fault(forge: Forge) -> Fault:
    """What an audit of it finds."""
    return forge.copy.fault()


def place_of(match_id: str) -> int:
    """The partition of a match in a forge's log."""
    with partitions(FEW):
        return partition_of(match_id)


def range_(count: int) -> tuple[int, ...]:
    return tuple(range(count))


def sit(player_id: str) -> m.SeatTaken:
    return m.SeatTaken(
        player_id=player_id,
        nickname="",
        seat_number="1" if player_id else "",
        line=line(1) if player_id else None,
        bot=not player_id,
        idle_ms=0,
    )


def began(attempt: int, entry: int, players: Sequence[str]) -> m.FundingBegan:
    return m.FundingBegan(attempt=attempt, entry_coins=entry, players=tuple(players))


def left(player_id: str, seat: int, *, bot: bool = False, kept: bool = False) -> m.PlayerLeft:
    return m.PlayerLeft(player_id=player_id, seat=seat, why="left", bot=bot, kept=kept)


def settled(pot: int, fee: int, *prizes: tuple[int, str, int], attempt: int = 2) -> Message:
    return m.EntriesSettled(
        attempt=attempt, pot_coins=pot, fee_coins=fee, prizes=tuple(map(_prize, prizes))
    )


def refunded(entry: int, *players: str, attempt: int = 2) -> m.EntriesRefunded:
    return m.EntriesRefunded(attempt=attempt, entry_coins=entry, players=players)


def earned(*rewards: tuple[int, str, int]) -> m.CoinsEarned:
    return m.CoinsEarned(rewards=tuple(map(_prize, rewards)))


def ended(*places: tuple[int, int]) -> m.MatchEnded:
    return m.MatchEnded(
        places=tuple(m.Place(seat=seat, place=place) for seat, place in places), secret=SECRET
    )


def stopped() -> m.MatchStopped:
    return m.MatchStopped(reason="operator", operator="amal", detail="", secret=SECRET)


def _prize(prize: tuple[int, str, int]) -> m.Prize:
    seat, player_id, coins = prize
    return m.Prize(seat=seat, player_id=player_id, coins=coins)


def tale(parts: int = FEW) -> Copy:
    """Return a log with an entry of every kind, and refusals."""
    forge = Forge(copy=Copy({}, parts=parts))
    forge.welcome(0, 1, 2)
    forge.grant(0, 50)
    forge.grant(0, 51)
    a, b, c, d = (player(n) for n in range(4))
    match_id = forge.coin(1, a, b, c, entry=100)
    forge.record(match_id, left(a, 0))
    forge.record(
        match_id,
        settled(300, 30, (1, b, 189), (2, c, 81)),
        ended((1, 1), (2, 2), (0, 3)),
    )
    match_id = forge.coin(2, a, b, entry=10)
    forge.record(match_id, refunded(10, a, b), stopped())
    match_id = forge.fund(3, a, d, entry=10)
    forge.record(
        match_id, m.SeatFreed(player_id=d, why="refused", idle_ms=0), m.FundingFailed(attempt=2)
    )
    match_id = forge.fund(4, a, b, entry=10)
    forge.record(
        match_id, m.SeatFreed(player_id=b, why="left", idle_ms=0), m.FundingFailed(attempt=2)
    )
    for n in range(5, 16):
        match_id = forge.free(n, a, d, "")
        forge.record(match_id, earned((0, a, 20), (1, d, 5)), ended((0, 1), (1, 2), (2, 3)))
    forge.send(refunding(77))
    forge.coin(20, b, c, entry=10)
    return forge.copy
