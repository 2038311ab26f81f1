"""The live matches of one partition, folded from `match.events`.

Rules, timer, bots and gateway all hold them this way. Nothing here reads a clock or the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from sahrat import games
from sahrat.games import wire
from sahrat.log.shared import Shared
from sahrat.match import limits
from sahrat.match.match import Match, digest_of
from sahrat.match.state import State
from sahrat.messages.base import Message
from sahrat.messages.codec import FromTheFuture, Poison
from sahrat.messages.envelope import Record
from sahrat.messages.stored import Stored
from sahrat.messages.topics import partition_of

START: Final = -1  # below every offset
NO_LIMIT: Final = 2**53  # above every offset


class Verdict(Enum):
    """What became of a record that was read."""

    TAKEN = "taken"
    REPEATED = "repeated"  # a second copy, or one behind the horizon: nothing new
    PARKED = "parked"  # its match is parked, by this record or an earlier one
    POISON = "poison"  # not a record, or of a match that has ended: it changes nothing


@dataclass(frozen=True, slots=True)
class Taken:
    """A record read, and what became of it."""

    verdict: Verdict
    record: Record[Message] | None = None
    match: Match | None = None
    detail: str = ""


class LivePartition:
    """The matches of one partition that are live or ended a short while ago.

    What a record is, its own match's chain alone decides: one that continues the chain is new,
    whatever causes other matches named. So nobody's record can make another match's count as seen.
    Only an opening has no chain; it is a copy if its cause is not above those of the openings that
    are not at hand any more.

    Attributes:
        matches: By id, in the order in which they were opened.
        high: The cause offset of the last record taken: rules writes in the order of the causes.
        limit: A record whose cause is at or above it comes from no intent: it is poison.

    """

    def __init__(
        self,
        partition: int,
        *,
        horizon: int = 0,
        high: int = START,
        shared: Shared | None = None,
    ) -> None:
        """Start to read at `horizon`, before which no cause offset is above `high`. `shared`: what
        others in this process have worked out.
        """
        self.partition = partition
        self.matches: dict[str, Match] = {}
        self.high = high
        self.limit = NO_LIMIT
        self.next_offset = horizon
        self._seen = high  # an opening at or below it was taken, and forgotten since
        self._ended: dict[str, int] = {}
        self._from_start = horizon == 0
        self._shared = shared

    def take(self, stored: Stored, said: Record[Message] | Poison | None = None) -> Taken:
        """Take the partition's next stored record. `said`: what it says, if that was read already.

        Raises:
            FromTheFuture: The record is newer than this code; the worker must end.
        """
        said = said or self.read(stored)
        self.next_offset = stored.offset + 1
        key = stored.key.decode("utf-8", "replace")
        if isinstance(said, Poison):
            return self._poison(key, str(said))
        cause = said.caused_by.offset
        if cause >= self.limit:
            return self._poison(key, f"its cause, {cause}, is none: the intents end below it")
        match = self.matches.get(said.match_id)
        return self._first(said, stored) if match is None else self._next(match, said, stored)

    def read(self, stored: Stored) -> Record[Message] | Poison:
        """Return what a stored record says, without taking it; or why it says nothing.

        Raises:
            FromTheFuture: It is newer than this code.
        """
        return self._read(stored) if self._shared is None else self._shared.said(stored, self._read)

    def _read(self, stored: Stored) -> Record[Message] | Poison:
        key = stored.key.decode("utf-8", "replace")
        try:
            record = wire.RECORDS.decode(stored.value)
        except FromTheFuture:
            raise
        except Poison as poison:
            return poison
        if record.match_id != key or partition_of(key) != self.partition:
            return Poison("wrong-key", f"a record of {record.match_id} under {key[:40]}")
        if record.caused_by.partition != self.partition:
            return Poison("wrong-cause", f"an intent of partition {record.caused_by.partition}")
        return record

    def _first(self, record: Record[Message], stored: Stored) -> Taken:
        """Take a record of a match that is not at hand."""
        if record.seq != 1:
            return self._stranger(record, stored)
        if record.caused_by.offset <= self._seen:
            return Taken(Verdict.REPEATED, record)
        match = Match(record.match_id, _game(record), first_offset=stored.offset)
        self.matches[record.match_id] = match
        return self._take(match, record, stored)

    def _next(self, match: Match, record: Record[Message], stored: Stored) -> Taken:
        """Take a record of a match that is at hand."""
        if match.parked:
            return Taken(Verdict.PARKED, record, match, match.parked)
        if record.seq > match.seq:
            return self._take(match, record, stored)
        same = record.seq < match.seq or digest_of(stored.value) == match.digest
        if same and record.caused_by.offset <= match.cause_offset:
            return Taken(Verdict.REPEATED, record, match)
        return self._park(match, record, f"record {record.seq} has two contents")

    def _take(self, match: Match, record: Record[Message], stored: Stored) -> Taken:
        try:
            match.check(record)
            state = self._after(match, record.events)
        except Exception as fault:  # whatever a fold raises parks this match, and no other
            return self._park(match, record, f"{type(fault).__name__}: {fault}")
        self.apply(match, record, stored.value, state)
        return Taken(Verdict.TAKEN, record, match)

    def _after(self, match: Match, events: Sequence[Message]) -> State:
        return match.after(events) if self._shared is None else self._shared.after(match, events)

    def apply(self, match: Match, record: Record[Any], value: bytes, state: State) -> None:
        """Take a record that is known to be its match's next one."""
        match.apply(record, value, state)
        self.matches.setdefault(match.match_id, match)
        self.high = record.caused_by.offset
        if match.ended_ms:
            self._ended[match.match_id] = match.ended_ms

    def get(self, match_id: str) -> Match | None:
        """Return a match that is live, parked or ended a short while ago."""
        return self.matches.get(match_id)

    def live(self) -> list[Match]:
        """Return the live matches, in the order in which they were opened."""
        return [match for match in self.matches.values() if match.live]

    def forget(self, now_ms: int) -> list[str]:
        """Forget the matches that ended over twenty minutes before an intent's append time, and
        return their ids.
        """
        gone: list[str] = []
        for match_id, ended_ms in self._ended.items():  # in the order in which they ended
            if now_ms - ended_ms <= limits.FORGET_MS:
                break
            gone.append(match_id)
        for match_id in gone:
            del self._ended[match_id]
            match = self.matches.pop(match_id, None)
            if match is not None:  # a forged one may name a cause that is still to come
                self._seen = max(self._seen, min(match.first_cause, self.high))
        return gone

    def copy(self) -> LivePartition:
        """Return a copy that changes apart from this one."""
        other = copy(self)
        other.matches = {match_id: match.copy() for match_id, match in self.matches.items()}
        other._ended = dict(self._ended)
        return other

    def horizon(self) -> tuple[int, int]:
        """Return (offset, high): whoever starts to read at the offset, knowing that no cause
        before it is above `high`, comes to hold the same matches.
        """
        sound = [match for match in self.matches.values() if not match.parked]
        if not sound:
            return self.next_offset, self.high
        return sound[0].first_offset, min(match.first_cause for match in sound) - 1

    def _stranger(self, record: Record[Message], stored: Stored) -> Taken:
        if not self._from_start or record.caused_by.offset <= self.high:
            return Taken(Verdict.REPEATED, record)  # of one that has ended, and was forgotten
        match = Match(record.match_id, _game(record), first_offset=stored.offset)
        self.matches[record.match_id] = match
        return self._park(match, record, f"its first record is {record.seq}")

    def _poison(self, key: str, detail: str) -> Taken:
        match = self.matches.get(key)
        if match is None or not match.live:
            return Taken(Verdict.POISON, detail=detail)
        return self._park(match, None, detail)

    def _park(self, match: Match, record: Record[Message] | None, why: str) -> Taken:
        """Park a match; but what comes of one that has ended changes nothing any more: its coins
        were settled by its last record.
        """
        if match.ended_ms:
            return Taken(Verdict.POISON, record, detail=f"after the match's end: {why}")
        match.parked = why or "parked"
        return Taken(Verdict.PARKED, record, match, match.parked)


def _game(record: Record[Message]) -> games.Game:
    game = games.find(record.rules)
    if game is None:
        raise FromTheFuture("unknown", f"rules {record.rules}")
    return game
