"""One live match as a worker holds it: its state, its place in the log, and what it accepted."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final

from sahrat.games.game import Game
from sahrat.match import evolve
from sahrat.match.evolve import Broken
from sahrat.match.state import State
from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.envelope import GENESIS, Record

_STILL: Final = (m.MatchResumed, m.PlayerPresent, m.PlayerAway)
"""Events that do not count as the match moving on (rule T)."""


def digest_of(value: bytes) -> str:
    """Return a record's digest: SHA-256 of its value bytes, in hex."""
    return sha256(value).hexdigest()


class Accepted:
    """The accepted intents of one match: eight bytes of digest each, a few kB for a whole match."""

    __slots__ = ("_marks", "_seqs")
    SIZE: Final = 8

    def __init__(self) -> None:
        """Start with none."""
        self._marks = bytearray()
        self._seqs = array("Q")

    def add(self, sender: str, intent_id: str, seq: int) -> None:
        """Remember that an intent made record `seq`."""
        self._marks += self._mark(sender, intent_id)
        self._seqs.append(seq)

    def copy(self) -> Accepted:
        """Return a copy that changes apart from this one."""
        other = Accepted()
        other._marks += self._marks
        other._seqs.extend(self._seqs)
        return other

    def find(self, sender: str, intent_id: str) -> int | None:
        """Return the seq of the record that an intent made; None if it made none."""
        mark = self._mark(sender, intent_id)
        at = self._marks.find(mark)
        while at >= 0:
            if at % self.SIZE == 0:
                return self._seqs[at // self.SIZE]
            at = self._marks.find(mark, at + 1)
        return None

    def _mark(self, sender: str, intent_id: str) -> bytes:
        return sha256(f"{sender}|{intent_id}".encode()).digest()[: self.SIZE]


@dataclass(slots=True)
class Match:
    """A match and its place in the log. Changed by `apply` only.

    Attributes:
        seq, digest: Of the last record applied.
        at_ms: `at_ms` of the last record.
        cause_offset: Offset of the last intent applied, in the match's partition of the intents.
        first_offset: Where its first record stands in the events; -1 until that is known.
        first_cause: Offset of the intent that opened it.
        moved_ms: Append time of the last intent that moved the match on (not presence, not a
            resume).
        ended_ms: Append time of the intent that ended it; 0 while it is live.
        accepted: The intents that made its records, so that one sent again is answered again.
        parked: Why nothing is done with this match any more; empty while it is sound.

    """

    match_id: str
    game: Game
    state: State | None = None
    seq: int = 0
    digest: str = GENESIS
    at_ms: int = 0
    cause_offset: int = -1
    first_offset: int = -1
    first_cause: int = -1
    moved_ms: int = 0
    ended_ms: int = 0
    accepted: Accepted = field(default_factory=Accepted)
    parked: str = ""

    @property
    def live(self) -> bool:
        """Whether anything can still happen in it."""
        return not self.parked and self.state is not None and self.state.live

    @property
    def known(self) -> State:
        """The state of a match that has been opened."""
        if self.state is None:
            raise Broken("not opened")
        return self.state

    def copy(self) -> Match:
        """Return a copy that changes apart from this one: states never do."""
        return replace(self, accepted=self.accepted.copy())

    def after(self, events: Sequence[Message]) -> State:
        """Return the state after more events; raises what the game raises, changes nothing."""
        return evolve.fold(self.game, self.state, events)

    def check(self, record: Record[Any]) -> None:
        """Raise `Broken` if a record is not this match's next one."""
        if record.seq != self.seq + 1:
            raise Broken(f"record {record.seq} after {self.seq}")
        if record.prev != self.digest:
            raise Broken(f"record {record.seq} does not continue record {self.seq}")
        if record.caused_by.offset <= self.cause_offset:
            raise Broken(f"record {record.seq} has an earlier cause than record {self.seq}")
        if self.ended_ms:
            raise Broken(f"record {record.seq} comes after the end")
        if record.rules != self.game.rules:
            raise Broken(f"record {record.seq} changes the rules")

    def apply(self, record: Record[Any], value: bytes, state: State) -> None:
        """Take a checked record, whose events lead to `state`."""
        cause = record.caused_by
        if self.seq == 0:
            self.first_cause = cause.offset
        self.state = state
        self.seq = record.seq
        self.digest = digest_of(value)
        self.at_ms = record.at_ms
        self.cause_offset = cause.offset
        if any(not isinstance(event, _STILL) for event in record.events):
            self.moved_ms = cause.at_ms
        if cause.sender != "system:timer":  # a due's id is not remembered: the next finds none
            self.accepted.add(cause.sender, cause.intent_id, record.seq)
        if not state.live:
            self.ended_ms = max(1, cause.at_ms)
