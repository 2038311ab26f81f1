"""A sound log is balanced; one coin, posting, entry or command that is not as it was is named."""

from collections.abc import Callable
from typing import Any

import pytest

from sahrat.messages import wallet as w
from sahrat.messages.codec import encode
from services.audit.core.fault import Fault
from services.audit.models import Shown
from tests.unit.audit.story import COMMANDS, JOURNAL, A, B, C, Copy, D, E, balances, story

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


def test_W5_a_prize_moved_in_command_and_journal_alike() -> None:
    copy = story()
    entry = copy.find(SETTLE, "played")
    assert isinstance(entry.command, SETTLE)
    first, second = entry.command.prizes
    other = entry.command.model_copy(
        update={
            "prizes": (
                first.model_copy(update={"coins": second.coins}),
                second.model_copy(update={"coins": first.coins}),
            )
        }
    )
    assert _both(copy, entry, other).fault().law == "W5"


def test_W5_a_prize_moved_in_the_match_too() -> None:
    copy = story()

    def move(records: list[dict[str, Any]]) -> None:
        (event,) = [e for e in records[-1]["events"] if e["type"] == "entries.settled"]
        one, other = event["prizes"]
        one["player_id"], other["player_id"] = other["player_id"], one["player_id"]

    fault = copy.rewrite(copy.named["played"], move).fault()
    assert (fault.law, fault.place.match_id) == ("W5", copy.named["played"])


def _both(copy: Copy, entry: w.JournalEntry, command: w.Command) -> Copy:
    """Another command, in the journal and where it was sent."""
    altered = copy.alter(entry.entry, command=command)
    stored = altered.commands[entry.offset]
    value = encode(w.WalletCommand(id=entry.id, cause=entry.cause, command=command))
    altered.commands[entry.offset] = type(stored)(
        *COMMANDS, stored.offset, stored.at_ms, stored.key, value
    )
    return altered


# ---- entries that are there, and should not be


def test_W8_an_entry_taken_out_with_all_digests_made_to_fit() -> None:
    copy = story()
    for entry in copy.entries[:-1]:
        rest = [e for e in copy.entries if e.entry != entry.entry]
        fault = copy.journal(rest).fault()
        assert (fault.law, fault.place.entry) == ("W8", entry.entry), fault
        assert "no entry" in fault.what


def test_W8_an_entry_written_twice_with_all_digests_made_to_fit() -> None:
    copy = story()
    for entry in copy.entries:
        twice = [*copy.entries[: entry.entry], *copy.entries[entry.entry - 1 :]]
        fault = copy.journal(twice).fault()
        assert (fault.law, fault.place.entry) == ("W8", entry.entry + 1), fault


def _pay(source: str, player_id: str, coins: int) -> w.Posting:
    return w.Posting(source=source, destination=w.player_account(player_id), coins=coins)


def _cause(copy: Copy, entry: w.JournalEntry, later: int) -> w.MatchCause:
    assert isinstance(entry.cause, w.MatchCause)
    update = {"offset": entry.cause.offset + later, "seq": entry.cause.seq + later}
    return entry.cause.model_copy(update=update)


def test_W8_a_command_that_no_record_asked_for() -> None:
    copy = story()
    held = copy.find(HOLD, "on")
    match_id = copy.named["on"]
    account = w.hold_account(match_id, 2)
    forged = w.WalletCommand(
        id=f"settle:{match_id}",
        cause=_cause(copy, held, 1000),
        command=SETTLE(
            match_id=match_id,
            attempt=2,
            fee_coins=8,
            prizes=(w.PlayerCoins(player_id=C, coins=72),),
        ),
    )
    fee = w.Posting(source=account, destination=w.FEE, coins=8)
    fault = copy.book(forged, _pay(account, C, 72), fee).fault()
    assert (fault.law, fault.place.entry, fault.place.match_id) == ("W8", 20, match_id)
    assert "no record" in fault.what


def test_W4_a_settlement_of_a_stopped_match() -> None:
    copy = story()
    entry = copy.find(REFUND, "stopped")
    settle = SETTLE(
        match_id=copy.named["stopped"],
        attempt=5,
        fee_coins=15,
        prizes=(w.PlayerCoins(player_id=A, coins=135),),
    )
    fault = _both(copy, entry, settle).fault()
    assert (fault.law, fault.place.entry) == ("W4", entry.entry)
    assert fault.place.match_id == copy.named["stopped"]


def test_W4_a_refund_after_a_settlement() -> None:
    copy = story()
    entry = copy.find(SETTLE, "left")
    match_id = copy.named["left"]
    forged = w.WalletCommand(
        id=f"settle:{match_id}",
        cause=_cause(copy, entry, 10**6),  # behind all that was taken of its partition
        command=REFUND(match_id=match_id, attempt=3),
    )
    fault = copy.book(forged, _pay(w.GRANTS, B, 33)).fault()
    assert (fault.law, fault.place.entry, fault.place.match_id) == ("W4", 20, match_id)


