"""A sound log is balanced; one coin, posting, entry or command that is not as it was is named."""

from collections.abc import Callable
from typing import Any

import pytest

from sahrat.messages import wallet as w
from services.audit.core.fault import Fault
from services.audit.models import Shown
from tests.unit.audit.story import JOURNAL, A, C, Copy, D, E, balances, story

HOLD, SETTLE, REFUND = w.HoldEntries, w.SettleEntries, w.RefundEntries
RELEASE, REWARD, GRANT = w.ReleaseEntries, w.RewardPlayers, w.GrantCoins


def test_real_matches_of_the_real_wallet_are_balanced() -> None:
    copy = story()
    report = copy.audit()
    assert report.entries == len(copy.entries) == 19
    assert (report.settled, report.refunded, report.released, report.rewarded) == (2, 1, 1, 2)
    assert report.refused_entries == {"not_enough": 1, "nothing_held": 1}
    assert (report.coin_matches, report.free_matches) == (6, 2)
    assert (report.playing, report.holds, report.held_coins) == (1, 1, 80)
    assert (report.welcome_coins, report.operator_coins, report.earned_coins) == (4000, 265, 30)
    assert report.granted_coins == 4295 == report.available_coins + 80 + report.fee_coins
    assert report.fee_coins == 40 + 9
    assert [(g.player_id, g.coins, g.operator) for g in report.given if g.operator] == [
        (E, 250, "amal"),
        (report.given[5].player_id, 15, "amal"),
    ]
    stops = [(stop.match_id, stop.operator, stop.reason) for stop in report.stops]
    assert stops == [(copy.named["stopped"], "amal", "a test")]
    assert report.repeated_commands > 0  # its wallet was killed
    assert (report.pending, report.damaged, report.returned) == ([], {}, [])
    assert (report.snapshots, report.broken_snapshots) == (1, [])


# ---- bytes and chain


def test_one_coin_changed_in_the_bytes_of_the_journal_is_named() -> None:
    copy = story()
    before, posting, after = copy.records[JOURNAL][7].value.rpartition(b'"coins":252')
    assert posting
    _put(copy, 7, before + b'"coins":253' + after)
    fault = copy.fault()
    assert (fault.law, fault.place.entry, fault.place.match_id) == ("W5", 8, copy.named["played"])


def test_chain_bytes_that_say_the_same_in_other_words() -> None:
    copy = story()
    value = copy.records[JOURNAL][7].value
    _put(copy, 7, value.replace(b'"short":[]', b'"short": []'))
    assert (copy.fault().law, copy.fault().place.entry) == ("chain", 8)


def test_chain_of_the_last_entry_whatever_is_written_otherwise() -> None:
    copy = story()
    _put(copy, -1, copy.records[JOURNAL][-1].value + b" ")
    assert (copy.fault().law, copy.fault().place.entry) == ("chain", 19)


@pytest.mark.parametrize("value", [b"", b"{", b"[]", b'{"type":"entry"}'])
def test_chain_what_is_no_entry(value: bytes) -> None:
    copy = story()
    _put(copy, 3, value)
    assert (copy.fault().law, copy.fault().place.entry) == ("chain", 4)


def test_chain_an_entry_taken_out() -> None:
    copy = story()
    entries = copy.entries
    del entries[9]
    found = copy.journal(entries, fit=False).fault()
    assert (found.law, found.place.entry) == ("chain", 11)


def test_chain_two_entries_that_changed_places() -> None:
    copy = story()
    entries = copy.entries
    entries[4], entries[5] = entries[5], entries[4]
    assert copy.journal(entries, fit=False).fault().law == "chain"
    found = copy.journal(entries).fault()
    assert (found.law, found.place.entry) == ("W8", 5)


def test_an_entry_that_came_again_is_the_same_or_found() -> None:
    copy = story()
    copy.records[JOURNAL].append(_at(copy, copy.records[JOURNAL][4].value))
    assert copy.audit().repeated_entries == 1
    other = copy.records[JOURNAL][4].value.replace(b"250", b"251")
    copy.records[JOURNAL].append(_at(copy, other))
    found = copy.fault()
    assert (found.law, found.place.entry) == ("chain", 5)


def test_an_end_that_is_missing_is_found_by_what_the_ledger_has_judged() -> None:
    copy = story()
    short = copy.journal(copy.entries[:-1])
    report = short.audit()
    assert (report.waiting_commands, len(report.pending)) == (1, 1)
    assert report.pending[0].match_id == copy.named["on"]
    short.judged = len(copy.commands)
    found = short.fault()
    assert (found.law, found.place.match_id) == ("chain", copy.named["on"])


def _at(copy: Copy, value: bytes) -> Any:
    last = copy.records[JOURNAL][-1]
    return type(last)(*JOURNAL, last.offset + 1, last.at_ms, last.key, value)


