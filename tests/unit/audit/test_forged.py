"""Entries, commands and records that somebody made up are named, whatever else fits them."""

from collections.abc import Callable
from typing import Any

import pytest

from sahrat.messages import wallet as w
from sahrat.messages.codec import encode
from tests.unit.audit.story import COMMANDS, A, B, C, Copy, D, E, balances, story

HOLD, SETTLE, REFUND = w.HoldEntries, w.SettleEntries, w.RefundEntries
RELEASE, REWARD, GRANT = w.ReleaseEntries, w.RewardPlayers, w.GrantCoins


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
