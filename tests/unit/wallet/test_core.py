"""What the wallet does with one record, one command, one entry."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from sahrat.games import wire
from sahrat.ledger import snapshot
from sahrat.ledger.journal import Book
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.codec import FromTheFuture, encode
from sahrat.messages.envelope import Record
from sahrat.messages.stored import Stored
from services.wallet.core.answering import answer_of
from services.wallet.core.folding import KEY, Dead, Entry, Whole, step
from services.wallet.core.routing import command_of
from tests.unit.ledger.desk import Desk as Ledger
from tests.unit.ledger.desk import granting, match, refunding, welcoming
from tests.unit.match.desk import START_MS, Desk, gateway, player

R = w.WalletReason


def commands(desk: Desk) -> list[w.WalletCommand]:
    return [c for record in desk.records if (c := command_of(record)) is not None]


def asked(desk: Desk) -> list[tuple[str, str]]:
    return [(c.command.type, c.id.partition(":")[0]) for c in commands(desk)]


# ---- routing


def test_M4_a_funding_asks_for_every_entry_in_the_name_of_its_record() -> None:
    desk = Desk().coin_table(0, 1, entry=250)
    (command,) = commands(desk)
    began = next(r for r in desk.records if any(e.type == "funding.began" for e in r.events))
    assert command == w.WalletCommand(
        id=f"hold:{desk.match_id}:{began.seq}",
        cause=w.MatchCause(
            match_id=desk.match_id,
            seq=began.seq,
            at_ms=began.at_ms,
            partition=desk.partition,
            offset=began.caused_by.offset,
        ),
        command=w.HoldEntries(
            match_id=desk.match_id,
            attempt=began.seq,
            entry_coins=250,
            players=(player(0), player(1)),
        ),
    )


def test_M_every_end_of_a_funding_asks_for_one_thing() -> None:
    refused = Desk()
    refused.table_of(0, 1, entry=10)
    refused.short(1)
    left = Desk().coin_table(0, 1)
    left.leave(0)
    stopped = Desk().coin_table(0, 1)
    stopped.stop()
    assert asked(refused) == [("hold", "hold"), ("release", "release")]
    assert asked(left) == [("hold", "hold"), ("settle", "settle")]
    assert asked(stopped) == [("hold", "hold"), ("refund", "settle")]
    paid = commands(left)[1].command
    assert isinstance(paid, w.SettleEntries)
    assert (paid.fee_coins, [p.coins for p in paid.prizes]) == (20, [180])


def test_a_record_that_asks_for_two_things_is_nobodys_to_choose_from() -> None:
    desk = Desk().coin_table(0, 1)
    desk.stop()
    record = desk.records[-1]
    twice = Record[Any](**{**dict(record), "events": (record.events[0], *record.events)})
    with pytest.raises(ValueError, match="moves coins 2 times"):
        command_of(twice)


# ---- folding


def stored(value: bytes, offset: int = 0, key: bytes = KEY) -> Stored:
    return Stored(topics.WALLET_COMMANDS.name, 0, offset, START_MS, key, value)


def outputs(book: Book, command: w.WalletCommand, offset: int = 0, every: int = 100) -> list[Any]:
    return list(step(book, stored(encode(command), offset), every))


def test_a_command_makes_an_entry_and_its_repeat_nothing() -> None:
    book = Book()
    (entry,) = outputs(book, granting(0, 5))
    assert isinstance(entry, Entry)
    assert (entry.draft.key, entry.alarm) == (KEY, "")
    assert outputs(book, granting(0, 5), 1) == []


BAD = (
    {"coins": -1},
    {"coins": 0},
    {"coins": 1.5},
    {"coins": "5"},
    {"coins": 2**53},
    {"player_id": 5},
)


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_F15_a_command_that_cannot_be_read_is_put_aside_and_the_next_goes_on(bad: Any) -> None:
    book, good = Book(), encode(granting(0, 5))
    command = orjson.loads(good)
    command["command"] |= bad
    (dead,) = step(book, stored(orjson.dumps(command)))
    assert isinstance(dead, Dead)
    letter = wire.DEAD_LETTERS.decode(dead.draft.value)
    assert (letter.reader, letter.topic) == ("wallet", topics.WALLET_COMMANDS.name)
    assert book.state.entry == 0
    assert len(list(step(book, stored(good, 1)))) == 1


@pytest.mark.parametrize(
    ("value", "key"),
    [(b"{", KEY), (b"\xff", KEY), (encode(granting(0, 5)), b"other")],
    ids=["no-json", "no-text", "another-key"],
)
def test_F15_no_command_at_all(value: bytes, key: bytes) -> None:
    (dead,) = step(Book(), stored(value, key=key))
    assert isinstance(dead, Dead)


@pytest.mark.parametrize(
    "newer",
    [
        {"v": 2},
        {"extra": 1},
        {"command": {"type": "gift", "to": "x"}},
        {"cause": {"kind": "shop", "x": 1}},
    ],
    ids=["version", "field", "type", "cause"],
)
def test_F17_a_command_from_the_future_is_not_acted_on(newer: dict[str, Any]) -> None:
    book = Book()
    command = orjson.loads(encode(granting(0, 5))) | newer
    with pytest.raises(FromTheFuture):
        list(step(book, stored(orjson.dumps(command))))
    assert book.state.entry == 0


def test_people_are_told_of_what_no_sound_match_asks_for() -> None:
    desk = Ledger()
    desk.entry(welcoming(0))
    held = desk.hold(1, 10, 0, 1)  # not enough: that happens
    released = desk.release(1)  # of a hold that was refused: that happens
    settled = desk.settle(1, 2, [(0, 18)])
    assert [e.reason for e in (held, released, settled)] == [
        R.NOT_ENOUGH,
        R.NOTHING_HELD,
        R.NOTHING_HELD,
    ]
    book, told = Book(), []
    for offset, command in enumerate((*desk.sent, refunding(1))):
        told += [output.alarm for output in outputs(book, command, offset)]
    assert [bool(alarm) for alarm in told] == [False, False, False, True, False]


def test_F23_a_snapshot_stands_behind_every_so_many_entries() -> None:
    book = Book()
    kinds = [type(o) for n in range(1, 7) for o in outputs(book, granting(0, n, n=n), n, every=3)]
    assert kinds == [Entry] * 3 + [Whole] + [Entry] * 3 + [Whole]
    book = Book()
    *_, whole = [o for n in range(1, 4) for o in outputs(book, granting(0, n, n=n), n, every=3)]
    parts = [w.JOURNAL.decode(draft.value) for draft in whole.drafts]
    assert snapshot.load([p for p in parts if isinstance(p, w.JournalSnapshot)]) == book.state


# ---- answering


def answered(entry: w.JournalEntry) -> Any:
    found = answer_of(entry, gateway())
    return None if found is None else wire.INTENTS.decode(found[1].value)


def test_M4_a_match_hears_what_became_of_its_funding() -> None:
    desk = Ledger()
    for who in (0, 1):
        desk.grant(who, 100)
    held, refused = desk.hold(1, 100, 0, 1), desk.hold(2, 50, 1, 2)
    assert answered(held).intent == m.EntriesHeld(attempt=3)
    assert answered(refused).intent == m.EntriesRefused(attempt=3, players=(player(1), player(2)))
    assert (answered(held).system, answered(held).match_id) == ("wallet", match(1))
    assert answered(held).intent_id == answered(held).intent_id != answered(refused).intent_id
    for silent in (desk.grant(0, 1, n=2), desk.release(1), desk.refund(1), desk.reward(3, (0, 5))):
        assert answered(silent) is None


def test_a_hold_that_is_refused_for_anything_else_frees_every_seat() -> None:
    desk = Ledger()
    for who in (0, 1):
        desk.grant(who, 100)
    desk.hold(1, 10, 0, 1)
    desk.refund(1)
    again = desk.hold(1, 10, 0, 1, attempt=9)
    assert again.reason is R.ALREADY_SETTLED
    assert answered(again).intent == m.EntriesRefused(attempt=9, players=(player(0), player(1)))


def test_T23_what_a_match_may_not_have_asked_for_is_not_answered() -> None:
    desk = Ledger()
    desk.hold(1, 10, 0, 1)
    command = desk.sent[-1]
    forged = desk.entry(
        w.WalletCommand(id=command.id, cause=w.WelcomeCause(), command=command.command)
    )
    assert forged.reason is R.WRONG_CAUSE
    assert answered(forged) is None
