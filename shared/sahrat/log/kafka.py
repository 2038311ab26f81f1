"""The log on Kafka."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import count
from typing import Final, TypeVar

import structlog
from aiokafka import AIOKafkaConsumer, OffsetAndMetadata, TopicPartition
from aiokafka.admin import RecordsToDelete
from aiokafka.errors import (
    GroupLoadInProgressError,
    KafkaError,
    KafkaTimeoutError,
    OffsetOutOfRangeError,
)
from typing_extensions import override

from sahrat.log import kafka_settings
from sahrat.log.hold import Hold
from sahrat.log.kafka_append import Appender
from sahrat.log.kafka_group import KafkaMember
from sahrat.log.kafka_read import Hubs
from sahrat.log.kafka_settings import AWAY_S, BACKOFF_MS, START_S
from sahrat.log.kafka_topics import check_partitions, check_topics, glance, make_topics
from sahrat.log.kafka_watch import Watch
from sahrat.log.port import (
    Ack,
    AppendFailed,
    Bookmark,
    Bounds,
    Draft,
    Log,
    LogAway,
    LogFault,
    OutOfRange,
    Reader,
    Serve,
)
from sahrat.messages import topics
from sahrat.messages.topics import Topic

PROBE_S: Final = 2.0  # how often the broker is asked whether it is there, and what the topics are
CLOSE_S: Final = 3.0  # for each connection; a broker that is away must not hold up an end

T = TypeVar("T")

_log = structlog.get_logger("log")


class KafkaLog(Log):
    """A log on a Kafka broker or cluster.

    Args:
        servers: Addresses, `host:port`, with commas between.
        prefix: What the names of topics and groups begin with.
        wanted: The topics.
        away_s: How long the broker may be silent before everything ends with a fault.
        start_s: How long the start may take when topics have to be made; else it is `away_s`.
        make: Make topics that are missing.
        flush: See `make_topics`.
        name: What connections are called, for the broker's own logs.
    """

    def __init__(
        self,
        servers: str,
        *,
        prefix: str = "",
        wanted: Sequence[Topic] = topics.ALL,
        away_s: float = AWAY_S,
        start_s: float = START_S,
        make: bool = True,
        flush: bool = False,
        name: str = "sahrat",
    ) -> None:
        self._servers = servers
        self._prefix = prefix
        self._topics = tuple(wanted)
        self._away_s = away_s
        self._start_s = start_s if make else away_s
        self._make = make
        self._flush = flush
        self._warn = True
        self._name = name
        self._members = count(1)
        self._watch = Watch()
        self._state: str | None = "the log is not started"
        self._probe: asyncio.Task[None] | None = None

    def quiet(self) -> None:
        """Don't say at the start what a power cut or a lost disk may take: somebody else does."""
        self._warn = False

    @override
    async def start(self) -> None:
        self._admin = kafka_settings.admin(self._servers, f"{self._name}-admin")
        self._producer = kafka_settings.producer(
            self._servers, f"{self._name}-append", self._away_s
        )
        self._asker = kafka_settings.reading_consumer(self._servers, f"{self._name}-ask")
        self._hubs = Hubs(self._reading_consumer, self._watch, self._away_s, self._bounds)
        self._appender = Appender(self._producer, self._watch, self._away_s)
        try:
            async with self._answering("start", self._start_s):
                for step in (
                    self._admin.start,
                    self._check_topics,
                    self._producer.start,
                    self._asker.start,
                    self._check_starts,
                ):
                    await _patiently(step)
        except BaseException:
            await self._let_go()
            raise
        self._state = None
        self._watch.start()
        self._probe = asyncio.create_task(self._ask_again())

    @override
    async def close(self) -> None:
        if self._state != "the log is closed":
            started = self._state is None
            self._state = "the log is closed"
            if started:
                await self._let_go()

    @override
    def healthy(self) -> str | None:
        return self._state or self._watch.healthy()

    @override
    async def append(self, topic: Topic, partition: int, drafts: Sequence[Draft]) -> Sequence[Ack]:
        place = self._place(topic, partition)
        if self._state is not None:
            raise AppendFailed(self._state)
        return await self._appender.append(place.topic, partition, drafts)

    @override
    async def bounds(self, topic: Topic, partition: int) -> Bounds:
        return await self._bounds(self._place(topic, partition))

    @override
    def reader(self, topic: Topic, partition: int, offset: int) -> Reader:
        return self._reader(topic, partition, offset, None)

    @override
    async def bookmarks(self, group: str, topic: Topic) -> Mapping[int, Bookmark]:
        places = [self._place(topic, partition) for partition in range(topic.partitions)]

        async def ask() -> Mapping[TopicPartition, OffsetAndMetadata]:
            found = await self._admin.list_consumer_group_offsets(
                self._prefix + group, partitions=places
            )
            # The client drops what the broker says of the group as a whole, such as that it is only
            # loading it after a start, and returns nothing. Of a group that it knows, and of one
            # that is new, it answers for every place: then without a bookmark is -1.
            if not all(place in found for place in places):
                raise GroupLoadInProgressError(f"no answer about the bookmarks of {group}")
            return found

        async with self._answering("bookmarks"):
            found = await _patiently(ask)
        return {
            place.partition: Bookmark(found[place].offset, found[place].metadata)
            for place in places
            if found[place].offset >= 0
        }

    @override
    async def own(self, group: str, topic: Topic, serve: Serve, stop: asyncio.Event) -> None:
        place = self._place(topic, 0)
        client_id = f"{self._name}-{group}-{next(self._members)}"
        member = KafkaMember(
            kafka_settings.member_consumer(self._servers, client_id, self._prefix + group),
            place.topic,
            serve,
            self._reader,
            self._watch,
            self._away_s,
        )
        await member.own(stop)

    @override
    async def trim(self, topic: Topic, partition: int, before: int) -> None:
        if topic.whole:
            raise ValueError(f"{topic.name} is kept whole")
        place = self._place(topic, partition)
        async with self._answering("trim"):
            deletion = {place: RecordsToDelete(before)}
            try:
                await _patiently(partial(self._admin.delete_records, deletion))
            except OffsetOutOfRangeError:
                raise OutOfRange(f"{place} ends below {before}") from None

    def _reader(self, topic: Topic, partition: int, offset: int, hold: Hold | None) -> Reader:
        place = self._place(topic, partition)
        if self._state is not None:
            raise LogFault(self._state)
        reader = self._hubs.reader(topic.name, place, offset, hold)
        if hold is not None:
            hold.readers.append(reader)
        return reader

    def _reading_consumer(self) -> AIOKafkaConsumer:
        return kafka_settings.reading_consumer(self._servers, f"{self._name}-read")

    def _place(self, topic: Topic, partition: int) -> TopicPartition:
        if topic not in self._topics or not 0 <= partition < topic.partitions:
            raise ValueError(f"no partition {partition} of {topic.name}")
        return TopicPartition(self._prefix + topic.name, partition)

    async def _bounds(self, place: TopicPartition) -> Bounds:
        async with self._answering("bounds"):
            start = await _patiently(partial(self._asker.beginning_offsets, [place]))
            end = await _patiently(partial(self._asker.end_offsets, [place]))
        return Bounds(start[place], end[place])

    async def _check_topics(self) -> None:
        if self._make:
            await make_topics(self._admin, self._prefix, self._topics, flush=self._flush)
        await check_topics(self._admin, self._prefix, self._topics, warn=self._warn)

    async def _check_starts(self) -> None:
        places = [
            TopicPartition(self._prefix + topic.name, partition)
            for topic in self._topics
            if topic.whole
            for partition in range(topic.partitions)
        ]
        for place, start in (await self._asker.beginning_offsets(places)).items():
            if start > 0:
                raise LogFault(
                    f"{place.topic}[{place.partition}] starts at offset {start}: records of a "
                    "topic that is kept for ever were deleted"
                )
        for topic in self._topics:  # so that no append has to look for them
            await self._producer.partitions_for(self._prefix + topic.name)

    @asynccontextmanager
    async def _answering(self, what: str, limit_s: float | None = None) -> AsyncIterator[None]:
        """Turn a broker that says nothing, or an error, into a LogAway."""
        if self._watch.fault is not None:
            raise self._watch.fault
        limit_s = limit_s or self._away_s
        try:
            async with asyncio.timeout(limit_s):
                yield
        except TimeoutError:
            raise LogAway(f"{what}: {self._servers} did not answer in {limit_s} s") from None
        except (KafkaError, OSError) as failure:
            raise LogAway(f"{what}: {self._servers} answered {failure!r}") from failure

    async def _ask_again(self) -> None:
        """Ask the broker again and again, so that its absence and changed topics are noticed."""
        silence = self._watch.silence(f"asking {self._servers}", self._away_s)
        names = [self._prefix + topic.name for topic in self._topics]
        told = False
        while self._watch.fault is None:
            if not silence.waiting:
                silence.begin()
                told = False
            try:
                found = await glance(self._admin, names)
                if all(topic.ready for topic in found.values()):
                    silence.end()
                    check_partitions(found, self._prefix, self._topics)
            except LogFault as fault:
                self._watch.fail(fault)
            except Exception as failure:  # away, or starting: the silence goes on
                if not told:
                    _log.warning("the broker does not answer", failure=repr(failure))
                told = True
            await asyncio.sleep(BACKOFF_MS / 1000 if silence.waiting else PROBE_S)

    async def _let_go(self) -> None:
        await self._watch.close()
        if self._probe is not None:
            self._probe.cancel()
            await asyncio.gather(self._probe, return_exceptions=True)
        closing = [self._hubs.close(), self._asker.stop(), self._admin.close()]
        # After a failed append the producer must not send what it may still have.
        if self._appender.failed is None and not self._appender.busy:
            closing.append(self._producer.stop())
        else:
            closing.append(self._producer.client.close())
        self._appender.close("the log is closed")
        for ended in await asyncio.gather(
            *(asyncio.wait_for(one, CLOSE_S) for one in closing), return_exceptions=True
        ):
            if isinstance(ended, BaseException):
                _log.warning("a connection was dropped", failure=repr(ended))


async def _patiently(step: Callable[[], Awaitable[T]]) -> T:
    """Try again what a broker that is only starting, or is behind with its work, can't do yet; the
    caller sets a limit. Only for what may be done twice.

    It may not know its brokers, topics or groups; without a controller the client even fails to
    look for one (AttributeError).
    """
    while True:
        try:
            return await step()
        except KafkaError as failure:
            if not failure.retriable and not isinstance(failure, KafkaTimeoutError):
                raise
        except AttributeError as failure:
            _log.warning("the broker is not complete", failure=repr(failure))
        await asyncio.sleep(BACKOFF_MS / 1000)
