"""The house on Kafka: each worker a process of its own, started, watched and ended from here.

Broker and database are those of the settings or, where none is named, this house's own. Play goes
on without the database; without the broker nothing does.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Final

import structlog

from sahrat.log.kafka import KafkaLog
from sahrat.log.port import LogAway
from sahrat.runtime import settings as names
from sahrat.runtime.health import Health, HealthPage
from sahrat.runtime.settings import BadSetting, KeySource
from services.house.announce import announce
from services.house.child import Child, end_leftovers, free_port
from services.house.folder import Address
from services.house.kept import FIRST_PAUSE_S, Kept, first, sleep
from services.house.lines import Lines
from services.house.local.errors import LocalError
from services.house.local.kafka import LocalKafka
from services.house.local.postgres import LocalPostgres
from services.house.plan import Plan, url_of
from services.house.workers import GATEWAY, KINDS, Kind

DATABASE_WAIT_S: Final = 20.0  # a local database mostly is ready before the broker is
BROKER_S: Final = 10.0  # a broker that is named should answer at once ..
OWN_BROKER_S: Final = 60.0  # .. and one that was just started will
POLL_S: Final = 0.1

_log = structlog.get_logger("house")


class Supervisor:
    """Runs the house on Kafka.

    Args:
        plan: How; its settings name all keys.
        port: The first gateway's.
    """

    def __init__(self, plan: Plan, port: int) -> None:
        self._plan = plan
        self._settings = plan.settings
        self._port = port
        self._health = Health("house")
        self._lines = Lines(plan.form)
        self._urls: list[str] = []
        self._own_broker: Kept | None = None

    async def run(self, stop: asyncio.Event) -> None:
        """Run until `stop`; then end the workers, and after them database and broker.

        Raises:
            BadSetting: This machine can't run a broker, and the settings name none.
            LogFault: The broker's topics are not as they should be, or its data are gone.
        """
        folder = self._plan.folder
        folder.run.mkdir(mode=0o700, exist_ok=True)
        left = await asyncio.to_thread(end_leftovers, folder.run, folder.path)
        if left:
            _log.warning("ended what an earlier house had left behind", workers=left)
        page = HealthPage(self._health)
        health_url = await page.start(self._settings.health_port)
        servers_stop = asyncio.Event()
        async with asyncio.TaskGroup() as servers:
            try:
                database = self._database(servers, servers_stop)  # comes up beside the broker
                broker = await self._broker(servers, servers_stop)
                dsn = await _dsn(database, stop)
                own = self._settings.kafka is None
                patience_s = OWN_BROKER_S if own else BROKER_S
                await _check(broker, patience_s, stop, flush=self._settings.kafka_flush)
                await self._work(broker, dsn, health_url, stop)
            finally:
                folder.unpublish()
                servers_stop.set()
        await page.close()
        _log.info("stopped")

    async def _broker(self, servers: asyncio.TaskGroup, stop: asyncio.Event) -> str:
        if self._settings.kafka is not None:
            return self._settings.kafka
        self._plan.folder.check_log("kafka")
        kept = self._own_broker = Kept("broker", LocalKafka(self._plan.folder.kafka))
        self._health.watch(kept.name, kept.health)
        try:
            address = await kept.start()
        except LocalError as fault:
            hint = f"or set {names.KAFKA} to the address of one"
            raise BadSetting(f"no broker: {fault}; {hint}") from None
        self._plan.folder.note_log("kafka")
        servers.create_task(kept.keep(stop))
        return address

    def _database(self, servers: asyncio.TaskGroup, stop: asyncio.Event) -> str | Kept:
        if self._settings.dsn is not None:
            return self._settings.dsn
        kept = Kept("database", LocalPostgres(self._plan.folder.postgres("kafka")))
        self._health.watch(kept.name, kept.health, optional=True)
        servers.create_task(kept.keep(stop))
        return kept

    async def _work(
        self, broker: str, database: str | None, health_url: str, stop: asyncio.Event
    ) -> None:
        """Run the workers until `stop`, and return when all have ended."""
        children: list[Child] = []
        async with asyncio.TaskGroup() as keeping:
            for kind in KINDS:
                if names.POSTGRES in kind.told and database is None and kind.name != GATEWAY:
                    self._health.watch(kind.name, lambda: "no database", optional=True)
                    continue
                for number in range(1, self._plan.workers.get(kind.name, 1) + 1):
                    child = self._child(kind, number, broker, database)
                    self._health.watch(child.name, child.health, optional=not kind.play)
                    keeping.create_task(child.keep(stop, self._lines.say))
                    if kind.play:
                        children.append(child)
            if await _all_green(children, stop):
                announce(
                    self._plan,
                    Address(
                        url=self._urls[0],
                        urls=tuple(self._urls),
                        pid=os.getpid(),
                        log="kafka",
                        health=health_url,
                        kafka=broker,
                    ),
                )

    def _child(self, kind: Kind, number: int, broker: str, database: str | None) -> Child:
        name = f"{kind.name}-{number}"
        told = {names.NAME: name, names.KAFKA: broker, **self._logs()}
        if names.POSTGRES in kind.told and database is not None:
            told[names.POSTGRES] = database
        for source in (self._settings.master_keys, self._settings.gateway_keys):
            if source.name in kind.told:
                told |= _keys(source)
        if names.BOT_PAUSE_MS in kind.told:
            told[names.BOT_PAUSE_MS] = str(self._settings.bot_pause_ms)
        if kind.name == GATEWAY:
            port = self._port if number == 1 else free_port()
            self._urls.append(url_of(self._settings.host, port))
            told |= {
                names.HOST: self._settings.host,
                names.PORT: str(port),
                names.RATE: str(self._settings.rate),
                names.ORIGINS: " ".join(self._settings.origins),
                names.WELCOME: "1" if self._settings.welcome else "0",
            }
        return Child(
            name,
            f"services.{kind.name}",
            house=self._plan.folder.path,
            notes=self._plan.folder.run,
            environment={**_bare_environment(), **told},
            restart_red=kind.restart_red,
            missing=self._missing,
        )

    def _missing(self) -> str | None:
        """Return what no worker can start without, as far as this house would know."""
        wrong = None if self._own_broker is None else self._own_broker.health()
        return None if wrong is None else f"no broker: {wrong}"

    def _logs(self) -> dict[str, str]:
        return {
            names.LOG_FORM: self._plan.form,
            names.LOG_LEVEL: self._settings.log_level,
            names.SUPERVISED: "1",
        }


def _bare_environment() -> dict[str, str]:
    """Return ours without Sahrat's: a worker is told its own settings, and no other's keys."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SAHRAT_")}


