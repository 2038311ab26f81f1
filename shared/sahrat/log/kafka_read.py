"""Reading from Kafka: one consumer for many partitions, whose records go to a queue for each.

The client answers a change of its partitions by dropping what it has fetched, so every reader
knows where it is and is set there again: nothing is lost or repeated when others come and go.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import OffsetOutOfRangeError
from typing_extensions import override

from sahrat.log.hold import Hold
from sahrat.log.kafka_append import LOG_APPEND_TIME
from sahrat.log.kafka_settings import connect
from sahrat.log.kafka_watch import Silence, Watch
from sahrat.log.port import Bounds, LogFault, OutOfRange, Reader, Released
from sahrat.messages.stored import Stored

POLL_MS: Final = 1_000  # a poll that finds nothing; records end it at once
HAND_RECORDS: Final = 1_000  # taken from the client in one go, so that the loop is not held up
QUEUE_RECORDS: Final = 2_000  # above this the partition is paused until half is read
QUEUE_BYTES: Final = 4 * 1024 * 1024
GATHER_S: Final = 0.002  # readers that start together are assigned together


class KafkaReader(Reader):
    """Reads one partition. Made by `Hubs.reader`."""

    def __init__(
        self, hub: Hub, name: str, place: TopicPartition, offset: int, hold: Hold | None
    ) -> None:
        self.place = place
        self.next_fetch = offset
        self.paused = False
        self.silence: Silence | None = None
        self.heard_ms: int | None = None
        self._hub = hub
        self._name = name
        self._hold = hold
        self._queue: deque[ConsumerRecord] = deque()
        self._size = 0
        self._waiting: asyncio.Future[None] | None = None
        self._fault: LogFault | None = None

    @override
    async def read(self, limit: int = 500) -> Sequence[Stored]:
        while True:
            if self._hold is not None and self._hold.over:
                raise Released(f"{self._name}[{self.place.partition}]")
            if self._fault is not None:
                raise self._fault
            if self._queue:
                return self._take(limit)
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting

    @override
    async def close(self) -> None:
        self.fail(LogFault("the reader is closed"))

    @property
    def open(self) -> bool:
        """Whether anybody may still read."""
        return self._fault is None and (self._hold is None or not self._hold.over)

    @property
    def full(self) -> bool:
        """Whether it has as much as it may hold."""
        return len(self._queue) >= QUEUE_RECORDS or self._size >= QUEUE_BYTES

    def put(self, records: Sequence[ConsumerRecord]) -> None:
        """Take what was fetched at `next_fetch`."""
        for record in records:
            if record.timestamp_type != LOG_APPEND_TIME:
                self.fail(LogFault(f"{_name(self.place)} has a record without an append time"))
                return
            if record.offset < self.next_fetch:
                self.fail(LogFault(f"{_name(self.place)} went back to offset {record.offset}"))
                return
            self.next_fetch = record.offset + 1
            self._size += record.serialized_key_size + record.serialized_value_size
        self._queue.extend(records)
        self._wake()

    def fail(self, fault: LogFault) -> None:
        """Let every read from now on raise a fault."""
        self._fault = self._fault or fault
        self._hub.remove(self)
        self._wake()

    def wake(self) -> None:
        """Look whether the claim is over, and read no more then."""
        if self._hold is not None and self._hold.over:
            self._hub.remove(self)
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def _take(self, limit: int) -> list[Stored]:
        found = []
        for _ in range(min(limit, len(self._queue))):
            record = self._queue.popleft()
            # Foreign records may have neither key nor value; nothing here deletes by an empty one.
            key, value = record.key or b"", record.value or b""
            self._size -= record.serialized_key_size + record.serialized_value_size
            found.append(
                Stored(self._name, record.partition, record.offset, record.timestamp, key, value)
            )
        if self.paused and len(self._queue) < QUEUE_RECORDS // 2 and self._size < QUEUE_BYTES // 2:
            self._hub.resume(self)
        return found


class Hub:
    """One consumer, and a reader for each of its partitions."""

    def __init__(
        self,
        consumer: AIOKafkaConsumer,
        watch: Watch,
        away_s: float,
        bounds: Callable[[TopicPartition], Awaitable[Bounds]],
    ) -> None:
        self._consumer = consumer
        self._watch = watch
        self._away_s = away_s
        self._bounds = bounds
        self._readers: dict[TopicPartition, KafkaReader] = {}
        self._assigned: dict[TopicPartition, None] = {}
        self._gathering: asyncio.TimerHandle | None = None
        self._started = False
        self._pump: asyncio.Task[None] | None = None
        self._judging: dict[asyncio.Task[None], None] = {}

    def start(self) -> None:
        """Connect and begin to hand out, in the background."""
        self._pump = asyncio.create_task(self._run())
        self._watch.at_fault(self._end)
        self._watch.look(self._look)

    async def close(self) -> None:
        """Stop, and fail all readers."""
        self._watch.forget(self._end)
        self._end()
        tasks = [task for task in (self._pump, *self._judging) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._consumer.stop()

    def reads(self, place: TopicPartition) -> bool:
        """Whether a reader has this partition: it can have one position only."""
        return place in self._readers

    def add(self, reader: KafkaReader) -> None:
        """Read a partition for a reader, from its `next_fetch` on."""
        assert reader.place not in self._readers
        self._readers[reader.place] = reader
        reader.silence = self._watch.silence(f"reading {_name(reader.place)}", self._away_s)
        reader.silence.begin()
        if self._gathering is None:
            loop = asyncio.get_running_loop()
            self._gathering = loop.call_later(GATHER_S, self._assign)

    def remove(self, reader: KafkaReader) -> None:
        """Read a partition no more. It stays assigned, paused, until the next assignment."""
        if self._readers.get(reader.place) is not reader:
            return
        del self._readers[reader.place]
        if reader.silence is not None:
            self._watch.drop(reader.silence)
        if reader.place in self._assigned:
            self._consumer.pause(reader.place)

    def resume(self, reader: KafkaReader) -> None:
        """Fetch for a reader again that was full."""
        if self._readers.get(reader.place) is reader and reader.place in self._assigned:
            reader.paused = False
            self._consumer.resume(reader.place)
            if reader.silence is not None:
                reader.silence.begin()

    def _assign(self) -> None:
        """Assign all partitions anew and seek each, in one step: the client sees it whole."""
        self._gathering = None
        if not self._started or not self._readers:
            return
        self._assigned = dict.fromkeys(self._readers)
        self._consumer.assign(list(self._assigned))
        for place, reader in self._readers.items():
            self._consumer.seek(place, reader.next_fetch)
            reader.heard_ms = None
            if reader.paused:
                self._consumer.pause(place)

    async def _run(self) -> None:
        try:
            await connect(self._consumer)
            self._started = True
            self._assign()
            while True:
                try:
                    found = await self._consumer.getmany(
                        timeout_ms=POLL_MS, max_records=HAND_RECORDS
                    )
                except OffsetOutOfRangeError as error:
                    self._out_of_range(error)
                    continue
                for place, records in found.items():
                    self._hand(place, records)
        except Exception as failure:  # whatever it is, a hub that stands still must be known
            self._watch.fail(LogFault(f"reading failed: {failure!r}"))

    def _hand(self, place: TopicPartition, records: Sequence[ConsumerRecord]) -> None:
        reader = self._readers.get(place)
        if reader is None:
            return
        reader.put(records)
        if reader.full and not reader.paused and self._readers.get(place) is reader:
            reader.paused = True
            self._consumer.pause(place)
            if reader.silence is not None:
                reader.silence.end()

    def _look(self) -> None:
        """Note which partitions the broker has said anything about since the last look."""
        for place in self._assigned:
            reader = self._readers.get(place)
            if reader is None or reader.silence is None or reader.paused:
                continue
            heard_ms = self._consumer.last_poll_timestamp(place)
            if heard_ms != reader.heard_ms:
                reader.heard_ms = heard_ms
                reader.silence.begin()

    def _out_of_range(self, error: OffsetOutOfRangeError) -> None:
        """Set the readers aside that the error names, and look where their logs really end."""
        places: dict[TopicPartition, int] = error.args[0]
        for place in places:
            reader = self._readers.get(place)
            if reader is not None:
                self.remove(reader)
                task = asyncio.create_task(self._judge(reader))
                self._judging[task] = None
                task.add_done_callback(self._judging.pop)

    async def _judge(self, reader: KafkaReader) -> None:
        """Fail a reader that is out of range; go on with one that was so for a moment only."""
        try:
            bounds = await self._bounds(reader.place)
        except LogFault as fault:
            reader.fail(fault)
            return
        here = bounds.start <= reader.next_fetch <= bounds.end
        if here and reader.open and not self.reads(reader.place):
            self.add(reader)
            return
        reader.fail(OutOfRange(f"{_name(reader.place)} holds {bounds}, not {reader.next_fetch}"))

    def _end(self) -> None:
        fault = self._watch.fault or LogFault("the log is closed")
        for reader in list(self._readers.values()):
            reader.fail(fault)


class Hubs:
    """A hub for each topic, and more where one partition has several readers.

    The client asks for all its partitions anew after each answer, so one hub for all topics would
    cost twice as much (measured with 25 partitions), and each start of a reader would hold up all.

    Args:
        consumer: Makes a consumer that is not started.
        watch: Told of faults.
        away_s: How long the broker may say nothing about a partition.
        bounds: Asks the broker for a partition's bounds.
    """

    def __init__(
        self,
        consumer: Callable[[], AIOKafkaConsumer],
        watch: Watch,
        away_s: float,
        bounds: Callable[[TopicPartition], Awaitable[Bounds]],
    ) -> None:
        self._consumer = consumer
        self._watch = watch
        self._away_s = away_s
        self._bounds = bounds
        self._hubs: dict[str, list[Hub]] = {}

    def reader(
        self, name: str, place: TopicPartition, offset: int, hold: Hold | None
    ) -> KafkaReader:
        """Return a reader of a partition; `name` is what its records call the topic."""
        hubs = self._hubs.setdefault(place.topic, [])
        hub = next((hub for hub in hubs if not hub.reads(place)), None)
        if hub is None:
            hub = Hub(self._consumer(), self._watch, self._away_s, self._bounds)
            hub.start()
            hubs.append(hub)
        reader = KafkaReader(hub, name, place, offset, hold)
        hub.add(reader)
        return reader

    async def close(self) -> None:
        """Fail all readers and let go."""
        await asyncio.gather(*(hub.close() for hubs in self._hubs.values() for hub in hubs))


def _name(place: TopicPartition) -> str:
    return f"{place.topic}[{place.partition}]"
