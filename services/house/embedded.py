"""The house in one process: every worker but statistics, on a log in a file.

All parts share this process's memory with the master keys, which no worker on Kafka but rules can
see: who can read this process's memory can foretell its dice. It is made for one machine.

The read models come up in the background: play needs no database, and where none can be started the
health page says so, and play goes on.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from typing import Final

import structlog

from sahrat import games
from sahrat.log.sqlite import SqliteLog
from sahrat.runtime import process
from sahrat.runtime.apart import Apart
from sahrat.runtime.ending import EndingLog
from sahrat.runtime.health import Health
from sahrat.runtime.ids import new_id
from sahrat.runtime.keys import match_keys
from sahrat.runtime.worker import Worker
from services.bots.host import Bots
from services.gateway.keys import accounts
from services.gateway.process import GatewayProcess
from services.house.announce import announce
from services.house.folder import Address
from services.house.kept import Kept, first
from services.house.local.postgres import LocalPostgres
from services.house.plan import Plan, url_of
from services.house.reads import Reads
from services.projection.both import Projections
from services.rules.host import Rules
from services.timer.host import Timer
from services.wallet.host import Wallet

NOTES: Final = {"statistics": "not in the embedded house"}

_log = structlog.get_logger("house")


class Embedded:
    """Runs the house in this process.

    Args:
        plan: How; its settings name all keys.
        port: The gateway's.

    Raises:
        BadSetting: A key file can't be used.
    """

    def __init__(self, plan: Plan, port: int) -> None:
        self._plan = plan
        self._port = port
        self._keys = match_keys(plan.settings.master_keys)
        accounts(plan.settings)  # so that bad keys are told before anything is started
        self._health = Health("house", NOTES)

    async def run(self, stop: asyncio.Event) -> None:
        """Run until `stop`. A worker that fails ends the process, as it would end its own.

        Raises:
            LogFault: The log can't be used, or is gone.
        """
        folder = self._plan.folder
        folder.check_log("embedded")
        log = EndingLog(SqliteLog(folder.log), process.fail)
        await log.start()
        folder.note_log("embedded")
        self._health.watch("log", log.healthy)
        database = self._database()
        settings = replace(self._plan.settings, port=self._port)
        gateway = GatewayProcess(settings, log, self._health, lambda: _dsn(database))
        workers = (
            Rules(log, self._keys, Apart(games.get_ready)),
            Timer(log, new_id),
            Bots(log, settings.bot_pause_ms, new_id, Apart(games.get_ready)),
            Wallet(log, new_id),
            gateway,
        )
        async with asyncio.TaskGroup() as parts:
            for worker in workers:
                self._health.watch(worker.name, worker.health)
                parts.create_task(_work(worker, stop))
            if isinstance(database, Kept):
                self._health.watch(database.name, database.health, optional=True)
                parts.create_task(database.keep(stop))
            reads = Reads(log, database, lambda dsn: Projections(log, dsn))
            self._health.watch(reads.name, reads.health, optional=True)
            parts.create_task(_work(reads, stop))
            if await first(gateway.opened, stop) is gateway.opened:
                announce(self._plan, self._address())
        folder.unpublish()
        await log.close()
        _log.info("stopped")

    def _database(self) -> str | Kept:
        if self._plan.settings.dsn is not None:
            return self._plan.settings.dsn
        return Kept("database", LocalPostgres(self._plan.folder.postgres("embedded")))

    def _address(self) -> Address:
        url = url_of(self._plan.settings.host, self._port)
        return Address(
            url=url, urls=(url,), pid=os.getpid(), log="embedded", health=f"{url}/health"
        )


def _dsn(database: str | Kept) -> str | None:
    return database if isinstance(database, str) else database.address


async def _work(worker: Worker, stop: asyncio.Event) -> None:
    """Run a worker, whose failure is the end of the process: the others must not go on with a log
    that failed, and hand over nothing.
    """
    try:
        await worker.run(stop)
        if not stop.is_set():
            raise RuntimeError(f"{worker.name} returned by itself")
    except Exception as failure:
        process.fail(failure)
