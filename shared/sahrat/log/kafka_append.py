"""Appending to Kafka: one batch under way for each partition, and the next takes all that waits.

A batch is stored whole or not at all. After one that may not be stored no other is sent: the broker
would take it, and so leave a hole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from aiokafka import AIOKafkaProducer
from aiokafka.producer.message_accumulator import BatchBuilder

from sahrat.log.kafka_settings import BATCH_BYTES, RECORD_OVERHEAD
from sahrat.log.kafka_watch import Silence, Watch
from sahrat.log.port import Ack, AppendFailed, Draft
from sahrat.messages import topics

LOG_APPEND_TIME: Final = 1  # what the broker calls an append time of its own


@dataclass(slots=True)
class _Call:
    drafts: Sequence[Draft]
    size: int
    done: asyncio.Future[Sequence[Ack]]
    acks: list[Ack] = field(default_factory=list)
    sent: int = 0


@dataclass(slots=True)
class _Lane:
    topic: str
    partition: int
    silence: Silence
    calls: list[_Call] = field(default_factory=list)
    task: asyncio.Task[None] | None = None


class Appender:
    """Appends to all partitions through one producer.

    Args:
        producer: A started producer, which is this object's alone.
        watch: Told of what fails, and asked for what has.
        away_s: How long an acknowledgement may take.
    """

    def __init__(self, producer: AIOKafkaProducer, watch: Watch, away_s: float) -> None:
        self._producer = producer
        self._watch = watch
        self._away_s = away_s
        self._lanes: dict[tuple[str, int], _Lane] = {}
        self.failed: AppendFailed | None = None
        watch.at_fault(self._end)

    @property
    def busy(self) -> bool:
        """Whether a batch is under way."""
        return any(lane.task is not None for lane in self._lanes.values())

    async def append(self, topic: str, partition: int, drafts: Sequence[Draft]) -> Sequence[Ack]:
        """Store drafts in order; see `Log.append`."""
        size = 0
        for draft in drafts:
            length = len(draft.key) + len(draft.value)
            if length > topics.RECORD_LIMIT_BYTES:
                raise AppendFailed(f"a record for {topic}[{partition}] is too large")
            size += length + RECORD_OVERHEAD
        if self.failed is not None:
            raise AppendFailed(str(self.failed))
        if not drafts:
            return ()
        call = _Call(drafts, size, asyncio.get_running_loop().create_future())
        lane = self._lane(topic, partition)
        lane.calls.append(call)
        if lane.task is None:
            lane.task = asyncio.create_task(self._send_all(lane))
        return await call.done

    def fail(self, why: str) -> None:
        """Send nothing more, and tell all who wait."""
        if self.failed is None:
            self.close(why)
            self._watch.fail(AppendFailed(why))

    def close(self, why: str) -> None:
        """Send nothing more, and tell all who wait; it is no fault."""
        self.failed = self.failed or AppendFailed(why)
        for lane in self._lanes.values():
            if lane.task is not None:
                lane.task.cancel()
            for call in lane.calls:
                if not call.done.done():
                    call.done.set_exception(AppendFailed(str(self.failed)))
            lane.calls.clear()

    def _end(self) -> None:
        self.fail(str(self._watch.fault))

    def _lane(self, topic: str, partition: int) -> _Lane:
        lane = self._lanes.get((topic, partition))
        if lane is None:
            silence = self._watch.silence(f"appending to {topic}[{partition}]", self._away_s)
            lane = self._lanes[topic, partition] = _Lane(topic, partition, silence)
        return lane

    async def _send_all(self, lane: _Lane) -> None:
        try:
            while lane.calls:
                await self._send_batch(lane)
        except asyncio.CancelledError:
            if self.failed is None:
                raise
        except Exception as failure:  # whatever it was, the batch may not be stored
            self.fail(f"appending to {lane.topic}[{lane.partition}] failed: {failure!r}")
        finally:
            lane.silence.end()
            lane.task = None

    async def _send_batch(self, lane: _Lane) -> None:
        builder = self._producer.create_batch()
        counts = _fill(builder, lane.calls)
        builder.close()
        lane.silence.begin()
        stored = await self._producer.send_batch(builder, lane.topic, partition=lane.partition)
        batch = await stored
        lane.silence.end()
        if batch.offset < 0 or batch.timestamp is None or batch.timestamp_type != LOG_APPEND_TIME:
            raise AppendFailed(f"the broker named no offset or append time: {batch}")
        offset = batch.offset
        complete = 0
        for call, count in counts:
            call.acks += [Ack(offset + index, batch.timestamp) for index in range(count)]
            offset += count
            call.sent += count
            if call.sent == len(call.drafts):
                complete += 1
                if not call.done.done():
                    call.done.set_result(call.acks)
        del lane.calls[:complete]


def _fill(builder: BatchBuilder, calls: Sequence[_Call]) -> list[tuple[_Call, int]]:
    """Put into a batch what fits: whole calls, and a part of one only when it is alone."""
    counts: list[tuple[_Call, int]] = []
    room = BATCH_BYTES - RECORD_OVERHEAD * 2
    for call in calls:
        if counts and (call.sent or call.size > room):
            break
        count = 0
        for draft in call.drafts[call.sent :]:
            length = len(draft.key) + len(draft.value) + RECORD_OVERHEAD
            if count and length > room:
                break
            added = builder.append(timestamp=None, key=draft.key, value=draft.value)
            assert added is not None, "a batch has less room than was counted"
            room -= length
            count += 1
        counts.append((call, count))
        if call.sent + count < len(call.drafts):
            break
    return counts