def _keys(source: KeySource) -> dict[str, str]:
    if source.text is not None:
        return {f"{source.name}{names.JSON}": source.text.get_secret_value()}
    return {source.name: str(source.path)}


async def _dsn(database: str | Kept, stop: asyncio.Event) -> str | None:
    """Return the database's DSN; None where it does not come up, and nothing is read then."""
    if isinstance(database, str):
        return database
    await first(database.up, stop, DATABASE_WAIT_S)
    if database.address is None:
        _log.error("play goes on without the read models", reason=database.health())
    return database.address


async def _check(broker: str, patience_s: float, stop: asyncio.Event, *, flush: bool) -> None:
    """Make the topics that are missing, and check them all, before anybody works with them.

    Raises:
        LogFault: A topic is not as it should be; or the broker does not answer for too long. One
            that has just been started on a busy machine answers late.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience_s
    while not stop.is_set():
        log = KafkaLog(broker, flush=flush)
        try:
            await log.start()
            await log.close()
        except LogAway as fault:
            if loop.time() > deadline:
                raise
            _log.warning("the broker does not answer yet", reason=str(fault))
            await sleep(FIRST_PAUSE_S, stop)
        else:
            return


async def _all_green(children: Sequence[Child], stop: asyncio.Event) -> bool:
    """Wait until all are well, once; return False if `stop` comes before."""
    while not stop.is_set():
        if all(child.health() is None for child in children):
            return True
        await asyncio.sleep(POLL_S)
    return False
