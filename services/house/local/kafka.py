"""One Apache Kafka node from its jars, in a folder of its own."""

from __future__ import annotations

import base64
import contextlib
import logging
import os
import shutil
import signal
import socket
import string
import struct
import subprocess
import uuid
from pathlib import Path
from typing import Final

from typing_extensions import override

from services.house.local import lock
from services.house.local.classes import shared_classes
from services.house.local.errors import LocalError
from services.house.local.jars import RECIPE, kafka_jars
from services.house.local.ports import HOST, PORTS, Detour, free_port, is_free
from services.house.local.process import (
    SHELL,
    Guard,
    command_line,
    put_aside,
    send,
    tail,
    wait_until,
    write_whole,
)
from services.house.local.server import Server

_logger = logging.getLogger(__name__)

HEAP_MB: Final = 512
START_LIMIT_S: Final = 90.0
STOP_LIMIT_S: Final = 30.0
ANSWER_S: Final = 2.0

TEMPLATE: Final = RECIPE / "server.properties"
SETTINGS: Final = "server.properties"
DATA: Final = "data"
LOG: Final = "kafka.log"
PID: Final = "kafka.pid"
PORT_FILE: Final = "ports"

_LOGGING: Final = (
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSSZ",
)
_FOR_A_SMALL_MACHINE: Final = (
    "-XX:+UseSerialGC",
    # The first compiler alone: on two cores the second cost more in the first minutes than it
    # saved. Measured over four times 40,000 records: 4 s of CPU to start instead of 6, and half
    # the CPU a record.
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",  # a file in the temporary folder for monitors that nobody runs
    "-XX:+ExitOnOutOfMemoryError",  # to end and be started again, not to answer by halves
)
# The shell writes its own process id and becomes the broker: there is no moment in which a broker
# runs and its id is not on disk.
_LAUNCH: Final = f'echo $$ > {PID} && exec "$@"'
_FORMAT: Final = ("kafka.tools.StorageTool", "format")
_METADATA: Final = 3  # api key; version 4 has the flag that keeps it from making topics


