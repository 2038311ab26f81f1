"""A broker of one's own keeps what it acknowledged, and leaves nothing running behind."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from services.house.local import jars, kafka
from services.house.local.errors import LocalError
from services.house.local.kafka import LocalKafka
from services.house.local.lock import Busy
from services.house.local.ports import HOST
from services.house.local.process import command_line

pytestmark = [pytest.mark.kafka, pytest.mark.usefixtures("own_kafka")]

TOPIC: Final = "sahrat.local.test"
PARTITION: Final = TopicPartition(TOPIC, 0)
GROUP: Final = "local-test"
ANSWER_S: Final = 60
GONE_S: Final = 90

# Starts a broker in the folder given, says where it is and waits to be ended from outside.
OWNER: Final = """
import sys, time
from pathlib import Path
from services.house.local.kafka import LocalKafka
broker = LocalKafka(Path(sys.argv[1]))
broker.start()
if "unguarded" in sys.argv:
    broker._guard.dismiss()
sys.stdout.write(f"{broker.pid}\\n")
sys.stdout.flush()
time.sleep(600)
"""


@contextlib.contextmanager
def owner(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a process that has a broker in the folder; yield it and the broker's process id."""
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(folder), *words], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


def runs(pid: int) -> bool:
    """Tell whether a broker does; one that is dead but not yet buried does not."""
    return "kafka.Kafka" in command_line(pid)


def shares_classes(broker: LocalKafka) -> bool:
    """Tell whether a broker has mapped the classes that were loaded before."""
    return ".jsa" in Path(f"/proc/{broker.pid}/maps").read_text()


def wait_gone(pid: int) -> None:
    deadline = time.monotonic() + GONE_S
    while runs(pid):
        assert time.monotonic() < deadline, f"broker {pid} still runs"
        time.sleep(0.05)


@contextlib.asynccontextmanager
async def admin(address: str) -> AsyncIterator[AIOKafkaAdminClient]:
    client = AIOKafkaAdminClient(bootstrap_servers=address)
    await client.start()
    try:
        yield client
    finally:
        await client.close()


async def make_topic(address: str) -> None:
    async with admin(address) as client:
        made = await client.create_topics([NewTopic(TOPIC, 1, 1)])
        assert [code for _, code, *_ in made.topic_errors] == [0]


async def write(address: str, *values: bytes) -> None:
    producer = AIOKafkaProducer(
        bootstrap_servers=address, acks="all", enable_idempotence=True, request_timeout_ms=10_000
    )
    async with producer:
        for value in values:
            await producer.send_and_wait(TOPIC, value, partition=0)


async def read(address: str, count: int) -> list[bytes | None]:
    consumer = AIOKafkaConsumer(bootstrap_servers=address, enable_auto_commit=False)
    async with consumer:
        consumer.assign([PARTITION])
        await consumer.seek_to_beginning(PARTITION)
        async with asyncio.timeout(ANSWER_S):
            return [(await consumer.getone()).value for _ in range(count)]


async def commit(address: str, offset: int) -> None:
    consumer = AIOKafkaConsumer(bootstrap_servers=address, group_id=GROUP, enable_auto_commit=False)
    async with consumer:
        consumer.assign([PARTITION])
        await consumer.commit({PARTITION: offset})


async def committed(address: str) -> int:
    async with admin(address) as client, asyncio.timeout(ANSWER_S):
        # Nothing is found as long as the broker loads the group: the client drops its word.
        while not (found := await client.list_consumer_group_offsets(GROUP)):
            await asyncio.sleep(0.1)
        return found[PARTITION].offset


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """A process that has the number of a broker that is gone."""
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


async def test_what_was_acknowledged_is_kept(
    tmp_path: Path, stranger: subprocess.Popen[bytes]
) -> None:
    folder = tmp_path / "سهرة, kept"  # an Arabic name, and a comma, at which Kafka splits
    folder.mkdir()
    (folder / kafka.PID).write_text(f"{stranger.pid}\n")
    broker = LocalKafka(folder)
    try:
        address = broker.start()
        assert stranger.poll() is None, "its number alone does not make it a broker"
        assert shares_classes(broker)
        await make_topic(address)
        await write(address, b"one", b"two")
        await commit(address, 2)

        broker.kill()
        assert broker.pid is None
        assert broker.start() == address, "a client finds it where it was"
        assert await read(address, 2) == [b"one", b"two"]
        assert await committed(address) == 2
        await write(address, b"three")

        assert broker.restart() == address
        assert broker.start() == address, "one that runs stays"
        assert await read(address, 3) == [b"one", b"two", b"three"]

        broker.stop()
        broker.stop()
        assert broker.pid is None
        host, port = address.split(":")
        async with await asyncio.start_server(lambda *_: None, host, int(port)):
            moved = broker.start()
            assert moved != address, "somebody else has its port"
            assert await read(moved, 3) == [b"one", b"two", b"three"]
    finally:
        broker.stop()


