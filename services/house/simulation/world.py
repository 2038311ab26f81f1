"""The simulated house: every worker a process of its own on one log, one database, one seed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from random import Random
from typing import Final

from typing_extensions import override

from sahrat.dice import MasterKeys, Secret
from sahrat.log.port import Log
from sahrat.runtime.keys import MatchKeys
from sahrat.runtime.worker import Worker
from services.bots.host import Bots
from services.gateway.accounts import Accounts
from services.gateway.sessions import Limits
from services.house.simulation.broker import START_MS, Broker
from services.house.simulation.clocks import Attendance
from services.house.simulation.database import Database, JournalTables, MatchTables
from services.house.simulation.gateway import SimulatedGateway
from services.house.simulation.loop import true_s
from services.house.simulation.machine import Machine
from services.house.wishes import uuid7
from services.projection.host import JournalProjection, Part, Projection
from services.rules.host import Rules
from services.timer.host import Timer
from services.wallet.host import Wallet

KINDS: Final = ("rules", "timer", "bots", "wallet", "projection", "gateway")
NEEDED: Final = ("rules", "timer", "gateway")
"""Without these, or the broker, no clock runs."""
KEY: Final = Secret(bytes(range(32)))
PLAYERS: Final = 10**6  # ids of players are apart from all others


class Projections(Worker):
    """The projection of matches and journal, as one process has them."""

    name = Projection.name

    def __init__(self, log: Log, database: Database) -> None:
        self._parts: tuple[Part, ...] = (
            Projection(log, MatchTables(database)),
            JournalProjection(log, JournalTables(database)),
        )

    @override
    async def run(self, stop: asyncio.Event) -> None:
        async with asyncio.TaskGroup() as parts:
            for part in self._parts:
                parts.create_task(part.run(stop))

    @override
    def health(self) -> str | None:
        return "; ".join(filter(None, (part.health() for part in self._parts))) or None


class World:
    """The house. Made while its loop runs; `async with` starts it.

    Args:
        chance: Decides whatever is left to chance in the house itself.
        counts: How many processes of each kind there are.
        welcome_coins: What a new player has.
        snapshots: Entries from one snapshot of the ledger to the next.
        batch: So many records a process is given at a time.
        old: All processes are of an older version, until they are replaced.

    Attributes:
        machines: All processes, in the order of `KINDS`.
        database: The read models.
        keys: Of the matches' secrets.
        attendance: When a part was missing that a step needs.
        day: Cleared while nobody looks at a phone.
        renewed: Set once every process is of the newest version.
        problems: What went wrong before the oracle looked.
    """

    def __init__(
        self,
        chance: Random,
        counts: dict[str, int],
        *,
        welcome_coins: int = 1_000,
        snapshots: int = 20,
        batch: int = 500,
        old: bool = False,
    ) -> None:
        self.broker = Broker(Random(chance.random()))
        self.database = Database()
        self.accounts = Accounts([bytes(32)])
        self.limits = Limits(welcome_coins=welcome_coins)
        self._chance = chance
        self.keys = MatchKeys(MasterKeys([("k1", 0, KEY)]))
        self._snapshots = snapshots
        self._pause_ms = chance.choice((0, 50, 400))
        self.attendance = Attendance()
        self._ids = 0
        self._repairs: list[Callable[[], None]] = []
        self.problems: list[str] = []
        self.day = asyncio.Event()
        self.day.set()
        self.machines = [
            Machine(f"{kind}-{number}", self.broker, self._maker(kind), _batch(kind, batch))
            for kind in KINDS
            for number in range(1, counts.get(kind, 1) + 1)
        ]

        for machine in self.machines:
            machine.old = old
        self.renewed = asyncio.Event()
        if not old:
            self.renewed.set()

    async def open(self) -> None:
        """Start the log and every process."""
        await self.broker.start()
        for machine in self.machines:
            machine.changed = self.note
            machine.start()

    def note(self) -> None:
        """Note which parts are there that a step needs."""
        reached = self.broker.here.is_set()
        present = {
            kind: reached and any(machine.reaches for machine in self.of(kind)) for kind in NEEDED
        }
        self.attendance.note(present, true_s())

    async def close(self) -> None:
        """End every process, without a word."""
        for machine in self.machines:
            machine.held = True
            await machine.kill()
        await self.broker.close()

    async def down(self, kinds: Iterable[str] = KINDS) -> None:
        """End all processes of some kinds; they come back when they are started."""
        for kind in kinds:
            for machine in self.of(kind):
                machine.held = True
                await machine.kill()

    def up(self, kinds: Iterable[str] = KINDS) -> None:
        """Start all processes of some kinds."""
        for kind in kinds:
            for machine in self.of(kind):
                machine.held = False
                machine.start()

    def repair_in(self, seconds: float, mend: Callable[[], None]) -> None:
        """Mend what was broken in so many seconds, or when all is to be well."""
        self._repairs.append(mend)

        def then() -> None:
            if mend in self._repairs:
                self._repairs.remove(mend)
                mend()

        asyncio.get_running_loop().call_later(seconds, then)

    def mend(self) -> None:
        """Let all reach broker and database again."""
        repairs, self._repairs = self._repairs, []
        for mend in repairs:
            mend()

    def repair(self) -> None:
        """Mend whatever is broken, and start what is down."""
        self.mend()
        self.database.loses = 0
        for machine in self.machines:
            machine.held = machine.old = False
            if machine.running is not None:
                machine.running.dies_at = machine.running.loses = None
            machine.start()

    def of(self, kind: str) -> list[Machine]:
        """Return the processes of a kind."""
        return [machine for machine in self.machines if machine.kind == kind]

    def player(self, number: int) -> str:
        """Return a player's id."""
        return uuid7(START_MS, PLAYERS + number)

    def new_id(self) -> str:
        """Return a new UUIDv7 of the true time."""
        self._ids += 1
        return uuid7(self.broker.now_ms(), self._ids)

    def _maker(self, kind: str) -> Callable[[Log], Worker]:
        def make(log: Log) -> Worker:
            match kind:
                case "rules":
                    return Rules(log, self.keys)
                case "timer":
                    return Timer(log, self.new_id)
                case "bots":
                    return Bots(log, self._pause_ms, self.new_id)
                case "wallet":
                    return Wallet(log, self.new_id, every=self._snapshots)
                case "projection":
                    return Projections(log, self.database)
                case _:
                    return SimulatedGateway(log, self.accounts, self.limits, self.new_id)

        return make


def _batch(kind: str, batch: int) -> int:
    """The projection rests after each batch that is not full, and would never be through."""
    return Machine.BATCH if kind == "projection" else batch
