"""A journal in which everything happens, and what the tables hold of it, in memory."""

from __future__ import annotations

import random
from collections.abc import Sequence

from sahrat.ledger import snapshot
from sahrat.messages import wallet as w
from sahrat.messages.codec import encode
from sahrat.messages.stored import Draft, Stored
from sahrat.messages.topics import WALLET_JOURNAL
from services.projection.core import journal
from services.projection.journal_rows import (
    AccountRow,
    ChangeRow,
    EntryRow,
    HoldRow,
    PostingRow,
    Purse,
)
from services.projection.rows import Alarm, Place, UnreadableRow
from tests.unit.ledger.desk import START_MS, Desk, match, refold, refunding, welcoming

KEY = w.LEDGER.encode()
PLAYERS = range(1, 9)


def story(seed: int = 1, steps: int = 400) -> Desk:
    """Grants, welcomes, holds (also refused ones), releases, settlements, refunds, rewards."""
    rng, desk = random.Random(seed), Desk()
    open_holds: dict[int, tuple[int, ...]] = {}
    for one in PLAYERS:
        desk.put(welcoming(one, 500))
    for n in range(1, steps):
        desk.now_ms += rng.randrange(400_000)
        who = tuple(rng.sample(PLAYERS, rng.choice((2, 2, 3, 4))))
        kind = rng.randrange(8)
        if kind == 0:
            desk.grant(who[0], rng.randint(1, 200), n)
        elif kind == 1:
            desk.reward(n, *((player, 20) for player in who))
        elif kind < 5 or not open_holds:
            if desk.hold(n, rng.choice((10, 33, 100, 400)), *who).reason is None:
                open_holds[n] = who
            else:
                desk.release(n)
        else:
            held = rng.choice(list(open_holds))
            _close(desk, rng, held, open_holds.pop(held))
    return desk


def _close(desk: Desk, rng: random.Random, n: int, who: Sequence[int]) -> None:
    entry = desk.book.state.holds[match(n)].entry_coins
    pot = entry * len(who)
    fee, net = pot // 10, pot - pot // 10
    kind = rng.randrange(4)
    if kind == 0:
        desk.release(n)
    elif kind == 1:
        desk.refund(n)
    elif kind == 2 and rng.randrange(2):
        desk.put(refunding(n))
    elif len(who) == 2:
        desk.settle(n, fee, [(who[0], net)])
    else:
        second = net * 30 // 100
        desk.settle(n, fee, [(who[0], net - second), (who[1], second)])


def drafts(desk: Desk, *, snapshot_every: int = 0) -> list[Draft]:
    """The journal as the ledger writes it, with the whole ledger now and then."""
    found: list[Draft] = []
    for number, value in enumerate(desk.values, 1):
        found.append(Draft(KEY, value))
        if snapshot_every and number % snapshot_every == 0:
            state = refold(desk.values[:number]).state
            found += [Draft(KEY, encode(part)) for part in snapshot.dump(state)]
    return found


def stored(records: Sequence[Draft], begin: int = 0) -> list[Stored]:
    return [
        Stored(WALLET_JOURNAL.name, 0, begin + at, START_MS + at, draft.key, draft.value)
        for at, draft in enumerate(records)
    ]


class JournalInMemory:
    """What a database would hold after each batch, as far as the core asks."""

    def __init__(self) -> None:
        self.place = Place(0)
        self.entries: dict[int, EntryRow] = {}
        self.postings: list[PostingRow] = []
        self.accounts: dict[str, AccountRow] = {}
        self.holds: dict[tuple[str, int, str], HoldRow] = {}
        self.changes: list[ChangeRow] = []
        self.unreadable: list[UnreadableRow] = []
        self.letters = 0
        self.alarms: list[Alarm] = []

    def take(self, batch: Sequence[Stored]) -> None:
        reads = journal.decode(batch)
        named = journal.named(self.place, reads)
        holds: dict[str, list[HoldRow]] = {}
        for row in self.holds.values():
            if row.match_id in named.matches and row.outcome is None:
                holds.setdefault(row.match_id, []).append(row)
        held = [row.player_id for rows in holds.values() for row in rows]
        purses = {
            player_id: Purse(account.coins, account.held_coins)
            for player_id in (*named.players, *held)
            if (account := self.accounts.get(w.player_account(player_id)))
        }
        digests = {n: self.entries[n].digest for n in named.entries}
        writes = journal.fold(self.place, reads, journal.Known(digests, holds, purses))
        self.place = writes.place
        self.entries |= {row.entry: row for row in writes.entries}
        self.postings += writes.postings
        self.accounts |= {row.account: row for row in writes.accounts}
        self.holds |= {(row.match_id, row.attempt, row.player_id): row for row in writes.holds}
        self.changes += writes.changes
        self.unreadable += writes.unreadable
        self.letters += len(writes.letters)
        self.alarms += writes.alarms


def projected(records: Sequence[Stored], size: int) -> JournalInMemory:
    tables = JournalInMemory()
    for start in range(0, len(records), size):
        tables.take(records[start : start + size])
    return tables