class LocalKafka(Server):
    """A broker on 127.0.0.1 that keeps its ports and its data in `folder`.

    It ends with this process, however that ends: gracefully on `stop`, on SIGTERM and even on
    `kill -9` (see `Guard`). Not for several threads at once. Every method blocks.

    Args:
        folder: The broker's own; made if missing.
        heap_mb: The JVM's largest heap.
        start_limit_s: How long the broker may take until it answers.
        stop_limit_s: How long it may take to end by itself before it is killed.
        detour: Its second door, if it has one.
        sharing: What Java is told of classes that are loaded already; None: see `classes`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        heap_mb: int = HEAP_MB,
        start_limit_s: float = START_LIMIT_S,
        stop_limit_s: float = STOP_LIMIT_S,
        detour: Detour | None = None,
        sharing: tuple[str, ...] | None = None,
    ) -> None:
        self.folder = folder.resolve()
        self._heap_mb = heap_mb
        self._start_limit_s = start_limit_s
        self._stop_limit_s = stop_limit_s
        self._detour = detour
        self._sharing = sharing
        self._hold: lock.Hold | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: Guard | None = None
        self._ports: tuple[int, int] | None = None

    @property
    @override
    def pid(self) -> int | None:
        """The broker's process id; none while it does not run."""
        if self._process is None or self._process.poll() is not None:
            return None
        return self._process.pid

    @property
    def address(self) -> str:
        """The bootstrap address, once `start` was called.

        Raises:
            LocalError: It was not.
        """
        if self._ports is None:
            raise LocalError(f"the broker in {self.folder} was not started")
        return f"{HOST}:{self._ports[0]}"

    @property
    def log(self) -> Path:
        """The file with the broker's own words."""
        return self.folder / LOG

    @override
    def start(self) -> str:
        """Start the broker on the data in its folder and return the bootstrap address.

        The first start fetches the jars and formats the folder. A broker of this folder that its
        starter left behind is ended first; one that runs already for us stays.

        Raises:
            Busy: Another process has the folder.
            LocalError: No Java, no Maven, the fetch failed or the broker did not come up.
            OSError: The folder cannot be written to.
        """
        if self.pid is not None:
            return self.address
        if self._hold is None:
            self._hold = lock.hold(self.folder)
        try:
            self._end_leftover()
            java, jars = java_command(), kafka_jars()
            sharing = self._sharing
            if sharing is None:
                sharing = shared_classes(java, jars, _load)
            jvm = (java, "-cp", f"{jars}{os.sep}*", *_LOGGING, *_FOR_A_SMALL_MACHINE, *sharing)
            self._format(jvm)
            return self._launch(jvm)
        except BaseException:
            self.stop()
            raise

    @override
    def stop(self) -> None:
        """End the broker gracefully, after a time limit by force, and let others have the folder.

        Never raises for a broker that is not there. The ports and the data stay in the folder.
        """
        if self._process is not None:
            if self._process.poll() is None:
                self._process.terminate()
            try:
                self._process.wait(self._stop_limit_s)
            except subprocess.TimeoutExpired:
                _logger.warning("the broker in %s did not end by itself: killed", self.folder)
                self._process.kill()
                self._process.wait()
        self._forget()
        if self._hold is not None:
            self._hold.release()
            self._hold = None

    def kill(self) -> None:
        """End the broker as a crash would (SIGKILL). The folder stays ours; `start` goes on."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._forget()

    def _forget(self) -> None:
        """Clean up after a process that has ended."""
        if self._guard is not None:
            self._guard.dismiss()
            self._guard = None
        if self._process is not None:
            self._process = None
            (self.folder / PID).unlink(missing_ok=True)

    def _end_leftover(self) -> None:
        """End the broker whose starter and guard were both killed: it still has port and data."""
        try:
            pid = int((self.folder / PID).read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            return

        def gone() -> bool:
            return self._mark() not in command_line(pid)

        if not gone():
            _logger.warning("ending broker %d, left behind in %s", pid, self.folder)
            for signal_number in (signal.SIGTERM, signal.SIGKILL):
                send(pid, signal_number)
                if wait_until(gone, self._stop_limit_s):
                    break
            else:
                raise LocalError(f"broker {pid}, left behind in {self.folder}, cannot be ended")
        (self.folder / PID).unlink(missing_ok=True)

    def _mark(self) -> str:
        """What on a command line says that a process is this folder's broker."""
        return f"-Dsahrat.folder={self.folder} "

    def _format(self, jvm: tuple[str, ...]) -> None:
        """Make the data folder if there is none, under another name until it is whole."""
        if (self.folder / DATA).exists():
            return
        fresh = self.folder / f"{DATA}.new"
        shutil.rmtree(fresh, ignore_errors=True)
        self._write_settings(data=fresh.name, ports=(PORTS[0], PORTS[1]))  # ports are not used yet
        done = subprocess.run(
            [*jvm, "-Xmx128m", *_FORMAT, "-t", _cluster_id(), "-c", SETTINGS],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.folder,
            env=_environment(),
            check=False,
        )
        if done.returncode != 0:
            self.log.write_bytes(done.stdout)
            raise self._failure("Kafka could not format its folder")
        fresh.rename(self.folder / DATA)

    def _launch(self, jvm: tuple[str, ...]) -> str:
        put_aside(self.log)
        command = [*jvm, f"-Xms{min(256, self._heap_mb)}m", f"-Xmx{self._heap_mb}m"]
        command += [self._mark().strip(), "kafka.Kafka", SETTINGS]
        self._ports = self._choose_ports()
        self._write_settings(data=DATA, ports=self._ports)
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                [SHELL, "-c", _LAUNCH, SHELL, *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env=_environment(),
                start_new_session=True,  # Ctrl-C is for us: workers end first, then the broker
            )
        self._guard = Guard(["kill", "-TERM", str(self._process.pid)])
        process, port = self._process, self._ports[0]
        came = wait_until(lambda: process.poll() is not None or _answers(port), self._start_limit_s)
        if process.poll() is not None:
            raise self._failure(f"Kafka ended with code {process.returncode} while starting")
        if not came:
            raise self._failure(f"Kafka did not come up within {self._start_limit_s:.0f} s")
        return self.address

    def _choose_ports(self) -> tuple[int, int]:
        """Return the ports of the last start, or new ones if somebody else has taken those."""
        kept = self.folder / PORT_FILE
        with contextlib.suppress(FileNotFoundError, ValueError):
            broker, controller = map(int, kept.read_text(encoding="ascii").split())
            if is_free(broker) and is_free(controller):
                return broker, controller
            _logger.warning("ports %d and %d are taken: choosing others", broker, controller)
        taken = () if self._detour is None else (self._detour.port, self._detour.told)
        broker = free_port(*taken)
        controller = free_port(broker, *taken)
        write_whole(kept, f"{broker} {controller}\n")
        return broker, controller

    def _write_settings(self, *, data: str, ports: tuple[int, int]) -> None:
        template = string.Template(TEMPLATE.read_text(encoding="ascii"))
        door = self._detour
        settings = template.substitute(
            data=data,
            broker_port=ports[0],
            controller_port=ports[1],
            detour="" if door is None else f",DETOUR://{HOST}:{door.port}",
            detour_told="" if door is None else f",DETOUR://{HOST}:{door.told}",
        )
        write_whole(self.folder / SETTINGS, settings)

    def _failure(self, what: str) -> LocalError:
        said = tail(self.log)
        if "UnsupportedClassVersionError" in said:
            what = f"{what}: it needs Java 17 or newer"
        return LocalError(f"{what}; the last lines of {self.log}: {said}")


def _load(folder: Path, sharing: str) -> None:
    """Start a broker and end it."""
    with LocalKafka(folder, sharing=(sharing,)):
        pass


def java_command() -> str:
    """Return the path of the Java that runs the broker: JAVA_HOME's, else the first on PATH.

    Raises:
        LocalError: There is none.
    """
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin")) if home else None
    java = java or shutil.which("java")
    if java is None:
        raise LocalError("Java 17 or newer is needed for Kafka, and java is not on PATH")
    return java


def _environment() -> dict[str, str]:
    """Ours, but UTF-8: in a plain C locale Java cannot open a folder with an Arabic name."""
    return {**os.environ, "LC_ALL": "C.UTF-8"}


def _cluster_id() -> str:
    """Return a random id as Kafka writes them: base64url of 16 bytes, never starting with `-`."""
    while True:
        text = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not text.startswith("-"):
            return text


def _answers(port: int) -> bool:
    """Return whether the broker names itself as one that clients may use.

    It listens long before that. Source: Kafka protocol guide, Metadata request version 4 (no
    topics, none to be made); the response starts with correlation id, throttle time and the
    number of brokers.
    """
    request = struct.pack(">hhihi?", _METADATA, 4, 1, -1, 0, False)
    answer = struct.Struct(">iiii")  # its length comes first
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), ANSWER_S) as line:
        line.sendall(struct.pack(">i", len(request)) + request)
        head = line.recv(answer.size, socket.MSG_WAITALL)
        if len(head) == answer.size:
            brokers: int = answer.unpack(head)[3]
            return brokers > 0
    return False
