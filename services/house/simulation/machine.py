"""A process of the simulated house: one worker, its own way to the log, its clock, and its deaths.

Nothing in a worker knows that it is here. It dies between two of its steps, at a named point, and
whatever it does afterwards, while it is taken down, reaches nobody.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextvars import copy_context
from typing import Final, NoReturn

from sahrat.log.embedded_group import Member
from sahrat.log.port import AppendFailed, Log
from sahrat.messages.topics import Topic
from sahrat.runtime.ending import EndingLog
from sahrat.runtime.worker import Worker
from services.house.simulation.broker import Broker
from services.house.simulation.loop import WATCH, Watch
from services.house.simulation.machine_log import Loss, MachineLog, Point, never
from services.house.simulation.versions import OLD

SESSION_S: Final = 6.0  # as on Kafka: so long without a sign of life, and others take over
FIRST_PAUSE_S: Final = 1.0  # before a process that failed is started again, doubling
LAST_PAUSE_S: Final = 8.0
WELL_S: Final = 5.0  # who ran for so long begins at the first pause again


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
        kills: How often it died without a word.
        old: Whether it runs an older version of the program.
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
        self.kills = 0
        self.old = False
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
        self.context.run(OLD.set, self.machine.old)
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
            self.machine.kills += 1
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
