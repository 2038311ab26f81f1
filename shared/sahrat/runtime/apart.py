"""Computing in another process, so that the loop of this one serves on meanwhile.

The other process is a child that does one thing after the other, as it is asked over a socket. It
knows nothing but that: no settings, no secrets. It ends when its line to this process ends, so also
when this one is killed.

    python -m sahrat.runtime.apart FD

is the child; nobody starts it by hand.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from typing import Any, Final, Protocol, TypeVar

import structlog

T = TypeVar("T")

TRIES: Final = 3  # what ends so many processes one after the other is computed by none
LIMIT_S: Final = 30.0  # its start on a busy machine included; who needs longer is stuck
CLOSE_S: Final = 2.0
WORTH_S: Final = 5.0  # who has computed for so long will compute more: getting faster pays
_KEPT_FROM_IT: Final = "SAHRAT_"  # settings, keys among them

_log = structlog.get_logger("apart")


class NotComputed(Exception):
    """It could not be computed there: it raised, or the process died of it."""


class Elsewhere(Protocol):
    """Where something is computed that takes long."""

    def start(self) -> None:
        """Get ready in the background, for there will be something to compute."""

    async def run(self, work: Callable[[], T]) -> T:
        """Return what `work` returns: a pure function that can be pickled, as its result can.

        Raises:
            NotComputed: See there.
        """

    async def close(self) -> None:
        """End what was started for it."""


class Here:
    """Computes on the spot, for whoever is alone."""

    def start(self) -> None:
        """See `Elsewhere`."""

    async def run(self, work: Callable[[], T]) -> T:
        """See `Elsewhere`."""
        try:
            return work()
        except MemoryError:
            raise
        except Exception as fault:
            raise NotComputed(_said(fault)) from fault

    async def close(self) -> None:
        """See `Elsewhere`."""


class Apart:
    """Computes in a child, which is started with the first need of it, and again when it dies.

    Args:
        get_ready: What the child does once, beside its work, so that it is faster later. It does it
            when it has worked for so long that it is worth it.
    """

    def __init__(self, get_ready: Callable[[], None]) -> None:
        self._get_ready = get_ready
        self._one = asyncio.Lock()
        self._child: _Child | None = None
        self._starting: asyncio.Task[None] | None = None

    def start(self) -> None:
        """See `Elsewhere`."""
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())

    async def run(self, work: Callable[[], T]) -> T:
        """See `Elsewhere`."""
        async with self._one:
            for _ in range(TRIES):
                child = await self._alive()
                try:
                    return await child.ask(work)
                except EOFError:
                    _log.warning("the process that computes has died", pid=child.pid)
        raise NotComputed(f"{TRIES} processes died of it")

    async def close(self) -> None:
        """See `Elsewhere`."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait((self._starting,))
        if self._child is not None:
            await self._child.close()

    async def _start(self) -> None:
        async with self._one:
            await self._alive()

    async def _alive(self) -> _Child:
        if self._child is not None and self._child.gone:
            await self._child.close()
            self._child = None
        if self._child is None:
            self._child = await _Child.begin(self._get_ready)
        return self._child


class _Child:
    """One process, and the line to it. It answers in order, and says which question it answers: a
    question whose asker has gone away may be answered still.
    """

    def __init__(self, process: asyncio.subprocess.Process, line: Connection[Any, Any]) -> None:
        self.pid = process.pid
        self.gone = False
        self._process = process
        self._line = line
        self._asked = 0
        self._answer: asyncio.Future[Any] | None = None
        asyncio.get_running_loop().add_reader(line.fileno(), self._hear)

    @classmethod
    async def begin(cls, get_ready: Callable[[], None]) -> _Child:
        ours, theirs = Pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                __name__,
                str(theirs.fileno()),
                stdin=asyncio.subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env={k: v for k, v in os.environ.items() if not k.startswith(_KEPT_FROM_IT)},
            )
        finally:
            theirs.close()
        child = cls(process, ours)
        child.send(get_ready)
        return child

    def send(self, what: object) -> None:
        """Send something, unless nobody is there any more, which is heard soon."""
        with suppress(ConnectionError):
            self._line.send(what)

    async def ask(self, work: Callable[[], T]) -> T:
        """Return what it gives. Raises NotComputed, and EOFError where the process is gone."""
        self._asked += 1
        self._answer = asyncio.get_running_loop().create_future()
        if self.gone:
            raise EOFError
        self.send((self._asked, work))
        try:
            async with asyncio.timeout(LIMIT_S):
                done, result = await self._answer
        except TimeoutError:
            self._kill()
            self._hang_up()
            raise EOFError from None
        if not done:
            raise NotComputed(result)
        found: T = result
        return found

    async def close(self) -> None:
        """Let it end, and see to it that it does."""
        self._hang_up()
        try:
            async with asyncio.timeout(CLOSE_S):
                await self._process.wait()
        except TimeoutError:
            self._kill()
            await self._process.wait()

    def _hear(self) -> None:
        try:
            number, done, result = self._line.recv()
        except (EOFError, OSError):
            self._hang_up()
            if self._answer is not None and not self._answer.done():
                self._answer.set_exception(EOFError())
            return
        if number == self._asked and self._answer is not None and not self._answer.done():
            self._answer.set_result((done, result))

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()

    def _hang_up(self) -> None:
        if not self.gone:
            self.gone = True
            asyncio.get_running_loop().remove_reader(self._line.fileno())
            self._line.close()


def _said(fault: Exception) -> str:
    return f"{type(fault).__name__}: {fault}"


def _serve(line: Connection[Any, Any]) -> None:
    """Be the child: answer until the line ends."""
    get_ready: Callable[[], None] | None = line.recv()
    computed_s = 0.0
    while True:
        number, work = line.recv()
        began_s = time.perf_counter()
        try:
            answer = (number, True, work())
        except Exception as fault:  # whoever asked is told
            answer = (number, False, _said(fault))
        computed_s += time.perf_counter() - began_s
        line.send(answer)
        if get_ready is not None and computed_s >= WORTH_S:
            threading.Thread(target=get_ready, name="get-ready", daemon=True).start()
            get_ready = None


def main(descriptor: int) -> None:
    """Serve whoever has the other end, and end with it, in the middle of whatever is done."""
    for number in (signal.SIGINT, signal.SIGTERM):  # sent to a group; the line says what counts
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_line, args=(descriptor,), name="line", daemon=True).start()
    with suppress(EOFError, ConnectionError):
        _serve(Connection(descriptor))
    os._exit(0)


def _end_with_line(descriptor: int) -> None:
    """End this process when nobody has the other end any more."""
    poll = select.poll()
    poll.register(descriptor, 0)  # so that nothing but its end is told
    poll.poll()
    os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
