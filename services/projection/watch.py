"""Ends statements of analysts that run for too long, whatever their session has set."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final

import psycopg
import structlog

from sahrat.storage.analysts import GRACE_MS, STATEMENT_MS, end_overlong
from sahrat.storage.pool import AWAY, make_pool

EVERY_S: Final = 10.0

_log = structlog.get_logger("projection")


class Watch:
    """Looks at one database now and then. Several that do so are in nobody's way.

    Args:
        dsn: The database.
        limit_ms: How long a statement may run: the role's own limit and a little more, so that
            whoever has not raised that is stopped by it, and keeps his session.
        every_s: How often it looks.
    """

    def __init__(
        self, dsn: str, limit_ms: int = STATEMENT_MS + GRACE_MS, every_s: float = EVERY_S
    ) -> None:
        self._pool = make_pool(dsn, name="sahrat-watch", most=1)
        self._limit_ms = limit_ms
        self._every_s = every_s

    async def run(self, stop: asyncio.Event) -> None:
        """Look until `stop`; while the database is away there is nobody to be ended."""
        await self._pool.open()
        try:
            while not stop.is_set():
                with contextlib.suppress(*AWAY, psycopg.Error):  # not a right to end them, for one
                    async with self._pool.connection() as connection:
                        ended = await end_overlong(connection, self._limit_ms)
                        if ended:
                            _log.warning("ended analysts' sessions over their time", ended=ended)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._every_s):
                        await stop.wait()
        finally:
            await self._pool.close()
