"""Where figures are measured: a folder, a broker, a database, and a house on them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

import orjson

from sahrat.runtime import settings as names
from sahrat.runtime.keys import new_master_keys
from sahrat.runtime.settings import RATE_LIMIT
from services.gateway.accounts import new_keys_text
from services.house.folder import Address, Folder
from services.house.local.errors import LocalError
from services.house.local.kafka import LocalKafka
from services.house.local.postgres import LocalPostgres
from services.house.local.process import tail
from tests.bench.processes import Failed, end
from tests.bench.usage import tree

LogKind = Literal["embedded", "kafka"]
START_S: Final = 120.0
STOP_S: Final = 60.0
POLL_S: Final = 0.02
BROKER: Final = "broker"
DATABASE: Final = "postgres"
SERVERS: Final = (BROKER, DATABASE)
"""Of these memory and idle work are settings, and no table's."""
HOUSE: Final = "house"  # the embedded house, or the supervisor of the workers
CLIENT: Final = "aiokafka"
AWAY: Final = "host=127.0.0.1 port=1 dbname=none connect_timeout=1"  # where no database is


@dataclass
class Site:
    """What a figure may use; servers are those that its log needs.

    Attributes:
        folder: A folder of the figure's own.
        kafka: The broker, for a figure on Kafka.
        postgres: The database.
        keys: The environment that gives workers their keys.
    """

    log: LogKind
    folder: Path
    kafka: LocalKafka | None = None
    postgres: LocalPostgres | None = None
    keys: Mapping[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """The broker's address; empty for the embedded log."""
        return "" if self.kafka is None else self.kafka.address

    def servers(self) -> dict[str, list[int]]:
        """Return the processes of broker and database by role, as they are now."""
        found = {}
        if self.kafka is not None and self.kafka.pid is not None:
            found[BROKER] = tree(self.kafka.pid)
        if self.postgres is not None and self.postgres.pid is not None:
            found[DATABASE] = tree(self.postgres.pid)
        return found

    def environment(self) -> dict[str, str]:
        """Return the settings of a worker or a house here."""
        bare = {name: value for name, value in os.environ.items() if not name.startswith("SAHRAT_")}
        told = {names.POSTGRES: AWAY if self.postgres is None else self.postgres.dsn}
        if self.kafka is not None:
            told[names.KAFKA] = self.kafka.address
        return {**bare, **self.keys, **told}


@contextlib.contextmanager
def site(log: LogKind, within: Path | None, *, database: bool = False) -> Iterator[Site]:
    """Make a folder, and start in it what a figure needs; end and remove it all.

    Args:
        log: Which log the figure is of.
        within: The folder for temporary folders; None: the system's.
        database: Whether it needs one.

    Raises:
        Failed: A server does not come up here.
    """
    with (
        tempfile.TemporaryDirectory(
            prefix="sahrat-bench-", dir=within, ignore_cleanup_errors=True
        ) as name,
        contextlib.ExitStack() as servers,
    ):
        folder = Path(name)
        folder.chmod(0o711)  # the plain user of root's database passes through
        here = Site(log, folder, keys=new_keys())
        try:
            if log == "kafka":
                here.kafka = servers.enter_context(LocalKafka(folder / "kafka"))
            if database:
                here.postgres = servers.enter_context(LocalPostgres(folder / "postgres"))
        except LocalError as fault:
            raise Failed(str(fault)) from None
        yield here


def new_keys() -> dict[str, str]:
    """Return the environment that gives workers keys of a new house's own."""
    return {
        f"{names.MASTER_KEYS}{names.JSON}": new_master_keys().get_secret_value(),
        f"{names.GATEWAY_KEYS}{names.JSON}": new_keys_text(),
    }


class House:
    """A house at a site, as `sahrat run` starts it.

    Args:
        here: Where.
        options: More options of `sahrat run`.
    """

    def __init__(self, here: Site, options: Sequence[str] = ()) -> None:
        self.folder = self.folder_of(here)
        self.log = here.folder / "house.log"
        self._here = here
        command = [sys.executable, "-m", "services.house", "run", "--log", here.log]
        command += ["--data", str(self.folder.path), "--port", "0", "--bot-pause-ms", "0"]
        command += ["--rate", str(RATE_LIMIT), *options]
        environment = {names.LOG_LEVEL: "error", **here.environment()}
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment
            )

    @staticmethod
    def folder_of(here: Site) -> Folder:
        """Return the folder of a house at a site."""
        return Folder(here.folder / "house")

    def ready(self) -> Address:
        """Wait until it says its address, and return that. Raises Failed."""
        until_s = time.monotonic() + START_S
        while time.monotonic() < until_s:
            code = self._process.poll()
            if code is not None:
                raise Failed(f"the house ended with code {code}: {tail(self.log)}")
            found = self.folder.address()
            if found is not None and found.pid == self._process.pid:
                return found
            time.sleep(POLL_S)
        raise Failed(f"the house did not come up: {tail(self.log)}")

    def roles(self) -> dict[str, list[int]]:
        """Return its processes, and those of its servers, by role."""
        found = {HOUSE: [self._process.pid]}
        for note in sorted(self.folder.run.glob("*.json")):
            role = note.stem.rpartition("-")[0]
            found.setdefault(role, []).append(int(orjson.loads(note.read_bytes())["pid"]))
        return {**found, **self._here.servers()}

    def complaints(self) -> list[str]:
        """Return the errors that it has logged, which a sound run has none of. The Kafka client's
        own are none: it tries again, and the worker says so if that was of no use.
        """
        said = self.log.read_bytes().splitlines()
        heard = [orjson.loads(line) for line in said if line.startswith(b"{")]
        return [
            f"{line['service']}: {line['event']}: {line.get('detail') or line.get('reason', '')}"
            for line in heard
            if not line.get("logger", "").startswith(CLIENT)
        ]

    def stop(self) -> None:
        """End it."""
        end(self._process, STOP_S)


@contextlib.contextmanager
def house(here: Site, options: Sequence[str] = ()) -> Iterator[House]:
    """Run a house at a site, ready for phones. Raises Failed."""
    running = House(here, options)
    try:
        running.ready()
        yield running
    finally:
        running.stop()
