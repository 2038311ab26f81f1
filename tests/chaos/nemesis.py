"""Kills the parts of a house on Kafka in turn, by a written schedule."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson

from tests.chaos.clocks import Outage

SCHEDULE: Final = ("bots", "projection", "timer", "rules", "gateway", "broker")
"""Bots and read models first: no clock stands still without them, so steps run out meanwhile."""

BACK_S: Final = 120.0  # what is not back by then does not come back
LOOK_S: Final = 0.05
CALM_S: Final = 2.5  # between a recovery and the next blow

Recovered = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Blow:
    """One kill.

    Attributes:
        at_s: When, in seconds that never go back.
        outage: The same by the clock on the wall, until it worked again.
    """

    part: str
    at_s: float
    outage: Outage


def pid_of(data: Path, part: str) -> int | None:
    """Return the process id of a part, as the house has noted it; None while it does not run."""
    try:
        if part == "broker":
            return int((data / "kafka" / "kafka.pid").read_text())
        return int(orjson.loads((data / "run" / f"{part}-1.json").read_bytes())["pid"])
    except (OSError, ValueError):
        return None


async def strike(data: Path, part: str, recovered: Recovered) -> Blow:
    """Kill one part as `kill -9` does, and wait until the house has it again.

    Args:
        data: The house's folder.
        part: `broker`, or a worker's name.
        recovered: Waits until a part that runs again does its work.
    """
    pid = pid_of(data, part)
    assert pid is not None, f"{part} does not run"
    at_s, from_ms = time.monotonic(), _now_ms()
    os.kill(pid, signal.SIGKILL)
    async with asyncio.timeout(BACK_S):
        while pid_of(data, part) in (None, pid):
            await asyncio.sleep(LOOK_S)
        await recovered(part)
    return Blow(part, at_s, Outage(part, from_ms, _now_ms()))


async def strike_all(data: Path, recovered: Recovered) -> list[Blow]:
    """Follow the schedule."""
    blows: list[Blow] = []
    for part in SCHEDULE:
        await asyncio.sleep(CALM_S)
        blows.append(await strike(data, part, recovered))
    return blows


def _now_ms() -> int:
    return int(time.time() * 1000)
