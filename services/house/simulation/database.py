"""The read models in memory: what the projection writes, and a database that may be away."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final, Generic, TypeVar

from typing_extensions import override

from sahrat.messages import topics
from sahrat.messages.topics import Topic
from sahrat.messages.wallet import player_account
from services.projection.core.journal import HOLD, Known, Named
from services.projection.journal_rows import AccountRow, HoldRow, JournalWrites, Purse
from services.projection.models import (
    JournalModels,
    JournalTurn,
    Overtaken,
    Places,
    ReadModels,
    Turn,
)
from services.projection.rows import Place, View, Writes

TIMEOUT_S: Final = 5.0


class Away(Exception):
    """The database does not answer."""


@dataclass
class Tables:
    """All rows, by their keys. Two are equal when all rows and places are."""

    places: dict[tuple[str, int], Place] = field(default_factory=dict)
    records: dict[tuple[str, int], tuple[int, int, bytes]] = field(default_factory=dict)
    matches: dict[str, View] = field(default_factory=dict)
    played: dict[str, View] = field(default_factory=dict)
    parked: dict[str, Any] = field(default_factory=dict)
    unreadable: dict[tuple[str, int, int], Any] = field(default_factory=dict)
    entries: dict[int, Any] = field(default_factory=dict)
    postings: dict[tuple[int, int], Any] = field(default_factory=dict)
    accounts: dict[str, AccountRow] = field(default_factory=dict)
    holds: dict[tuple[str, int, str], HoldRow] = field(default_factory=dict)
    changes: dict[tuple[str, int], Any] = field(default_factory=dict)


class Database:
    """One database.

    Attributes:
        tables: What is committed.
        here: Cleared while it is away.
        loses: How many commits come whose answer is lost: done, and told as a failure.
        lost: How many there were.
        pause_s: How long each transaction takes.
    """

    def __init__(self) -> None:
        self.tables = Tables()
        self.here = asyncio.Event()
        self.here.set()
        self.loses = 0
        self.lost = 0
        self.pause_s = 0.0

    async def reach(self) -> None:
        """Wait until it answers. Raises Away."""
        if not self.here.is_set():
            try:
                async with asyncio.timeout(TIMEOUT_S):
                    await self.here.wait()
            except TimeoutError:
                raise Away("no answer") from None
        if self.pause_s:
            await asyncio.sleep(self.pause_s)

    def advance(self, topic: Topic, before: Place, after: Place) -> None:
        """Move a place on. Raises Overtaken."""
        if self.at(topic, before.partition).next_offset != before.next_offset:
            raise Overtaken(f"partition {before.partition} is not at {before.next_offset}")
        self.tables.places[topic.name, before.partition] = after

    def at(self, topic: Topic, partition: int) -> Place:
        """Return where a partition stands."""
        return self.tables.places.get((topic.name, partition), Place(partition))

    async def answer(self) -> None:
        """Tell that a transaction is committed, if that can be told. Raises Away."""
        if self.loses:
            self.loses -= 1
            self.lost += 1
            raise Away("the line broke")


_W = TypeVar("_W", Writes, JournalWrites)


class _Writing(ABC, Generic[_W]):
    """A turn as it is here: what is to be written, and how."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.writes: _W | None = None

    async def write(self, writes: _W) -> None:
        self.writes = writes

    @abstractmethod
    def commit(self, writes: _W) -> None:
        """Put the rows into the tables."""


_T = TypeVar("_T", bound=_Writing[Any])


