"""One PostgreSQL data folder: made, started and stopped with `initdb` and `pg_ctl`."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
import shlex
import shutil
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from services.house.local.binaries import ENVIRONMENT
from services.house.local.errors import LocalError
from services.house.local.process import exists, put_aside, send, tail, wait_until, works_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from services.house.local.account import Account
    from services.house.local.binaries import Binaries
    from services.house.local.process import Guard

_logger = logging.getLogger(__name__)

ROLE: Final = "sahrat"
PORT: Final = 5432  # of the socket's name alone: nothing listens on a network
SOCKET: Final = f".s.PGSQL.{PORT}"
SOCKET_BYTES: Final = 103  # sun_path less its end: 107 on Linux, 103 on macOS and the BSDs
PLAIN_PATH: Final = re.compile(r"[A-Za-z0-9._/-]+")  # libpq takes a comma for a list of hosts
PID: Final = "postmaster.pid"
LOG: Final = "server.log"
START_LIMIT_S: Final = 120
STOP_LIMIT_S: Final = 30
ORPHANS_LIMIT_S: Final = 10.0
SOCKET_LINE: Final = 4  # of postmaster.pid
ORPHANS: Final = "shared memory block"
OUTPUT: Final = 600  # characters of a program's words that an error repeats

BUILTIN_LOCALES: Final = 17  # the first with its own C.UTF-8, the same on every system
IO_METHODS: Final = 18

SETTINGS: Final = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    # fsync stays on, so a power cut never damages a table. A commit, though, need not wait for the
    # disk: a projection writes its place in the topics in the transaction that writes the rows, so
    # the fifth of a second that may be lost is lost together with its place and is read again.
    "fsync": "on",
    "synchronous_commit": "off",
    # A small machine, a few dozen connections, and nobody who replicates from here.
    "max_connections": "60",
    "shared_buffers": "64MB",
    "max_wal_size": "256MB",
    "min_wal_size": "32MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_logical_replication_workers": "0",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "huge_pages": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "logging_collector": "off",
}


class Cluster:
    """A server's data folder, with the programs that run it and the account that owns it."""

    def __init__(self, data: Path, binaries: Binaries, account: Account) -> None:
        self.data = data
        self._binaries = binaries
        self._account = account
        self._environment = {**ENVIRONMENT, "PGDATA": str(data)}
        self._name = f"sahrat-{hashlib.sha256(os.fsencode(data)).hexdigest()[:12]}"

    @property
    def log(self) -> Path:
        """The file with the server's own words."""
        return self.data / LOG

    @property
    def pid(self) -> int | None:
        """The server's process id; none while none runs on this folder."""
        try:
            pid = int(self._noted()[0])
        except (IndexError, ValueError):
            return None
        return pid if works_in(pid, self.data, f"cluster_name={self._name}") else None

    def create(self) -> None:
        """Make the data folder, under another name until it is whole.

        Raises:
            LocalError: `initdb` failed.
            OSError: The folder cannot be written to.
        """
        fresh = self.data.with_name(f"{self.data.name}.new")
        if fresh.exists():
            shutil.rmtree(fresh)
        self._account.own(fresh)
        command = [self._binaries.program("initdb"), "--username", ROLE, "--no-instructions"]
        # Who gets to the socket is decided by its folder, which one user alone can enter.
        command += ["--auth-local=trust", "--auth-host=reject", "--encoding=UTF8"]
        if self._binaries.major >= BUILTIN_LOCALES:
            command += ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        else:
            command += ["--locale=C.UTF-8"]
        environment = {**self._environment, "PGDATA": str(fresh)}
        made = self._account.run(command, environment=environment, folder=fresh)
        if made.returncode != 0:
            raise LocalError(f"PostgreSQL could not make {self.data}: {made.stdout[-OUTPUT:]}")
        fresh.rename(self.data)

    def start(self) -> None:
        """Start the server and wait until it answers, after a crash until it has recovered.

        Raises:
            LocalError: It did not come up.
            OSError: The folder cannot be written to.
        """
        self._clear_stale()
        put_aside(self.log)
        socket_folder = self._choose_socket_folder()
        settings = {
            **SETTINGS,
            "unix_socket_directories": str(socket_folder),
            "cluster_name": self._name,
        }
        if self._binaries.major >= IO_METHODS:
            settings["io_method"] = "sync"  # else three processes that wait for nothing
        options = shlex.join(f"--{name}={value}" for name, value in settings.items())
        # The data folder and the log go without their paths: pg_ctl hands them to a shell.
        command = [self._binaries.program("pg_ctl"), "start", "-s", "-w", "-t", str(START_LIMIT_S)]
        command += ["-l", LOG, "-o", options]
        deadline = time.monotonic() + ORPHANS_LIMIT_S
        while True:
            done = self._account.run(command, environment=self._environment, folder=self.data)
            if done.returncode == 0:
                return
            said = tail(self.log)
            # The server before was killed, and its last children have not noticed yet.
            if ORPHANS not in said or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        raise LocalError(f"PostgreSQL did not come up; the last lines of {self.log}: {said}")

    def stop(self) -> None:
        """End the server if it runs: its clients' sessions are ended, its data is written.

        Raises:
            LocalError: It is still there after it was killed.
        """
        socket_folder = self._noted_socket_folder()
        for mode in ("fast", "immediate"):
            if self.pid is None:
                break
            command = [self._binaries.program("pg_ctl"), "stop", "-s", "-w", "-m", mode]
            command += ["-t", str(STOP_LIMIT_S)]
            self._account.run(command, environment=self._environment, folder=self.data)
        if self.pid is not None:
            _logger.warning("the server on %s did not end by itself: killed", self.data)
            self.kill()
        if socket_folder is not None and socket_folder != self.data:
            with contextlib.suppress(OSError):  # the next start makes do with one that is there
                socket_folder.rmdir()

    def guard(self, keeps: Sequence[int]) -> Guard:
        """Return a guard that ends the server once we are gone.

        Args:
            keeps: Descriptors of locks that are to be held until it has.
        """
        command = [self._binaries.program("pg_ctl"), "stop", "-s", "-w", "-m", "fast"]
        return self._account.guard(command, environment=self._environment, keeps=keeps)

    def kill(self) -> None:
        """End the server as a crash would (SIGKILL).

        Raises:
            LocalError: It is still there.
        """
        pid = self.pid
        if pid is None:
            return
        send(pid, signal.SIGKILL)
        if not wait_until(lambda: self.pid is None, STOP_LIMIT_S):
            raise LocalError(f"PostgreSQL's process {pid} on {self.data} cannot be ended")

    def socket_folder(self) -> Path:
        """Return where the server's socket is: a running one's own word counts first.

        Raises:
            LocalError: Somebody else made the folder that it would be in.
            OSError: That folder cannot be made.
        """
        return self._noted_socket_folder() or self._choose_socket_folder()

    def _noted_socket_folder(self) -> Path | None:
        noted = self._noted()
        if self.pid is None or len(noted) <= SOCKET_LINE or not noted[SOCKET_LINE]:
            return None
        return Path(noted[SOCKET_LINE])

    def _choose_socket_folder(self) -> Path:
        """Return the data folder, or a private one if a socket's path cannot name it."""
        fits = len(os.fsencode(self.data / SOCKET)) <= SOCKET_BYTES
        if fits and PLAIN_PATH.fullmatch(str(self.data)):
            return self.data
        folder = self._account.private(self._name.removeprefix("sahrat-"))
        if len(os.fsencode(folder / SOCKET)) > SOCKET_BYTES:
            raise LocalError(f"{folder} is too long for a socket: set TMPDIR to a shorter folder")
        return folder

    def _clear_stale(self) -> None:
        """Remove the notes of a server that is gone while its number still is some process's.

        That is another process by now, or the server itself, dead and not yet buried by the
        system's first process. PostgreSQL takes either for a server and does not start. In every
        other case the notes stay: it finds the children of a killed server by them, too.
        """
        try:
            pid = int(self._noted()[0])
        except (IndexError, ValueError):
            return
        if self.pid is None and exists(pid):
            _logger.warning("process %d is not, or no longer, the server on %s", pid, self.data)
            for stale in (self.data / PID, self.socket_folder() / f"{SOCKET}.lock"):
                stale.unlink(missing_ok=True)

    def _noted(self) -> list[str]:
        """Return the lines that a server notes about itself: process, folder, start, port, .."""
        try:
            return (self.data / PID).read_text(errors="surrogateescape").splitlines()
        except FileNotFoundError:
            return []
