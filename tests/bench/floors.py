"""The floors, measured: what the log alone does of a figure's work."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from tests.bench.counts import Counted
from tests.bench.places import Site
from tests.bench.processes import Failed, Helper
from tests.bench.spread import Spread

INTENT_BYTES: Final = 320  # of an act, and of the record of a roll or a move, on average
RECORD_BYTES: Final = 570
SETTLE_S: Final = 1.0
SLACK_S: Final = 60.0
SIZES: Final = {"into_bytes": INTENT_BYTES, "back_bytes": RECORD_BYTES}


@dataclass(frozen=True, slots=True)
class Played:
    """What the log alone makes of as many actions: a second, and how long each takes."""

    rate: float
    spread: Spread


@dataclass(frozen=True, slots=True)
class Drained:
    """Records a second that the log alone echoes, and that are merely read."""

    echoed: float
    read: float


def played(here: Site, *, callers: int, rate: float, seconds: float) -> Played:
    """Measure actions without a house. Raises Failed.

    Args:
        here: Where.
        callers: Each of which waits for its last action before the next.
        rate: Actions a second instead, whatever comes back; 0: by callers.
        seconds: For how long is counted.
    """
    if here.log == "kafka":
        with _echoing(here):
            work = {"work": "call", "size": INTENT_BYTES, "callers": callers, "rate": rate}
            with Helper("floor_kafka", {"servers": here.address, **work}) as caller:
                caller.hear()
                time.sleep(SETTLE_S)
                counted = Counted.over([caller], dict, seconds)
                return Played(counted.rate, counted.spread)
    work = {"work": "paced", "rate": rate} if rate else {"work": "together", "callers": callers}
    said = _sqlite(here, {**work, **SIZES, "seconds": seconds})[0]
    spread = Spread.of(said["times_us"])
    if spread is None:
        raise Failed("the floor counted nothing")
    return Played(spread.count / (said["took_us"] / 1e6), spread)


def drained(here: Site, records: int) -> Drained:
    """Measure how fast records are echoed, and read. Raises Failed."""
    if here.log == "kafka":
        echoed = _kafka(here, {"work": "drain", "records": records, **SIZES})
        read = _kafka(here, {"work": "read", "records": records})
    else:
        echoed, read = _sqlite(here, {"work": "drain", "records": records, **SIZES})
    return Drained(records / echoed["seconds"], records / read["seconds"])


@contextmanager
def _echoing(here: Site) -> Iterator[None]:
    work = {"work": "echo", "size": RECORD_BYTES}
    with Helper("floor_kafka", {"servers": here.address, **work}) as echo:
        echo.hear()
        yield


def _kafka(here: Site, work: dict[str, Any]) -> dict[str, Any]:
    with Helper("floor_kafka", {"servers": here.address, **work}) as helper:
        return helper.hear()


def _sqlite(here: Site, work: dict[str, Any]) -> list[dict[str, Any]]:
    """Let the file's helper work, and return all that it says: one line, or two for `drain`."""
    folder = here.folder / f"floor-{time.monotonic_ns()}"
    limit_s = work.get("seconds", 0.0) + SLACK_S
    with Helper("floor_sqlite", {"folder": str(folder), **work}) as helper:
        return [helper.hear(limit_s) for _ in range(2 if work["work"] == "drain" else 1)]
