"""A broker or database of the house's own is started again when it ends."""

import asyncio
import errno
from collections.abc import Callable

import pytest

from services.house import kept
from services.house.kept import Kept, Pause
from services.house.local.errors import LocalError
from services.house.local.server import Server


class FakeServer(Server):
    pid: int | None = None

    def __init__(self) -> None:
        self.starts = 0
        self.stops = 0
        self.broken = ""

    def start(self) -> str:
        self.starts += 1
        if self.broken:
            raise LocalError(self.broken)
        self.pid = self.starts
        return "127.0.0.1:1"

    def stop(self) -> None:
        self.stops += 1
        self.pid = None


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "WATCH_S", 0.01)
    monkeypatch.setattr(kept, "FIRST_PAUSE_S", 0.01)


async def _until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not done():
            await asyncio.sleep(0.01)


async def test_it_is_started_kept_and_ended() -> None:
    server, stop = FakeServer(), asyncio.Event()
    part = Kept("broker", server)
    assert part.health() == "starting"
    assert await part.start() == "127.0.0.1:1"
    assert part.health() is None
    task = asyncio.create_task(part.keep(stop))
    server.pid = None
    await _until(lambda: server.starts == 2)
    await _until(lambda: part.health() is None)
    stop.set()
    await task
    assert (server.starts, server.stops, server.pid) == (2, 1, None)
    assert part.health() == "stopped"


async def test_one_that_can_t_be_looked_at_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand idle connections left no descriptor for its notes, and ended the whole house."""
    server, stop, looks = FakeServer(), asyncio.Event(), 0

    def pid(_: FakeServer) -> int:
        nonlocal looks
        looks += 1
        raise OSError(errno.EMFILE, "too many open files")

    part = Kept("database", server)
    await part.start()
    task = asyncio.create_task(part.keep(stop))
    with monkeypatch.context() as patch:
        patch.setattr(FakeServer, "pid", property(pid))
        await _until(lambda: looks > 3)
        assert part.health() is None
    stop.set()
    await task
    assert (server.starts, server.stops) == (1, 1)


async def test_one_that_cannot_start_is_tried_again_and_says_why() -> None:
    server, stop = FakeServer(), asyncio.Event()
    server.broken = "no PostgreSQL here"
    part = Kept("database", server)
    task = asyncio.create_task(part.keep(stop))
    await _until(lambda: part.health() == "no PostgreSQL here")
    server.broken = ""
    await _until(lambda: part.address is not None)
    assert part.health() is None
    stop.set()
    await task


def test_pauses_double_up_to_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "FIRST_PAUSE_S", 1.0)
    pause = Pause()
    assert [pause.take() for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
    pause.reset()
    assert pause.take() == 1
