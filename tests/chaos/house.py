"""The house that is struck: on a broker and a database of its own, and each line to the broker led
through the proxy.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson

from sahrat.runtime import settings as names
from services.house.local.kafka import LocalKafka
from services.house.local.ports import HOST, Detour, free_port
from services.house.local.postgres import LocalPostgres
from tests.bench.places import new_keys
from tests.chaos.commands import started
from tests.chaos.disk import NoDisk, SmallDisk
from tests.chaos.proxy import Proxy
from tests.chaos.schedule import BROKER, DATABASE, WORKERS
from tests.integration.running import Running

DISK_MB: Final = 1024  # more than the longest run writes; what is not used takes no memory
OPTIONS: Final = ("--log", "kafka", "--port", "0", "--bot-pause-ms", "0")


@dataclass(frozen=True, slots=True)
class Struck:
    """A house, and what it stands on.

    Attributes:
        disk: What the broker's data are on; None where one may not mount a disk of its own.
        keys: The environment that gives a worker the house's keys.
    """

    house: Running
    broker: LocalKafka
    database: LocalPostgres
    proxy: Proxy
    disk: SmallDisk | None
    keys: Mapping[str, str]

    @property
    def urls(self) -> Sequence[str]:
        """Where its gateways are."""
        return [*self.house.address["urls"]]

    @property
    def kafka(self) -> str:
        """The broker's address for its workers: the proxy's."""
        return f"{HOST}:{self.proxy.port}"

    def pid(self, part: str) -> int | None:
        """Return the process id of a part; None while it does not run."""
        if part == BROKER:
            return self.broker.pid
        if part == DATABASE:
            return self.database.pid
        try:
            return int(orjson.loads((self.house.data / "run" / f"{part}.json").read_bytes())["pid"])
        except (OSError, ValueError):
            return None


@asynccontextmanager
async def standing(folder: Path, environment: Mapping[str, str]) -> AsyncIterator[Struck]:
    """Start broker, database, proxy and house in a folder; whatever happens none is left behind.

    Args:
        folder: Everything is kept there.
        environment: Of every worker, besides what the house tells it.

    Raises:
        LocalError: Broker or database don't come up here.
    """
    keys, disk = new_keys(), _disk(folder / "kafka")
    behind = free_port()
    proxy = Proxy(behind)
    broker = LocalKafka(folder / "kafka", detour=Detour(behind, await proxy.start()))
    database = LocalPostgres(folder / "postgres")
    counts = [option for role, n in WORKERS.items() for option in ("--workers", f"{role}={n}")]
    try:
        starting = [asyncio.to_thread(server.start) for server in (broker, database)]
        for fault in await asyncio.gather(*starting, return_exceptions=True):
            if isinstance(fault, BaseException):
                raise fault
        told = {
            names.KAFKA: f"{HOST}:{proxy.port}",
            names.POSTGRES: database.dsn,
            names.WELCOME: "1",
        }
        async with started(
            folder / "house", *OPTIONS, *counts, **keys, **told, **environment
        ) as house:
            yield Struck(house, broker, database, proxy, disk, keys)
    finally:
        await proxy.close()
        with contextlib.ExitStack() as ending:
            if disk is not None:
                ending.callback(disk.unmount)
            ending.callback(database.stop)
            ending.callback(broker.stop)


def _disk(folder: Path) -> SmallDisk | None:
    disk = SmallDisk(folder, DISK_MB)
    try:
        disk.mount()
    except NoDisk:
        return None
    return disk
