"""The live matches of one partition, folded from `match.events`.

Rules, timer, bots and gateway all hold them this way. Nothing here reads a clock or the network.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from sahrat import games
from sahrat.games import wire
from sahrat.match import limits
from sahrat.match.match import Match, digest_of
from sahrat.match.state import State
from sahrat.messages.base import Message
from sahrat.messages.codec import FromTheFuture, Poison
from sahrat.messages.envelope import Record
from sahrat.messages.stored import Stored
from sahrat.messages.topics import partition_of

START: Final = -1  # below every offset


class Verdict(Enum):
    """What became of a record that was read."""

    TAKEN = "taken"
    REPEATED = "repeated"  # a second copy, or one behind the horizon: nothing new
    PARKED = "parked"  # its match is parked, by this record or an earlier one
    POISON = "poison"  # not a record, and no live match's


@dataclass(frozen=True, slots=True)
class Taken:
    """A record read, and what became of it."""

    verdict: Verdict
    record: Record[Message] | None = None
    match: Match | None = None
    detail: str = ""


class LivePartition:
    """The matches of one partition that are live or ended a short while ago.

    Attributes:
        matches: By id, in the order in which they were opened.
        high: The highest cause offset taken; every record that is not above it has been seen.

    """

    def __init__(self, partition: int, *, horizon: int = 0, high: int = START) -> None:
        """Start to read at `horizon`, before which no cause offset is above `high`."""
        self.partition = partition
        self.matches: dict[str, Match] = {}
        self.high = high
        self.next_offset = horizon
        self._ended: dict[str, int] = {}
        self._from_start = horizon == 0

    def take(self, stored: Stored) -> Taken:
        """Take the partition's next stored record.

        Raises:
            FromTheFuture: The record is newer than this code; the worker must end.
        """
        self.next_offset = stored.offset + 1
        key = stored.key.decode("utf-8", "replace")
        try:
            record = wire.RECORDS.decode(stored.value)
            if record.match_id != key or partition_of(key) != self.partition:
                raise Poison("wrong-key", f"a record of {record.match_id} under {key[:40]}")
        except FromTheFuture:
            raise
        except Poison as poison:
            return self._poison(key, str(poison))
        return self._take(record, stored)

    def _take(self, record: Record[Message], stored: Stored) -> Taken:
        match = self.matches.get(record.match_id)
        cause = record.caused_by.offset
        if match is not None and match.parked:
            return Taken(Verdict.PARKED, record, match, match.parked)
        if cause < self.high or (
            cause == self.high and match is not None and record.seq <= match.seq
        ):
            forked = (
                match is not None
                and record.seq == match.seq
                and digest_of(stored.value) != match.digest
            )
            if forked and match is not None:
                return self._park(match, record, f"record {record.seq} has two contents")
            return Taken(Verdict.REPEATED, record, match)
        self.high = cause
        if match is None:
            if record.seq != 1:
                return self._stranger(record, stored)
            game = games.find(record.rules)
            if game is None:
                raise FromTheFuture("unknown", f"rules {record.rules}")
            match = Match(record.match_id, game, first_offset=stored.offset)
            self.matches[record.match_id] = match
        try:
            match.check(record)
            state = match.after(record.events)
        except Exception as fault:  # whatever a fold raises parks this match, and no other
            return self._park(match, record, f"{type(fault).__name__}: {fault}")
        self.apply(match, record, stored.value, state)
        return Taken(Verdict.TAKEN, record, match)

    def apply(self, match: Match, record: Record[Any], value: bytes, state: State) -> None:
        """Take a record that is known to be its match's next one."""
        match.apply(record, value, state)
        self.matches.setdefault(match.match_id, match)
        self.high = max(self.high, record.caused_by.offset)
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
            self.matches.pop(match_id, None)
        return gone

    def horizon(self) -> tuple[int, int]:
        """Return (offset, high): whoever starts to read at the offset, knowing that no cause
        before it is above `high`, comes to hold the same matches.
        """
        for match in self.matches.values():
            if not match.parked:
                return match.first_offset, match.first_cause - 1
        return self.next_offset, self.high

    def _stranger(self, record: Record[Message], stored: Stored) -> Taken:
        if not self._from_start:
            return Taken(Verdict.REPEATED, record)  # it ended before the horizon
        match = Match(record.match_id, _game(record), first_offset=stored.offset)
        self.matches[record.match_id] = match
        return self._park(match, record, f"its first record is {record.seq}")

    def _poison(self, key: str, detail: str) -> Taken:
        match = self.matches.get(key)
        if match is None or not match.live:
            return Taken(Verdict.POISON, detail=detail)
        return self._park(match, None, detail)

    def _park(self, match: Match, record: Record[Message] | None, why: str) -> Taken:
        match.parked = why or "parked"
        return Taken(Verdict.PARKED, record, match, match.parked)


def _game(record: Record[Message]) -> games.Game:
    game = games.find(record.rules)
    if game is None:
        raise FromTheFuture("unknown", f"rules {record.rules}")
    return game
