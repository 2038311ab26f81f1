"""The matches' records, read side by side with the journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sahrat.messages import wallet as w
from services.audit.core.books import Books
from services.audit.core.fault import Fault, Place
from services.audit.core.records import Counts, Partition
from services.audit.core.table import Ask
from services.audit.streams import Stream


@dataclass(frozen=True, slots=True)
class Owed:
    """What a record asked for, and the entry that came of a later record of its partition."""

    ask: Ask
    entry: int


class Matches:
    """The records of all partitions, each read as far as the journal needs it.

    Attributes:
        parts: Of `match.events`.
        owed: What a record asked for that never came, though what came later did.
    """

    def __init__(self, streams: Sequence[Stream], books: Books) -> None:
        self.counts = Counts()
        self.parts = [Partition(number, self.counts) for number in range(len(streams))]
        self.owed: list[Owed] = []
        self._streams = streams
        self._books = books
        self._next: list[Ask | None] = [None] * len(streams)
        self._waiting: dict[str, None] = {}  # for the journal, behind its last entry
        self._at = [0] * len(streams)  # where the record stands of what was asked last

    async def find(self, cause: w.MatchCause, entry: int) -> Ask | None:
        """Return what the record of a cause asks for; None if there is no such record, or it asks
        for nothing. Raises Fault, FromTheFuture, LogFault.
        """
        if cause.partition >= len(self.parts):
            return None
        while True:
            ask = await self._peek(cause.partition)
            if ask is None or ask.cause.offset > cause.offset:
                return None
            self._next[cause.partition] = None
            if ask.cause.offset == cause.offset:
                return ask
            self.owed.append(Owed(ask, entry))

    async def rest(self, routed: Mapping[int, int]) -> tuple[list[Ask], list[Ask]]:
        """Return all that is asked behind the last entry, and what of it was sent to the ledger:
        its record stands before where the router has come to, by partition. Raises as `find`.
        """
        found: list[Ask] = []
        sent: list[Ask] = []
        for number in range(len(self.parts)):
            while (ask := await self._peek(number)) is not None:
                self._next[number] = None
                self._waiting[ask.cause.match_id] = None
                found.append(ask)
                if self._at[number] < routed.get(number, 0):
                    sent.append(ask)
        return found, sent

    async def _peek(self, number: int) -> Ask | None:
        while self._next[number] is None:
            stored = await self._streams[number].take()
            if stored is None:
                return None
            taken = self.parts[number].take(stored)
            self._next[number], self._at[number] = taken.ask, stored.offset
            if taken.began is not None and taken.began[0] not in self._waiting:
                self._check_held(*taken.began)
        return self._next[number]

    def _check_held(self, match_id: str, attempt: int) -> None:
        """Check W7: play began, so its entries are held."""
        held = self._books.holds.get(match_id)
        returned = f"settle:{match_id}" in self._books.once
        if not returned and (held is None or held.attempt != attempt):
            place = Place(None, match_id, None)
            raise Fault("W7", f"play begins and no hold of attempt {attempt} is there", place)
