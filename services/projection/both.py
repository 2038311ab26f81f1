"""The projection as a process runs it: of the matches and of the journal, side by side."""

from __future__ import annotations

import asyncio

from typing_extensions import override

from sahrat.log.port import Log
from sahrat.runtime.worker import Worker
from services.projection.host import JournalProjection, Projection
from services.projection.journal_store import PostgresJournal
from services.projection.store import PostgresModels
from services.projection.watch import Watch


class Projections(Worker):
    """Keeps all read models of one database.

    Args:
        log: What they are made from.
        dsn: The database.

    Raises:
        BadDsn: The text names no database.
    """

    name = Projection.name

    def __init__(self, log: Log, dsn: str) -> None:
        self._parts = (
            Projection(log, PostgresModels(dsn)),
            JournalProjection(log, PostgresJournal(dsn)),
        )
        self._watch = Watch(dsn)

    @override
    async def run(self, stop: asyncio.Event) -> None:
        async with asyncio.TaskGroup() as parts:
            for part in self._parts:
                parts.create_task(part.run(stop))
            parts.create_task(self._watch.run(stop))

    @override
    def health(self) -> str | None:
        said = [part.health() for part in self._parts]
        return "; ".join(wrong for wrong in said if wrong) or None
