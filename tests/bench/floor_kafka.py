"""The floor on Kafka: a bare aiokafka loop, in a process of its own.

`python -m tests.bench.floor_kafka JOB`, with `{"servers":.., "work":..}` and of the rest what the
work needs:

- `echo`: read what comes, send it back as `bytes` long, read on once that is acknowledged.
- `call`: `callers` at once send a record of `bytes` and wait for its echo, or, at a `rate`, send
  without waiting. `begin` and `end` on standard input frame what is counted.
- `drain`: have `records` stored, then echo them all, then read all that came of it.

What counts for the figures is as in the house: idempotent, acknowledged by all replicas, of which
one broker has one, and one batch of a partition under way.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import uvloop
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.structs import RecordMetadata

from sahrat.log.kafka_topics import make_topics
from sahrat.messages.topics import MATCH_PARTITIONS, Topic
from tests.bench.processes import job, say, words
from tests.bench.tables import now_us

INTO: Final = Topic("floor.into", MATCH_PARTITIONS)
BACK: Final = Topic("floor.back", MATCH_PARTITIONS)
FETCH_WAIT_MS: Final = 100  # the broker answers at once when a record comes
BATCH_BYTES: Final = 1024 * 1024
BATCH: Final = 500  # of a partition, as rules takes
WAIT_MS: Final = 50  # so long a partition goes on looking when all is done


class Loop:
    """A producer, and a consumer of one topic from its present end on."""

    def __init__(self, servers: str, topic: Topic) -> None:
        self.producer = AIOKafkaProducer(
            bootstrap_servers=servers,
            enable_idempotence=True,
            acks="all",
            max_batch_size=BATCH_BYTES,
            max_request_size=BATCH_BYTES,
        )
        self.consumer = AIOKafkaConsumer(
            bootstrap_servers=servers,
            enable_auto_commit=False,
            auto_offset_reset="none",
            fetch_max_wait_ms=FETCH_WAIT_MS,
        )
        self._servers = servers
        self.places = [TopicPartition(topic.name, number) for number in range(topic.partitions)]

    async def start(self) -> None:
        """Connect; the topics are made if they are missing."""
        admin = AIOKafkaAdminClient(bootstrap_servers=self._servers)
        await admin.start()
        await make_topics(admin, "", (INTO, BACK), flush=False)
        await admin.close()
        await self.producer.start()
        await self.consumer.start()
        for topic in (INTO, BACK):
            await self.producer.partitions_for(topic.name)
        self.consumer.assign(self.places)
        self._begins = await self.consumer.end_offsets(self.places)
        self.seek(self._begins)

    def rewind(self) -> None:
        """Read again from where the topic had ended at the start."""
        self.seek(self._begins)

    def seek(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Read on from these offsets."""
        for place, offset in offsets.items():
            self.consumer.seek(place, offset)

    async def echo(self, value: bytes, records: int | None = None) -> None:
        """Send a record of this value back for each that comes; for ever, or for so many.

        Each partition for itself, as rules does: a batch is read, stored, and then the next read.
        """
        done = 0

        async def serve(place: TopicPartition) -> None:
            nonlocal done
            while records is None or done < records:
                found = await self.consumer.getmany(place, timeout_ms=WAIT_MS, max_records=BATCH)
                for batch in found.values():
                    drafts = [(_key(record), value) for record in batch]
                    await self.send(BACK, {place.partition: drafts})
                    done += len(batch)

        await asyncio.gather(*(serve(place) for place in self.places))

    async def send(self, topic: Topic, lists: Mapping[int, Sequence[tuple[bytes, bytes]]]) -> None:
        """Send keys and values by partition, and return when all are stored."""
        sent = []
        for partition, drafts in lists.items():
            builder = self.producer.create_batch()
            for key, value in drafts:
                added = builder.append(timestamp=None, key=key, value=value)
                assert added is not None, "a batch has too little room"
            builder.close()
            sent.append(await self.producer.send_batch(builder, topic.name, partition=partition))
        await asyncio.gather(*sent)


def _key(record: ConsumerRecord) -> bytes:
    return record.key or b""


async def echo(loop: Loop, size: int) -> None:
    """Echo until standard input ends."""
    echoing = asyncio.create_task(loop.echo(b"x" * size))
    say(event="ready")
    async for _ in words():
        continue
    echoing.cancel()
    await asyncio.gather(echoing, return_exceptions=True)