def _put(copy: Copy, at: int, value: bytes) -> None:
    stored = copy.records[JOURNAL][at]
    copy.records[JOURNAL][at] = type(stored)(
        *JOURNAL, stored.offset, stored.at_ms, stored.key, value
    )


# ---- one thing of one entry, and every digest made to fit


def _one_coin(entry: w.JournalEntry) -> dict[str, Any]:
    """One coin of the first posting, and the balances as they then are."""
    first, *others = entry.postings
    more = {first.source: -1, first.destination: 1}
    return {
        "postings": (first.model_copy(update={"coins": first.coins + 1}), *others),
        "balances": tuple(
            b.model_copy(update={"coins": b.coins + more.get(b.account, 0)}) for b in entry.balances
        ),
    }


def _dropped(entry: w.JournalEntry) -> dict[str, Any]:
    """The last posting is not there, and the balances are as they then are."""
    *others, last = entry.postings
    back = {last.source: last.coins, last.destination: -last.coins}
    kept = {account for p in others for account in (p.source, p.destination)}
    return {
        "postings": tuple(others),
        "balances": tuple(
            b.model_copy(update={"coins": b.coins + back.get(b.account, 0)})
            for b in entry.balances
            if b.account in kept
        ),
    }


def _moved(entry: w.JournalEntry) -> dict[str, Any]:
    """What the first player gets, the second does, and the other way round."""
    one, other, *rest = entry.postings
    swapped = (
        one.model_copy(update={"destination": other.destination}),
        other.model_copy(update={"destination": one.destination}),
    )
    return {"postings": (*swapped, *rest)}


def _balance(entry: w.JournalEntry) -> dict[str, Any]:
    first, *others = entry.balances
    return {"balances": (first.model_copy(update={"coins": first.coins + 1}), *others)}


def _two_balances(entry: w.JournalEntry) -> dict[str, Any]:
    """A coin from one player's balance to another's, by no posting."""
    changes = iter((1, -1))
    return {
        "balances": tuple(
            b.model_copy(update={"coins": b.coins + next(changes, 0)})
            if b.account.startswith("player:")
            else b
            for b in entry.balances
        )
    }


def _refused(entry: w.JournalEntry) -> dict[str, Any]:
    return {"reason": w.WalletReason.BAD_AMOUNTS, "postings": (), "balances": ()}


Change = Callable[[w.JournalEntry], dict[str, Any]]


@pytest.mark.parametrize(
    ("law", "kind", "match", "change"),
    [
        ("W3", HOLD, "played", _one_coin),
        ("W3", HOLD, "played", _dropped),
        ("W3", HOLD, "played", _refused),
        ("W1", HOLD, "on", _balance),
        ("W8", HOLD, "on", _two_balances),
        ("W5", SETTLE, "played", _dropped),
        ("W5", SETTLE, "played", _moved),
        ("W5", SETTLE, "left", _refused),
        ("W5", SETTLE, "left", _one_coin),
        ("W6", REFUND, "stopped", _dropped),
        ("W6", REFUND, "stopped", _refused),
        ("W6", REFUND, "stopped", _one_coin),
        ("W6", RELEASE, "failed", _dropped),
        ("W6", RELEASE, "failed", _refused),
        ("M2", REWARD, "free 0", _one_coin),
        ("M2", REWARD, "free 0", _dropped),
        ("M2", REWARD, "free 0", _moved),
        ("M2", REWARD, "free 1", _refused),
        ("W8", GRANT, "", _one_coin),
        ("W8", GRANT, "", _refused),
        ("W1", GRANT, "", _balance),
    ],
)
def test_one_change_is_named_by_its_law_entry_and_match(
    law: str, kind: type[Any], match: str, change: Change
) -> None:
    copy = story()
    entry = copy.find(kind, match)
    fault = copy.alter(entry.entry, **change(entry)).fault()
    assert (fault.law, fault.place.entry) == (law, entry.entry), fault
    assert fault.place.match_id == copy.named.get(match)
    assert f"entry {entry.entry}" in str(fault)


# ---- PostgreSQL


def test_tables_are_compared_at_the_entry_at_which_they_stand() -> None:
    copy = story()
    held = {w.player_account(C): 40, w.player_account(D): 40}
    end = len(copy.records[JOURNAL])
    coins = balances(copy.entries)
    assert copy.audit(Shown(end, coins, held)).tables_entry == 19
    assert copy.audit(Shown(5, balances(copy.entries[:5]), {})).tables_entry == 5
    with pytest.raises(Fault, match="has 50 coins in PostgreSQL"):
        copy.audit(Shown(end, coins | {w.player_account(A): 50}, held))
    with pytest.raises(Fault, match="0 coins held in PostgreSQL"):
        copy.audit(Shown(end, coins, {}))
    with pytest.raises(Fault, match="stands at"):
        copy.audit(Shown(end + 1, coins, held))