def test_W4_a_reward_paid_twice() -> None:
    copy = story()
    entry = copy.find(REWARD, "free 0")
    again = w.WalletCommand(id=entry.id, cause=_cause(copy, entry, 10**6), command=entry.command)
    fault = copy.book(again, *entry.postings).fault()
    assert (fault.law, fault.place.match_id) == ("W4", copy.named["free 0"])


def test_W8_a_grant_that_a_match_gives() -> None:
    copy = story()
    held = copy.find(HOLD, "on")
    command = w.WalletCommand(
        id=f"grant:{copy.named['on']}",
        cause=_cause(copy, held, 1000),
        command=GRANT(player_id=A, coins=5),
    )
    fault = copy.book(command, _pay(w.GRANTS, A, 5)).fault()
    assert (fault.law, fault.place.entry) == ("W8", 20)


def test_W8_a_grant_that_nobody_sent() -> None:
    copy = story()
    command = w.WalletCommand(
        id=f"grant:{copy.named['on']}",
        cause=w.OperatorCause(operator="mallory", reason="why not"),
        command=GRANT(player_id=A, coins=5),
    )
    booked = copy.book(command, _pay(w.GRANTS, A, 5))
    assert booked.audit().operator_coins == 270  # an operator's, if it was sent
    del booked.commands[-1]
    fault = booked.fault()
    assert (fault.law, fault.place.entry) == ("W8", 20)
    assert "no command" in fault.what


def test_W2_a_balance_below_zero() -> None:
    copy = story()
    entry = copy.find(HOLD, "on")
    assert isinstance(entry.command, HOLD)
    more = 5000
    hold = entry.command.model_copy(update={"entry_coins": more})
    postings = tuple(p.model_copy(update={"coins": more}) for p in entry.postings)
    coins = balances(copy.entries[:-1])
    account = entry.postings[0].destination
    said = (
        w.Balance(account=w.player_account(C), coins=coins[w.player_account(C)] - more),
        w.Balance(account=account, coins=2 * more),
        w.Balance(account=w.player_account(D), coins=coins[w.player_account(D)] - more),
    )
    altered = copy.alter(entry.entry, command=hold, postings=postings, balances=said)
    fault = _both(altered, altered.entries[-1], hold).fault()
    assert fault.law == "W3"  # the match asked for less
    fault = copy.alter(entry.entry, postings=postings, balances=said).fault()
    assert (fault.law, fault.place.entry) == ("W2", 19)


# ---- matches


def _last(change: Callable[[list[dict[str, Any]]], None]) -> Any:
    return lambda records: change(records[-1]["events"])


def _without(name: str) -> Any:
    def change(events: list[dict[str, Any]]) -> None:
        events[:] = [event for event in events if event["type"] != name]

    return _last(change)


def _set(name: str, **fields: Any) -> Any:
    def change(events: list[dict[str, Any]]) -> None:
        next(event for event in events if event["type"] == name).update(fields)

    return _last(change)


@pytest.mark.parametrize(
    ("law", "match", "change"),
    [
        ("W4", "played", _without("entries.settled")),
        ("W4", "stopped", _without("entries.refunded")),
        ("W6", "stopped", _set("entries.refunded", entry_coins=49)),
        ("W6", "stopped", _set("entries.refunded", players=[A, E])),
        ("W5", "left", _set("entries.settled", fee_coins=8)),
        ("W5", "left", _set("entries.settled", pot_coins=98)),
        ("M2", "free 0", _without("coins.earned")),
        ("M2", "free 1", _set("coins.earned", rewards=[{"seat": 1, "player_id": B, "coins": 5}])),
        ("W3", "on", lambda records: records[1]["events"][-1].update(entry_coins=41)),
        ("M3", "on", lambda records: records[0]["events"][0].update(entry_coins=9)),
        ("M3", "on", lambda records: records[0]["events"][0].update(entry_coins=10**6 + 1)),
        ("B2", "on", lambda records: records[0]["events"][1].update(bot=True)),
    ],
)
def test_a_match_that_breaks_a_rule_of_coins_is_named(law: str, match: str, change: Any) -> None:
    copy = story()
    fault = copy.rewrite(copy.named[match], change).fault()
    assert (fault.law, fault.place.match_id) == (law, copy.named[match]), fault
    assert fault.place.record is not None


def test_a_match_whose_chain_breaks_can_have_asked_for_nothing() -> None:
    copy = story()
    match_id = copy.named["left"]
    for stored in copy.records.values():
        for at, one in enumerate(stored):
            if one.key == match_id.encode() and b"match.started" in one.value:
                stored[at] = type(one)(
                    one.topic, one.partition, one.offset, one.at_ms, one.key, one.value + b" "
                )
    fault = copy.fault()
    assert (fault.law, fault.place.match_id) == ("W8", match_id)
    assert fault.place.entry == copy.find(SETTLE, "left").entry


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