class Callers:
    """Sends records, and takes the time until their echoes come."""

    def __init__(self, loop: Loop, size: int) -> None:
        self._loop = loop
        self._value = b"x" * size
        self._number = 0
        self._sent: dict[bytes, tuple[int, asyncio.Future[None] | None]] = {}
        self.times_us: list[int] = []

    async def listen(self) -> None:
        """Take echoes, for ever."""
        while True:
            for records in (await self._loop.consumer.getmany(timeout_ms=WAIT_MS)).values():
                for record in records:
                    sent_us, waiting = self._sent.pop(_key(record))
                    self.times_us.append(now_us() - sent_us)
                    if waiting is not None:
                        waiting.set_result(None)

    async def call_again_and_again(self, partition: int) -> None:
        """Send one record after the other, each after the echo of the one before."""
        while True:
            waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            await self._send(partition, waiting)
            await waiting

    async def call_at(self, rate: float) -> None:
        """Send at a rate, whatever comes back."""
        begin_s, number = asyncio.get_running_loop().time(), 0
        while True:
            number += 1
            wait_s = begin_s + number / rate - asyncio.get_running_loop().time()
            await asyncio.sleep(max(0.0, wait_s))
            await self._send(number % MATCH_PARTITIONS, None)

    async def _send(self, partition: int, waiting: asyncio.Future[None] | None) -> None:
        self._number += 1
        key = b"%d" % self._number
        self._sent[key] = (now_us(), waiting)
        sent = await self._loop.producer.send(INTO.name, self._value, key, partition)
        sent.add_done_callback(_stored)


def _stored(sent: asyncio.Future[RecordMetadata]) -> None:
    sent.result()  # a floor in which something is lost is none


async def call(loop: Loop, size: int, callers: int, rate: float) -> None:
    """Call until standard input ends."""
    calling = Callers(loop, size)
    tasks = [asyncio.create_task(calling.listen())]
    if rate:
        tasks.append(asyncio.create_task(calling.call_at(rate)))
    else:
        tasks += [
            asyncio.create_task(calling.call_again_and_again(number % MATCH_PARTITIONS))
            for number in range(callers)
        ]
    say(event="ready")
    begin_us = now_us()
    async for word in words():
        if word == b"begin":
            calling.times_us.clear()
            begin_us = now_us()
        elif word == b"end":
            say(took_us=now_us() - begin_us, times_us=calling.times_us)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def drain(loop: Loop, records: int, into_bytes: int, back_bytes: int) -> None:
    """Have records stored; say how fast they are echoed, and how fast the echoes are read."""
    into, back = b"x" * into_bytes, b"x" * back_bytes
    for begin in range(0, records, BATCH * MATCH_PARTITIONS):
        size = min(BATCH * MATCH_PARTITIONS, records - begin)
        share, rest = divmod(size, MATCH_PARTITIONS)
        counts = [share + (partition < rest) for partition in range(MATCH_PARTITIONS)]
        lists = {at: [(b"floor", into)] * count for at, count in enumerate(counts) if count}
        await loop.send(INTO, lists)
    loop.rewind()
    begin_s, cpu_s = time.monotonic(), time.process_time()
    await loop.echo(back, records)
    say(event="echoed", seconds=time.monotonic() - begin_s, cpu_s=time.process_time() - cpu_s)


async def read(loop: Loop, records: int) -> None:
    """Say how fast so many echoes are read again."""
    loop.seek(dict.fromkeys(loop.places, 0))
    begin_s, cpu_s, done = time.monotonic(), time.process_time(), 0
    while done < records:
        found = await loop.consumer.getmany(timeout_ms=WAIT_MS, max_records=BATCH)
        done += sum(map(len, found.values()))
    say(event="read", seconds=time.monotonic() - begin_s, cpu_s=time.process_time() - cpu_s)


async def main(work: str, servers: str, **rest: Any) -> None:
    """Do one of the works."""
    loop = Loop(servers, BACK if work in ("call", "read") else INTO)
    await loop.start()
    match work:
        case "echo":
            await echo(loop, **rest)
        case "call":
            await call(loop, **rest)
        case "drain":
            await drain(loop, **rest)
        case _:
            await read(loop, **rest)
    await loop.consumer.stop()
    await loop.producer.stop()


if __name__ == "__main__":
    uvloop.run(main(**job()))
