"""What the projection makes of matches' records.

A match's rows are a function of its own records alone, whatever batches they came in, so that read
models made anew from the topics equal the old ones. Of a game nothing is folded: whoever wants the
board has the records.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

import orjson

from sahrat import games
from sahrat.games import wire
from sahrat.match.evolve import Broken
from sahrat.match.state import Phase
from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.codec import FromTheFuture, Poison
from sahrat.messages.dead import plain
from sahrat.messages.envelope import GENESIS, Record
from sahrat.messages.stored import Stored
from sahrat.messages.topics import partition_of
from services.projection.core.unreadable import buried
from services.projection.rows import (
    Alarm,
    ParkedRow,
    Place,
    RecordRow,
    SeatRow,
    View,
    Writes,
)

FINISHED: Final = "finished"  # the end reason of a match that was played to its end
ID_CHARS: Final = 36


@dataclass(frozen=True, slots=True)
class Read:
    """A stored record and what it says, or why it says nothing."""

    stored: Stored
    said: Record[Message] | Poison


@dataclass(frozen=True, slots=True)
class Known:
    """What the tables hold of the matches that a batch names.

    Attributes:
        views: By match id; a match that is not there has no record yet.
        parked: The ids of the parked ones.
        digests: Of records that are there already and may come again, by (match id, seq).
    """

    views: Mapping[str, View]
    parked: frozenset[str]
    digests: Mapping[tuple[str, int], str]


def decode(batch: Iterable[Stored]) -> list[Read]:
    """Return what each stored record says.

    Raises:
        FromTheFuture: One is newer than this code.
    """
    return [Read(stored, _decode(stored)) for stored in batch]


def named(reads: Iterable[Read]) -> list[str]:
    """Return the ids of the matches that a batch may change, each once, in order."""
    ids = (
        read.said.match_id if isinstance(read.said, Record) else _key(read.stored) for read in reads
    )
    return list(dict.fromkeys(match_id for match_id in ids if match_id))


def suspects(reads: Iterable[Read], views: Mapping[str, View]) -> list[tuple[str, int]]:
    """Return (match id, seq) of the records that the tables have already."""
    found: dict[tuple[str, int], None] = {}
    for read in reads:
        if isinstance(read.said, Record):
            view = views.get(read.said.match_id)
            if view is not None and read.said.seq <= view.seq:
                found[read.said.match_id, read.said.seq] = None
    return list(found)


def fold(place: Place, reads: Sequence[Read], known: Known) -> Writes:
    """Return what a partition's next records change.

    Args:
        place: Where the partition stands.
        reads: The records from there on, without a gap.
        known: What is held of the matches that they name.

    Raises:
        FromTheFuture: A match has rules that this code does not know.
    """
    batch = _Batch(place, known)
    for read in reads:
        batch.take(read)
    return batch.writes(reads[-1].stored)


class _Batch:
    """One batch on its way to rows."""

    def __init__(self, place: Place, known: Known) -> None:
        self._place = place
        self._before = known.views
        self._views = dict(known.views)
        self._parked = set(known.parked)
        self._digests = dict(known.digests)
        self._high = place.high
        self._touched: dict[str, None] = {}
        self._writes = Writes(place)

    def take(self, read: Read) -> None:
        """Take the next record: the order of the checks is that of all readers of the topic."""
        record, stored = read.said, read.stored
        if isinstance(record, Poison):
            self._unreadable(stored, record)
            return
        if record.match_id in self._parked:
            return
        view = self._views.get(record.match_id)
        if view is not None and record.seq <= view.seq:
            self._repeated(record, stored)
            return
        if view is None and record.seq != 1 and record.caused_by.offset <= self._high:
            self._alarm(stored, "neither new nor a copy: dropped, as every reader does")
            return
        if view is None and games.find(record.rules) is None:
            raise FromTheFuture("unknown", f"rules {record.rules}")
        try:
            view = project(view, record, stored)
        except Broken as fault:
            self._park(record.match_id, stored, str(fault))
            return
        self._high = record.caused_by.offset
        self._views[record.match_id] = view
        self._touched[record.match_id] = None
        self._digests[record.match_id, record.seq] = view.digest
        self._writes.records.append(
            RecordRow(record.match_id, record.seq, stored.partition, stored.offset, stored.value)
        )

    def writes(self, last: Stored) -> Writes:
        """Return all that changed, with the place after the last record."""
        for match_id in self._touched:
            view, before = self._views[match_id], self._before.get(match_id)
            self._writes.matches.append(view)
            if before is None or before.seats != view.seats:
                self._writes.seated.append(view)
            if view.started_ms is not None and (
                before is None
                or before.started_ms is None
                or (before.ended_ms is None and view.ended_ms is not None)
            ):
                self._writes.played.append(view)
        after = Place(
            self._place.partition, last.offset + 1, self._high, sha256(last.value).hexdigest()
        )
        return replace(self._writes, place=after)

    def _repeated(self, record: Record[Message], stored: Stored) -> None:
        """A second copy changes nothing; other bytes under a number that is taken are a fork."""
        if self._digests[record.match_id, record.seq] != sha256(stored.value).hexdigest():
            self._park(record.match_id, stored, f"record {record.seq} has two contents")

    def _unreadable(self, stored: Stored, poison: Poison) -> None:
        row, letter = buried(stored, poison)
        self._writes.unreadable.append(row)
        self._writes.letters.append(letter)
        self._alarm(stored, f"unreadable: {poison}")
        key = _key(stored)
        if key in self._views and key not in self._parked:
            self._park(key, stored, f"a record of it can't be read: {poison}")

    def _park(self, match_id: str, stored: Stored, why: str) -> None:
        """Park a match; but what comes of one that has ended changes nothing any more."""
        reason = plain(why)
        view = self._views.get(match_id)
        if view is not None and view.ended_ms is not None:
            self._alarm(stored, f"after the end of {match_id}: {reason}")
            return
        self._parked.add(match_id)
        self._writes.parked.append(
            ParkedRow(match_id, stored.partition, stored.offset, reason, stored.at_ms)
        )
        self._alarm(stored, f"{match_id} is parked: {reason}")

    def _alarm(self, stored: Stored, what: str) -> None:
        where = f"{stored.topic}/{stored.partition}@{stored.offset}"
        self._writes.alarms.append(Alarm(where, what))


def project(view: View | None, record: Record[Message], stored: Stored) -> View:
    """Return a match's rows after its next record.

    Args:
        view: The rows before it; None for a first record.
        record: What the record says.
        stored: The record as the log has it.

    Raises:
        Broken: It does not continue the match: its chain is broken, or it tells what can't be.
    """
    seq, digest = (0, GENESIS) if view is None else (view.seq, view.digest)
    if record.seq != seq + 1:
        raise Broken(f"record {record.seq} after {seq}")
    if record.prev != digest:
        raise Broken(f"record {record.seq} does not continue record {seq}")
    if view is not None and record.rules != view.rules:
        raise Broken(f"record {record.seq} changes the rules")
    if sum(isinstance(event, m.MOVES_COINS) for event in record.events) > 1:
        raise Broken("a record that moves coins twice")
    for event in record.events:
        view = _evolve(view, event, record, stored.partition)
    if view is None:
        raise Broken("a record without events")
    return replace(view, seq=record.seq, digest=sha256(stored.value).hexdigest())


def _evolve(view: View | None, event: Message, record: Record[Message], partition: int) -> View:
    if isinstance(event, m.TableOpened):
        if view is not None:
            raise Broken("opened twice")
        return _opened(event, record, partition)
    if view is None:
        raise Broken("not opened")
    if view.ended_ms is not None:
        raise Broken("something after the end")
    match event:
        case m.SeatTaken():
            return _seat_taken(view, event, record.at_ms)
        case m.SeatFreed():
            seats = list(view.seats)
            del seats[_sitter(view, event.player_id)]
            return replace(view, seats=tuple(seats))
        case m.FundingBegan() | m.FundingFailed():
            return _funding(view, event)
        case m.MatchStarted():
            return _started(view, event, record.at_ms)
        case m.PlayerPresent():
            return _with_seat(view, event.player_id, bot=False, left=False)
        case m.PlayerLeft():
            left = event.why != "away" or view.entry_coins > 0
            return _with_seat(view, event.player_id, bot=event.bot, left=left)
        case m.MatchEnded():
            places = tuple((place.seat, place.place) for place in event.places)
            if not _fits(view, [seat for seat, _ in places]):
                raise Broken("places of seats that were not played")
            return _over(view, Phase.ENDED, record, FINISHED, event.secret, places=places)
        case m.MatchStopped():
            view = replace(view, stopped_by=event.operator, end_detail=event.detail)
            return _over(view, Phase.STOPPED, record, event.reason, event.secret)
        case m.TableClosed():
            return _over(view, Phase.CLOSED, record, event.why, event.secret)
        case _:
            return view


def _opened(event: m.TableOpened, record: Record[Message], partition: int) -> View:
    return View(
        match_id=record.match_id,
        partition=partition,
        game=event.game,
        rules=record.rules,
        options=orjson.dumps(event.options, option=orjson.OPT_SORT_KEYS).decode(),
        size=event.seats,
        entry_coins=event.entry_coins,
        key_id=event.key_id,
        commitment=event.commitment,
        phase=Phase.OPEN.value,
        opened_ms=record.at_ms,
        started_ms=None,
        ended_ms=None,
        end_reason=None,
        stopped_by=None,
        end_detail=None,
        secret=None,
        seq=0,
        digest=GENESIS,
    )


def _seat_taken(view: View, event: m.SeatTaken, at_ms: int) -> View:
    if view.phase != Phase.OPEN or len(view.seats) >= view.size:
        raise Broken("a seat taken where none was free")
    if event.player_id and any(row.player_id == event.player_id for row in view.seats):
        raise Broken("a player with two seats")
    row = SeatRow(None, event.player_id, event.nickname, event.bot, False, at_ms)
    return replace(view, seats=(*view.seats, row))


def _funding(view: View, event: m.FundingBegan | m.FundingFailed) -> View:
    begins = isinstance(event, m.FundingBegan)
    if view.phase != (Phase.OPEN if begins else Phase.FUNDING) or view.entry_coins == 0:
        raise Broken("a funding where none is due")
    return replace(view, phase=(Phase.FUNDING if begins else Phase.OPEN).value)


def _started(view: View, event: m.MatchStarted, at_ms: int) -> View:
    sitters = list(range(len(view.seats)))
    ready = Phase.FUNDING if view.entry_coins else Phase.OPEN
    if view.phase != ready or sorted(event.dealt) != sitters:
        raise Broken("the deal is no deal")
    if len(event.seats) != len(sitters) or len(dict.fromkeys(event.seats)) != len(sitters):
        raise Broken("other seats than sitters")
    seat_of = dict(zip(event.dealt, event.seats, strict=True))
    seats = tuple(replace(row, seat=seat_of[sitter]) for sitter, row in enumerate(view.seats))
    return replace(view, phase=Phase.PLAYING.value, started_ms=at_ms, seats=seats)


def _with_seat(view: View, player_id: str, *, bot: bool, left: bool) -> View:
    seats = list(view.seats)
    sitter = _sitter(view, player_id)
    seats[sitter] = replace(seats[sitter], bot=bot, left=left)
    return replace(view, seats=tuple(seats))


def _sitter(view: View, player_id: str) -> int:
    for sitter, row in enumerate(view.seats):
        if row.player_id == player_id:
            return sitter
    raise Broken("a player who does not sit here")


def _fits(view: View, seats: Sequence[int]) -> bool:
    """Return whether these are seats of a match in play, none of them twice."""
    played = [row.seat for row in view.seats]
    return (
        view.phase == Phase.PLAYING
        and len(dict.fromkeys(seats)) == len(seats)
        and all(seat in played for seat in seats)
    )


def _over(
    view: View,
    phase: Phase,
    record: Record[Message],
    reason: str,
    secret: str,
    *,
    places: tuple[tuple[int, int], ...] = (),
) -> View:
    return replace(
        view,
        phase=phase.value,
        ended_ms=record.at_ms,
        end_reason=reason,
        secret=secret,
        places=places,
    )


def _decode(stored: Stored) -> Record[Message] | Poison:
    try:
        record = wire.RECORDS.decode(stored.value)
    except FromTheFuture:
        raise
    except Poison as poison:
        return poison
    key = stored.key.decode("utf-8", "replace")
    if record.match_id != key or partition_of(key) != stored.partition:
        return Poison("wrong-key", plain(f"a record of {record.match_id} under {key[:40]}"))
    if record.caused_by.partition != stored.partition:
        return Poison("wrong-cause", f"an intent of partition {record.caused_by.partition}")
    return record


def _key(stored: Stored) -> str:
    """Return the match that a record's key names; empty if it names none."""
    key = stored.key.decode("utf-8", "replace")
    return key if len(key) == ID_CHARS and key.isascii() and key.isprintable() else ""
