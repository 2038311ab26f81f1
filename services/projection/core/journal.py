"""What the projection makes of the ledger's journal.

The rows are a function of the entries alone, whatever batches they came in. Nothing is judged here:
an entry that can't be is told as damage, and not a row is written of it or of what follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from sahrat.messages import wallet as w
from sahrat.messages.codec import FromTheFuture, Poison, encode
from sahrat.messages.dead import plain
from sahrat.messages.envelope import GENESIS
from sahrat.messages.stored import Stored
from services.projection.core.unreadable import buried
from services.projection.journal_rows import (
    AccountRow,
    ChangeRow,
    EntryRow,
    HoldRow,
    JournalWrites,
    PostingRow,
    Purse,
)
from services.projection.rows import Alarm, Place

PLAYER: Final = w.player_account("")
HOLD: Final = "hold:"
_OUTCOMES: Final[Mapping[str, str]] = {
    "release": "released",
    "settle": "settled",
    "refund": "refunded",
}


class Damaged(Exception):
    """The journal is not one chain, or does not add up: nothing more is taken from it."""


@dataclass(frozen=True, slots=True)
class Read:
    """A stored record and what it says, or why it says nothing."""

    stored: Stored
    said: w.JournalEntry | w.JournalSnapshot | Poison


@dataclass(frozen=True, slots=True)
class Named:
    """What a batch may touch, each once: entries that are there already, matches, players."""

    entries: tuple[int, ...]
    matches: tuple[str, ...]
    players: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """What the tables hold of what a batch names.

    Attributes:
        digests: Of the entries.
        holds: The matches' open holds, in order of player, by match.
        purses: Of the players, those in the holds too.
    """

    digests: Mapping[int, str]
    holds: Mapping[str, Sequence[HoldRow]]
    purses: Mapping[str, Purse]


def decode(batch: Iterable[Stored]) -> list[Read]:
    """Return what each stored record says.

    Raises:
        FromTheFuture: One is newer than this code.
    """
    return [Read(stored, _decode(stored)) for stored in batch]


def named(place: Place, reads: Iterable[Read]) -> Named:
    """Return what must be known before a batch is folded."""
    last = max(place.high, 0)
    entries: dict[int, None] = {last: None} if last else {}
    matches: dict[str, None] = {}
    players: dict[str, None] = {}
    for read in reads:
        if not isinstance(read.said, w.JournalEntry):
            continue
        entry, command = read.said, read.said.command
        if entry.entry <= last:
            entries[entry.entry] = None
        if not isinstance(command, w.GrantCoins):
            matches[command.match_id] = None
        if isinstance(command, w.HoldEntries):
            players |= dict.fromkeys(command.players)
        for posting in entry.postings:
            players |= dict.fromkeys(_players((posting.source, posting.destination)))
    return Named(tuple(entries), tuple(matches), tuple(players))


def fold(place: Place, reads: Sequence[Read], known: Known) -> JournalWrites:
    """Return what the journal's next records change.

    Args:
        place: Where the tables stand; its `high` is the last entry taken.
        reads: The records from there on, without a gap.
        known: What the tables hold of what they name.

    Raises:
        Damaged: An entry does not fit; the batch counts for nothing.
    """
    batch = _Batch(place, known)
    for read in reads:
        batch.take(read)
    return batch.writes(reads[-1].stored)


class _Batch:
    """One batch on its way to rows."""

    def __init__(self, place: Place, known: Known) -> None:
        self._place = place
        self._last = max(place.high, 0)
        self._digests = dict(known.digests)
        self._digest = self._digests[self._last] if self._last else GENESIS
        self._holds = {match_id: list(rows) for match_id, rows in known.holds.items()}
        self._purses = dict(known.purses)
        self._accounts: dict[str, AccountRow] = {}
        self._touched: dict[tuple[str, int, str], HoldRow] = {}
        self._writes = JournalWrites(place)

    def take(self, read: Read) -> None:
        """Take the next record."""
        entry, stored = read.said, read.stored
        if isinstance(entry, Poison):
            self._unreadable(stored, entry)
        elif isinstance(entry, w.JournalEntry) and self._is_new(entry, stored):
            self._entry(entry, stored)
            held = self._held_changes(entry) if entry.reason is None else {}
            self._balances(entry, held)

    def writes(self, last: Stored) -> JournalWrites:
        """Return all that changed, with the place after the last record."""
        self._writes.accounts.extend(self._accounts.values())
        self._writes.holds.extend(self._touched.values())
        after = replace(
            self._place,
            next_offset=last.offset + 1,
            high=self._last if self._last else self._place.high,
            digest=sha256(last.value).hexdigest(),
        )
        return replace(self._writes, place=after)

    def _is_new(self, entry: w.JournalEntry, stored: Stored) -> bool:
        """Tell an entry from its second copy; two ledgers may both write, the same bytes."""
        digest = sha256(stored.value).hexdigest()
        if entry.entry <= self._last:
            if self._digests[entry.entry] != digest:
                raise Damaged(f"entry {entry.entry} has two contents")
            return False
        if entry.entry != self._last + 1 or entry.prev != self._digest:
            raise Damaged(f"entry {entry.entry} does not continue entry {self._last}")
        self._last, self._digest = entry.entry, digest
        self._digests[entry.entry] = digest
        return True

    def _entry(self, entry: w.JournalEntry, stored: Stored) -> None:
        command = entry.command
        self._writes.entries.append(
            EntryRow(
                entry=entry.entry,
                offset=stored.offset,
                appended_ms=entry.at_ms,
                command_offset=entry.offset,
                command_id=entry.id,
                kind=command.type,
                match_id=None if isinstance(command, w.GrantCoins) else command.match_id,
                cause=encode(entry.cause).decode(),
                command=encode(command).decode(),
                reason=None if entry.reason is None else entry.reason.value,
                short=entry.short,
                digest=self._digest,
            )
        )
        self._writes.postings.extend(
            PostingRow(entry.entry, number, posting.source, posting.destination, posting.coins)
            for number, posting in enumerate(entry.postings)
        )

    def _held_changes(self, entry: w.JournalEntry) -> dict[str, int]:
        """Begin or end a hold; return what that changes of each player's held coins."""
        command = entry.command
        if isinstance(command, w.HoldEntries):
            if self._holds.get(command.match_id):
                raise Damaged(f"entry {entry.entry} holds for {command.match_id} a second time")
            rows = [
                HoldRow(command.match_id, command.attempt, player, command.entry_coins, entry.entry)
                for player in command.players
            ]
            self._holds[command.match_id] = rows
        elif command.type in _OUTCOMES and not isinstance(command, w.GrantCoins):
            rows = [
                replace(row, outcome=_OUTCOMES[command.type], closed_entry=entry.entry)
                for row in self._holds.pop(command.match_id, [])
            ]
            if not rows:
                raise Damaged(f"entry {entry.entry} ends a hold that there is not")
        else:
            return {}
        for row in rows:
            self._touched[row.match_id, row.attempt, row.player_id] = row
        sign = 1 if isinstance(command, w.HoldEntries) else -1
        return {row.player_id: sign * row.amount_coins for row in rows}

    def _balances(self, entry: w.JournalEntry, held: Mapping[str, int]) -> None:
        """Bring all accounts to where the entry leaves them."""
        moved: dict[str, int] = {}
        for posting in entry.postings:
            moved[posting.source] = moved.get(posting.source, 0) - posting.coins
            moved[posting.destination] = moved.get(posting.destination, 0) + posting.coins
        told = {balance.account: balance.coins for balance in entry.balances}
        if [*told] != [*moved]:
            raise Damaged(f"entry {entry.entry} tells other balances than it changes")
        for account, coins in told.items():
            if not account.startswith(PLAYER):
                self._accounts[account] = AccountRow(account, coins, 0, entry.entry)
        for player_id in dict.fromkeys([*_players(moved), *held]):
            account = w.player_account(player_id)
            before, change = self._purses.get(player_id, Purse()), moved.get(account, 0)
            after = Purse(before.available + change, before.held + held.get(player_id, 0))
            if after.available != told.get(account, before.available):
                raise Damaged(f"entry {entry.entry} tells another balance of {account}")
            if after.available < 0 or after.held < 0:
                raise Damaged(f"entry {entry.entry} leaves {account} below zero")
            self._purses[player_id] = after
            self._accounts[account] = AccountRow(account, after.available, after.held, entry.entry)
            self._writes.changes.append(
                ChangeRow(
                    player_id,
                    entry.entry,
                    change,
                    held.get(player_id, 0),
                    after.available,
                    after.held,
                )
            )

    def _unreadable(self, stored: Stored, poison: Poison) -> None:
        row, letter = buried(stored, poison)
        self._writes.unreadable.append(row)
        self._writes.letters.append(letter)
        where = f"{stored.topic}/{stored.partition}@{stored.offset}"
        self._writes.alarms.append(Alarm(where, f"unreadable: {poison}"))


def _decode(stored: Stored) -> w.JournalEntry | w.JournalSnapshot | Poison:
    if stored.key != w.LEDGER.encode():
        return Poison("wrong-key", plain(f"under {stored.key[:40].decode('utf-8', 'replace')}"))
    try:
        return w.JOURNAL.decode(stored.value)
    except FromTheFuture:
        raise
    except Poison as poison:
        return poison


def _players(accounts: Iterable[str]) -> list[str]:
    return [account.removeprefix(PLAYER) for account in accounts if account.startswith(PLAYER)]
