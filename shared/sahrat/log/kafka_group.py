"""Membership of a Kafka group: who owns which partition, and the bookmarks of the owners.

At every rebalance a member first releases all that it owns and waits until each `serve` is over;
only then does the client go on and join. So a bookmark is always sent under the membership under
which its partition was assigned, and the broker refuses those of a member that it counts as dead.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Set
from functools import partial
from typing import Final

import structlog
from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, OffsetAndMetadata, TopicPartition
from aiokafka.errors import CommitFailedError, IllegalStateError, NoOffsetForPartitionError
from typing_extensions import override

from sahrat.log.hold import Hold, failure_of
from sahrat.log.kafka_settings import RELEASE_S, SETTLE_S, connect
from sahrat.log.kafka_watch import Watch
from sahrat.log.port import (
    METADATA_LIMIT_BYTES,
    Bookmark,
    Claim,
    LogFault,
    OwnershipLost,
    Reader,
    Serve,
)
from sahrat.messages.topics import Topic

POLL_MS: Final = 1_000  # how soon the member hears of what the client could not do by itself
CANCEL_S: Final = 1.0  # a serve that was cancelled has this long; one that goes on is a fault
LEAVE_S: Final = 3.0  # to say goodbye; the group finds out by itself when it takes longer

MakeReader = Callable[[Topic, int, int, Hold], Reader]

_log = structlog.get_logger("log")


class KafkaClaim(Claim):
    """One partition that a member owns."""

    def __init__(self, member: KafkaMember, hold: Hold, make_reader: MakeReader) -> None:
        self.partition = hold.partition
        self._member = member
        self._hold = hold
        self._make_reader = make_reader

    @override
    def reader(self, topic: Topic, offset: int) -> Reader:
        return self._make_reader(topic, self.partition, offset, self._hold)

    @override
    async def bookmark(self, mark: Bookmark) -> None:
        if len(mark.metadata.encode()) > METADATA_LIMIT_BYTES:
            raise ValueError("a bookmark's metadata is too long")
        await self._member.save(self._hold, mark)


class KafkaMember(ConsumerRebalanceListener):
    """One `own` call.

    Args:
        consumer: Not started; this object's alone.
        topic: The topic's name at the broker.
        serve: Run for each partition that is assigned.
        make_reader: Makes the readers of a claim.
        watch: Told of faults.
        away_s: How long the broker may not answer.
    """

    def __init__(
        self,
        consumer: AIOKafkaConsumer,
        topic: str,
        serve: Serve,
        make_reader: MakeReader,
        watch: Watch,
        away_s: float,
    ) -> None:
        self._consumer = consumer
        self._topic = topic
        self._serve = serve
        self._make_reader = make_reader
        self._watch = watch
        self._holds: dict[asyncio.Task[None], Hold] = {}
        self._ending = asyncio.Event()
        self._failure: BaseException | None = None
        self._settling = watch.silence(f"joining the group of {topic}", SETTLE_S)
        self._saving = watch.silence(f"keeping bookmarks of {topic}", away_s)
        self._marks: list[tuple[Hold, Bookmark, asyncio.Future[None]]] = []
        self._saver: asyncio.Task[None] | None = None

    async def own(self, stop: asyncio.Event) -> None:
        """Be a member until `stop` is set or something fails; see `Log.own`."""
        stopping = asyncio.create_task(stop.wait())
        stopping.add_done_callback(lambda _: self._ending.set())
        self._watch.at_fault(self._fault)
        self._settling.begin()
        asking = asyncio.create_task(self._ask())
        limit_s = RELEASE_S
        try:
            await self._ending.wait()
        except asyncio.CancelledError:
            limit_s = 0.0
            raise
        finally:
            self._ending.set()
            stopping.cancel()
            asking.cancel()
            await self._release_all(limit_s)
            await asyncio.gather(asking, return_exceptions=True)
            await self._leave()
        if self._failure is not None:
            raise self._failure

    @override
    async def on_partitions_revoked(self, revoked: Set[TopicPartition]) -> None:
        self._settling.begin()
        await self._release_all(RELEASE_S)

    @override
    def on_partitions_assigned(self, assigned: Set[TopicPartition]) -> None:
        self._settling.end()
        try:
            for place in sorted(assigned):
                self._consumer.seek(place, 0)  # or the client would look for a place to start at
                self._consumer.pause(place)
                if not self._ending.is_set():
                    self._begin(place.partition)
        except Exception as failure:  # the client would only log it
            self._fail(failure)

    async def save(self, hold: Hold, mark: Bookmark) -> None:
        """Keep a bookmark; those that come while one is under way share the next request."""
        if self._watch.fault is not None:
            raise self._watch.fault
        if hold.ended or hold.lost:
            raise OwnershipLost(f"{self._topic}[{hold.partition}]")
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._marks.append((hold, mark, done))
        if self._saver is None:
            self._saver = asyncio.create_task(self._save_all())
        await done

    async def _ask(self) -> None:
        """Join, and then ask again and again, which is how the client tells what went wrong."""
        try:
            await connect(self._consumer)
            self._consumer.subscribe([self._topic], listener=self)
            while True:
                try:
                    await self._consumer.getmany(timeout_ms=POLL_MS)
                except NoOffsetForPartitionError:
                    continue  # a partition without a bookmark: nothing is fetched by the member
        except Exception as failure:
            self._fail(LogFault(f"membership in the group of {self._topic} failed: {failure!r}"))

    def _begin(self, partition: int) -> None:
        hold = Hold(partition)
        claim = KafkaClaim(self, hold, self._make_reader)
        task = asyncio.create_task(_run(self._serve, claim))
        self._holds[task] = hold
        task.add_done_callback(partial(self._ended, hold))

    def _ended(self, hold: Hold, task: asyncio.Task[None]) -> None:
        del self._holds[task]
        hold.end()
        failure = failure_of(hold, task)
        if failure is not None:
            self._fail(failure)

    def _fault(self) -> None:
        assert self._watch.fault is not None
        self._fail(self._watch.fault)

    def _fail(self, failure: BaseException) -> None:
        self._failure = self._failure or failure
        self._ending.set()

    async def _release_all(self, limit_s: float) -> None:
        """Tell every `serve` to stop, and wait until all have; cancel those that take too long."""
        for hold in list(self._holds.values()):
            hold.release()
        if self._holds and limit_s > 0:
            await asyncio.wait(list(self._holds), timeout=limit_s)
        if self._holds:
            for task in list(self._holds):
                task.cancel()
            await asyncio.wait(list(self._holds), timeout=CANCEL_S)
        if self._holds:
            late = sorted(hold.partition for hold in self._holds.values())
            self._watch.fail(LogFault(f"serve of {self._topic} {late} does not end"))
        await self._drop_marks()

    async def _drop_marks(self) -> None:
        """Let no bookmark be sent under a later membership than its own."""
        if self._saver is not None:
            self._saver.cancel()
            await asyncio.gather(self._saver, return_exceptions=True)
        for hold, _, done in self._marks:
            _refuse(done, OwnershipLost(f"{self._topic}[{hold.partition}]"))
        self._marks.clear()

    async def _save_all(self) -> None:
        batch: list[tuple[Hold, Bookmark, asyncio.Future[None]]] = []
        try:
            while self._marks:
                batch, self._marks = self._marks, []
                self._saving.begin()
                fault = await self._save(batch)
                self._saving.end()
                for _, _, done in batch:
                    if fault is not None:
                        _refuse(done, fault)
                    elif not done.done():
                        done.set_result(None)
        finally:
            self._saving.end()
            self._saver = None
            for _, _, done in batch:
                _refuse(done, OwnershipLost(self._topic))

    async def _save(
        self, batch: list[tuple[Hold, Bookmark, asyncio.Future[None]]]
    ) -> LogFault | None:
        try:
            await self._consumer.commit(
                {
                    TopicPartition(self._topic, hold.partition): OffsetAndMetadata(
                        mark.offset, mark.metadata
                    )
                    for hold, mark, _ in batch
                }
            )
        except (CommitFailedError, IllegalStateError) as refusal:
            _log.warning("ownership is lost", topic=self._topic, refusal=repr(refusal))
            for hold in self._holds.values():
                hold.lost = True
            return OwnershipLost(f"{self._topic}: {refusal}")
        except Exception as failure:
            fault = LogFault(f"a bookmark of {self._topic} could not be kept: {failure!r}")
            self._watch.fail(fault)
            return fault
        return None

    async def _leave(self) -> None:
        self._watch.forget(self._fault)
        self._watch.drop(self._settling)
        self._watch.drop(self._saving)
        try:
            async with asyncio.timeout(LEAVE_S):
                await self._consumer.stop()
        except Exception as failure:
            _log.warning("left the group without a word", topic=self._topic, failure=repr(failure))


def _refuse(done: asyncio.Future[None], fault: LogFault) -> None:
    if not done.done():
        done.set_exception(fault)


async def _run(serve: Serve, claim: Claim) -> None:
    await serve(claim)
