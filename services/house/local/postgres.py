"""One PostgreSQL server from a wheel's programs, or the machine's, in a folder of its own."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Final

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier
from typing_extensions import override

from services.house.local import home, lock
from services.house.local.account import server_account
from services.house.local.binaries import find_binaries
from services.house.local.cluster import PORT, ROLE, Cluster
from services.house.local.errors import LocalError
from services.house.local.server import Server

if TYPE_CHECKING:
    from pathlib import Path

    from services.house.local.process import Guard

DATABASE: Final = "sahrat"
MAINTENANCE: Final = "postgres"  # every server has it
CONNECT_S: Final = 5
ANSWER_LIMIT_S: Final = 120.0  # a server found running may be recovering from a crash, or ending
PAUSE_S: Final = 0.05
GUARD_LOCK: Final = "guard.lock"


class LocalPostgres(Server):
    """A server on a Unix socket alone, with its data in `folder`.

    It ends with this process: gracefully on `stop`, on SIGTERM and on `kill -9` (see `Guard`). One
    that runs all the same is adopted by the next start. For root it runs as a plain user, and if
    that user cannot reach `folder`, the data lies in root's common folder (see `home`). Not for
    several threads at once. Every method blocks.

    Args:
        folder: The server's own; made if missing. Data of another major version is left alone.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._holds = contextlib.ExitStack()
        self._cluster: Cluster | None = None
        self._guard: Guard | None = None

    @property
    @override
    def pid(self) -> int | None:
        """The server's process id; none while it does not run."""
        return None if self._cluster is None else self._cluster.pid

    @property
    def dsn(self) -> str:
        """How psycopg, and all else that is made of libpq, connects to a started server.

        Raises:
            LocalError: It was not started.
        """
        return _dsn(self._started(), DATABASE)

    @property
    def log(self) -> Path:
        """The file with a started server's own words.

        Raises:
            LocalError: It was not started.
        """
        return self._started().log

    @override
    def start(self) -> str:
        """Start the server on its data, or adopt the one that runs on it, and return the DSN.

        Raises:
            Busy: Another process has the folder.
            LocalError: There is no PostgreSQL, or it did not come up.
            OSError: The folder cannot be written to.
        """
        try:
            if self._cluster is None:
                self._cluster = self._take()
            if not self._cluster.data.exists():
                self._cluster.create()
            self._dismiss_guard()
            with lock.hold(self.folder, GUARD_LOCK) as watch:
                self._guard = self._cluster.guard(watch.shared())
            _bring_up(self._cluster)
        except BaseException:
            self.stop()
            raise
        return self.dsn

    @override
    def stop(self) -> None:
        """End the server and let others have the folder; nothing happens if it does not run.

        Raises:
            LocalError: It is still there after it was killed.
        """
        try:
            if self._cluster is not None:
                self._cluster.stop()
        finally:
            self._cluster = None
            self._dismiss_guard()
            self._holds.close()

    def kill(self) -> None:
        """End the server as a crash would (SIGKILL). The folder stays ours; `start` goes on.

        Raises:
            LocalError: It is still there.
        """
        self._dismiss_guard()
        if self._cluster is not None:
            self._cluster.kill()

    def _take(self) -> Cluster:
        """Take the folder and return its cluster, wherever that lies."""
        self._holds.enter_context(lock.hold(self.folder))
        # The guard of an owner that died may be ending the server just now.
        with lock.wait_for(self.folder / GUARD_LOCK, f"the server of {self.folder} is ending"):
            pass
        account = server_account()
        binaries = find_binaries(account)
        base = self.folder
        if not account.reaches(base):
            base = home.home_of(base)
            self._holds.enter_context(lock.hold(base))
            home.sweep(binaries, account)
        return Cluster(base / f"data-{binaries.major}", binaries, account)

    def _started(self) -> Cluster:
        if self._cluster is None:
            raise LocalError(f"the server in {self.folder} was not started")
        return self._cluster

    def _dismiss_guard(self) -> None:
        if self._guard is not None:
            self._guard.dismiss()
            self._guard = None


def running_dsn(folder: Path) -> str | None:
    """Return how to connect to the server that runs on a folder, whoever started it; None if none
    does. Nothing is started, and the folder stays whose it is.

    Raises:
        LocalError: There is no PostgreSQL.
        OSError: The folder cannot be read.
    """
    if not folder.exists():
        return None
    folder = folder.resolve()
    account = server_account()
    binaries = find_binaries(account)
    base = folder if account.reaches(folder) else home.home_of(folder)
    cluster = Cluster(base / f"data-{binaries.major}", binaries, account)
    return None if cluster.pid is None else _dsn(cluster, DATABASE)


def _dsn(cluster: Cluster, database: str) -> str:
    return make_conninfo(host=str(cluster.socket_folder()), port=PORT, user=ROLE, dbname=database)


def _bring_up(cluster: Cluster) -> None:
    """Start the server unless it runs, and return once it takes statements."""
    deadline = time.monotonic() + ANSWER_LIMIT_S
    while True:
        if cluster.pid is None:
            cluster.start()
        try:
            _make_database(_dsn(cluster, MAINTENANCE))
        except psycopg.OperationalError as fault:  # found starting or ending: look again
            if time.monotonic() > deadline:
                raise LocalError(
                    f"PostgreSQL does not answer: {fault}; see {cluster.log}"
                ) from None
            time.sleep(PAUSE_S)
        else:
            return


def _make_database(maintenance: str) -> None:
    with psycopg.connect(maintenance, autocommit=True, connect_timeout=CONNECT_S) as connection:
        found = connection.execute("select 1 from pg_database where datname = %s", [DATABASE])
        if found.fetchone() is None:
            connection.execute(SQL("create database {}").format(Identifier(DATABASE)))
