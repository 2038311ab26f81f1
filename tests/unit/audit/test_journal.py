"""A sound log is balanced; one coin, posting, entry or command that is not as it was is named."""

from array import array
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest

from sahrat.messages import match as m
from sahrat.messages import wallet as w
from services.audit.core.fault import Fault
from services.audit.core.history import row_mark, sum_marks
from services.audit.core.report import Report
from services.audit.core.tables import Shown
from services.audit.host import Audit
from services.house.simulation.loop import run
from services.house.simulation.partitions import partitions
from services.projection.core import journal
from services.projection.rows import Place
from tests.unit.audit.forge import refunded, rich, stopped
from tests.unit.audit.story import JOURNAL, POOR, A, C, Copy, D, E, balances, story
from tests.unit.ledger.desk import player as ledger_player
from tests.unit.match.desk import START_MS

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
    assert (report.open, report.funding, report.unplayed, report.unsettled) == (1, 0, 1, 0)
    assert matches_of(report) == report.coin_matches
    assert (report.welcome_coins, report.operator_coins, report.earned_coins) == (4000, 265, 30)
    assert report.granted_coins == 4295 == report.available_coins + 80 + report.fee_coins
    assert report.fee_coins == 40 + 9
    assert [(g.player_id, g.coins, g.operator) for g in report.given] == [
        (E, 250, "amal"),
        (POOR, 15, "amal"),
    ]
    assert report.welcomes == 4
    (stop,) = report.stops
    assert (stop.match_id, stop.operator, stop.reason) == (copy.named["stopped"], "amal", "a test")
    refund = copy.find(REFUND)
    assert (stop.coins, stop.entry) == (150, refund.entry)
    assert START_MS <= stop.at_ms <= refund.at_ms
    (short, nothing) = report.refused
    assert (short.reason, short.asks, short.players) == ("not_enough", "hold", (POOR,))
    assert (nothing.reason, nothing.asks) == ("nothing_held", "release")
    when = [(one.entry, one.at_ms) for one in report.given]
    when += [(one.entry, one.at_ms) for one in report.refused]
    assert all(at_ms == copy.entries[entry - 1].at_ms for entry, at_ms in when)
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


def projected(copy: Copy, end: int) -> Shown:
    """What the projection makes of the journal up to an offset."""
    reads = journal.decode(copy.records[JOURNAL][:end])
    writes = journal.fold(Place(0), reads, journal.Known({}, {}, {}))
    marks = array("Q", [0]) * (1 + len(writes.entries))
    rows: list[tuple[int, tuple[object, ...]]] = [
        (e.entry, (e.appended_ms, e.command_id, e.kind, e.match_id, orjson.loads(e.cause)))
        for e in writes.entries
    ] + [
        (c.entry, (c.player_id, c.available_change, c.held_change, c.available, c.held))
        for c in writes.changes
    ]
    for entry, values in rows:
        marks[entry] = sum_marks([marks[entry], row_mark(*values)])
    held = {row.account: row.held_coins for row in writes.accounts if row.held_coins}
    return Shown(end, {row.account: row.coins for row in writes.accounts if row.coins}, held, marks)


def test_tables_are_compared_at_the_entry_at_which_they_stand() -> None:
    copy = story()
    held = {w.player_account(C): 40, w.player_account(D): 40}
    end = len(copy.records[JOURNAL])
    coins = balances(copy.entries)
    shown = projected(copy, end)
    assert (shown.held, {**coins, **shown.coins}) == (held, coins)
    assert copy.audit(shown).tables_entry == 19
    assert copy.audit(projected(copy, 5)).tables_entry == 5
    for wrong, what in (
        (replace(shown, coins=coins | {w.player_account(A): 50}), "has 50 coins in PostgreSQL"),
        (replace(shown, held={}), "0 coins held in PostgreSQL"),
        (replace(shown, offset=end + 1), "stands at"),
    ):
        with pytest.raises(Fault, match=what):
            copy.audit(wrong)


def test_tables_a_history_that_is_not_the_journals_is_named_by_its_entry() -> None:
    copy = story()
    shown = projected(copy, len(copy.records[JOURNAL]))
    for entry in (1, 8, 19):
        marks = array("Q", shown.marks)
        marks[entry] ^= 1
        with pytest.raises(Fault, match="the history that players read") as found:
            copy.audit(replace(shown, marks=marks))
        assert found.value.place.entry == entry
    for marks in (
        shown.marks[:-1],
        array("Q", [*shown.marks, 5]),
        array("Q", [1, *shown.marks[1:]]),
    ):
        with pytest.raises(Fault, match="the history that players read"):
            copy.audit(replace(shown, marks=marks))


def test_tables_that_are_wrong_do_not_hide_what_is_wrong_with_coins() -> None:
    """Only once the journal is found whole it is said that nothing but tables is wrong."""
    copy = story()
    shown = replace(projected(copy, 5), coins={})
    with pytest.raises(Fault, match=r"no coin is lost.*sahrat rebuild") as found:
        copy.audit(shown)
    assert found.value.law == "tables"
    entry = copy.find(SETTLE)
    first, *others = entry.postings
    more = first.model_copy(update={"coins": first.coins + 1})
    with pytest.raises(Fault) as found:
        copy.alter(entry.entry, postings=(more, *others)).audit(shown)
    assert found.value.law == "W5"


def matches_of(report: Report) -> int:
    """Every coin match is in one of these."""
    ends = report.settled + report.refunded + report.unsettled + report.unplayed
    return ends + report.playing + report.funding + report.open + report.stuck


@pytest.mark.parametrize("judging", [True, False])
def test_every_coin_match_is_counted_once_wherever_it_is(judging: bool) -> None:
    forge = rich()
    a, b = ledger_player(0), ledger_player(1)
    forge.coin(1, a, b, entry=10)
    over, damaged = (forge.coin(n, a, b, entry=10) for n in (2, 3))
    forge.judging = judging
    forge.record(over, refunded(10, a, b), stopped())
    forge.open(4, a, entry=10, seats=2)
    forge.record(forge.open(5, a, entry=10, seats=2), stopped())
    forge.record(
        forge.fund(6, a, b, entry=10),
        m.SeatFreed(player_id=b, why="left", idle_ms=0),
        m.FundingFailed(attempt=2),
        stopped(),
    )
    forge.fund(7, a, b, entry=10)
    forge.record(damaged, m.MatchStarted(seats=(0, 1), dealt=(0, 1)))
    report = forge.copy.audit()
    assert (report.coin_matches, matches_of(report)) == (7, 7)
    assert (report.playing, report.open, report.funding) == (1, 1, 1)
    assert (report.unplayed, report.stuck) == (2, 1)
    assert (report.refunded, report.unsettled) == ((1, 0) if judging else (0, 1))


def test_what_the_journal_has_about_one_player_is_listed() -> None:
    copy = story()
    with partitions(copy.parts):
        report = run(listed(copy, E))
    assert [
        (line.kind, line.available_change_coins, line.held_change_coins, line.available_coins)
        for line in report.lines[:3]
    ] == [("grant", 250, 0, 250), ("hold", -50, 50, 200), ("refund", 50, -50, 250)]
    assert report.lines[0].cause == "amal: a test"


async def listed(copy: Copy, player_id: str) -> Report:
    log = await copy.open()
    try:
        return await Audit(log, "", player_id=player_id).run()
    finally:
        await log.close()
