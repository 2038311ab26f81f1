"""The read models of the embedded house: in the background, and never in the way of play."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from sahrat.log.port import LogReader
from sahrat.runtime.worker import Worker
from services.house.kept import STEADY_S, Kept, Pause, sleep

POLL_S: Final = 0.1

_log = structlog.get_logger("house")


class Reads(Worker):
    """A projection that is started once its database is there, and anew whenever it fails.

    On Kafka its process would end and be started again; here that must not end the others'.

    Args:
        log: What the projection reads; when that is broken the house ends.
        database: Where the rows go: a DSN, or a server that comes up by itself or never does.
        make: Makes the projection for a DSN.
    """

    name = "projection"

    def __init__(self, log: LogReader, database: str | Kept, make: Callable[[str], Worker]) -> None:
        self._log = log
        self._database = database
        self._make = make
        self._worker: Worker | None = None
        self._wrong: str | None = "waiting for the database"

    def health(self) -> str | None:
        """Return what keeps the read models from following the events."""
        return self._wrong if self._worker is None else self._worker.health()

    async def run(self, stop: asyncio.Event) -> None:
        """Project until `stop`."""
        loop = asyncio.get_running_loop()
        pause = Pause()
        dsn = await self._dsn(stop)
        while dsn is not None and not stop.is_set():
            began = loop.time()
            try:
                self._worker = self._make(dsn)
                await self._worker.run(stop)
            except Exception as fault:
                if self._log.healthy() is not None:
                    raise
                self._wrong = f"{type(fault).__name__}: {fault}"[:300]
                _log.exception("alarm", problem="the projection failed; play goes on")
            finally:
                self._worker = None
            if loop.time() - began >= STEADY_S:
                pause.reset()
            await sleep(pause.take(), stop)

    async def _dsn(self, stop: asyncio.Event) -> str | None:
        """Return the DSN once the database has been up; None if `stop` comes before."""
        if isinstance(self._database, str):
            return self._database
        while not stop.is_set():
            if self._database.address is not None:
                return self._database.address
            await sleep(POLL_S, stop)
        return None
