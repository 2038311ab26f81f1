"""Processes that the bench starts: its own helpers, which tell what they find line by line."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Final, Self

import orjson

LIMIT_S: Final = 120.0
END_S: Final = 10.0
CHUNK: Final = 1 << 16


class Failed(Exception):
    """A figure could not be measured; the message is one line."""


class Helper:
    """A module of the bench in a process of its own.

    Args:
        module: Its name within `tests.bench`.
        job: What it is to do: the only argument of the process, as JSON.
        environment: Added to ours.

    Attributes:
        said: What it said last.
    """

    def __init__(
        self, module: str, job: Mapping[str, Any], environment: Mapping[str, str] | None = None
    ) -> None:
        self.name = module
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"tests.bench.{module}", orjson.dumps(job).decode()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
        )
        self._heard = b""
        self.said: dict[str, Any] = {}

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def hear(self, limit_s: float = LIMIT_S) -> dict[str, Any]:
        """Wait for the next line and return what it says. Raises Failed."""
        until_s = time.monotonic() + limit_s
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        while b"\n" not in self._heard:
            left_s = until_s - time.monotonic()
            if left_s <= 0 or not select.select([pipe], [], [], left_s)[0]:
                raise Failed(f"{self.name} said nothing for {limit_s:.0f} s")
            chunk = os.read(pipe, CHUNK)
            if not chunk:
                raise Failed(f"{self.name} ended with code {self._process.wait()}")
            self._heard += chunk
        line, _, self._heard = self._heard.partition(b"\n")
        said: dict[str, Any] = orjson.loads(line)
        if "failed" in said:
            raise Failed(f"{self.name}: {said['failed']}")
        self.said = said
        return said

    def tell(self, word: str) -> None:
        """Say something to it. Raises Failed."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(word.encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise Failed(f"{self.name} ended with code {self._process.wait()}") from None

    def end(self) -> None:
        """End it, if it has not ended."""
        end(self._process, END_S)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def say(**what: Any) -> None:
    """Write a line to whoever started this helper."""
    sys.stdout.buffer.write(orjson.dumps(what) + b"\n")
    sys.stdout.buffer.flush()


async def words() -> AsyncIterator[bytes]:
    """Yield what is said to this helper, until whoever started it is gone."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    while word := (await reader.readline()).strip():
        yield word


def job() -> Any:
    """Return what this helper is to do."""
    return orjson.loads(sys.argv[1])


def end(process: subprocess.Popen[bytes], limit_s: float) -> None:
    """End a process of ours: it is told to, and killed if it takes too long."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(limit_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let SIGTERM end this process as Ctrl-C does, so that what was started is ended."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
