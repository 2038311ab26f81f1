"""Follow `match.events`: begin at rules' horizon, replay to the end as of now, then go on.

Timer, bots and gateway hold the live matches of a partition this way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

import structlog
from pydantic import Field, ValidationError

from sahrat.log.live import START, LivePartition, Taken, Verdict
from sahrat.log.port import Bookmark, LogFault, LogReader, Reader, Stored
from sahrat.messages.base import Count, Message
from sahrat.messages.codec import FromTheFuture, Poison, encode
from sahrat.messages.envelope import Record
from sahrat.messages.topics import EVENTS, INTENTS, Topic

RULES: Final = "rules"
"""The group of the rules workers, whose bookmarks in the intents hold the horizon."""

OpenReader = Callable[[Topic, int], Reader]
"""Reads the partition of a topic from an offset on: `Claim.reader`, or a log's."""
BATCH: Final = 64
"""Read at once. What a batch says is at hand until it is taken, and at a start all partitions are
read side by side: larger ones hold much, which the interpreter then looks through for garbage again
and again; and followers of one process share less of what they work out."""
AHEAD: Final = 1_000
"""So far a cause may lie ahead of where the intents were seen to end, before they are looked at
again: to ask costs a round trip, and a cause that is so little ahead of its time does no harm."""

_log = structlog.get_logger("follow")


class Horizon(Message):
    """What rides along with rules' bookmark: the state of the events at its offset. Another reader
    of the events that keeps bookmarks of its own has the same in them.

    Attributes:
        horizon: No match that is alive, or ended a short while ago, has a record before this offset
            of the events.
        high: The highest cause offset before it; -1 for none.
        end: Where the events ended: they can't have become shorter. Of another reader's bookmark:
            where that ended which he writes.
    """

    horizon: Count
    high: Annotated[int, Field(ge=START, lt=2**53)]
    end: Count

    def dump(self) -> str:
        """Return the bookmark's metadata."""
        return encode(self).decode()

    @classmethod
    def load(cls, mark: Bookmark, group: str = RULES) -> Horizon:
        """Return what a bookmark holds.

        Raises:
            LogFault: It is not the group's metadata.
        """
        try:
            return cls.model_validate_json(mark.metadata)
        except ValidationError:
            raise LogFault(
                f"the bookmark of {group} at {mark.offset} has metadata that {group} did not write"
            ) from None


BEGINNING: Final = Horizon(horizon=0, high=START, end=0)


@dataclass(frozen=True, slots=True)
class Read:
    """A record as stored, whose bytes may be handed on, and what became of it."""

    stored: Stored
    taken: Taken


class Follower:
    """One partition's live matches, kept up with the log.

    Args:
        log: Where the bookmarks and the ends are.
        partition: Of the match topics.
        open_reader: Reads that partition; a claim's ends with `Released`.

    Attributes:
        live: The matches, up to the last record that was read.
        caught_up: Whether all is read that stood in the log at the start.
    """

    def __init__(self, log: LogReader, partition: int, open_reader: OpenReader) -> None:
        self._log = log
        self._partition = partition
        self._open = open_reader
        self._reader: Reader | None = None
        self._said: dict[int, Record[Message] | Poison] = {}
        self.live = LivePartition(partition, shared=log.shared)
        self.caught_up = False

    async def catch_up(self) -> None:
        """Find the horizon and replay up to the end of the log.

        Raises:
            LogFault: The log is away, or ends before the horizon.
            FromTheFuture: A record is newer than this code; the worker must end.
            Released: The claim is being released.
        """
        mark = (await self._log.bookmarks(RULES, INTENTS)).get(self._partition)
        known = BEGINNING if mark is None else Horizon.load(mark)
        end = (await self._log.bounds(EVENTS, self._partition)).end
        if end < known.end:
            raise LogFault(
                f"{EVENTS.name}/{self._partition} ends at {end}, below {known.end}, where it had "
                "ended: records were lost"
            )
        await self._replay(known, end)
        self.caught_up = True

    async def _replay(self, known: Horizon, end: int) -> None:
        """Read up to the end; or begin where another in this process is now, who reads the same."""

        async def replay() -> LivePartition:
            self.begin(known)
            await self._read_on(end)
            return self.live

        shared = self._log.shared
        if shared is None:
            await replay()
            return
        begun = (self._partition, known.horizon, known.high)
        copy = await shared.replayed(begun, replay)
        if copy is not None:
            self.live = copy
            self._reader = self._open(EVENTS, copy.next_offset)
            await self._read_on(end)

    async def _read_on(self, end: int) -> None:
        """Read up to an end of the log, and on if much has come while much was read."""
        while self.live.next_offset < end:
            while self.live.next_offset < end:
                await self.read()
            end = (await self._log.bounds(EVENTS, self._partition)).end

    def begin(self, known: Horizon) -> None:
        """Begin to read at a horizon without catching up: for who has a bookmark of his own."""
        self.live = LivePartition(
            self._partition, horizon=known.horizon, high=known.high, shared=self._log.shared
        )
        self.live.limit = 0
        self._reader = self._open(EVENTS, known.horizon)

    async def read(self) -> Sequence[Read]:
        """Wait for records, take them, and return them in order; after `catch_up`. Raises as it
        does.
        """
        return [Read(stored, self.take(stored)) for stored in await self.fetch()]

    async def fetch(self) -> Sequence[Stored]:
        """Wait for records and return them without taking any, for whoever acts on each with the
        matches as they are after it and not after the last: `take` is his to call, for each.
        """
        if self._reader is None:
            raise RuntimeError("nothing is read before `catch_up` or `begin`")
        batch = await self._reader.read(BATCH)
        await self._look_at_causes(batch)
        return batch

    async def _look_at_causes(self, batch: Sequence[Stored]) -> None:
        """See to it that the intents were looked at since the causes of these records stood there.

        A record is written when its cause is stored. So one whose cause is not there when it is
        read comes from nobody's intent, however soon it is read.
        """
        highest = -1
        for stored in batch:
            try:
                said = self._said[stored.offset] = self.live.read(stored)
            except FromTheFuture:
                break  # whoever takes it hears of it
            if isinstance(said, Record):
                highest = max(highest, said.caused_by.offset)
        if highest >= self.live.limit:
            end = (await self._log.bounds(INTENTS, self._partition)).end
            self.live.limit = end + AHEAD

    def take(self, stored: Stored) -> Taken:
        """Take the next record that `fetch` returned. Raises FromTheFuture."""
        known = self.live.get(stored.key.decode("utf-8", "replace"))
        parked = known is not None and bool(known.parked)
        taken = self.live.take(stored, self._said.pop(stored.offset, None))
        if taken.verdict is Verdict.POISON or (taken.verdict is Verdict.PARKED and not parked):
            _log.error(
                "alarm",
                problem="a record that does not fit",
                partition=self._partition,
                offset=stored.offset,
                match=stored.key.decode("utf-8", "replace"),
                detail=taken.detail,
            )
        if taken.verdict is Verdict.TAKEN and taken.record is not None:
            self.live.forget(taken.record.caused_by.at_ms)
        return taken

    async def close(self) -> None:
        """Stop reading."""
        if self._reader is not None:
            await self._reader.close()
