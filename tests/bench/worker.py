"""One worker of the house in a process of its own, measured from within.

`python -m tests.bench.worker JOB`, with `{"work":.., "servers":.., "folder":..}` and what the work
needs:

- `drain`: judge what stands in the log, as a rules worker, until all `records` are written.
- `fold`: fold the records of some `partitions`, as every reader does; begins at the word `begin`.
- `ledger`: fold the commands that stand in the log, until the journal has `records` entries.
- `project`: bring the read models at `dsn` up to so many `records`.
- `rebuild`: make the read models at `dsn` anew from all that stands in the log.

Times are of the machine's one monotonic clock, in seconds, so that they may be compared.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from typing import Any, Final

import psycopg
import uvloop
from typing_extensions import override

from sahrat.ledger import snapshot
from sahrat.log.live import LivePartition, Verdict
from sahrat.log.port import Ack, Draft, Log, LogReader
from sahrat.messages import topics
from sahrat.messages.topics import Topic
from sahrat.runtime import logs, process
from sahrat.runtime.ending import EndingLog
from sahrat.runtime.keys import match_keys
from sahrat.runtime.settings import Settings
from services.projection.host import Projection
from services.projection.rebuild import rebuild
from services.projection.store import PostgresModels
from services.rules.host import Rules
from services.wallet.busy import Busy
from services.wallet.ledger import Ledger
from tests.bench.prepared import open_log, open_reader
from tests.bench.processes import job, say, words

LOOK_S: Final = 0.2


class Watched(EndingLog):
    """A log that notes when records are appended to one of its topics.

    Attributes:
        count: Records stored there.
        first, last: When the first append began and the last was acknowledged: wall and CPU time.
    """

    def __init__(self, log: Log, topic: Topic = topics.EVENTS) -> None:
        super().__init__(log, process.fail)
        self._topic = topic
        self.count = 0
        self.first = self.last = (0.0, 0.0)

    @override
    async def append(self, topic: Topic, partition: int, drafts: Sequence[Draft]) -> Sequence[Ack]:
        if topic == self._topic and not self.first[0]:
            self.first = _now()
        acks = await super().append(topic, partition, drafts)
        if topic == self._topic:
            self.count += len(acks)
            self.last = _now()
        return acks


def _now() -> tuple[float, float]:
    return time.monotonic(), time.process_time()


async def drain(log: Log, records: int) -> None:
    """Judge what stands in the log until it has so many records, whoever wrote them; then say how
    many this worker wrote and what it took.
    """
    watched, stop = Watched(log), asyncio.Event()
    await watched.start()
    rules = Rules(watched, match_keys(Settings.read(os.environ).master_keys))
    running = asyncio.create_task(rules.run(stop))
    while await _stored(watched) < records:
        await asyncio.wait((running,), timeout=LOOK_S)
        if running.done():
            running.result()
    say(count=watched.count, begin_s=watched.first[0], end_s=watched.last[0],
        cpu_s=watched.last[1] - watched.first[1])  # fmt: skip
    stop.set()
    await running
    await watched.close()


async def _stored(log: LogReader) -> int:
    places = range(topics.EVENTS.partitions)
    return sum([(await log.bounds(topics.EVENTS, place)).end for place in places])


async def keep_ledger(log: Log, records: int) -> None:
    """Fold what stands in the commands, snapshots and all; then say what it took."""
    watched, stop = Watched(log, topics.WALLET_JOURNAL), asyncio.Event()
    await watched.start()
    running = asyncio.create_task(Ledger(watched, Busy()).run(stop))
    while watched.count < records + records // snapshot.EVERY:
        await asyncio.wait((running,), timeout=LOOK_S)
        if running.done():
            running.result()
    say(count=records, begin_s=watched.first[0], end_s=watched.last[0],
        cpu_s=watched.last[1] - watched.first[1])  # fmt: skip
    stop.set()
    await running
    await watched.close()


async def fold(log: LogReader, partitions: Sequence[int]) -> None:
    """Fold all records of these partitions."""
    await log.start()
    ends = {number: (await log.bounds(topics.EVENTS, number)).end for number in partitions}
    say(event="ready")
    async for _ in words():
        break
    begin_s, used_s = _now()

    async def follow(partition: int) -> None:
        live = LivePartition(partition)
        reader = log.reader(topics.EVENTS, partition, 0)
        while live.next_offset < ends[partition]:
            for stored in await reader.read():
                assert live.take(stored).verdict is Verdict.TAKEN
        await reader.close()

    await asyncio.gather(*(follow(partition) for partition in partitions if ends[partition]))
    end_s, cpu_s = _now()
    say(count=sum(ends.values()), begin_s=begin_s, end_s=end_s, cpu_s=cpu_s - used_s)
    await log.close()


async def project(log: Log, dsn: str, records: int) -> None:
    """Project until the read models have all records; counted from where they first have any."""
    await log.start()
    stop = asyncio.Event()
    projection = Projection(log, PostgresModels(dsn))
    running = asyncio.create_task(projection.run(stop))
    first = done = 0
    begin_s, used_s = _now()
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as database:
        while done < records:
            await asyncio.wait((running,), timeout=LOOK_S)
            if running.done():
                running.result()
            done = await _projected(database)
            if done and not first:
                first = done
                begin_s, used_s = _now()
                say(event="begun")
    end_s, cpu_s = _now()
    say(count=done - first, begin_s=begin_s, end_s=end_s, cpu_s=cpu_s - used_s)
    stop.set()
    await running
    await log.close()


async def rebuild_all(log: LogReader, dsn: str) -> None:
    """Make the read models anew, as `sahrat rebuild` does."""
    await log.start()
    begin_s, used_s = _now()
    made = await rebuild(log, dsn)
    end_s, cpu_s = _now()
    say(count=made.records, begin_s=begin_s, end_s=end_s, cpu_s=cpu_s - used_s)
    await log.close()


async def _projected(database: psycopg.AsyncConnection[Any]) -> int:
    try:
        cursor = await database.execute("select sum(next_offset) from live.projection_progress")
    except psycopg.errors.UndefinedTable:
        return 0
    found = await cursor.fetchone()
    return int(found[0] or 0) if found else 0


async def main(work: str, servers: str, folder: str, **rest: Any) -> None:
    """Do one of the works."""
    logs.configure("bench", level="error")
    match work:
        case "drain":
            await drain(open_log(servers, folder), **rest)
        case "ledger":
            await keep_ledger(open_log(servers, folder), **rest)
        case "fold":
            await fold(open_reader(servers, folder), **rest)
        case "rebuild":
            await rebuild_all(open_reader(servers, folder), **rest)
        case _:
            await project(open_log(servers, folder), **rest)


if __name__ == "__main__":
    uvloop.run(main(**job()))