async def test_two_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    brokers = [LocalKafka(tmp_path / name, heap_mb=256) for name in ("a", "ab")]
    with ThreadPoolExecutor() as pool:
        addresses = list(pool.map(LocalKafka.start, brokers))
    try:
        assert len(set(addresses)) == 2
        for address in addresses:
            await make_topic(address)
            await write(address, address.encode())
        brokers[0].kill()
        brokers[0].start()
        for address in addresses:
            assert await read(address, 1) == [address.encode()]
        async with admin(addresses[0]) as client:
            await client.describe_topics(["sahrat.misspelt"])
            assert "sahrat.misspelt" not in await client.list_topics()
    finally:
        for broker in brokers:
            broker.stop()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_the_broker_ends_with_its_owner_however_that_ends(
    tmp_path: Path, ending: signal.Signals
) -> None:
    with owner(tmp_path) as (process, pid):
        with pytest.raises(Busy, match=str(process.pid)):
            LocalKafka(tmp_path).start()
        assert runs(pid), "the refused one left it alone"
        assert os.getsid(pid) != os.getsid(process.pid), "Ctrl-C is for the owner alone"
        process.send_signal(ending)
        process.wait()
        wait_gone(pid)


async def test_a_broker_left_behind_is_ended_and_its_data_kept(tmp_path: Path) -> None:
    with owner(tmp_path, "unguarded") as (process, pid):
        ports = (tmp_path / kafka.PORT_FILE).read_text()
        await make_topic(f"{HOST}:{ports.split()[0]}")
        await write(f"{HOST}:{ports.split()[0]}", b"kept")
        process.kill()
        process.wait()
        assert runs(pid)
        with LocalKafka(tmp_path) as broker:
            assert not runs(pid)
            assert broker.pid != pid
            assert (tmp_path / kafka.PORT_FILE).read_text() == ports
            assert await read(broker.address, 1) == [b"kept"]


def test_a_broker_that_does_not_come_up_says_why_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = tmp_path / "server.properties"
    template.write_text(kafka.TEMPLATE.read_text() + "num.io.threads=none\n")
    monkeypatch.setattr(kafka, "TEMPLATE", template)
    broker = LocalKafka(tmp_path / "broker")
    with pytest.raises(LocalError, match=r"num\.io\.threads") as caught:
        broker.start()
    assert "\n" not in str(caught.value)
    assert str(broker.log) in str(caught.value)
    assert broker.pid is None
    with pytest.raises(LocalError, match=r"num\.io\.threads"):  # and not Busy
        broker.start()


def test_a_machine_without_java_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(LocalError, match="Java 17"):
        LocalKafka(tmp_path / "broker").start()


def test_a_machine_without_maven_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LocalError, match="mvn"):
        jars.kafka_jars()


def test_a_fetch_that_fails_leaves_nothing_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maven = tmp_path / "mvn"
    maven.write_text("#!/bin/sh\necho '[ERROR] no line to the world'\nexit 1\n")
    maven.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LocalError, match="no line to the world"):
        jars.kafka_jars()
    left = {path.name for path in jars.cache_folder().iterdir()}
    assert left == {jars.FETCH_LOG, "kafka.lock"}


def test_two_clones_that_fetch_at_once_fetch_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maven = tmp_path / "mvn"
    maven.write_text(
        f"#!{sys.executable}\n"
        "import pathlib, sys, time\n"
        f"pathlib.Path({str(tmp_path)!r}, 'calls').open('a').write('x')\n"
        "target = sys.argv[-1].removeprefix('-DoutputDirectory=')\n"
        "time.sleep(0.5)\n"
        "pathlib.Path(target, 'kafka_2.13-4.3.1.jar').touch()\n"
    )
    maven.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    fetch = [sys.executable, "-c", "from services.house.local import jars; jars.kafka_jars()"]
    both = [subprocess.Popen(fetch) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert (tmp_path / "calls").read_text() == "x"
    assert list(jars.kafka_jars().iterdir())
