"""The journal's rows: a function of its entries alone, and of nothing that does not fit."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

import pytest

from sahrat.messages import wallet as w
from sahrat.messages.codec import FromTheFuture, encode
from sahrat.messages.envelope import GENESIS
from sahrat.messages.stored import Draft
from services.projection.core.journal import Damaged
from services.projection.journal_rows import ChangeRow
from tests.unit.ledger.desk import Desk, match, player
from tests.unit.projection.journals import (
    KEY,
    JournalInMemory,
    drafts,
    projected,
    stored,
    story,
)


@pytest.fixture(scope="module")
def desk() -> Desk:
    return story()


@pytest.fixture(scope="module")
def whole(desk: Desk) -> JournalInMemory:
    return projected(stored(drafts(desk)), 10_000)


def same(one: JournalInMemory, other: JournalInMemory) -> None:
    assert vars(one) == vars(other)


def test_the_accounts_are_those_of_the_ledger(desk: Desk, whole: JournalInMemory) -> None:
    state = desk.book.state
    open_accounts = {
        name: row.coins
        for name, row in whole.accounts.items()
        if row.coins or not name.startswith("hold:")
    }
    assert open_accounts == state.balances
    assert sum(open_accounts.values()) == 0
    for n in range(1, 9):
        row = whole.accounts[w.player_account(player(n))]
        assert row.held_coins == sum(state.held(player(n)).values())


def test_the_holds_are_those_of_the_ledger(desk: Desk, whole: JournalInMemory) -> None:
    held: dict[str, set[str]] = {}
    for row in whole.holds.values():
        if row.outcome is None:
            held.setdefault(row.match_id, set()).add(row.player_id)
    assert held == {name: set(hold.players) for name, hold in desk.book.state.holds.items()}
    outcomes = Counter(row.outcome for row in whole.holds.values())
    assert min(outcomes[name] for name in ("released", "settled", "refunded")) > 10


def test_each_players_history_adds_up(desk: Desk, whole: JournalInMemory) -> None:
    for n in range(1, 9):
        available = held = 0
        for change in (c for c in whole.changes if c.player_id == player(n)):
            available += change.available_change
            held += change.held_change
            assert (change.available, change.held) == (available, held)
            assert change.available_change or change.held_change
        row = whole.accounts[w.player_account(player(n))]
        assert (row.coins, row.held_coins) == (available, held)


def test_entries_and_postings_are_all_there(desk: Desk, whole: JournalInMemory) -> None:
    told = [w.JOURNAL.decode(value) for value in desk.values]
    entries = [entry for entry in told if isinstance(entry, w.JournalEntry)]
    assert list(whole.entries) == [entry.entry for entry in entries]
    assert {row.reason for row in whole.entries.values()} >= {
        None,
        "not_enough",
        "nothing_held",
        "day_is_full",
    }
    postings = [(p.source, p.destination, p.coins) for e in entries for p in e.postings]
    assert [(p.source, p.destination, p.coins) for p in whole.postings] == postings
    assert whole.entries[len(entries)].digest == sha256(desk.values[-1]).hexdigest()
    assert whole.place.high == len(entries)


@pytest.mark.parametrize("size", [1, 7, 100])
def test_batches_make_no_difference(desk: Desk, whole: JournalInMemory, size: int) -> None:
    same(projected(stored(drafts(desk)), size), whole)


@pytest.mark.parametrize("size", [1, 7])
def test_snapshots_say_nothing_new(desk: Desk, whole: JournalInMemory, size: int) -> None:
    tables = projected(stored(drafts(desk, snapshot_every=100)), size)
    assert tables.changes == whole.changes
    assert {n: row.digest for n, row in tables.entries.items()} == {
        n: row.digest for n, row in whole.entries.items()
    }
    assert [row.offset for row in tables.entries.values()] != [
        row.offset for row in whole.entries.values()
    ]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_what_two_ledgers_both_wrote_counts_once(
    desk: Desk, whole: JournalInMemory, size: int
) -> None:
    records = drafts(desk)
    twice = [*records[:50], *records[30:50], *records[45:]]
    tables = projected(stored(twice), size)
    assert tables.changes == whole.changes
    assert tables.postings == whole.postings
    assert tables.accounts == whole.accounts


def test_a_history_names_what_a_match_did_to_its_players() -> None:
    """A loser's held coins go at the end; nothing else of his changes then."""
    desk = Desk()
    desk.grant(1, 100)
    desk.grant(2, 100)
    desk.hold(1, 100, 1, 2)
    desk.settle(1, 20, [(1, 180)])
    tables = projected(stored(drafts(desk)), 2)
    assert tables.changes[2:] == [
        ChangeRow(player(1), 3, -100, 100, 0, 100),
        ChangeRow(player(2), 3, -100, 100, 0, 100),
        ChangeRow(player(1), 4, 180, -100, 180, 0),
        ChangeRow(player(2), 4, 0, -100, 0, 0),
    ]
    assert tables.accounts[w.player_account(player(2))].entry == 4
    assert {row.outcome for row in tables.holds.values()} == {"settled"}
    assert tables.entries[4].match_id == match(1)


