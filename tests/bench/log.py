"""Measure a log: `python -m tests.bench.log memory | sqlite FOLDER | kafka HOST:PORT`
(`kafka-page-cache` for topics whose records are not flushed before they are acknowledged).

Prints appends and reads a second, and the time from an append's start until its acknowledgement and
until a reader has the record, with this process's CPU time.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
import uuid
from pathlib import Path
from typing import Final

import uvloop

from sahrat.log.kafka import KafkaLog
from sahrat.log.memory import MemoryLog
from sahrat.log.port import Draft, Log
from sahrat.log.sqlite import SqliteLog
from sahrat.messages.topics import EVENTS, INTENTS, PULSE, REFUSALS

VALUE: Final = b"x" * 400
SECONDS: Final = 5.0


class Cost:
    """Wall and CPU time of a stretch."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def __call__(self, count: int) -> str:
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        share = f"{cpu / wall:.0%} of a core"
        return f"{count / wall:,.0f}/s, {cpu / count * 1e6:.0f} us CPU each, {share}"


def spread(seconds: list[float]) -> str:
    cuts = statistics.quantiles(seconds, n=100)
    return f"p50 {cuts[49] * 1e3:.2f} ms, p99 {cuts[98] * 1e3:.2f} ms, n {len(seconds)}"


async def appends(log: Log, callers: int) -> None:
    """Append one record at a time, by so many callers, over all partitions."""
    ends = time.perf_counter() + SECONDS
    took: list[float] = []

    async def call(number: int) -> None:
        while (start := time.perf_counter()) < ends:
            await log.append(INTENTS, number % INTENTS.partitions, [Draft(b"match", VALUE)])
            took.append(time.perf_counter() - start)

    cost = Cost()
    await asyncio.gather(*(call(number) for number in range(callers)))
    print(f"append by {callers:3} callers: {cost(len(took))}, {spread(took)}")


async def catch_up(log: Log) -> None:
    """Read all that is there, over all partitions at once."""
    count = 0

    async def read(partition: int) -> None:
        nonlocal count
        at, end = 0, (await log.bounds(INTENTS, partition)).end
        reader = log.reader(INTENTS, partition, 0)
        while at < end:
            found = await reader.read()
            at = found[-1].offset + 1
            count += len(found)
        await reader.close()

    cost = Cost()
    await asyncio.gather(*(read(partition) for partition in range(INTENTS.partitions)))
    print(f"read what is there: {cost(count)}")


async def latency(log: Log, rate: int) -> None:
    """Append at a rate, with 25 partitions read, and see when the reader has each record."""
    sent: dict[bytes, float] = {}
    acked: list[float] = []
    seen: list[float] = []

    async def follow(topic_partition: int) -> None:
        topic, partition = (EVENTS, REFUSALS, PULSE)[topic_partition // 12], topic_partition % 12
        reader = log.reader(topic, partition, (await log.bounds(topic, partition)).end)
        while True:
            for record in await reader.read():
                seen.append(time.perf_counter() - sent[record.key])

    async def send(number: int) -> None:
        key = b"%d" % number
        sent[key] = start = time.perf_counter()
        await log.append(EVENTS, number % EVENTS.partitions, [Draft(key, VALUE)])
        acked.append(time.perf_counter() - start)

    followers = [asyncio.create_task(follow(number)) for number in range(25)]
    await asyncio.sleep(1)
    cost = Cost()
    sends = []
    begin = time.perf_counter()
    for number in range(round(rate * SECONDS)):
        await asyncio.sleep(begin + number / rate - time.perf_counter())
        sends.append(asyncio.create_task(send(number)))
    await asyncio.gather(*sends)
    await asyncio.sleep(0.5)
    print(f"at {rate:4}/s: {cost(len(sends))}")
    print(f"  acknowledged {spread(acked)}")
    print(f"  seen         {spread(seen)}")
    for follower in followers:
        follower.cancel()
    await asyncio.gather(*followers, return_exceptions=True)


async def idle(log: Log) -> None:
    """Read 25 partitions in which nothing happens."""
    readers = [log.reader(EVENTS, n, (await log.bounds(EVENTS, n)).end) for n in range(12)]
    readers += [log.reader(REFUSALS, n, (await log.bounds(REFUSALS, n)).end) for n in range(12)]
    tasks = [asyncio.create_task(reader.read()) for reader in readers]
    await asyncio.sleep(0.5)
    cost = Cost()
    await asyncio.sleep(SECONDS)
    print(f"idle: {cost(1)}")
    for task in tasks:
        task.cancel()
    for reader in readers:
        await reader.close()


async def main(kind: str, where: str = "") -> None:
    log: Log
    match kind:
        case "memory":
            log = MemoryLog()
        case "sqlite":
            log = SqliteLog(Path(where))
        case _:
            prefix = f"bench-{uuid.uuid4().hex[:8]}."
            log = KafkaLog(where, prefix=prefix, flush=kind == "kafka")
    await log.start()
    await idle(log)
    for callers in (1, 12, 48, 200):
        await appends(log, callers)
    await catch_up(log)
    for rate in (50, 500, 2000):
        await latency(log, rate)
    await log.close()


if __name__ == "__main__":
    uvloop.run(main(*sys.argv[1:]))
