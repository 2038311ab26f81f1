"""Strikes a house by a schedule, and notes when, and how long it took to recover."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import aiohttp
import orjson
import psycopg
from aiokafka.errors import KafkaError

from services.house.local.errors import LocalError
from tests.chaos.clocks import Outage
from tests.chaos.disk import NoDisk
from tests.chaos.fleet import Guest
from tests.chaos.house import Struck
from tests.chaos.proxy import Way
from tests.chaos.raw import EVENTS, JOURNAL, projected, stored
from tests.chaos.schedule import (
    BROKER,
    DATABASE,
    EVERYTHING,
    PROJECTION,
    Blow,
    Fault,
    Schedule,
    Step,
    role_of,
    workers,
)

LOOK_S: Final = 0.05
THERE_S: Final = 60.0  # a part that is not there to be struck by then does not come back
RECOVERS_S: Final = 60.0
"""F06, F08, C49: within this all matches go on, and the read models have what was stored."""
CALM_S: Final = 1.5  # between a recovery and the next step, at least
STORM_S: Final = 3.0  # F19: so often a member joins or leaves
LOCKED: Final = "lock table live.records, live.matches in access exclusive mode"


STOPS_IT: Final = frozenset({Fault.KILL, Fault.FREEZE, Fault.STOP})


@dataclass(slots=True)
class Hit:
    """A step of the schedule, as it was struck.

    Attributes:
        begun_s, over_s: When the fault began and was over, in seconds that never go back.
        begun_ms, over_ms: The same by the clock on the wall.
        back_s: How long after that the house took to recover; None: it did not in time.
        whole: It has recovered when every worker is well, also those that play does not need.
        kept: The projection was not started anew meanwhile.
        guests: Who was to be heard after it.
    """

    step: Step
    begun_s: float
    begun_ms: int
    over_s: float = 0.0
    over_ms: int = 0
    back_s: float | None = None
    whole: bool = False
    kept: bool = True
    guests: Sequence[Guest] = ()

    @property
    def outages(self) -> list[Outage]:
        """Return when a part that no other stood in for was down."""
        found: list[Outage] = []
        for blow in self.step.blows:
            part = BROKER if blow.part == EVERYTHING else role_of(blow.part)
            if part in (BROKER, "timer") and blow.fault in STOPS_IT:
                found.append(Outage(part, self.begun_ms, self.over_ms))
        return found


@dataclass(slots=True)
class Nemesis:
    """Strikes one house.

    Args:
        struck: The house.
        guests: Returns who plays at the moment, at tables where nothing else holds play up.
        tell: Told each step when the house has recovered from it.
        limit_s: How long it may take for that.

    Attributes:
        hits: What was struck, in the order in which it began.
        problems: What could not be struck, in words.
        left_out: What can't be struck on this machine.
    """

    struck: Struck
    guests: Callable[[], Sequence[Guest]]
    tell: Callable[[Hit], None]
    limit_s: float = RECOVERS_S
    hits: list[Hit] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    left_out: list[Step] = field(default_factory=list)
    _broker: asyncio.Lock = field(default_factory=asyncio.Lock)
    _database: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def follow(self, schedule: Schedule) -> None:
        """Strike all of it."""
        begun_s = time.monotonic()
        async with asyncio.TaskGroup() as lanes:
            lanes.create_task(self._follow(schedule.play, begun_s, self._plays_on))
            lanes.create_task(self._follow(schedule.reads, begun_s, self._catches_up))
        await self._follow(schedule.stops, begun_s, self._is_well)

    async def _follow(
        self, steps: Sequence[Step], begun_s: float, recovers: Callable[[Hit], Awaitable[None]]
    ) -> None:
        for step in steps:
            if self.struck.disk is None and any(blow.fault is Fault.FULL for blow in step.blows):
                self.left_out.append(step)
                continue
            await asyncio.sleep(max(CALM_S, begun_s + step.at_s - time.monotonic()))
            hit = Hit(step, time.monotonic(), _now_ms(), guests=self.guests())
            self.hits.append(hit)
            projection = self.struck.pid(f"{PROJECTION}-1")
            async with asyncio.TaskGroup() as striking:
                for blow in step.blows:
                    striking.create_task(self._try(blow))
            hit.over_s, hit.over_ms = time.monotonic(), _now_ms()
            with suppress(TimeoutError):
                await recovers(hit)
                hit.back_s = time.monotonic() - hit.over_s
            hit.kept = projection == self.struck.pid(f"{PROJECTION}-1")
            self.tell(hit)

    # ---- recovering

    async def _plays_on(self, hit: Hit) -> None:
        """Wait until everybody who played has seen something new, or the end of his match."""
        async with asyncio.timeout(self.limit_s):
            while not all(guest.heard_since(hit.over_s) for guest in hit.guests):
                await asyncio.sleep(LOOK_S)

    async def _is_well(self, hit: Hit) -> None:
        """Wait until play goes on and every worker's health page is green."""
        hit.whole = True
        await self._plays_on(hit)
        async with asyncio.timeout(self.limit_s), aiohttp.ClientSession() as http:
            while True:
                async with http.get(self.struck.house.address["health"]) as page:
                    parts: dict[str, str] = orjson.loads(await page.read())["parts"]
                if set(parts.values()) == {"ok"}:
                    return
                await asyncio.sleep(LOOK_S)

    async def _catches_up(self, hit: Hit) -> None:
        """Wait until the read models have what was stored when the fault was over. The time in
        which there was no broker to read from does not count.
        """
        left_s = self.limit_s
        reading = asyncio.create_task(self._have_all())
        try:
            while not reading.done():
                if left_s < 0:
                    raise TimeoutError
                await asyncio.wait((reading,), timeout=LOOK_S)
                left_s -= 0.0 if self._broker.locked() else LOOK_S
            reading.result()
        finally:
            reading.cancel()

    async def _have_all(self) -> None:
        wanted = await self._patiently(partial(stored, self.struck.broker.address))
        while await self._patiently(self._projected) < wanted:
            await asyncio.sleep(LOOK_S)

    async def _projected(self) -> int:
        return await asyncio.to_thread(projected, self.struck.database.dsn, (EVENTS, JOURNAL))

    async def _patiently(self, ask: Callable[[], Awaitable[int]]) -> int:
        """Ask again what a broker or a database that is away does not answer."""
        while True:
            try:
                return await ask()
            except (psycopg.Error, KafkaError, OSError):
                await asyncio.sleep(LOOK_S)

    # ---- striking

    async def _try(self, blow: Blow) -> None:
        try:
            await self._strike(blow)
        except (TimeoutError, LocalError, NoDisk, psycopg.Error) as fault:
            self.problems.append(f"{blow}: {type(fault).__name__} {fault}")

    async def _strike(self, blow: Blow) -> None:
        match blow.fault:
            case Way():
                self.struck.proxy.strike(blow.part, blow.fault)
                await asyncio.sleep(blow.lasts_s)
                self.struck.proxy.mend(blow.part)
            case Fault.KILL:
                await self._kill(blow.part)
            case Fault.REPLACE:
                await self._end(blow.part, signal.SIGTERM)
            case Fault.FREEZE:
                await self._freeze(blow)
            case Fault.STOP:
                await self._stop(blow)
            case Fault.LOCK:
                await self._lock(blow.lasts_s)
            case Fault.FULL:
                await self._fill(blow.lasts_s)
            case Fault.STORM:
                await self._storm(blow.lasts_s)

    async def _kill(self, part: str) -> None:
        if part == EVERYTHING:
            await self._kill_everything()
        elif part == BROKER:
            async with self._broker:
                await asyncio.to_thread(self.struck.broker.kill)
                await asyncio.to_thread(self.struck.broker.start)
        elif part == DATABASE:
            async with self._database:
                await asyncio.to_thread(self.struck.database.kill)
                await asyncio.to_thread(self.struck.database.start)
        else:
            await self._end(part, signal.SIGKILL)

    async def _end(self, worker: str, number: signal.Signals) -> None:
        """End a worker, and wait until the house has started another."""
        pid = await self._there(worker)
        _send(pid, number)
        async with asyncio.timeout(THERE_S):
            while self.struck.pid(worker) in (None, pid):
                await asyncio.sleep(LOOK_S)

    async def _kill_everything(self) -> None:
        """Kill all workers, the broker, and the database unless it is struck already (F06)."""
        found = {worker: self.struck.pid(worker) for worker in workers()}
        for pid in found.values():
            if pid is not None:
                _send(pid, signal.SIGKILL)
        again = [self._kill(BROKER)]
        if not self._database.locked():
            again.append(self._kill(DATABASE))
        await asyncio.gather(*again)
        for worker, pid in found.items():
            async with asyncio.timeout(THERE_S):
                while self.struck.pid(worker) in (None, pid):
                    await asyncio.sleep(LOOK_S)

    async def _freeze(self, blow: Blow) -> None:
        """Stop a process and let it go on. One that stands still for very long is killed and
        replaced by the house; then nobody is left to go on.
        """
        pid = await self._there(blow.part)
        _send(pid, signal.SIGSTOP)
        try:
            await asyncio.sleep(blow.lasts_s)
        finally:
            _send(pid, signal.SIGCONT)

    async def _stop(self, blow: Blow) -> None:
        if blow.part == BROKER:
            async with self._broker:
                await asyncio.to_thread(self.struck.broker.stop)
                await asyncio.sleep(blow.lasts_s)
                await asyncio.to_thread(self.struck.broker.start)
            return
        async with self._database:
            await asyncio.to_thread(self.struck.database.stop)
            await asyncio.sleep(blow.lasts_s)
            await asyncio.to_thread(self.struck.database.start)

    async def _fill(self, lasts_s: float) -> None:
        """Let the broker's disk be full; a broker that ended for that is started again (F18)."""
        disk = self.struck.disk
        assert disk is not None
        async with self._broker:
            disk.fill()
            await asyncio.sleep(lasts_s)
            disk.clear()
            if self.struck.broker.pid is None:
                await asyncio.to_thread(self.struck.broker.kill)
                await asyncio.to_thread(self.struck.broker.start)

    async def _lock(self, lasts_s: float) -> None:
        async with self._database:
            connection = await psycopg.AsyncConnection.connect(self.struck.database.dsn)
            async with connection:
                await connection.execute(LOCKED)
                await asyncio.sleep(lasts_s)

    async def _storm(self, lasts_s: float) -> None:
        """Let one more member join the group of the rules workers and leave it, again and again."""
        told = ("-m", "tests.chaos.storm", self.struck.kafka, str(STORM_S))
        member = await asyncio.create_subprocess_exec(
            sys.executable,
            *told,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, **self.struck.keys},
        )
        assert member.stdout is not None
        try:
            async with asyncio.timeout(THERE_S):
                await member.stdout.readline()  # from here on it obeys a signal
            with suppress(TimeoutError):
                await asyncio.wait_for(member.wait(), lasts_s)
            early = member.returncode is not None
            if not early:
                member.terminate()
            if await member.wait() or early:
                self.problems.append(f"the storm's member ended with {member.returncode}")
        finally:
            if member.returncode is None:
                member.kill()

    async def _there(self, part: str) -> int:
        """Return the process of a part, once it runs."""
        async with asyncio.timeout(THERE_S):
            while (pid := self.struck.pid(part)) is None:
                await asyncio.sleep(LOOK_S)
        return pid


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _now_ms() -> int:
    return int(time.time() * 1000)