class _Models(Places):
    away = (Away,)

    def __init__(self, database: Database, topic: Topic) -> None:
        self.database = database
        self.topic = topic

    @override
    async def open(self) -> None:
        """Nothing is to be made."""

    @override
    async def close(self) -> None:
        """Nothing is to be let go of."""

    @override
    async def place(self, partition: int) -> Place:
        await self.database.reach()
        return self.database.at(self.topic, partition)

    @asynccontextmanager
    async def committing(self, place: Place, turn: _T) -> AsyncIterator[_T]:
        """Begin a batch, and commit what the turn came to. Raises Away, Overtaken."""
        await self.database.reach()
        if self.database.at(self.topic, place.partition).next_offset != place.next_offset:
            raise Overtaken(f"partition {place.partition} is not at {place.next_offset}")
        yield turn
        await self.database.reach()
        if turn.writes is not None:
            self.database.advance(self.topic, place, turn.writes.place)
            turn.commit(turn.writes)
        await self.database.answer()


class MatchTables(_Models, ReadModels):
    """The read models of the matches."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, topics.EVENTS)

    @override
    def turn(self, place: Place) -> AbstractAsyncContextManager[Turn]:
        return self.committing(place, _MatchTurn(self.database.tables))


class _MatchTurn(_Writing[Writes], Turn):
    @override
    async def views(self, match_ids: Sequence[str]) -> tuple[dict[str, View], frozenset[str]]:
        found = {
            match_id: replace(self._tables.matches[match_id], places=())
            for match_id in match_ids
            if match_id in self._tables.matches
        }
        return found, frozenset(i for i in match_ids if i in self._tables.parked)

    @override
    async def digests(self, records: Sequence[tuple[str, int]]) -> dict[tuple[str, int], str]:
        return {
            key: sha256(self._tables.records[key][2]).hexdigest()
            for key in records
            if key in self._tables.records
        }

    @override
    def commit(self, writes: Writes) -> None:
        tables = self._tables
        for row in writes.records:
            key = (row.match_id, row.seq)
            assert key not in tables.records, f"{key} twice"
            tables.records[key] = (row.partition, row.offset, row.value)
        for view in writes.matches:
            tables.matches[view.match_id] = view
        for view in writes.played:
            tables.played[view.match_id] = view
        for parked in writes.parked:
            tables.parked.setdefault(parked.match_id, parked)
        for bad in writes.unreadable:
            tables.unreadable[bad.topic, bad.partition, bad.offset] = bad


class JournalTables(_Models, JournalModels):
    """The read models of the journal."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, topics.WALLET_JOURNAL)

    @override
    def turn(self, place: Place) -> AbstractAsyncContextManager[JournalTurn]:
        return self.committing(place, _JournalTurn(self.database.tables))


class _JournalTurn(_Writing[JournalWrites], JournalTurn):
    @override
    async def known(self, named: Named) -> Known:
        tables = self._tables
        holds: dict[str, list[HoldRow]] = {}
        for key in sorted(tables.holds):
            row = tables.holds[key]
            if row.outcome is None and row.match_id in named.matches:
                holds.setdefault(row.match_id, []).append(row)
        held = [hold.player_id for rows in holds.values() for hold in rows]
        purses: dict[str, Purse] = {}
        for player_id in dict.fromkeys([*named.players, *held]):
            account = tables.accounts.get(player_account(player_id))
            if account is not None:
                purses[player_id] = Purse(account.coins, account.held_coins)
        digests = {n: tables.entries[n].digest for n in named.entries if n in tables.entries}
        return Known(digests=digests, holds=holds, purses=purses)

    @override
    def commit(self, writes: JournalWrites) -> None:
        tables = self._tables
        for entry in writes.entries:
            assert entry.entry not in tables.entries, f"entry {entry.entry} twice"
            tables.entries[entry.entry] = entry
        for posting in writes.postings:
            tables.postings[posting.entry, posting.posting] = posting
        for account in writes.accounts:
            if account.coins == 0 and account.account.startswith(HOLD):
                tables.accounts.pop(account.account, None)
            else:
                tables.accounts[account.account] = account
        for hold in writes.holds:
            tables.holds[hold.match_id, hold.attempt, hold.player_id] = hold
        for change in writes.changes:
            tables.changes[change.player_id, change.entry] = change
        for bad in writes.unreadable:
            tables.unreadable[bad.topic, bad.partition, bad.offset] = bad
