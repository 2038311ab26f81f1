"""The read models of the embedded house come up in the background, and are never in play's way."""

import asyncio
from collections.abc import Callable

import pytest

from sahrat.log.memory import MemoryLog
from sahrat.log.port import LogFault
from sahrat.messages.codec import FromTheFuture
from services.house import kept
from services.house.kept import Kept
from services.house.local.server import Server
from services.house.reads import Reads


class FakeProjection:
    name = "projection"

    def __init__(self, failure: Exception | None) -> None:
        self.failure = failure

    async def run(self, stop: asyncio.Event) -> None:
        if self.failure is not None:
            raise self.failure
        await stop.wait()

    def health(self) -> str | None:
        return None


class FakeServer(Server):
    pid: int | None = None

    def start(self) -> str:
        self.pid = 1
        return "host=/there"

    def stop(self) -> None:
        self.pid = None


@pytest.fixture
async def log(monkeypatch: pytest.MonkeyPatch) -> MemoryLog:
    monkeypatch.setattr(kept, "FIRST_PAUSE_S", 0.01)
    log = MemoryLog()
    await log.start()
    return log


async def _until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not done():
            await asyncio.sleep(0.01)


async def test_it_waits_for_its_database_and_then_follows(log: MemoryLog) -> None:
    asked: list[str] = []
    database, stop = Kept("database", FakeServer()), asyncio.Event()

    def make(dsn: str) -> FakeProjection:
        asked.append(dsn)
        return FakeProjection(None)

    reads = Reads(log, database, make)
    task = asyncio.create_task(reads.run(stop))
    await asyncio.sleep(0.05)
    assert reads.health() == "waiting for the database"
    await database.start()
    await _until(lambda: reads.health() is None)
    stop.set()
    await task
    assert asked == ["host=/there"]


@pytest.mark.parametrize(
    "failure",
    [ValueError("a bug"), FromTheFuture("unknown", "ludo.flew"), LogFault("not the same log")],
)
async def test_one_that_fails_is_red_and_made_again_and_ends_nobody(
    log: MemoryLog, failure: Exception
) -> None:
    failures: list[Exception | None] = [failure, failure, None]
    stop = asyncio.Event()
    reads = Reads(log, "dsn", lambda _: FakeProjection(failures.pop(0)))
    task = asyncio.create_task(reads.run(stop))
    await _until(lambda: str(failure) in (reads.health() or ""))
    await _until(lambda: reads.health() is None)
    assert failures == []
    stop.set()
    await task


async def test_when_the_log_is_broken_it_ends_like_all_others(log: MemoryLog) -> None:
    await log.close()
    reads = Reads(log, "dsn", lambda _: FakeProjection(LogFault("the log is closed")))
    with pytest.raises(LogFault, match="closed"):
        await reads.run(asyncio.Event())


async def test_told_to_stop_it_waits_for_no_database(log: MemoryLog) -> None:
    stop = asyncio.Event()
    reads = Reads(log, Kept("database", FakeServer()), lambda _: FakeProjection(None))
    task = asyncio.create_task(reads.run(stop))
    stop.set()
    async with asyncio.timeout(30):
        await task
