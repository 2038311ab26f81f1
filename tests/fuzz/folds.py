"""Targets that take one message after the other, each a line: the judge, the ledger, the readers of
a match's records, and `sahrat verify`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import cache
from typing import Any, Final

import orjson

from sahrat.ledger.journal import Book
from sahrat.ledger.laws import LawBroken
from sahrat.ledger.state import Broken
from sahrat.log.live import LivePartition
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.codec import FromTheFuture, Poison, encode
from sahrat.messages.stored import Stored
from sahrat.messages.topics import partition_of
from sahrat.verify import NotRecords, is_record, verify
from services.house.commands import verify as command
from services.house.records import split
from services.projection.rows import Place
from services.wallet.core import folding
from tests.fuzz.target import MOST_BYTES, Target, Wrong
from tests.fuzz.topics import samples
from tests.unit.ledger.desk import id_of
from tests.unit.ledger.desk import match as match_of
from tests.unit.match.desk import START_MS, Desk, player
from tests.unit.projection.tables import Tables
from tests.unit.rules.test_core import play

LINES_BYTES: Final = 256 * 1024
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_MATCH_ID: Final = re.compile(rb'"match_id":"([0-9a-f-]{36})"')


def _stored(
    topic: topics.Topic, partition: int, values: Sequence[bytes], key: bytes = b""
) -> Iterator[Stored]:
    """Yield lines as a topic has them, each under the key that it should have."""
    for offset, value in enumerate(values):
        found = _MATCH_ID.search(value)
        under = key or (found.group(1) if found else b"@")
        yield Stored(topic.name, partition, offset, START_MS + offset, under, value)


def _words(words: Counter[str]) -> str:
    return " ".join(sorted(words))


# ---- matches


def _began() -> Desk:
    """Return a match that has begun, of its own."""
    return deepcopy(_beginning())


@cache
def _beginning() -> Desk:
    desk = Desk()
    desk.table_of(0, 1)
    play(desk, seed=3, steps=6)
    return desk


@cache
def matches() -> tuple[Desk, ...]:
    """Return short matches in which much happens; each is over."""
    stopped = _began()
    stopped.send(m.LineDown(player_id=player(0), line=_line_of(stopped, 0)), system="gateway")
    stopped.wait(20).due()
    stopped.put(stopped.envelope(m.Tick(last_ms=stopped.now_ms - 9_000), system="timer"))
    stopped.up(0, 50)
    stopped.leave(1)
    play(stopped, seed=4, steps=4)
    stopped.stop()
    settled = Desk().coin_table(0, 1)
    play(settled, seed=5, steps=6)
    settled.leave(0)
    failed = Desk()
    failed.table_of(0, 1, entry=100)
    failed.short(1)
    failed.leave(0)
    refunded = Desk().coin_table(0, 1, 2)
    play(refunded, seed=6, steps=3)
    refunded.stop()
    return stopped, settled, failed, refunded


def _line_of(desk: Desk, who: int) -> Any:
    return desk.state.sitters[desk.state.chair(player(who))].line


def _records() -> list[bytes]:
    return [b"\n".join(desk.values) for desk in matches()]


# ---- the judge


def _rules(data: bytes) -> str:
    """Judge lines as intents of a match that has begun. Whatever they are, rules goes on: it
    answers or writes dead letters, and what it writes can be read and folded.
    """
    desk, words = _began(), Counter[str]()
    begun = len(desk.intents)
    for value in data.split(b"\n"):
        found = _MATCH_ID.search(value)
        key = found.group(1) if found else f"@{desk.partition}".encode()
        for output in desk.put_bytes(key, value):
            words[str(getattr(output, "reason", type(output).__name__))] += 1
    if len(desk.intents) != begun + data.count(b"\n") + 1:
        raise Wrong("an intent was passed over")
    if any(letter.reason == "fault" for letter in desk.dead):
        raise Wrong(f"the judge raised: {desk.dead[-1].detail}")
    return _words(words)


def _intents() -> list[bytes]:
    found = [b"\n".join(stored.value for stored in desk.intents) for desk in matches()]
    desk = _began()
    mine = desk.match_id.encode()
    found += [_MATCH_ID.sub(b'"match_id":"%s"' % mine, value) for value in samples("intent")]
    return found


RULES: Final = Target(
    "rules",
    "the judge, on intents of a match",
    _intents,
    _rules,
    lines=True,
    most_bytes=LINES_BYTES,
)

# ---- the ledger


def _ledger(data: bytes) -> str:
    """Take lines as commands. Whatever a sound one asks for, no law is broken by what is done."""
    book, words = Book(), Counter[str]()
    values = data.split(b"\n")
    for stored in _stored(topics.WALLET_COMMANDS, 0, values, folding.KEY):
        try:
            outputs = [*folding.step(book, stored, every=3)]
        except FromTheFuture:
            words["newer"] += 1
            continue
        for output in outputs:
            words[type(output).__name__] += 1
            drafts = output.drafts if isinstance(output, folding.Whole) else (output.draft,)
            if not isinstance(output, folding.Dead):
                words.update(_journalled(draft.value) for draft in drafts)
    return _words(words)


def _journalled(value: bytes) -> str:
    entry = w.JOURNAL.decode(value)
    if encode(entry) != value:
        raise Wrong("an entry has other bytes than its message")
    return "snapshot" if isinstance(entry, w.JournalSnapshot) else str(entry.reason)


@cache
def _commands() -> list[bytes]:
    """Return commands in an order in which most move something, and the samples."""
    a, b = player(1), player(2)
    asked: list[w.Command] = [
        w.GrantCoins(player_id=a, coins=1000),
        w.GrantCoins(player_id=b, coins=2**53 - 1),
        w.HoldEntries(match_id=match_of(1), attempt=2, entry_coins=100, players=(a, b)),
        w.ReleaseEntries(match_id=match_of(1), attempt=2),
        w.HoldEntries(match_id=match_of(1), attempt=5, entry_coins=100, players=(a, b)),
        w.SettleEntries(
            match_id=match_of(1),
            attempt=5,
            fee_coins=20,
            prizes=(w.PlayerCoins(player_id=a, coins=180),),
        ),
        w.HoldEntries(match_id=match_of(2), attempt=2, entry_coins=50, players=(a, b)),
        w.RefundEntries(match_id=match_of(2), attempt=2),
        w.RewardPlayers(match_id=match_of(3), rewards=(w.PlayerCoins(player_id=a, coins=20),)),
    ]
    sent = [encode(_command(command, offset)) for offset, command in enumerate(asked)]
    return [b"\n".join(sent), *samples("command")]


def _command(asked: w.Command, offset: int) -> w.WalletCommand:
    if isinstance(asked, w.GrantCoins):
        cause: w.Cause = w.OperatorCause(operator="amal", reason="a prize")
        return w.WalletCommand(id=id_of(asked), cause=cause, command=asked)
    cause = w.MatchCause(
        match_id=asked.match_id,
        seq=offset + 1,
        at_ms=START_MS + offset,
        partition=partition_of(asked.match_id),
        offset=offset,
    )
    return w.WalletCommand(id=id_of(asked), cause=cause, command=asked)


LEDGER: Final = Target(
    "ledger", "the ledger, on commands", _commands, _ledger, lines=True, most_bytes=LINES_BYTES
)


def _book(data: bytes) -> str:
    """Fold lines as entries of the journal: what is damaged is told as such."""
    book, words = Book(), Counter[str]()
    for value in data.split(b"\n"):
        try:
            entry = w.JOURNAL.decode(value)
        except Poison as poison:
            words[type(poison).__name__] += 1
            continue
        if isinstance(entry, w.JournalSnapshot):
            continue
        try:
            words["new" if book.take(entry, value) else "again"] += 1
        except (Broken, LawBroken) as fault:
            words[type(fault).__name__] += 1
            break
    return _words(words)


@cache
def _journal() -> list[bytes]:
    book, values = Book(), []
    for stored in _stored(topics.WALLET_COMMANDS, 0, _commands()[0].split(b"\n"), folding.KEY):
        for output in folding.step(book, stored):
            if isinstance(output, folding.Entry):
                values.append(output.draft.value)
    return [b"\n".join(values), *samples("journal")]


BOOK: Final = Target(
    "book",
    "readers of the journal",
    _journal,
    _book,
    lines=True,
    chained=True,
    most_bytes=LINES_BYTES,
)

# ---- readers of a match's records


def _readers(data: bytes) -> str:
    """Fold lines as a partition's records, as every worker does and as the projection does: a match
    is parked, and nobody ends but over what is newer.
    """
    values = data.split(b"\n")
    partition = matches()[0].partition
    live, tables, words = LivePartition(partition), Tables(), Counter[str]()
    tables.place = Place(partition)
    for stored in _stored(topics.EVENTS, partition, values):
        try:
            words[live.take(stored).verdict.value] += 1
        except FromTheFuture:
            words["newer"] += 1
    for stored in _stored(topics.EVENTS, partition, values):
        try:
            writes = tables.take((stored,))
        except FromTheFuture:
            words["newer"] += 1
            break
        words[f"rows:{bool(writes.matches)}"] += 1
    return _words(words)


READERS: Final = Target(
    "readers",
    "the live matches and the projection, on records",
    _records,
    _readers,
    lines=True,
    chained=True,
    most_bytes=LINES_BYTES,
)

# ---- verify


def _verify(data: bytes) -> str:
    """Check a file as `sahrat verify` does, and say what was found in both ways."""
    records = split(data)
    if not data.strip() or not any(map(is_record, records)):
        return "no records"
    try:
        report = verify(records)
    except NotRecords:
        return "not records"
    orjson.dumps(command._as_json(report, rolls=True))
    said = [*command._in_words(report, records, rolls=True)]
    if any(_CONTROL.search(line) for line in said):
        raise Wrong(f"something that moves a cursor: {said}")
    return re.sub("[0-9]+", "0", report.problem)[:60] or f"fits {report.end}"


VERIFY: Final = Target(
    "verify",
    "sahrat verify, on a file from somewhere",
    _records,
    _verify,
    lines=True,
    chained=True,
    most_bytes=MOST_BYTES,
)
