"""The timer on the log: follows each partition, keeps the log's time, appends what is due."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import structlog

from sahrat.games import wire
from sahrat.log.clock import LogClock, loop_ms
from sahrat.log.follow import Follower
from sahrat.log.live import Verdict
from sahrat.log.port import Claim, Log, Reader
from sahrat.messages import topics
from sahrat.messages.codec import FromTheFuture, Poison
from sahrat.messages.dead import dead_letter
from sahrat.messages.stored import Stored
from sahrat.runtime.beside import Beside
from sahrat.runtime.served import Served
from services.timer import past
from services.timer.core.partition import Partition
from services.timer.core.ticks import Now, Pulses

GROUP: Final = "timer"
UNANSWERED_MS: Final = 12_000  # red health; twice what a rules worker needs to be replaced

_log = structlog.get_logger("timer")


@dataclass(frozen=True, slots=True)
class _Served:
    """A partition while it is owned."""

    core: Partition
    clock: LogClock
    follower: Follower
    beside: Beside


class Timer:
    """Serves the partitions of `match.events`. It keeps no store.

    Args:
        log: The log.
        new_id: Gives an id for this worker, and one for each intent.
    """

    name = "timer"

    def __init__(self, log: Log, new_id: Callable[[], str]) -> None:
        self._log = log
        self._new_id = new_id
        self._id = new_id()
        self._pulses = Pulses(0)
        self._served: dict[int, _Served] = {}
        self._taken_up = Served(_log)

    async def run(self, stop: asyncio.Event) -> None:
        """Own partitions until `stop`.

        Raises:
            LogFault: The log is away or damaged.
            FromTheFuture: A record is newer than this code.
        """
        self._pulses = Pulses(loop_ms())
        ending = asyncio.Event()
        hearing = asyncio.create_task(self._hear())
        hearing.add_done_callback(lambda _: ending.set())
        told = asyncio.create_task(stop.wait())
        told.add_done_callback(lambda _: ending.set())
        try:
            await self._log.own(GROUP, topics.EVENTS, self.serve, ending)
        finally:
            told.cancel()
            hearing.cancel()
            await asyncio.gather(told, hearing, return_exceptions=True)
        if not hearing.cancelled():
            hearing.result()

    def health(self) -> str | None:
        """Return None while every partition is read and its ticks come back."""
        for partition, served in self._served.items():
            if not served.follower.caught_up:
                return f"partition {partition}: not caught up"
            waiting_ms = served.core.ticks.waiting_ms(loop_ms())
            if waiting_ms >= UNANSWERED_MS:
                return f"partition {partition}: no tick answered for {waiting_ms // 1000} s"
        return None

    # ---- one partition

    async def serve(self, claim: Claim) -> None:
        """Follow one partition and append what is due there, until the claim is released.

        Raises:
            Released: It is.
            LogFault: The log is away or damaged.
            FromTheFuture: A record is newer than this code.
        """
        follower = Follower(self._log, claim.partition, claim.reader)
        clock = LogClock(asyncio.get_running_loop().time)
        core = Partition(claim.partition, self._id, self._new_id, self._pulses)
        try:
            async with Beside() as beside:
                served = _Served(core, clock, follower, beside)
                self._served[claim.partition] = served
                answers = await self._begin(claim, served)
                beside.start(self._follow(served))
                beside.start(self._read_answers(served, answers))
                await self._act(claim.partition, served)
        finally:
            self._served.pop(claim.partition, None)
            await follower.close()

    async def _begin(self, claim: Claim, served: _Served) -> Reader:
        """Learn all that the log can tell; return the reader of the answers from now on."""
        partition, core = claim.partition, served.core
        await served.follower.catch_up()
        for match in served.follower.live.live():
            core.known(match)
        end, found = await past.newest_answered(self._log, partition, claim.reader)
        if found is not None:
            answer, stored = found
            core.ticks.found(answer, stored.at_ms)
        answered = -1 if found is None else found[0].offset
        waits = await past.waiting(self._log, partition, claim.reader, answered)
        if waits is not None:
            core.ticks.adopt(*waits, loop_ms())
            core.ticks.judged(served.follower.live.high, loop_ms(), answers=False)
        self._taken_up.began(
            partition,
            live=len(served.follower.live.live()),
            last_ms=core.ticks.last_ms,
            waiting=waits is not None,
        )
        return claim.reader(topics.REFUSALS, end)

    async def _act(self, partition: int, served: _Served) -> None:
        core, clock = served.core, served.clock
        while True:
            now = Now(clock.now_ms, loop_ms())
            sends = core.act(now)
            if sends:
                drafts = [send.draft for send in sends]
                acks = await self._log.append(topics.INTENTS, partition, drafts)
                clock.saw(acks[-1].at_ms)
                core.stored(sends, acks)
                continue
            wake_ms = core.wake_ms(now)
            await served.beside.rest(
                None if wake_ms is None else max(0, wake_ms - now.mono_ms) / 1000
            )

    async def _follow(self, served: _Served) -> None:
        while True:
            for read in await served.follower.read():
                served.clock.saw(read.stored.at_ms)
                taken = read.taken
                if taken.verdict in (Verdict.TAKEN, Verdict.PARKED) and taken.match is not None:
                    cause = None if taken.record is None else taken.record.caused_by
                    served.core.taken(taken.match, cause, loop_ms())
            served.beside.wake()

    async def _read_answers(self, served: _Served, reader: Reader) -> None:
        try:
            while True:
                for stored in await reader.read():
                    served.clock.saw(stored.at_ms)
                    await self._take_answer(served, stored)
                served.beside.wake()
        finally:
            await reader.close()

    async def _take_answer(self, served: _Served, stored: Stored) -> None:
        try:
            answer = wire.ANSWERS.decode(stored.value)
        except FromTheFuture:
            raise
        except Poison as poison:
            await self._bury(stored, poison)
        else:
            served.core.answered(answer, stored.at_ms, loop_ms())

    # ---- gateways

    async def _hear(self) -> None:
        """Take the gateways' heartbeats, for all partitions."""
        end = (await self._log.bounds(topics.PULSE, 0)).end
        reader = self._log.reader(topics.PULSE, 0, end)
        try:
            while True:
                for stored in await reader.read():
                    await self._take_pulse(stored)
        finally:
            await reader.close()

    async def _take_pulse(self, stored: Stored) -> None:
        try:
            pulse = wire.PULSES.decode(stored.value)
        except FromTheFuture:
            raise
        except Poison as poison:
            await self._bury(stored, poison)
            return
        silent = not self._pulses.alive(loop_ms())
        self._pulses.heard(pulse.gateway, loop_ms())
        if silent:
            for served in self._served.values():
                served.beside.wake()

    async def _bury(self, stored: Stored, poison: Poison) -> None:
        """Put a record that can't be read with the dead letters."""
        where = f"{stored.topic}/{stored.partition}@{stored.offset}"
        _log.error("alarm", problem="dead letter", detail=f"{where}: {poison}"[:300])
        letter = dead_letter(self.name, stored, poison.reason, poison.detail)
        shelf = stored.partition % topics.DEAD_LETTERS.partitions
        await self._log.append(topics.DEAD_LETTERS, shelf, (letter,))
