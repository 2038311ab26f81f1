"""The log inside one process: readers, notification and groups over a small store.

Two stores exist: memory (simulation, tests) and SQLite (a house that runs by itself). Nothing in
here reads a clock, starts a thread, draws a random number or iterates over a set, so that on a
virtual-time loop the same program gives the same interleavings.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from typing_extensions import override

from sahrat.log.embedded_group import Group, Member
from sahrat.log.hold import Hold
from sahrat.log.port import (
    METADATA_LIMIT_BYTES,
    Ack,
    AppendFailed,
    Bookmark,
    Bounds,
    Claim,
    Draft,
    Log,
    LogFault,
    OutOfRange,
    OwnershipLost,
    Reader,
    Released,
    Serve,
    Stored,
)
from sahrat.log.store import Mark, Place, Store, wall_ms
from sahrat.messages import topics
from sahrat.messages.topics import Topic

RETENTION_EVERY_MS: Final = 60_000
"""How often old records are looked for: their number is what one round may have to delete."""


@dataclass(slots=True)
class _Partition:
    start: int
    end: int
    waiting: list[asyncio.Future[None]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Append:
    place: Place
    drafts: Sequence[Draft]
    done: asyncio.Future[Sequence[Ack]]


@dataclass(frozen=True, slots=True)
class _Save:
    hold: Hold
    mark: Mark
    done: asyncio.Future[None]


class EmbeddedLog(Log):
    """A log whose owner is this process. Appends made while a write is under way share the next.

    Args:
        store: Where records are kept.
        now_ms: Gives the append times, in milliseconds since 1970.
        wanted: The topics that it has.
    """

    def __init__(
        self,
        store: Store,
        now_ms: Callable[[], int] = wall_ms,
        wanted: Sequence[Topic] = topics.ALL,
    ) -> None:
        self._store = store
        self._now_ms = now_ms
        self._topics = tuple(wanted)
        self._partitions: dict[Place, _Partition] = {}
        self._marks: dict[tuple[str, str], dict[int, Bookmark]] = {}
        self._groups: dict[tuple[str, str], Group] = {}
        self._queue: list[_Append | _Save] = []
        self._writing: asyncio.Task[None] | None = None
        self._expired_at_ms = 0
        self._closed = False
        self._broken: str | None = "the log is not started"

    @override
    async def start(self) -> None:
        kept = await self._store.open(self._topics)
        for topic in self._topics:
            for partition in range(topic.partitions):
                place = (topic.name, partition)
                bounds = kept.bounds.get(place, Bounds(0, 0))
                if topic.whole and bounds.start > 0:
                    await self._store.close()
                    raise LogFault(
                        f"{topic.name}[{partition}] starts at offset {bounds.start}: records of a "
                        "topic that is kept for ever were deleted"
                    )
                self._partitions[place] = _Partition(bounds.start, bounds.end)
        for mark in kept.marks:
            self._marks.setdefault((mark.group, mark.topic), {})[mark.partition] = mark.mark
        self._broken = None

    @override
    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._broken = self._broken or "the log is closed"
        if self._writing is not None:
            await self._writing
        for partition in self._partitions.values():
            _wake(partition.waiting)
        await self._store.close()

    @override
    def healthy(self) -> str | None:
        return self._broken

    @override
    async def append(self, topic: Topic, partition: int, drafts: Sequence[Draft]) -> Sequence[Ack]:
        place = self.place(topic, partition)
        if self._broken is not None:
            raise AppendFailed(self._broken)
        for draft in drafts:
            if len(draft.key) + len(draft.value) > topics.RECORD_LIMIT_BYTES:
                raise AppendFailed(f"a record for {topic.name}[{partition}] is too large")
        if not drafts:
            return ()
        done: asyncio.Future[Sequence[Ack]] = asyncio.get_running_loop().create_future()
        self._enqueue(_Append(place, drafts, done))
        return await done

    @override
    async def bounds(self, topic: Topic, partition: int) -> Bounds:
        at = self._partition(topic, partition)
        return Bounds(at.start, at.end)

    @override
    def reader(self, topic: Topic, partition: int, offset: int) -> EmbeddedReader:
        return EmbeddedReader(self, self.place(topic, partition), offset, None)

    @override
    async def bookmarks(self, group: str, topic: Topic) -> Mapping[int, Bookmark]:
        return dict(sorted(self._marks.get((group, topic.name), {}).items()))

    @override
    async def own(self, group: str, topic: Topic, serve: Serve, stop: asyncio.Event) -> None:
        self.place(topic, 0)
        await self._group(group, topic).own(serve, stop)

    def expel(self, group: str, topic: Topic, partition: int) -> Member | None:
        """Count a partition's owner as dead without its knowledge, as a broker does with a frozen
        process: others take its partitions at once, its bookmarks are refused, and it goes on
        until it notices. `Member.notice` lets it; it is a member again once its serves ended.
        """
        return self._group(group, topic).expel(partition)

    @override
    async def trim(self, topic: Topic, partition: int, before: int) -> None:
        if topic.whole:
            raise ValueError(f"{topic.name} is kept whole")
        at = self._partition(topic, partition)
        if before > at.end:
            raise OutOfRange(f"{topic.name}[{partition}] ends at {at.end}, below {before}")
        if before > at.start:
            at.start = before
            await self._store.trim((topic.name, partition), before)

    async def save(self, hold: Hold, mark: Mark) -> None:
        """Store a bookmark in order with the appends, if its owner still counts then."""
        if self._broken is not None:
            raise LogFault(self._broken)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._enqueue(_Save(hold, mark, done))
        await done

    async def take(self, place: Place, offset: int, limit: int) -> Sequence[Stored]:
        """Return 1..limit records at an offset; nothing when it is the end. Raises OutOfRange."""
        at = self._partitions[place]
        while self._broken is None:
            if not at.start <= offset <= at.end:
                raise OutOfRange(f"{place} holds {at.start}..{at.end}, not {offset}")
            if offset == at.end:
                return ()
            limit = min(limit, at.end - offset)
            found = self._store.recent(place, offset, limit)
            if found := found or await self._store.read(place, offset, limit):
                return found
            if offset >= at.start:
                raise LogFault(f"{place} has no record {offset}: the store is damaged")
        raise LogFault(self._broken)

    def waiting(self, place: Place) -> asyncio.Future[None]:
        """Return what is done when records come to a partition (or the log closes)."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._partitions[place].waiting.append(future)
        return future

    def leave(self, place: Place, waiting: asyncio.Future[None]) -> None:
        """Forget who waits no more, or a reader that is asked again and again would fill memory."""
        others = self._partitions[place].waiting
        if waiting in others:
            others.remove(waiting)

    def _group(self, group: str, topic: Topic) -> Group:
        name = (group, topic.name)
        if name not in self._groups:
            self._groups[name] = Group(
                topic.partitions,
                lambda hold: EmbeddedClaim(self, group, topic, hold),
            )
        return self._groups[name]

    def place(self, topic: Topic, partition: int) -> Place:
        """Return where a partition's records are. Raises ValueError when there is none."""
        if topic not in self._topics or not 0 <= partition < topic.partitions:
            raise ValueError(f"no partition {partition} of {topic.name}")
        return (topic.name, partition)

    def _partition(self, topic: Topic, partition: int) -> _Partition:
        place = self.place(topic, partition)
        if self._broken is not None:
            raise LogFault(self._broken)
        return self._partitions[place]

    def _enqueue(self, item: _Append | _Save) -> None:
        self._queue.append(item)
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())

    async def _write_all(self) -> None:
        """Write what is queued, all that came meanwhile in one go, until nothing is left."""
        while self._queue:
            batch, self._queue = self._queue, []
            try:
                await self._write(batch)
                await self._expire()
            except Exception as fault:  # whatever it is, nobody may wait for ever
                self._broken = str(fault) if isinstance(fault, LogFault) else repr(fault)
                self._fail(batch)
                self._fail(self._queue)
                self._queue = []
        self._writing = None

    async def _write(self, batch: Sequence[_Append | _Save]) -> None:
        ends: dict[Place, int] = {}
        records: list[Stored] = []
        marks: list[Mark] = []
        acks: list[tuple[_Append, list[Ack]]] = []
        for item in batch:
            if isinstance(item, _Save):
                if item.hold.lost or item.hold.ended:
                    _refuse(item.done, OwnershipLost(f"{item.mark.topic}[{item.mark.partition}]"))
                else:
                    marks.append(item.mark)
                continue
            at_ms = self._now_ms()
            end = ends.get(item.place, self._partitions[item.place].end)
            stored = [
                Stored(*item.place, end + index, at_ms, draft.key, draft.value)
                for index, draft in enumerate(item.drafts)
            ]
            ends[item.place] = end + len(stored)
            records += stored
            acks.append((item, [Ack(record.offset, at_ms) for record in stored]))
        if records or marks:
            await self._store.write(records, marks)
        for place, end in ends.items():
            self._partitions[place].end = end
            _wake(self._partitions[place].waiting)
        for mark in marks:
            self._marks.setdefault((mark.group, mark.topic), {})[mark.partition] = mark.mark
        for append, ack in acks:
            if not append.done.done():
                append.done.set_result(ack)
        for item in batch:
            if isinstance(item, _Save) and not item.done.done():
                item.done.set_result(None)

    def _fail(self, batch: Sequence[_Append | _Save]) -> None:
        assert self._broken is not None
        for item in batch:
            fault = AppendFailed if isinstance(item, _Append) else LogFault
            _refuse(item.done, fault(self._broken))

    async def _expire(self) -> None:
        now_ms = self._now_ms()
        if abs(now_ms - self._expired_at_ms) < RETENTION_EVERY_MS:
            return
        self._expired_at_ms = now_ms
        oldest = [
            ((topic.name, partition), now_ms - topic.retention_ms)
            for topic in self._topics
            if topic.retention_ms is not None
            for partition in range(topic.partitions)
        ]
        starts = await self._store.expire(oldest)
        for (place, _), start in zip(oldest, starts, strict=True):
            self._partitions[place].start = max(self._partitions[place].start, start)


