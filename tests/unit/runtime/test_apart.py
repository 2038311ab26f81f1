"""What is computed in another process: what it gives, and what becomes of both when one dies."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from sahrat.runtime import apart as apart_module
from sahrat.runtime.apart import TRIES, Apart, Elsewhere, Here, NotComputed

LIMIT_S = 30.0
PARENT = """
import asyncio, gc, os, time
from functools import partial
from sahrat.runtime import apart as apart_module
from sahrat.runtime.apart import Apart
async def main():
    apart = Apart(gc.enable)
    pid = await apart.run(os.getpid)
    asyncio.get_running_loop().call_later(0.1, partial(print, pid, flush=True))
    await apart.run(partial(time.sleep, 60))  # is under way when the parent is killed
asyncio.run(main())
"""


@asynccontextmanager
async def apart() -> AsyncIterator[Apart]:
    found = Apart(gc.enable)  # is called with nothing, and does nothing
    try:
        yield found
    finally:
        await found.close()


def lives(pid: int) -> bool:
    """Return whether a process is there, and not only its number."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


def wait_until_gone(pid: int) -> None:
    until = time.monotonic() + LIMIT_S
    while lives(pid):
        assert time.monotonic() < until, f"{pid} is still there"
        time.sleep(0.02)


async def same_for(elsewhere: Elsewhere) -> None:
    elsewhere.start()
    assert await elsewhere.run(partial(divmod, 17, 5)) == (3, 2)
    with pytest.raises(NotComputed, match="ZeroDivisionError"):
        await elsewhere.run(partial(divmod, 17, 0))
    assert await elsewhere.run(partial(divmod, 18, 5)) == (3, 3)
    await elsewhere.close()


def test_both_places_give_the_same() -> None:
    asyncio.run(same_for(Here()))
    asyncio.run(same_for(Apart(gc.enable)))


def test_another_process_computes_and_knows_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAHRAT_MASTER_KEYS_JSON", "a secret")

    async def main() -> int:
        async with apart() as there:
            pid = await there.run(os.getpid)
            assert pid not in (os.getpid(), 0)
            assert await there.run(partial(os.getenv, "SAHRAT_MASTER_KEYS_JSON")) is None
            assert await there.run(partial(os.getenv, "PATH")) == os.environ["PATH"]
            return pid

    wait_until_gone(asyncio.run(main()))


def test_F01_a_process_that_died_is_started_again_and_asked_again(tmp_path: Path) -> None:
    async def main() -> None:
        async with apart() as there:
            first = await there.run(os.getpid)
            asked = asyncio.create_task(there.run(partial(time.sleep, 0.5)))
            await asyncio.sleep(0.1)
            os.kill(first, signal.SIGKILL)
            await asked
            second = await there.run(os.getpid)
            assert second != first
            os.kill(second, signal.SIGKILL)
            assert await there.run(partial(divmod, 17, 5)) == (3, 2)
            deaths = tmp_path / "deaths"
            with pytest.raises(NotComputed, match=f"{TRIES} processes died"):
                await there.run(partial(dies, str(deaths)))
            assert deaths.read_text() == "x" * TRIES
            assert await there.run(partial(divmod, 18, 5)) == (3, 3)

    asyncio.run(main())


def dies(note: str) -> None:
    """End the process that computes this."""
    with Path(note).open("a") as file:
        file.write("x")
    os.kill(os.getpid(), signal.SIGKILL)


def test_an_answer_that_nobody_waits_for_is_given_to_nobody_else() -> None:
    async def main() -> None:
        async with apart() as there:
            await there.run(os.getpid)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await there.run(partial(time.sleep, 0.3))
            assert await there.run(partial(divmod, 17, 5)) == (3, 2)

    asyncio.run(main())


def test_F06_it_ends_with_the_process_that_asks_however_that_ends() -> None:
    call = [sys.executable, "-c", PARENT]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as parent:
        try:
            assert parent.stdout is not None
            child = int(parent.stdout.readline())
            assert lives(child)
        finally:
            parent.kill()
    wait_until_gone(child)


def test_it_gets_ready_to_be_faster_once_it_has_worked_for_long(tmp_path: Path) -> None:
    """Compiling takes seconds, which must not be paid for a few shots, nor while somebody waits."""
    ours, theirs = Pipe()
    told = tmp_path / "ready"
    child = get_context("spawn").Process(target=_serve_for, args=(theirs, 0.2), daemon=True)
    child.start()
    theirs.close()
    try:
        ours.send(partial(told.write_text, "ready"))
        for number, slept in ((1, 0.0), (2, 0.0), (3, 0.3)):
            assert not told.exists()
            ours.send((number, partial(time.sleep, slept)))
            assert ours.recv() == (number, True, None)
        until = time.monotonic() + LIMIT_S
        while not told.exists():
            assert time.monotonic() < until
            time.sleep(0.01)
        ours.send((4, partial(divmod, 17, 5)))
        assert ours.recv() == (4, True, (3, 2))
    finally:
        ours.close()
        child.join()


def _serve_for(line: Connection[Any, Any], worth_s: float) -> None:
    vars(apart_module).update(WORTH_S=worth_s)
    with suppress(EOFError):
        apart_module._serve(line)
