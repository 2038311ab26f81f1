"""A process of the simulated house: one worker, its own way to the log, its clock, and its deaths.

Nothing in a worker knows that it is here. It dies between two of its steps, at a named point, and
whatever it does afterwards, while it is taken down, reaches nobody.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from enum import Enum
from typing import Final, NoReturn

from typing_extensions import override

from sahrat.log.embedded_group import Member
from sahrat.log.port import (
    Ack,
    AppendFailed,
    Bookmark,
    Bounds,
    Claim,
    Draft,
    Log,
    LogAway,
    Reader,
    Serve,
    Stored,
)
from sahrat.messages.topics import Topic
from sahrat.runtime.ending import EndingLog
from sahrat.runtime.worker import Worker
from services.house.simulation.broker import Broker
from services.house.simulation.loop import WATCH, Watch

AWAY_S: Final = 10.0  # as on Kafka: so long without the broker, and the process ends
SESSION_S: Final = 6.0  # as on Kafka: so long without a sign of life, and others take over
FIRST_PAUSE_S: Final = 1.0  # before a process that failed is started again, doubling
LAST_PAUSE_S: Final = 8.0
WELL_S: Final = 5.0  # who ran for so long begins at the first pause again


class Point(Enum):
    """Where in its work a process may die. What it has sent is stored."""

    READ = "read"
    FOLDED = "folded"
    SENT = "sent"
    ACKNOWLEDGED = "acknowledged"
    BOOKMARKED = "bookmarked"


class Loss(Enum):
    """What may become of an append that fails."""

    REFUSED = "an append refused"
    UNHEARD = "an acknowledgement lost"


class Machine:
    """One process, from start to start.

    Args:
        name: `rules-1`; what is before the dash is its kind.
        broker: The log that all share.
        make: Makes its worker; called at each start.
        batch: So many records it is given at a time, at most.

    Attributes:
        watch: Its monotonic clock.
        running: What runs now; None while it is down.
        ends: Why it ended by itself, each time.
        died: How often it died at each point.
        held: No restart happens by itself.
        changed: Told whenever it comes or goes.
    """

    changed: Callable[[], None] = staticmethod(lambda: None)

    BATCH: Final = 500

    def __init__(
        self, name: str, broker: Broker, make: Callable[[Log], Worker], batch: int = BATCH
    ) -> None:
        self.name = name
        self.kind = name.partition("-")[0]
        self.broker = broker
        self.watch = Watch()
        self.running: Incarnation | None = None
        self.ends: list[BaseException] = []
        self.died: Counter[Point] = Counter()
        self.held = False
        self.batch = batch
        self._make = make
        self._pause_s = FIRST_PAUSE_S
        self._coming: asyncio.TimerHandle | None = None

    @property
    def reaches(self) -> bool:
        """Whether it runs, and the broker hears it."""
        running = self.running
        return running is not None and not running.dead and running.open.is_set()

    @property
    def worker(self) -> Worker | None:
        """The worker that runs now."""
        return None if self.running is None else self.running.worker

    def start(self) -> None:
        """Start it, if it does not run."""
        if self._coming is not None:
            self._coming.cancel()
            self._coming = None
        if self.running is None:
            self.running = Incarnation(self)
            self.running.begin(self._make)
            self.changed()

    def start_in(self, seconds: float) -> None:
        """Start it in so many seconds, and not before."""
        if self._coming is not None:
            self._coming.cancel()
        self._coming = asyncio.get_running_loop().call_later(seconds, self.start)

    async def kill(self) -> None:
        """End it in the middle of whatever it does, if it runs; nothing starts it by itself."""
        if self._coming is not None:
            self._coming.cancel()
            self._coming = None
        running, self.running = self.running, None
        if running is not None:
            await running.die()

    async def halt(self) -> None:
        """Tell it to hand over, and wait until it has, if it runs."""
        running = self.running
        if running is not None:
            running.stopping = True
            running.stop.set()
            await asyncio.wait((running.task,))

    def over(self, running: Incarnation, why: BaseException | None) -> None:
        """Note that an incarnation has ended by itself, and start another one in a while."""
        if self.running is running:
            self.running = None
        if running.stopping and why is None:
            return
        self.ends.append(why or RuntimeError(f"{self.name} returned by itself"))
        if asyncio.get_running_loop().time() - running.since_s > WELL_S:
            self._pause_s = FIRST_PAUSE_S
        if not self.held:
            self.start_in(self._pause_s)
        self._pause_s = min(2 * self._pause_s, LAST_PAUSE_S)


class Incarnation:
    """One run of a machine's worker.

    Attributes:
        dead: Nothing of it reaches anybody any more.
        dies_at: Where it dies, and after how many times that it passes there.
        down_s: How long it is down then.
        loses: What becomes of its next append; it ends there.
        open: Cleared while it does not reach the broker.
        frozen: Whether it stands still altogether.
        holding: What it owns: group, topic and partition.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.stop = asyncio.Event()
        self.stopping = False
        self.dead = False
        self.dies_at: tuple[Point, int] | None = None
        self.down_s = 0.0
        self.loses: Loss | None = None
        self.open = asyncio.Event()
        self.open.set()
        self.frozen = False
        self.holding: dict[tuple[str, Topic, int], None] = {}
        self.since_s = asyncio.get_running_loop().time()
        self.gone: list[Callable[[], None]] = []
        self.thawed: list[Callable[[], None]] = []
        self.context = copy_context()
        self._expelled: list[Member] = []

    def begin(self, make: Callable[[Log], Worker]) -> None:
        """Make the worker and set it to work."""
        self.context.run(WATCH.set, self.machine.watch)
        log = EndingLog(MachineLog(self), self._end)
        self.worker = self.context.run(make, log)
        loop = asyncio.get_running_loop()
        self.task = loop.create_task(self.worker.run(self.stop), context=self.context)
        self.task.add_done_callback(self._over)

    async def die(self) -> None:
        """Be gone without a word."""
        self.cease()
        await asyncio.wait((self.task,))

    def cease(self) -> None:
        """Reach nobody any more, and come to an end soon."""
        if not self.dead:
            self.dead = True
            self._go()
            self.task.cancel()

    def _go(self) -> None:
        for gone in self.gone:
            gone()
        self.machine.changed()

    async def dies_within(self, seconds: float) -> bool:
        """Return whether it dies within so many seconds."""
        await asyncio.wait((self.task,), timeout=seconds)
        return self.dead

    async def lives(self) -> None:
        """Return while the process lives; else never, until the task is cancelled."""
        if self.dead:
            await never()

    def passes(self, point: Point) -> bool:
        """Pass a point, if the process lives on."""
        if self.dies_at is None or self.dies_at[0] is not point:
            return True
        count = self.dies_at[1] - 1
        self.dies_at = (point, count)
        if count > 0:
            return True
        self.machine.died[point] += 1
        self._fall()
        return False

    def _fall(self) -> None:
        """Die here and now, by oneself."""
        machine = self.machine
        if machine.running is self:
            machine.running = None
        self.cease()
        machine.start_in(self.down_s)

    def _end(self, failure: AppendFailed) -> NoReturn:
        self._fall()
        raise asyncio.CancelledError from failure

    def _over(self, task: asyncio.Task[None]) -> None:
        why = None if task.cancelled() else task.exception()
        if not self.dead:
            self.dead = True
            self._go()
            self.machine.over(self, why)

    # ---- out of reach

    def block(self, *, frozen: bool) -> None:
        """Reach the broker no more; frozen: and stand still. Others take over after a while."""
        self.open.clear()
        self.frozen = frozen
        self.machine.changed()
        asyncio.get_running_loop().call_later(SESSION_S, self._expel)

    def unblock(self) -> None:
        """Be back, and hear in a moment what happened meanwhile."""
        self.open.set()
        self.machine.changed()
        if self.frozen:
            self.frozen = False
            for thawed in [*self.thawed]:
                thawed()
        members, self._expelled = self._expelled, []
        for member in members:
            asyncio.get_running_loop().call_later(0.05, member.notice)

    def expel(self) -> None:
        """Be counted as dead now, and know nothing of it."""
        for group, topic, partition in [*self.holding]:
            member = self.machine.broker.expel(group, topic, partition)
            if member is not None:
                self._expelled.append(member)

    def _expel(self) -> None:
        if not self.dead and not self.open.is_set():
            self.expel()


