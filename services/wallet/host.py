"""The wallet worker: router, ledger and answerer, each with bookmarks of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sahrat.ledger import snapshot
from sahrat.log.port import Log
from services.wallet.answerer import Answerer
from services.wallet.busy import Busy
from services.wallet.ledger import Ledger
from services.wallet.router import Router


class Wallet:
    """Moves the coins. It keeps no store: all balances are the journal folded.

    Several may run. The partitions of the matches are shared out among them; one has the ledger and
    one the answers, and another takes over when that one dies.

    Args:
        log: The log.
        new_id: Gives this worker its id.
        every: Entries from one snapshot of the ledger to the next.
    """

    name = "wallet"

    def __init__(self, log: Log, new_id: Callable[[], str], every: int = snapshot.EVERY) -> None:
        self._log = log
        self._busy = Busy()
        self._parts = (
            Router(log, self._busy),
            Ledger(log, self._busy, every),
            Answerer(log, new_id(), self._busy),
        )

    def health(self) -> str | None:
        """Return None, or what has waited too long for the log."""
        return self._busy.health() or self._log.healthy()

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop`; what ends one of the parts ends all.

        Raises:
            LogFault: The log is away or damaged.
            FromTheFuture: A record, command or entry is newer than this code.
            LawBroken: The ledger would not add up.
        """
        ending = asyncio.Event()
        told = asyncio.create_task(stop.wait())
        tasks = [told, *(asyncio.create_task(part.run(ending)) for part in self._parts)]
        for task in tasks:
            task.add_done_callback(lambda _: ending.set())
        try:
            await asyncio.wait(tasks[1:])
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in tasks[1:]:
            task.result()