# ---- what does not fit


def refused(records: list[Draft], why: str) -> None:
    for size in (1, 1000):
        with pytest.raises(Damaged, match=why):
            projected(stored(records), size)


def altered(value: bytes, **change: object) -> Draft:
    entry = w.JOURNAL.decode(value)
    assert isinstance(entry, w.JournalEntry)
    return Draft(KEY, encode(entry.model_copy(update=change)))


def test_a_gap_is_damage(desk: Desk) -> None:
    records = drafts(desk)
    refused([*records[:9], *records[10:]], "entry 11 does not continue entry 9")
    refused(records[1:], "entry 2 does not continue entry 0")


def test_another_content_under_a_number_is_damage(desk: Desk) -> None:
    records = drafts(desk)
    fork = altered(desk.values[4], at_ms=1)
    refused([*records[:9], fork], "entry 5 has two contents")
    refused([*records[:4], fork, *records[5:9]], "entry 6 does not continue entry 5")


def test_a_balance_that_does_not_follow_is_damage() -> None:
    desk = Desk()
    desk.grant(1, 100)
    account = w.player_account(player(1))
    wrong = (w.Balance(account=w.GRANTS, coins=-100), w.Balance(account=account, coins=101))
    refused([altered(desk.values[0], balances=wrong)], "tells another balance")
    refused([altered(desk.values[0], balances=())], "tells other balances than it changes")


def test_a_hold_that_there_is_not_can_not_end() -> None:
    desk = Desk()
    desk.grant(1, 100)
    release = w.JournalEntry(
        entry=1,
        at_ms=1,
        offset=0,
        prev=GENESIS,
        id=f"release:{match(1)}:3",
        cause=desk.cause(match(1), 9),
        command=w.ReleaseEntries(match_id=match(1), attempt=3),
        reason=None,
        short=(),
        postings=(),
        balances=(),
    )
    refused([Draft(KEY, encode(release))], "ends a hold that there is not")


def test_what_is_no_entry_is_put_aside_and_its_neighbours_go_on(
    desk: Desk, whole: JournalInMemory
) -> None:
    records = drafts(desk)
    odd = [Draft(KEY, b"{"), Draft(KEY, b'{"type":"entry","v":1}'), Draft(b"other", b"{}")]
    tables = projected(stored([*records[:5], *odd, *records[5:]]), 4)
    assert tables.changes == whole.changes
    assert [row.offset for row in tables.unreadable] == [5, 6, 7]
    assert (tables.letters, len(tables.alarms)) == (3, 3)


def test_an_entry_from_the_future_ends_it(desk: Desk) -> None:
    newer = desk.values[0].replace(b'"v":1', b'"v":2')
    with pytest.raises(FromTheFuture):
        projected(stored([Draft(KEY, newer)]), 1)
