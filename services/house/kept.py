"""A server of this house's own, a broker or a database, that is started again when it ends."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from services.house.local.errors import LocalError
from services.house.local.server import Server

FIRST_PAUSE_S: Final = 1.0
LAST_PAUSE_S: Final = 60.0
STEADY_S: Final = 20.0
"""Who has run for so long begins at the shortest pause again: longer than one takes to find out
that it can't work, and so short that a worker which is killed now and then is not missed for a
minute each time.
"""
WATCH_S: Final = 0.5

_log = structlog.get_logger("house")


class Pause:
    """The wait before something is started again: 1 s, doubling to 60 s."""

    def __init__(self) -> None:
        self.next_s = FIRST_PAUSE_S

    def take(self) -> float:
        """Return how long to wait now; the next time is longer."""
        pause, self.next_s = self.next_s, min(2 * self.next_s, LAST_PAUSE_S)
        return pause

    def reset(self) -> None:
        """Begin at the shortest again."""
        self.next_s = FIRST_PAUSE_S


class Kept:
    """Keeps a server running.

    Attributes:
        address: Where it answers, once it has been up.
    """

    def __init__(self, name: str, server: Server) -> None:
        self.name = name
        self.address: str | None = None
        self.up = asyncio.Event()
        self._server = server
        self._wrong: str | None = "starting"

    def health(self) -> str | None:
        """Return None while it runs, else what is wrong."""
        return self._wrong

    async def start(self) -> str:
        """Start it and return its address.

        Raises:
            LocalError: It does not come up on this machine.
        """
        try:
            self.address = await asyncio.to_thread(self._server.start)
        except OSError as fault:
            raise LocalError(f"{self.name}: {fault}") from fault
        self._wrong = None
        self.up.set()
        return self.address

    async def keep(self, stop: asyncio.Event) -> None:
        """Start it, and start it again whenever it has ended, until `stop`; then end it."""
        loop = asyncio.get_running_loop()
        pause, since = Pause(), loop.time()
        while not stop.is_set():
            if self._runs():
                await sleep(WATCH_S, stop)
                continue
            if self.up.is_set():
                self._say("it ended, and is started again")
                if loop.time() - since >= STEADY_S:
                    pause.reset()
                await sleep(pause.take(), stop)
            try:
                await self.start()
                since = loop.time()
            except LocalError as fault:
                self._say(str(fault))
                await sleep(pause.take(), stop)
        await self.close()

    def _runs(self) -> bool:
        """Tell whether it runs, as far as that can be found out now."""
        try:
            return self._server.pid is not None
        except OSError:  # no file descriptor left, say: nobody's end, so look again
            return True

    async def close(self) -> None:
        """End it, if it runs."""
        try:
            await asyncio.to_thread(self._server.stop)
        except (LocalError, OSError) as fault:
            _log.error("not ended", part=self.name, reason=str(fault))
        self._wrong = "stopped"

    def _say(self, wrong: str) -> None:
        """Log what is wrong, once, however often it is tried again."""
        if wrong != self._wrong:
            _log.error("does not run", part=self.name, reason=wrong)
        self._wrong = wrong


async def sleep(seconds: float, stop: asyncio.Event) -> None:
    """Sleep, but no longer than until `stop`."""
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return


async def first(
    one: asyncio.Event, other: asyncio.Event, limit_s: float | None = None
) -> asyncio.Event | None:
    """Return which of two events is set first (the first one, if both are); None for neither."""
    waiting = [asyncio.create_task(event.wait()) for event in (one, other)]
    await asyncio.wait(waiting, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    return next((event for event in (one, other) if event.is_set()), None)
