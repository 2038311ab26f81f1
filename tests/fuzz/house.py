"""A whole house under attack, in a process of its own, while a match is played on beside."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Final

import aiohttp

from sahrat.log.shared import RECORDS
from services.house.line import Internet
from services.house.phone import Phone
from services.house.wishes import Refused
from tests.bench.usage import usage
from tests.fuzz.target import ROOT
from tests.integration.running import Running, folder, get, running

GROWTH_MB: Final = 10.0  # that a house may grow by under attack
CALM: Final = 0.2  # of the time, before anybody attacks
COOL_S: Final = 3.0  # until all that the attackers left behind has been closed
FILES: Final = 10  # so many more may be open afterwards: a neighbour's, the log's, the database's
ROUND_S: Final = 300.0
THINK_S: Final = 0.02
WARM_S: Final = 180.0
EXPECTED: Final = ("too many connections", "the log does not answer")
"""Alarms that people should see: there are too many, or who attacks has so much of this machine
that the house gets too little of it for three seconds. How often is a figure.
"""
BAD: Final = ("status 500",)
"""What attackers count and must not meet."""


@dataclass
class Siege:
    """What came of it.

    Attributes:
        grew_mb: From the end of the first round of attacks until all was calm again.
        exits: How often the house ended.
        calm_ms, attacked_ms: From an act of a neighbour's until its record came: median and p99.
        alarms: Those that people should see, by what they say.
        attacks: What the attackers counted.
        problems: What was not as it should be.
    """

    rounds: int = 0
    grew_mb: float = 0.0
    rss_mb: float = 0.0
    files: int = 0
    exits: int = 0
    matches: int = 0
    acts: int = 0
    calm_ms: tuple[float, float] = (0.0, 0.0)
    attacked_ms: tuple[float, float] = (0.0, 0.0)
    alarms: Counter[str] = field(default_factory=Counter)
    attacks: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


class Neighbours:
    """Two who play one match after the other, and want to notice nothing."""

    def __init__(self, url: str) -> None:
        self.times_s: list[float] = []
        self.phones = [
            Phone(Internet(url), name, seed=name, think_s=THINK_S, on_answer=self._answered)
            for name in ("Neighbour 1", "Neighbour 2")
        ]
        self.ended: list[str] = []
        self.problems: list[str] = []

    def _answered(self, seconds: float) -> None:
        self.times_s.append(seconds)

    async def filled(self, records: int) -> None:
        """Wait until so many acts were made."""
        async with asyncio.timeout(WARM_S):
            while sum(phone.counts.acts for phone in self.phones) < records:
                await asyncio.sleep(THINK_S)

    async def play(self) -> None:
        """Play until cancelled."""
        try:
            for phone in self.phones:
                await phone.start()
            while True:
                match_id = await self.phones[0].open("ludo", {"players": 2, "fill_seconds": 60})
                await self.phones[1].join(match_id)
                await asyncio.gather(*(phone.over(match_id) for phone in self.phones))
                self.ended.append(match_id)
        except Refused as refused:
            self.problems.append(f"a neighbour's wish was refused: {refused}")
        finally:
            self.problems += [problem for phone in self.phones for problem in phone.problems]
            await asyncio.gather(*(phone.close() for phone in self.phones))

    def seen(self) -> str:
        """Return a match that many records stand in; empty before there is one."""
        return next(iter(self.phones[0].tables), "")

    def taken(self) -> tuple[float, float]:
        """Return median and p99 in ms of what was answered since this was last asked."""
        found = sorted(self.times_s)
        self.times_s.clear()
        if not found:
            return 0.0, 0.0
        return _ms(found[len(found) // 2]), _ms(found[len(found) * 99 // 100])


def besiege(seconds: float, seed: int) -> Siege:
    """Attack a house for so long, or for one round after the first if that takes longer."""
    with folder() as data, running(data, "--port", "0", "--bot-pause-ms", "50") as house:
        return asyncio.run(_besiege(house, seconds, seed))


async def _besiege(house: Running, seconds: float, seed: int) -> Siege:
    siege, neighbours = Siege(), Neighbours(house.url)
    playing = asyncio.create_task(neighbours.play())
    try:
        await neighbours.filled(RECORDS)  # what a house keeps at hand of play is no growth
        until_s = time.monotonic() + seconds - COOL_S
        neighbours.taken()
        await asyncio.sleep(max(2.0, seconds * CALM))
        siege.calm_ms = neighbours.taken()
        async with _attackers(house.url, seed, neighbours.seen()) as attackers:
            await attackers.heard()
            await asyncio.sleep(COOL_S)
            warm_mb, warm_files = _state(house)
            neighbours.taken()
            while siege.rounds == 0 or time.monotonic() < until_s:
                await attackers.again()
                siege.rounds += 1
            siege.attacked_ms = neighbours.taken()
            siege.attacks = await attackers.ended()
        await asyncio.sleep(COOL_S)
        siege.rss_mb, siege.files = _state(house)
        siege.grew_mb = round(siege.rss_mb - warm_mb, 1)
        if siege.grew_mb > GROWTH_MB:
            siege.problems.append(f"the house grew by {siege.grew_mb} MB")
        if siege.files > warm_files + FILES:
            siege.problems.append(f"{siege.files} files are open, and were {warm_files}")
        status, said = await get(f"{house.url}/health")
        if status != HTTPStatus.OK:
            siege.problems.append(f"its health page says {said.decode(errors='replace')}")
    except (OSError, aiohttp.ClientError, TimeoutError) as fault:
        siege.problems.append(f"the house does not answer: {type(fault).__name__} {fault}")
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
    siege.matches = len(neighbours.ended)
    siege.acts = sum(phone.counts.acts for phone in neighbours.phones)
    siege.problems += neighbours.problems
    _look_back(house, siege)
    return siege


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 1)


def _state(house: Running) -> tuple[float, int]:
    """Return the house's resident memory in MB, and how many files it has open."""
    pid = house.process.pid
    return round(usage([pid]).rss_kb / 1024, 1), len([*Path(f"/proc/{pid}/fd").iterdir()])


def _look_back(house: Running, siege: Siege) -> None:
    """End the house, and look at what it said of it all."""
    siege.exits = int(house.process.poll() is not None)
    if siege.exits:
        siege.problems.append(f"the house ended: {house.said()}")
    elif house.stop()[0] != 0:
        siege.problems.append(f"the house did not end well: {house.said()}")
    for line in house.log:
        try:
            said = json.loads(line)
        except ValueError:
            said = {"level": "error", "problem": line}
        problem = said.get("problem")
        if problem in EXPECTED:
            siege.alarms[problem] += 1
        elif said.get("level") in ("error", "critical"):
            siege.problems.append(f"it said: {line[:300]}")
    siege.problems += [f"{name}: {n}" for name, n in siege.attacks.items() if name in BAD]


class _Attackers:
    """The process of those who attack."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout

    async def heard(self) -> bytes:
        """Wait until they have attacked once more, or have ended."""
        async with asyncio.timeout(ROUND_S):
            line = await self._out.readline()
        if not line:
            raise OSError("who attacks has ended")
        return line

    async def again(self) -> None:
        """Let them attack once more."""
        self._in.write(b"again\n")
        await self.heard()

    async def ended(self) -> dict[str, int]:
        """Let them end, and return what they counted."""
        self._in.close()
        return dict(json.loads(await self.heard()))


@contextlib.asynccontextmanager
async def _attackers(url: str, seed: int, watched: str) -> AsyncIterator[_Attackers]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.fuzz.attacking", url, str(seed), watched),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    try:
        yield _Attackers(process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
