"""How long a house takes to come back, by how much has ever been played there."""

from __future__ import annotations

import contextlib
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson
import uvloop

from sahrat.match import limits
from sahrat.messages.topics import MATCH_PARTITIONS
from sahrat.runtime import settings as names
from services.house.local.process import tail
from tests.bench import prepared, stories
from tests.bench.ask import Ask
from tests.bench.places import House, LogKind, Site, site
from tests.bench.processes import Failed, end
from tests.bench.report import Report, Row

RESTART: Final = "restart"
SHORT: Final = 10  # records of a match that has ended: opened, joined, seven actions, stopped
LATELY: Final = 1_000  # as many as can end in twenty minutes where a hundred are played
LONG_AGO_MS: Final = 2 * limits.FORGET_MS
WORKERS: Final = {"rules": "serving", "timer": "serving", "gateway": "ready"}
"""What each says when it does its work: the first two, at level `debug`, for each partition."""
START_S: Final = 120.0
END_S: Final = 30.0
LOOK_S: Final = 0.005


@dataclass(frozen=True, slots=True)
class Past:
    """What was played before.

    Attributes:
        ended: Matches that have ended.
        live: Matches that are played.
        ago_ms: How long before the live ones that was.
    """

    name: str
    ended: int
    live: int
    ago_ms: int
    note: str = ""


def restart(ask: Ask, log: LogKind, report: Report) -> None:
    """Measure starts on logs with and without a past. Raises Failed."""
    live = f"{ask.live} live"
    both = f"{live}, {ask.ended:,} ended"
    empty = _starts(ask, log, Past("", 0, 0, 0))
    flat = _starts(ask, log, Past(live, 0, ask.live, 0))
    for part, seconds in empty.items():
        report.add(Row(RESTART, log, f"{part}: empty log", seconds, "s"))
        report.add(
            Row(RESTART, log, f"{part}: {live}", flat[part], "s", seconds, "floor: empty log")
        )
    lately = min(ask.ended, LATELY)
    for name, ended, ago_ms, note in (
        (both, ask.ended, LONG_AGO_MS, f"floor: {live}"),
        (f"{live}, {lately:,} ended just now", lately, 0, f"floor: {live}; read for 20 minutes"),
    ):
        for part, seconds in _starts(ask, log, Past(name, ended, ask.live, ago_ms)).items():
            report.add(Row(RESTART, log, f"{part}: {name}", seconds, "s", flat[part], note))


def _starts(ask: Ask, log: LogKind, past: Past) -> dict[str, float]:
    """Return the median seconds until each part does its work."""
    with site(log, ask.folder) as here:
        told = stories.partitions(prepared.keys_of(here), _now_ms() - past.ago_ms)
        stories.tell(told, past.ended, SHORT - stories.ENTRY - 1, stop=True)
        for partition in told:
            partition.at_ms = _now_ms()
        stories.tell(told, past.live, stories.MATCH_RECORDS - stories.ENTRY)
        made = prepared.open_log(**prepared.where(here, House.folder_of(here).log))
        uvloop.run(prepared.fill(made, told, judged=True))
        start = _start_workers if log == "kafka" else _start_house
        starts = [start(here) for _ in range(ask.starts)]
    return {part: statistics.median(start[part] for start in starts) for part in starts[0]}


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _start_house(here: Site) -> dict[str, float]:
    begin_s = time.monotonic()
    running = House(here)
    try:
        running.ready()
        return {"house": time.monotonic() - begin_s}
    finally:
        running.stop()


def _start_workers(here: Site) -> dict[str, float]:
    """Start the workers that play needs, one after the other, each timed by what it says."""
    with contextlib.ExitStack() as running:
        return {name: running.enter_context(_started(here, name)) for name in WORKERS}


@contextlib.contextmanager
def _started(here: Site, name: str) -> Iterator[float]:
    """Run a worker; yield the seconds until it did its work. Raises Failed."""
    said = here.folder / f"{name}.log"
    told = {names.LOG_FORM: "json", names.LOG_LEVEL: "debug", names.PORT: "0", **here.environment()}
    begin_s = time.monotonic()
    with said.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", f"services.{name}"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=told,
        )
    try:
        while not _at_work(said, name):
            if process.poll() is not None or time.monotonic() - begin_s > START_S:
                raise Failed(f"{name} does not come up: {tail(said)}")
            time.sleep(LOOK_S)
        yield time.monotonic() - begin_s
    finally:
        end(process, END_S)


def _at_work(said: Path, name: str) -> bool:
    word = WORKERS[name]
    *lines, _ = said.read_bytes().split(b"\n")  # the last one may be half
    heard = [orjson.loads(line) for line in lines if line.startswith(b"{")]
    ours = [line for line in heard if line["event"] == word and line["logger"] == name]
    if word == "ready":
        return bool(ours)
    return len({line["partition"] for line in ours if "partition" in line}) >= MATCH_PARTITIONS
