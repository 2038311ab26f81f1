"""A worker's process is started again when it ends, and ended by its own id. C46 in part: one that
answers no more, or stays red, is started anew.
"""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from sahrat.runtime.exits import Exit
from services.house import child, kept
from services.house.child import Child, end_leftovers
from services.house.local.process import command_line

WORKER = """
import asyncio, os, pathlib, sys
from sahrat.runtime import logs, process
from sahrat.runtime.health import Health, HealthPage
from sahrat.runtime.settings import Settings

settings = Settings.read()
logs.configure("fake", level="error")
here = pathlib.Path(os.environ["HERE"])

async def work(stop):
    health = Health("fake")
    health.watch("fake", lambda: "red" if (here / "red").exists() else None)
    await HealthPage(health).start(settings.health_port)
    print("started", os.environ.get("SAHRAT_MASTER_KEYS"), flush=True)
    await stop.wait()
    print("x" * 200_000, flush=True)
    print("last words without an end", end="", flush=True)

if (here / "broken").exists():
    sys.exit(3)
process.run(work, supervised=settings.supervised)
"""


class World:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines: list[bytes] = []
        self.stop = asyncio.Event()
        self.child = self.make()
        self.task: asyncio.Task[None] | None = None

    def make(self, **changes: str) -> Child:
        (self.folder / "fake_worker.py").write_text(WORKER)
        environment = {
            **{name: text for name, text in os.environ.items() if not name.startswith("SAHRAT_")},
            "HERE": str(self.folder),
            "PYTHONPATH": str(self.folder),
            "SAHRAT_SUPERVISED": "1",
            **changes,
        }
        return Child(
            "fake-1",
            "fake_worker",
            house=self.folder,
            notes=self.folder,
            environment=environment,
            restart_red=True,
            missing=lambda: "no broker" if (self.folder / "missing").exists() else None,
        )

    def start(self) -> None:
        self.task = asyncio.create_task(
            self.child.keep(self.stop, lambda _, line: self.lines.append(line))
        )

    async def healthy(self) -> int:
        await until(lambda: self.child.health() is None)
        assert self.child.pid is not None
        return self.child.pid


async def until(done: Callable[[], bool], limit_s: float = 20.0) -> None:
    async with asyncio.timeout(limit_s):
        while not done():
            await asyncio.sleep(0.02)


@pytest.fixture
async def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    monkeypatch.setattr(kept, "FIRST_PAUSE_S", 0.1)
    monkeypatch.setattr(child, "LOOK_S", 0.05)
    world = World(tmp_path)
    yield world
    world.stop.set()
    if world.task is not None:
        await world.task


async def test_it_runs_says_its_lines_and_ends_when_told(world: World) -> None:
    world.start()
    pid = await world.healthy()
    assert f"--house {world.folder} fake-1" in command_line(pid)
    assert json.loads((world.folder / "fake-1.json").read_bytes())["pid"] == pid
    world.stop.set()
    assert world.task is not None
    await world.task
    assert not command_line(pid)
    assert not (world.folder / "fake-1.json").exists()
    assert world.lines[0] == b"started None"
    assert b"".join(world.lines[1:-1]) == b"x" * 200_000
    assert world.lines[-1] == b"last words without an end"
    assert world.child.health() == "stopped"


async def test_killed_it_is_started_again(world: World) -> None:
    world.start()
    pid = await world.healthy()
    os.kill(pid, signal.SIGKILL)
    await until(lambda: world.child.pid not in (None, pid))
    assert await world.healthy() != pid


async def test_one_that_ran_for_a_while_is_started_again_without_a_long_pause(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "STEADY_S", 0.1)
    monkeypatch.setattr(kept, "FIRST_PAUSE_S", 0.5)
    world.start()
    for limit_s in (20.0, 20.0, 1.5):  # the third pause would be 2 s
        pid = await world.healthy()
        os.kill(pid, signal.SIGKILL)
        await until(lambda: world.child.pid is None)
        await until(lambda: world.child.pid is not None, limit_s)


async def test_one_that_ended_is_not_started_while_what_it_needs_is_missing(world: World) -> None:
    world.start()
    pid = await world.healthy()
    (world.folder / "missing").touch()
    os.kill(pid, signal.SIGKILL)
    await until(lambda: world.child.health() == "waits: no broker")
    await asyncio.sleep(0.3)
    assert world.child.pid is None
    (world.folder / "missing").unlink()
    assert await world.healthy() != pid


async def test_one_that_waits_for_what_is_missing_ends_when_told(world: World) -> None:
    world.start()
    pid = await world.healthy()
    (world.folder / "missing").touch()
    os.kill(pid, signal.SIGKILL)
    await until(lambda: world.child.health() == "waits: no broker")
    world.stop.set()
    assert world.task is not None
    await world.task
    assert world.child.pid is None


async def test_one_that_ends_at_once_is_tried_again_with_growing_pauses(world: World) -> None:
    (world.folder / "broken").touch()
    world.start()
    seen: list[str] = []

    def note() -> bool:
        wrong = world.child.health() or ""
        if wrong.startswith("ended") and wrong not in seen[-1:]:
            seen.append(wrong)
        return len(seen) >= 1

    await until(note)
    assert f"ended with {Exit.LOG:d}" in seen[0]
    (world.folder / "broken").unlink()
    await world.healthy()


async def test_one_that_stays_red_is_started_anew(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "RED_LIMIT_S", 0.5)
    world.start()
    pid = await world.healthy()
    (world.folder / "red").touch()
    await until(lambda: world.child.health() == "fake: red")
    await until(lambda: world.child.pid not in (None, pid))
    (world.folder / "red").unlink()
    await world.healthy()


async def test_one_that_answers_no_more_is_killed_and_started_anew(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "SILENT_LIMIT_S", 0.5)
    monkeypatch.setattr(child, "ANSWER_S", 0.2)
    world.start()
    pid = await world.healthy()
    os.kill(pid, signal.SIGSTOP)
    await until(lambda: world.child.pid not in (None, pid))
    assert not command_line(pid)
    await world.healthy()


async def test_what_an_earlier_house_left_is_ended_and_nobody_else(world: World) -> None:
    world.start()
    pid = await world.healthy()
    (world.folder / "other-1.json").write_text(json.dumps({"pid": os.getpid()}))
    (world.folder / "torn-1.json").write_text('{"pid": ')
    left = await asyncio.to_thread(end_leftovers, world.folder, world.folder)
    assert left == ["fake-1"]
    assert not command_line(pid)
    assert not list(world.folder.glob("other*"))


async def test_another_folders_workers_are_left_alone(world: World) -> None:
    world.start()
    pid = await world.healthy()
    assert await asyncio.to_thread(end_leftovers, world.folder, world.folder / "x") == []
    assert command_line(pid)
