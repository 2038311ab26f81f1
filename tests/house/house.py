"""A house on virtual time: rules, timer and bots over a log in memory, and gateways played by hand.

Everything runs in the tasks of one loop, so that each worker can be killed, frozen out or started
again at any moment, and the broker's clock can be set.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from sahrat.games import wire
from sahrat.log.clock import whole_ms
from sahrat.log.live import LivePartition, Verdict
from sahrat.match.match import Match
from sahrat.messages import topics
from sahrat.messages.base import Message
from sahrat.messages.envelope import Record
from sahrat.messages.stored import Stored
from sahrat.messages.topics import Topic, partition_of
from sahrat.runtime.worker import Worker
from services.bots.host import Bots
from services.house.simulation.broker import TimedStore
from services.house.simulation.clocks import Attendance
from services.rules.host import Rules
from services.timer.host import Timer
from services.wallet.host import Wallet
from tests.house.gated import GatedLog
from tests.house.gateway import Gateway
from tests.house.purses import Purses, Short
from tests.unit.match.desk import START_MS, FixedKeys, uuid7

ALL: Final = ("rules", "timer", "bots")


@dataclass
class Running:
    """A worker at work."""

    worker: Worker
    stop: asyncio.Event
    task: asyncio.Task[None]


@dataclass(repr=False)
class House:
    """The house; `async with` opens it with every worker and no gateway.

    Attributes:
        skew_ms: How far the broker's clock is from the true time; may be set at any moment.
        workers: Those that are at work, by any name.
        attendance: When a part was missing that a step needs.
        logged: What the workers logged, as `structlog.testing.capture_logs` has it.
        pardoned: How many alarms were meant to be.
        short, wallet_pause_s: What the scripted wallet (`purses`) answers, and after how long.
        snapshots: Entries from one snapshot of the ledger to the next.
        damaged: A match whose records are damaged on purpose; all others must be sound.
    """

    bot_pause_ms: int = 0
    keys: Any = field(default_factory=FixedKeys)
    begin: tuple[str, ...] = ALL
    skew_ms: int = 0
    workers: dict[str, Running] = field(default_factory=dict)
    gateways: list[Gateway] = field(default_factory=list)
    attendance: Attendance = field(default_factory=Attendance)
    logged: list[Any] = field(default_factory=list)
    pardoned: int = 0
    short: Short = lambda _: ()
    wallet_pause_s: Callable[[], float] = lambda: 0.0
    snapshots: int = 10
    damaged: str = ""
    _ids: Any = field(default_factory=lambda: itertools.count(1))
    _folds: dict[int, LivePartition] = field(default_factory=dict)
    _records: dict[str, list[Record[Any]]] = field(default_factory=dict)

    async def __aenter__(self) -> Self:
        self.loop = asyncio.get_running_loop()
        self.store = TimedStore()
        self.log = GatedLog(self.now_ms, self.store)
        await self.log.start()
        self.note()
        for name in self.begin:
            self.start(name)
        return self

    async def __aexit__(self, *_: object) -> None:
        for gateway in self.gateways:
            await gateway.kill()
        for name in list(self.workers):
            await self.kill(name)
        await self.log.close()

    # ---- time and names

    def now_ms(self) -> int:
        """The broker's clock."""
        return self.true_ms() + self.skew_ms

    def true_ms(self) -> int:
        return START_MS + whole_ms(self.loop.time())

    def new_id(self) -> str:
        return uuid7(START_MS, 10_000_000 + next(self._ids))

    def match_id(self) -> str:
        return uuid7(self.now_ms(), next(self._ids))

    # ---- workers

    def start(self, name: str, worker: Worker | None = None) -> None:
        """Set a worker to work; by default one of the kind that the name begins with."""
        worker = worker or self._make(name)
        stop = asyncio.Event()
        self.workers[name] = Running(worker, stop, asyncio.create_task(worker.run(stop)))
        self.note()

    async def kill(self, name: str) -> None:
        """End a worker in the middle of whatever it does. A failure of its own is raised."""
        running = self.workers.pop(name)
        self.note()
        failed = running.task.done()
        running.task.cancel()
        try:
            await running.task
        except asyncio.CancelledError:
            assert not failed

    async def halt(self, name: str) -> None:
        """Tell a worker to hand over, and wait until it has."""
        running = self.workers.pop(name)
        self.note()
        running.stop.set()
        await running.task

    def note(self) -> None:
        """Note which parts are missing that a step needs, and since when."""
        present = {
            "rules": any(name.startswith("rules") for name in self.workers),
            "timer": any(name.startswith("timer") for name in self.workers),
            "gateway": any(gateway.beats for gateway in self.gateways),
        }
        self.attendance.note(present, self.loop.time())

    def freeze_out(self, name: str, partition: int) -> None:
        """Let the group count a partition's owner as dead, which goes on and knows nothing."""
        topic = topics.INTENTS if name == "rules" else topics.EVENTS
        assert self.log.expel(name, topic, partition) is not None

    def _make(self, name: str) -> Worker:
        match name.partition("-")[0]:
            case "rules":
                return Rules(self.log, self.keys)
            case "timer":
                return Timer(self.log, self.new_id)
            case "wallet":
                return Wallet(self.log, self.new_id, every=self.snapshots)
            case "purses":
                return Purses(self.log, self.short, self.wallet_pause_s, self.new_id)
            case "bots":
                return Bots(self.log, self.bot_pause_ms, self.new_id)
            case _:
                raise ValueError(name)

    async def gateway(self) -> Gateway:
        """Start a gateway."""
        gateway = Gateway(self, self.new_id())
        self.gateways.append(gateway)
        await gateway.start()
        return gateway

    # ---- looking

    def alarms(self) -> list[Any]:
        """What people were called for."""
        return [entry for entry in self.logged if entry["event"] == "alarm"]

    def topic(self, topic: Topic, partition: int) -> Sequence[Stored]:
        """All that a partition holds."""
        return self.store.recent((topic.name, partition), 0, 10**9)

    def fingerprint(self) -> str:
        """A digest of everything that the log holds, bookmarks aside."""
        digest = hashlib.sha256()
        for topic in topics.ALL:
            for partition in range(topic.partitions):
                for stored in self.topic(topic, partition):
                    digest.update(repr(stored).encode())
        return digest.hexdigest()

    def intents(self, kind: type[Message], partition: int | None = None) -> list[Stored]:
        """The stored intents of a type, by partition and offset."""
        name = f'"type":"{kind.model_fields["type"].default}"'.encode()
        return [
            stored
            for number in range(topics.MATCH_PARTITIONS)
            if partition in (None, number)
            for stored in self.topic(topics.INTENTS, number)
            if name in stored.value
        ]

    def answers(self, partition: int) -> list[Any]:
        """The answers of a partition, in order."""
        return [wire.ANSWERS.decode(s.value) for s in self.topic(topics.REFUSALS, partition)]

    def fold(self, partition: int) -> LivePartition:
        """The partition's matches as every reader holds them; nothing may be parked."""
        live = self._folds.setdefault(partition, LivePartition(partition))
        for stored in self.topic(topics.EVENTS, partition)[live.next_offset :]:
            taken = live.take(stored)
            if self.damaged and stored.key == self.damaged.encode():
                continue
            assert taken.verdict in (Verdict.TAKEN, Verdict.REPEATED), taken
            if taken.verdict is Verdict.TAKEN:
                assert taken.record is not None
                self._records.setdefault(taken.record.match_id, []).append(taken.record)
        return live

    def match(self, match_id: str) -> Match:
        match = self.fold(partition_of(match_id)).get(match_id)
        assert match is not None, match_id
        return match

    def records(self, match_id: str) -> list[Record[Any]]:
        """A match's records, each once."""
        self.fold(partition_of(match_id))
        return self._records.get(match_id, [])

    def all_records(self) -> dict[str, list[Record[Any]]]:
        """Every match's records."""
        for partition in range(topics.MATCH_PARTITIONS):
            self.fold(partition)
        return self._records

    def happened(self, match_id: str, kind: type[Message]) -> list[tuple[int, Any]]:
        """The events of a type in a match, each with its cause's append time."""
        return [
            (record.caused_by.at_ms, event)
            for record in self.records(match_id)
            for event in record.events
            if isinstance(event, kind)
        ]

    async def until(
        self, condition: Callable[[], Any], limit_s: float = 60.0, every_s: float = 0.01
    ) -> None:
        """Wait, in virtual time, until something is so."""
        end_s = self.loop.time() + limit_s
        while not condition():
            assert self.loop.time() < end_s, f"not within {limit_s} s"
            await asyncio.sleep(every_s)

    async def settle(self) -> None:
        """Let everything happen that needs no time."""
        await asyncio.sleep(0.001)

    async def ready(self) -> None:
        """Wait until the timer's ticks come back from every partition."""
        counts = [len(self.answers(partition)) for partition in range(topics.MATCH_PARTITIONS)]

        def ticked() -> bool:
            now = [len(self.topic(topics.REFUSALS, number)) for number in range(len(counts))]
            return all(after > before for before, after in zip(counts, now, strict=True))

        await self.until(ticked, 10)