class EmbeddedReader(Reader):
    """Reads one partition of an embedded log."""

    def __init__(self, log: EmbeddedLog, place: Place, offset: int, hold: Hold | None) -> None:
        self._log = log
        self._place = place
        self._offset = offset
        self._hold = hold
        self._waiting: asyncio.Future[None] | None = None
        self._closed = False

    @override
    async def read(self, limit: int = 500) -> Sequence[Stored]:
        await asyncio.sleep(0)  # a reader that is far behind must not keep the others from running
        while True:
            if self._hold is not None and self._hold.over:
                raise Released(f"{self._place[0]}[{self._place[1]}]")
            if self._closed:
                raise LogFault("the reader is closed")
            found = await self._log.take(self._place, self._offset, limit)
            if found:
                self._offset = found[-1].offset + 1
                return found
            self._waiting = self._log.waiting(self._place)
            try:
                await self._waiting
            finally:
                self._log.leave(self._place, self._waiting)

    @override
    async def close(self) -> None:
        self._closed = True
        self.wake()

    def wake(self) -> None:
        """Let a read that waits look again."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class EmbeddedClaim(Claim):
    """One partition that a member of a group owns."""

    def __init__(self, log: EmbeddedLog, group: str, topic: Topic, hold: Hold) -> None:
        self.partition = hold.partition
        self._log = log
        self._group = group
        self._topic = topic
        self._hold = hold

    @override
    def reader(self, topic: Topic, offset: int) -> Reader:
        place = self._log.place(topic, self.partition)
        reader = EmbeddedReader(self._log, place, offset, self._hold)
        self._hold.readers.append(reader)
        return reader

    @override
    async def bookmark(self, mark: Bookmark) -> None:
        if len(mark.metadata.encode()) > METADATA_LIMIT_BYTES:
            raise ValueError("a bookmark's metadata is too long")
        mine = Mark(self._group, self._topic.name, self.partition, mark)
        await self._log.save(self._hold, mine)


def _wake(waiting: list[asyncio.Future[None]]) -> None:
    for future in waiting:
        if not future.done():
            future.set_result(None)
    waiting.clear()


def _refuse(done: asyncio.Future[None] | asyncio.Future[Sequence[Ack]], fault: LogFault) -> None:
    if not done.done():
        done.set_exception(fault)
