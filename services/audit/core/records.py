"""The matches of one partition: each record once, in its chain, and what it asks of the ledger."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from hashlib import sha256
from operator import or_
from typing import Annotated, Any, Final

import orjson
from pydantic import Field

from sahrat.messages import match as m
from sahrat.messages import wallet as w
from sahrat.messages.base import INT_LIMIT, Message
from sahrat.messages.codec import Codec, FromTheFuture, Poison
from sahrat.messages.envelope import Record
from sahrat.messages.stored import Stored
from sahrat.messages.topics import partition_of
from services.audit.core.fault import Fault, Place
from services.audit.core.report import Stop
from services.audit.core.table import OVER, Ask, Damaged, Table, asked

Raw = Record[dict[str, Any]]
_RECORDS: Final[Codec[Raw]] = Codec(Raw)
_EVENTS: Final[Codec[Message]] = Codec(
    Annotated[reduce(or_, m.EVENTS), Field(discriminator="type")]
)
_KNOWN: Final = {str(kind.model_fields["type"].default): kind for kind in m.EVENTS}
_OF_NO_COIN: Final = (
    m.StepOpened,
    m.StepTimedOut,
    m.MatchResumed,
)


CLOCK_MS: Final = 3_600_000
"""So far back the broker's clock may be set between a cause and its record."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of a record.

    Attributes:
        ask: What it asks of the ledger.
        began: The (match, funding) that it began to play for coins.
    """

    ask: Ask | None = None
    began: tuple[str, int] | None = None


NOTHING: Final = Taken()


@dataclass(slots=True)
class Counts:
    """Matches and records seen.

    Attributes:
        refused: Records that are none.
        unplayed: Coin tables that ended before play.
        damaged: Coin tables that were damaged before their end.
        stops: Matches that an operator stopped, by id.
    """

    records: int = 0
    repeated: int = 0
    refused: int = 0
    coin: int = 0
    free: int = 0
    unplayed: int = 0
    damaged: int = 0
    stops: dict[str, Stop] = field(default_factory=dict)


class Partition:
    """The matches of a partition that are on.

    Attributes:
        high: The cause offset of the last record taken.
        end: Where the intents end: a record with a cause from there on comes from none.
        at_ms: The latest append time seen.
        latest_ms: The highest one.
        tables: By match.
        damaged: Why nothing more counts of a match, as for every other reader.
    """

    def __init__(self, number: int, counts: Counts) -> None:
        self.number = number
        self.counts = counts
        self.high = -1
        self.end = INT_LIMIT
        self.at_ms = 0
        self.latest_ms = 0
        self.tables: dict[str, Table] = {}
        self.damaged: dict[str, str] = {}
        self._newest: dict[str, None] = {}  # matches with a record of the cause `high`

    def take(self, stored: Stored) -> Taken:
        """Take the partition's next stored record.

        Raises:
            Fault: Its match breaks a rule of coins.
            FromTheFuture: It is newer than this program.
        """
        self.at_ms = stored.at_ms
        self.latest_ms = max(self.latest_ms, stored.at_ms)
        self.counts.records += 1
        key = stored.key.decode("utf-8", "replace")
        try:
            record = read_record(stored, self.number, self.end, known=key in self.tables)
            events = events_of(record)
        except FromTheFuture as newer:
            raise located(newer, stored) from None
        except Poison as poison:
            self.counts.refused += 1
            if key in self.tables:
                self._damage(key, f"the record at {stored.offset}: {poison}")
            return NOTHING
        digest = sha256(stored.value).hexdigest()
        if key in self.damaged or self._is_repeated(record, digest):
            self.counts.repeated += 1
            return NOTHING
        return self._take(record, events, digest)

    def _is_repeated(self, record: Raw, digest: str) -> bool:
        """Tell whether a record changes nothing (and damage its match if it had other bytes).

        Of a match that is on its own chain decides; one that is over changes nothing any more.
        """
        cause, match_id = record.caused_by.offset, record.match_id
        table = self.tables.get(match_id)
        if table is None:  # over, or not opened yet
            return record.seq != 1 or cause < self.high or match_id in self._newest
        if record.seq > table.seq:
            return False
        if record.seq == table.seq and digest != table.digest:
            self._damage(match_id, f"record {table.seq} has two contents")
        return True

    def _take(self, record: Raw, events: list[Message], digest: str) -> Taken:
        cause, match_id = record.caused_by, record.match_id
        if cause.offset != self.high:
            self._newest.clear()
        self.high = cause.offset
        table = self.tables.get(match_id) or Table(match_id, record.rules)
        try:
            if (record.seq, record.prev) != (table.seq + 1, table.digest):
                raise Damaged(f"record {record.seq} does not continue record {table.seq}")
            if record.rules != table.rules:
                raise Damaged(f"record {record.seq} changes the rules")
            event = table.take(events, record.seq)
        except Damaged as damage:
            self._damage(match_id, str(damage))
            return NOTHING
        self._check_time(record, table)
        table.seq, table.digest, table.at_ms = record.seq, digest, record.at_ms
        self._newest[match_id] = None
        if table.seq == 1:
            self.counts.free += table.free
            self.counts.coin += not table.free
        self.tables[match_id] = table
        if table.phase == OVER:
            del self.tables[match_id]
            played = isinstance(event, m.EntriesSettled | m.EntriesRefunded)
            self.counts.unplayed += not table.free and not played
        for other in events:
            if isinstance(other, m.MatchStopped) and other.reason == "operator":
                coins = _back(event)
                self.counts.stops[match_id] = Stop(
                    match_id, record.seq, record.at_ms, other.operator, other.detail, coins
                )
        began = (match_id, table.attempt) if table.began else None
        if event is None:
            return Taken(began=began)
        ask_id, command = asked(match_id, event)
        by = w.MatchCause(
            match_id=match_id,
            seq=record.seq,
            at_ms=record.at_ms,
            partition=cause.partition,
            offset=cause.offset,
        )
        return Taken(Ask(by, ask_id, command), began)

    def _check_time(self, record: Raw, table: Table) -> None:
        """Check a record's time, which decides on what day something is earned (rule M.2): that of
        its cause, but never before that of the record before it; and the log stored its cause
        before the record itself.
        """
        at_ms, cause_ms = record.at_ms, record.caused_by.at_ms
        place = Place(None, record.match_id, record.seq)
        due = max(table.at_ms, cause_ms)
        if at_ms != due:
            raise Fault("W8", f"its time is {at_ms} ms, due is {due} ms", place)
        if cause_ms > self.latest_ms + CLOCK_MS:
            what = f"its cause is of {cause_ms} ms, and the log was at {self.latest_ms} ms"
            raise Fault("W8", what, place)

    def _damage(self, match_id: str, why: str) -> None:
        table = self.tables.pop(match_id, None)
        self.counts.damaged += table is not None and not table.free
        self.damaged[match_id] = why


def _back(event: Message | None) -> int:
    """Return how many coins an event gives back of a match that was played for."""
    if not isinstance(event, m.EntriesRefunded):
        return 0
    return event.entry_coins * len(event.players)


def read_record(stored: Stored, number: int, end: int, *, known: bool) -> Raw:
    """Return a stored record of a match, if it may be one.

    Args:
        stored: What stands there.
        number: The partition.
        end: Where its intents end.
        known: Whether its match is on, so that it is looked for there.

    Raises:
        FromTheFuture: It is newer than this program.
        Poison: It is none, or stands where it does not belong.
    """
    record = _RECORDS.decode(stored.value)
    if record.match_id.encode() != stored.key or not (
        known or partition_of(record.match_id) == number
    ):
        raise Poison("wrong-key", f"a record of {record.match_id}")
    if record.caused_by.partition != number:
        raise Poison("wrong-cause", "an intent of another partition")
    if record.caused_by.offset >= end:
        raise Poison("no-cause", f"no intent stands at {record.caused_by.offset}")
    return record


def events_of(record: Raw) -> list[Message]:
    """Return the events of the match around the game, but for those that no coin hangs on.

    Raises:
        FromTheFuture: There is one that is unknown, and not of the record's own game.
        Poison: One is none.
    """
    game = record.rules.partition("/")[0]
    found: list[Message] = []
    for event in record.events:
        name = event.get("type")
        if isinstance(name, str) and name.startswith(f"{game}."):
            continue
        if isinstance(name, str) and _KNOWN.get(name) in _OF_NO_COIN:
            continue
        found.append(_EVENTS.decode(orjson.dumps(event)))
    return found


def located(newer: FromTheFuture, stored: Stored) -> FromTheFuture:
    """Return the same, with where the record stands."""
    where = f"{stored.topic}/{stored.partition} at {stored.offset}"
    return FromTheFuture(newer.reason, f"{where}: {newer.detail}")
