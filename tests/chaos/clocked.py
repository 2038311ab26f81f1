"""A wrong clock under one worker, by libfaketime where that is installed (F13)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from tests.chaos.schedule import workers

FOLDER: Final = Path(__file__).parent / "clock"
LIBRARIES: Final = ("usr/lib/*/faketime/libfaketimeMT.so.1", "usr/lib*/faketime/libfaketimeMT.so.1")
OFFSETS_S: Final = (-3600, -15, 15, 3600)


@dataclass(frozen=True, slots=True)
class WrongClock:
    """One worker's clock is so many seconds ahead, for a whole run.

    Attributes:
        library: libfaketime, the one for programs with several threads.
    """

    worker: str
    offset_s: int
    library: Path

    def __str__(self) -> str:
        return f"the clock of {self.worker} is {self.offset_s:+d} s wrong"

    def environment(self) -> Mapping[str, str]:
        """Return the environment of every worker that makes it so."""
        path = os.environ.get("PYTHONPATH", "")
        return {
            "PYTHONPATH": f"{FOLDER}{os.pathsep}{path}" if path else str(FOLDER),
            "CHAOS_CLOCK_OF": self.worker,
            "CHAOS_CLOCK_LIBRARY": str(self.library),
            "FAKETIME": f"{self.offset_s:+d}s",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }


def wrong_clock(seed: str) -> WrongClock | None:
    """Return whose clock is wrong in a run, and by how much; None where libfaketime is missing."""
    found = [path for pattern in LIBRARIES for path in sorted(Path("/").glob(pattern))]
    chance = Random(f"{seed}/clock")
    worker, offset_s = chance.choice(workers()), chance.choice(OFFSETS_S)
    return WrongClock(worker, offset_s, found[0]) if found else None
