"""A worker as a process: its health page, what it is missing, and how it ends."""

import asyncio
import os
import socket
import subprocess
import sys

import aiohttp
import pytest
from typing_extensions import override

from sahrat.log.memory import MemoryLog
from sahrat.log.port import LogFault
from sahrat.runtime.exits import Exit
from sahrat.runtime.health import Health
from sahrat.runtime.runner import serve
from sahrat.runtime.settings import BadSetting
from sahrat.runtime.worker import Worker

PATIENCE_S = 120.0  # of a machine that also does other things
KEYS = '{"keys":[{"id":"k","from_ms":0,"key":"' + 64 * "a" + '"}]}'


class FakeWorker(Worker):
    name = "fake"

    def __init__(self) -> None:
        self.wrong: str | None = None
        self.end: asyncio.Event | None = None

    @override
    async def run(self, stop: asyncio.Event) -> None:
        await (self.end or stop).wait()

    @override
    def health(self) -> str | None:
        return self.wrong


class SlowLog(MemoryLog):
    @override
    async def start(self) -> None:
        await asyncio.sleep(3600)


async def _status(url: str) -> int:
    async with aiohttp.ClientSession() as http, http.get(url) as answer:
        return answer.status


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        found: int = probe.getsockname()[1]
        return found


async def test_its_page_is_green_while_it_can_work(port: int) -> None:
    worker, health, stop = FakeWorker(), Health("fake-1"), asyncio.Event()
    task = asyncio.create_task(serve(worker, MemoryLog(), health, port, stop))
    await asyncio.sleep(0.2)
    url = f"http://127.0.0.1:{port}/health"
    assert await _status(url) == 200
    worker.wrong = "stuck"
    assert await _status(url) == 503
    assert health.reason() == "fake: stuck"
    stop.set()
    await task
    with pytest.raises(aiohttp.ClientError):
        await _status(url)


async def test_while_the_log_does_not_answer_it_is_starting_and_can_be_stopped(port: int) -> None:
    health, stop = Health("fake-1"), asyncio.Event()
    task = asyncio.create_task(serve(FakeWorker(), SlowLog(), health, port, stop))
    await asyncio.sleep(0.2)
    assert health.parts() == {"log": "starting", "fake": "starting"}
    stop.set()
    async with asyncio.timeout(30):
        await task


async def test_one_that_returns_by_itself_is_a_fault(port: int) -> None:
    worker = FakeWorker()
    worker.end = asyncio.Event()
    worker.end.set()
    with pytest.raises(RuntimeError, match="by itself"):
        await serve(worker, MemoryLog(), Health("fake-1"), port, asyncio.Event())


async def test_a_log_that_cannot_be_used_ends_it(port: int) -> None:
    class BrokenLog(MemoryLog):
        @override
        async def start(self) -> None:
            raise LogFault("no broker")

    with pytest.raises(LogFault, match="no broker"):
        await serve(FakeWorker(), BrokenLog(), Health("fake-1"), port, asyncio.Event())


async def test_a_health_port_that_is_taken_is_a_wrong_setting(port: int) -> None:
    stop = asyncio.Event()
    first = asyncio.create_task(serve(FakeWorker(), MemoryLog(), Health("a"), port, stop))
    await asyncio.sleep(0.2)
    with pytest.raises(BadSetting, match=f"SAHRAT_HEALTH_PORT: port {port}"):
        await serve(FakeWorker(), MemoryLog(), Health("b"), port, stop)
    stop.set()
    await first


@pytest.mark.parametrize(
    ("worker", "settings", "code", "told"),
    [
        ("rules", {}, Exit.USAGE, "no broker: set SAHRAT_KAFKA"),
        ("rules", {"SAHRAT_KAFKA": "127.0.0.1:1"}, Exit.USAGE, "no keys: set SAHRAT_MASTER_KEYS"),
        ("gateway", {"SAHRAT_KAFKA": "127.0.0.1:1"}, Exit.USAGE, "no keys: set SAHRAT_GATEWAY"),
        ("projection", {"SAHRAT_KAFKA": "127.0.0.1:1"}, Exit.USAGE, "set SAHRAT_POSTGRES"),
        (
            "projection",
            {"SAHRAT_KAFKA": "127.0.0.1:1", "SAHRAT_POSTGRES": "foo"},
            Exit.USAGE,
            "SAHRAT_POSTGRES: the database's address is neither",
        ),
    ],
)
def test_a_worker_says_what_it_lacks_and_ends(
    worker: str, settings: dict[str, str], code: Exit, told: str
) -> None:
    ended = _worker(worker, settings)
    _, said = ended.communicate(timeout=PATIENCE_S)
    assert ended.returncode == code
    assert told in said.splitlines()[-1]


def test_workers_without_a_broker_end_and_name_it() -> None:
    """All at once: each waits for as long as a broker may take to start."""
    settings = {"SAHRAT_KAFKA": "127.0.0.1:1", "SAHRAT_MASTER_KEYS_JSON": KEYS}
    for ended in [_worker(name, settings) for name in ("rules", "timer", "bots")]:
        _, said = ended.communicate(timeout=PATIENCE_S)
        assert ended.returncode == Exit.LOG
        assert "127.0.0.1:1" in said.splitlines()[-1]
        assert 64 * "a" not in said


def _worker(name: str, settings: dict[str, str]) -> subprocess.Popen[str]:
    ours = {name: text for name, text in os.environ.items() if not name.startswith("SAHRAT_")}
    return subprocess.Popen(
        [sys.executable, "-m", f"services.{name}"],
        env={**ours, **settings},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
