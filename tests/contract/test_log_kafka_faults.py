"""What becomes of readers, appends and members when the broker or a process stops or freezes."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from sahrat.log import kafka_settings
from sahrat.log.kafka import KafkaLog
from sahrat.log.port import AppendFailed, Bookmark, Claim, LogFault
from services.house.local.errors import LocalError
from services.house.local.kafka import LocalKafka
from services.house.local.ports import HOST, Detour, free_port
from tests import servers
from tests.chaos.proxy import Proxy, Way
from tests.contract.log_contract import EVENTS, INTENTS, PATIENCE_S, drafts, read_all, values
from tests.contract.log_group_contract import Worker, idle, member, until

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

WANTED = (INTENTS, EVENTS)
DOOR = Detour(free_port(), free_port())
UNKNOWN = 40


@pytest.fixture(scope="module")
def broker() -> Iterator[LocalKafka]:
    with tempfile.TemporaryDirectory(prefix="sahrat-kafka-") as folder:
        broker = LocalKafka(Path(folder), detour=DOOR)
        try:
            broker.start()
        except LocalError as fault:
            servers.missing("Kafka", fault)
        try:
            yield broker
        finally:
            broker.stop()


@pytest.fixture
def prefix() -> str:
    return f"t{uuid.uuid4().hex[:12]}."


async def test_all_goes_on_after_a_short_restart(broker: LocalKafka, prefix: str) -> None:
    log = KafkaLog(broker.start(), prefix=prefix, wanted=WANTED, away_s=120.0)
    await log.start()
    owners: dict[int, Worker] = {}
    worker = Worker(log, owners)
    follower = log.reader(INTENTS, 0, 0)
    async with member(log, worker.serve):
        await until(lambda: len(worker.mine) == INTENTS.partitions)
        await log.append(INTENTS, 0, drafts("before"))
        assert values(await read_all(follower, 1)) == ["before"]
        await asyncio.to_thread(broker.stop)
        during = asyncio.create_task(log.append(INTENTS, 0, drafts("during")))
        await asyncio.sleep(1)
        assert not during.done()
        await asyncio.to_thread(broker.start)
        returned = time.monotonic()
        async with asyncio.timeout(PATIENCE_S):
            assert [ack.offset for ack in await during] == [1]
        for partition in range(INTENTS.partitions):
            await log.append(INTENTS, partition, drafts(f"after {partition}"))
        assert values(await read_all(follower, 2)) == ["during", "after 0"]
        await until(
            lambda: len({(r.partition, r.offset) for r in worker.served}) == 2 + INTENTS.partitions
        )
        assert time.monotonic() - returned < PATIENCE_S
        assert log.healthy() is None
    await log.close()


async def test_a_question_outlasts_a_broker_that_is_slow_to_answer(
    broker: LocalKafka, prefix: str
) -> None:
    """One request of the client gives up after five seconds; the broker may be away for longer."""
    log = KafkaLog(broker.start(), prefix=prefix, wanted=WANTED, away_s=PATIENCE_S)
    await log.start()
    await log.append(INTENTS, 0, drafts("here"))
    pid = broker.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        asking = asyncio.create_task(log.bounds(INTENTS, 0))
        await asyncio.sleep(kafka_settings.REQUEST_MS / 1000 + 1)
        assert not asking.done()
    finally:
        os.kill(pid, signal.SIGCONT)
    assert (await asking).end == 1
    await log.close()


@pytest.mark.parametrize("how", ["killed", "frozen"])
async def test_a_broker_that_stays_away_ends_everything(
    broker: LocalKafka, prefix: str, how: str
) -> None:
    log = KafkaLog(broker.start(), prefix=prefix, wanted=WANTED, away_s=4.0)
    await log.start()
    reading = asyncio.create_task(log.reader(EVENTS, 0, 0).read())
    async with member(log, idle) as (_, owning):
        await log.append(INTENTS, 0, drafts("before"))
        await asyncio.sleep(1)
        pid = broker.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL if how == "killed" else signal.SIGSTOP)
        try:
            appending = asyncio.create_task(log.append(INTENTS, 0, drafts("lost?")))
            await until(lambda: log.healthy() is not None)
            async with asyncio.timeout(PATIENCE_S):
                with pytest.raises(AppendFailed):
                    await appending
                for task in (reading, owning):
                    with pytest.raises(LogFault):
                        await task
            with pytest.raises(AppendFailed):
                await log.append(INTENTS, 1, drafts("refused"))
            with pytest.raises(LogFault):
                await log.bounds(INTENTS, 0)
        finally:
            if how == "frozen":
                os.kill(pid, signal.SIGCONT)
    async with asyncio.timeout(PATIENCE_S):
        await log.close()


# A member in a process of its own. It bookmarks all the time, as one that has something to do.
OWNER = """
import asyncio, sys
from sahrat.log import kafka_settings
from sahrat.log.kafka import KafkaLog
from sahrat.log.port import Bookmark, OwnershipLost, Released
from sahrat.messages.topics import Topic