class MachineLog(Log):
    """The log as one process reaches it, if it does."""

    def __init__(self, running: Incarnation) -> None:
        self._running = running
        self._broker = running.machine.broker

    async def reach(self, fault: type[Exception]) -> None:
        """Wait until the broker can be reached.

        Raises:
            LogAway, AppendFailed: It can't be for too long; which, the caller says.
        """
        running = self._running
        await running.lives()
        if running.open.is_set() and self._broker.here.is_set():
            return
        loop = asyncio.get_running_loop()
        until_s = loop.time() + AWAY_S
        while not (running.open.is_set() and self._broker.here.is_set()):
            waits_for = self._broker.here if running.open.is_set() else running.open
            try:
                async with asyncio.timeout(None if running.frozen else until_s - loop.time()):
                    await waits_for.wait()
            except TimeoutError:
                if not running.frozen:  # who stands still has no time that runs out
                    raise fault("the broker does not answer") from None
        await running.lives()

    async def at(self, point: Point) -> None:
        """Pass a point, or die there."""
        await self._running.lives()
        if not self._running.passes(point):
            await never()

    @override
    async def append(self, topic: Topic, partition: int, drafts: Sequence[Draft]) -> Sequence[Ack]:
        running = self._running
        await self.reach(AppendFailed)
        await self.at(Point.FOLDED)
        lost, running.loses = running.loses, None
        if lost is Loss.REFUSED:
            raise AppendFailed(lost.value)
        await self._broker.lag()
        await running.lives()
        acks = await self._broker.append(topic, partition, drafts)
        if lost is Loss.UNHEARD:
            raise AppendFailed(lost.value)
        await self.reach(AppendFailed)
        await self.at(Point.SENT)
        return acks

    @override
    async def own(self, group: str, topic: Topic, serve: Serve, stop: asyncio.Event) -> None:
        async def serve_here(claim: Claim) -> None:
            holding = (group, topic, claim.partition)
            self._running.holding[holding] = None

            async def ours() -> None:
                await serve(MachineClaim(self, claim))

            loop, context = asyncio.get_running_loop(), self._running.context
            try:  # another process's end may have begun this: it runs as a part of ours
                await loop.create_task(ours(), context=context)
            finally:
                self._running.holding.pop(holding, None)

        await self.reach(LogAway)
        await self._broker.own(group, topic, serve_here, stop)

    @override
    def reader(self, topic: Topic, partition: int, offset: int) -> Reader:
        return MachineReader(self, self._broker.reader(topic, partition, offset))

    @property
    def batch(self) -> int:
        """So many records are given at a time, at most."""
        return self._running.machine.batch

    @override
    async def start(self) -> None:
        await self.reach(LogAway)

    @override
    async def close(self) -> None:
        """Nothing of the broker's is let go of."""

    @override
    async def bounds(self, topic: Topic, partition: int) -> Bounds:
        await self.reach(LogAway)
        return await self._broker.bounds(topic, partition)

    @override
    async def bookmarks(self, group: str, topic: Topic) -> Mapping[int, Bookmark]:
        await self.reach(LogAway)
        return await self._broker.bookmarks(group, topic)

    @override
    def healthy(self) -> str | None:
        return None if self._running.open.is_set() else "the broker does not answer"

    @override
    async def trim(self, topic: Topic, partition: int, before: int) -> None:
        await self.reach(LogAway)
        await self._broker.trim(topic, partition, before)


class MachineReader(Reader):
    """A reader of one process."""

    def __init__(self, log: MachineLog, reader: Reader) -> None:
        self._log = log
        self._reader = reader

    @override
    async def read(self, limit: int = 500) -> Sequence[Stored]:
        await self._log.reach(LogAway)
        found = await self._reader.read(min(limit, self._log.batch))
        await self._log.reach(LogAway)
        await self._log.at(Point.READ)
        return found

    @override
    async def close(self) -> None:
        await self._reader.close()


class MachineClaim(Claim):
    """A partition that one process owns."""

    def __init__(self, log: MachineLog, claim: Claim) -> None:
        self.partition = claim.partition
        self._log = log
        self._claim = claim

    @override
    def reader(self, topic: Topic, offset: int) -> Reader:
        return MachineReader(self._log, self._claim.reader(topic, offset))

    @override
    async def bookmark(self, mark: Bookmark) -> None:
        await self._log.reach(LogAway)
        await self._log.at(Point.ACKNOWLEDGED)
        await self._claim.bookmark(mark)
        await self._log.at(Point.BOOKMARKED)


async def never() -> NoReturn:
    """Wait for ever: the process is dead, and this task is being taken down."""
    while True:
        await asyncio.get_running_loop().create_future()
