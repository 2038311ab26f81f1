"""One worker as a process of its own: started, watched, started again, ended by its own id.

A child has the other end of a pipe as its standard input. However this process goes, `kill -9` too,
the pipe ends, and the child stops by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Final

import aiohttp
import orjson
import structlog

from sahrat.runtime import settings
from sahrat.runtime.exits import MEANINGS, Exit
from sahrat.runtime.process import STOP_LIMIT_S
from services.house.kept import STEADY_S, Pause, sleep
from services.house.local.process import command_line, send, wait_until, write_whole

HOST: Final = "127.0.0.1"
END_LIMIT_S: Final = STOP_LIMIT_S + 5.0  # first it ends itself
LOOK_S: Final = 1.0
ANSWER_S: Final = 2.0
START_LIMIT_S: Final = 60.0  # a worker that folds the live matches answers, but is not ready yet
SILENT_LIMIT_S: Final = 20.0  # a process that answers nothing for so long is stuck
RED_LIMIT_S: Final = 30.0  # what does not heal by itself may heal by a new start
MISSING_S: Final = 0.2
LINE_BYTES: Final = 64 * 1024
HOUSE: Final = "--house"

_log = structlog.get_logger("house")


class Child:
    """Keeps one worker running.

    Args:
        name: Its name in logs, on the health page and in the folder, such as `rules-1`.
        module: What it runs, such as `services.rules`.
        house: The house's folder, which its command line names.
        notes: The folder where its process id is noted.
        environment: All of its environment but for its health page's port.
        restart_red: Whether a health page that stays red has it started again.
        missing: Returns what it can't start without and that is not there; None while all is.
    """

    def __init__(
        self,
        name: str,
        module: str,
        *,
        house: Path,
        notes: Path,
        environment: Mapping[str, str],
        restart_red: bool,
        missing: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.name = name
        self.pid: int | None = None
        self._command = (sys.executable, "-m", module, HOUSE, str(house), name)
        self._note = notes / f"{name}.json"
        self._environment = dict(environment)
        self._restart_red = restart_red
        self._missing = missing
        self._wrong: str | None = "not started"
        self._ending = False

    def health(self) -> str | None:
        """Return None while its own health page is green, else what is wrong."""
        return self._wrong

    async def keep(self, stop: asyncio.Event, say: Callable[[str, bytes], None]) -> None:
        """Run it until `stop`, again after each end.

        Args:
            stop: Then it is told to end, and after a time limit is killed.
            say: Is given each line that it writes.
        """
        loop = asyncio.get_running_loop()
        pause = Pause()
        while not stop.is_set():
            started = loop.time()
            code = await self._once(stop, say)
            if stop.is_set():
                break
            if loop.time() - started >= STEADY_S:
                pause.reset()
            wait_s = pause.take()
            meaning = MEANINGS.get(Exit(code), "") if code in set(Exit) else ""
            self._wrong = f"ended with {code}, starts again in {wait_s:.0f} s"
            _log.error("worker ended", worker=self.name, exit=code, means=meaning, again_s=wait_s)
            await sleep(wait_s, stop)
            await self._until_it_may_start(stop)
        self._wrong = "stopped"

    async def _until_it_may_start(self, stop: asyncio.Event) -> None:
        """Wait for what it needs: to start and fail meanwhile would only slow that down, and each
        such end makes the next pause longer.
        """
        while (missing := self._missing()) is not None and not stop.is_set():
            self._wrong = f"waits: {missing}"
            await sleep(MISSING_S, stop)

    async def _once(self, stop: asyncio.Event, say: Callable[[str, bytes], None]) -> int:
        port = free_port()
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**self._environment, settings.HEALTH_PORT: str(port)},
            start_new_session=True,  # Ctrl-C is for us, who end everything in order
        )
        self.pid, self._wrong, self._ending = process.pid, "starting", False
        note = {"pid": process.pid, "command": list(self._command)}
        write_whole(self._note, orjson.dumps(note).decode())
        tasks = [
            asyncio.create_task(self._pump(process, say)),
            asyncio.create_task(self._watch(process, port)),
            asyncio.create_task(self._end_when(stop, process)),
        ]
        try:
            return await process.wait()
        finally:
            self.pid = None
            await asyncio.wait(tasks[:1], timeout=ANSWER_S)  # its last words, unless others hold
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._note.unlink(missing_ok=True)

    async def _end_when(self, stop: asyncio.Event, process: asyncio.subprocess.Process) -> None:
        await stop.wait()
        await self._end(process)

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        self._ending = True
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
            try:
                async with asyncio.timeout(END_LIMIT_S):
                    await process.wait()
            except TimeoutError:
                _log.error("worker killed: it did not stop", worker=self.name)
                process.kill()

    async def _watch(self, process: asyncio.subprocess.Process, port: int) -> None:
        """Ask for its health; end it when it is stuck, or red for longer than heals by itself."""
        loop = asyncio.get_running_loop()
        was_green = False
        last_green = last_answer = loop.time()
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=ANSWER_S)) as http:
            while True:
                answered, wrong = await ask(http, f"http://{HOST}:{port}/health")
                now = loop.time()
                last_answer = now if answered else last_answer
                last_green = now if wrong is None else last_green
                was_green = was_green or wrong is None
                if self._ending:
                    return
                if was_green and wrong is not None and self._wrong is None:
                    _log.warning("worker is not well", worker=self.name, reason=wrong)
                self._wrong = wrong if was_green or answered else "starting"
                silent = now - last_answer > (SILENT_LIMIT_S if was_green else START_LIMIT_S)
                red = now - last_green > (RED_LIMIT_S if was_green else START_LIMIT_S)
                if silent or (red and self._restart_red):
                    _log.error("worker is started anew", worker=self.name, reason=wrong)
                    if silent:
                        process.kill()  # a stuck loop would not hear a milder word
                    await self._end(process)
                    return
                await asyncio.sleep(LOOK_S)

    async def _pump(
        self, process: asyncio.subprocess.Process, say: Callable[[str, bytes], None]
    ) -> None:
        """Hand on what it writes, line by line; a line that is too long comes in pieces."""
        assert process.stdout is not None
        rest = b""
        while chunk := await process.stdout.read(LINE_BYTES):
            *lines, rest = (rest + chunk).split(b"\n")
            if len(rest) > LINE_BYTES:
                lines, rest = [*lines, rest], b""
            for line in lines:
                say(self.name, line)
        if rest:
            say(self.name, rest)


async def ask(http: aiohttp.ClientSession, url: str) -> tuple[bool, str | None]:
    """Return whether a health page answers, and what it says is wrong (None: nothing)."""
    try:
        async with http.get(url) as answer:
            if answer.status == HTTPStatus.OK:
                return True, None
            said = orjson.loads(await answer.read())
            return True, str(said.get("reason") or answer.status)
    except (aiohttp.ClientError, TimeoutError, OSError):
        return False, "no answer"
    except (orjson.JSONDecodeError, AttributeError):
        return True, "no sensible answer"


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody has at this moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def end_leftovers(notes: Path, house: Path) -> list[str]:
    """End the workers that a house on this folder left behind when it was killed; blocks.

    They are known by the noted process id and by a command line that names the folder: the id may
    have become another process's. Returns the names of those that were still there.
    """
    found = [(path, pid) for path, pid in _noted(notes) if _is_ours(pid, house)]
    for number, limit_s in ((signal.SIGTERM, END_LIMIT_S), (signal.SIGKILL, END_LIMIT_S)):
        for _, pid in found:
            if _is_ours(pid, house):
                send(pid, number)
        if wait_until(lambda: not any(_is_ours(pid, house) for _, pid in found), limit_s):
            break
    for path in notes.glob("*.json"):
        path.unlink(missing_ok=True)
    return [path.stem for path, _ in found]


def _noted(notes: Path) -> Sequence[tuple[Path, int]]:
    found: list[tuple[Path, int]] = []
    for path in sorted(notes.glob("*.json")):
        with contextlib.suppress(OSError, orjson.JSONDecodeError, KeyError, TypeError, ValueError):
            found.append((path, int(orjson.loads(path.read_bytes())["pid"])))
    return found


def _is_ours(pid: int, house: Path) -> bool:
    return pid != os.getpid() and f" {HOUSE} {house} " in command_line(pid)