INTENTS = Topic("intents", 4)

async def main(servers, prefix, name):
    log = KafkaLog(servers, prefix=prefix, wanted=(INTENTS,), away_s=10.0)
    await log.start()

    async def serve(claim):
        print("owns", claim.partition, flush=True)
        mark = (await log.bookmarks("rules", INTENTS)).get(claim.partition, Bookmark(0))
        reader, next_ = claim.reader(INTENTS, mark.offset), mark.offset
        reading = asyncio.ensure_future(reader.read())
        try:
            while True:
                await asyncio.wait([reading], timeout=0.1)
                if reading.done():
                    for record in reading.result():
                        print("read", record.partition, record.offset, flush=True)
                        next_ = record.offset + 1
                    reading = asyncio.ensure_future(reader.read())
                await claim.bookmark(Bookmark(next_, name))
        except (Released, OwnershipLost) as over:
            reading.cancel()
            print(type(over).__name__, claim.partition, flush=True)
            raise

    await log.own("rules", INTENTS, serve, asyncio.Event())

asyncio.run(main(*sys.argv[1:]))
"""


class Owner:
    """A member in another process, and what it has said so far."""

    def __init__(self, servers: str, prefix: str, name: str) -> None:
        self.said: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-c", OWNER, servers, prefix, name], stdout=subprocess.PIPE, text=True
        )
        self.listening = asyncio.create_task(asyncio.to_thread(self._listen))

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if not line[:1].isdigit():  # the log's own lines begin with a date
                self.said.append(line.strip())

    def count(self, word: str) -> int:
        return sum(line.startswith(word) for line in self.said)

    async def end(self) -> None:
        self.process.kill()
        await self.listening
        self.process.wait()


async def test_a_killed_owner_is_replaced_and_nothing_is_lost(
    broker: LocalKafka, prefix: str
) -> None:
    log = KafkaLog(broker.start(), prefix=prefix, wanted=WANTED)
    await log.start()
    killed = Owner(broker.address, prefix, "killed")
    await until(lambda: killed.count("owns") == INTENTS.partitions)
    await log.append(INTENTS, 0, drafts("a"))
    await until(lambda: killed.count("read") == 1)
    await killed.end()
    heir = Worker(log, {})
    for partition in range(INTENTS.partitions):
        await log.append(INTENTS, partition, drafts("b"))
    async with member(log, heir.serve):
        await until(lambda: len(heir.mine) == INTENTS.partitions)
        await until(lambda: [r.value for r in heir.served].count(b"b") == INTENTS.partitions)
    await log.close()


async def test_a_frozen_owner_loses_its_partitions_and_joins_again(
    broker: LocalKafka, prefix: str
) -> None:
    log = KafkaLog(broker.start(), prefix=prefix, wanted=WANTED)
    await log.start()
    frozen = Owner(broker.address, prefix, "frozen")
    heir = Worker(log, {})
    async with member(log, heir.serve):
        await until(lambda: len(heir.mine) == INTENTS.partitions // 2)
        await until(lambda: frozen.count("owns") >= INTENTS.partitions // 2)
        theirs = [p for p in range(INTENTS.partitions) if p not in heir.mine]
        os.kill(frozen.process.pid, signal.SIGSTOP)
        await until(lambda: len(heir.mine) == INTENTS.partitions)
        for partition in theirs:
            await log.append(INTENTS, partition, drafts("while frozen"))
        await until(lambda: len(heir.served) >= len(theirs))
        await asyncio.sleep(1)
        already = len(frozen.said)
        os.kill(frozen.process.pid, signal.SIGCONT)
        await until(lambda: any(line.startswith("owns") for line in frozen.said[already:]))
        over = [line.split()[0] for line in frozen.said[already:]]
        first_again = over.index("owns")
        assert set(over[:first_again]) <= {"Released", "OwnershipLost", "read"}
        ended = [word for word in over[:first_again] if word != "read"]
        assert len(ended) == INTENTS.partitions // 2
        assert frozen.process.poll() is None
    marks = await log.bookmarks("rules", INTENTS)
    assert all(marks[partition].offset == 1 for partition in theirs)
    await frozen.end()
    await log.close()


async def test_two_processes_see_each_other(broker: LocalKafka, prefix: str) -> None:
    first = KafkaLog(broker.start(), prefix=prefix, wanted=WANTED)
    second = KafkaLog(broker.start(), prefix=prefix, wanted=WANTED)
    await asyncio.gather(first.start(), second.start())
    owners: dict[int, Worker] = {}
    here, there = Worker(first, owners), Worker(second, owners)
    async with member(first, here.serve), member(second, there.serve):
        await until(lambda: len(here.mine) == len(there.mine) == INTENTS.partitions // 2)
        for turn in range(5):
            for partition in range(INTENTS.partitions):
                await (first, second)[turn % 2].append(INTENTS, partition, drafts(f"{turn}"))
        await until(lambda: len(here.served) + len(there.served) == 5 * INTENTS.partitions)
    await first.close()
    await second.close()


async def test_a_serve_that_does_not_stop_is_cancelled(broker: LocalKafka, prefix: str) -> None:
    log = KafkaLog(broker.start(), prefix=prefix, wanted=WANTED)
    await log.start()
    cancelled: list[int] = []

    async def stubborn(claim: Claim) -> None:
        await claim.bookmark(Bookmark(0, "here"))
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(claim.partition)
            raise

    async with member(log, stubborn) as (stop, task):
        for _ in range(100):
            if len(await log.bookmarks("rules", INTENTS)) == INTENTS.partitions:
                break
            await asyncio.sleep(0.1)
        stop.set()
        async with asyncio.timeout(PATIENCE_S):
            await task
    assert sorted(cancelled) == list(range(INTENTS.partitions))
    await log.close()


async def test_F10_of_lost_acknowledgements_each_record_is_stored_once(
    broker: LocalKafka, prefix: str
) -> None:
    broker.start()
    proxy = Proxy(DOOR.port, DOOR.told)
    await proxy.start()
    log = KafkaLog(f"{HOST}:{DOOR.told}", prefix=prefix, wanted=WANTED, name="rules-1")
    await log.start()
    assert set(proxy.lines) == {"rules-1"}, "no line passes it by"
    proxy.strike("rules-1", Way.UNACKNOWLEDGED)
    words: list[str] = []
    async with asyncio.timeout(PATIENCE_S):
        while proxy.lost["rules-1"] < UNKNOWN:
            words.append(f"word {len(words)}")
            acks = await log.append(EVENTS, 0, drafts(words[-1]))
            assert [ack.offset for ack in acks] == [len(words) - 1]
    proxy.mend("rules-1")
    found = await read_all(log.reader(EVENTS, 0, 0), len(words))
    assert values(found) == words
    assert (await log.bounds(EVENTS, 0)).end == len(words)
    await log.close()
    await proxy.close()
