"""A house's folder with a log that was made elsewhere."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sahrat.log.port import Bookmark
from sahrat.log.sqlite import SqliteStore
from sahrat.log.store import Mark
from sahrat.messages import topics
from services.house.folder import Folder
from tests.unit.audit.story import COMMANDS, PLACE, Copy


def keep(data: Path, copy: Copy) -> None:
    """Make a house's folder with this log."""
    folder = Folder(data).log
    folder.mkdir(parents=True)
    asyncio.run(_keep(folder, copy))


async def _keep(folder: Path, copy: Copy) -> None:
    store = SqliteStore(folder)
    await store.open(topics.ALL)
    marks = (
        [Mark("wallet-ledger", *COMMANDS, Bookmark(copy.judged, PLACE))] if copy.judged >= 0 else []
    )
    await store.write([one for stored in copy.records.values() for one in stored], marks)
    await store.close()
