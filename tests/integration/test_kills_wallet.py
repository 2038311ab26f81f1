"""F03 F14 C37 C38: the wallet on a real broker, killed or frozen at every kind of step.

Each life of the worker gets one more coin match, whole, as rules wrote it, and dies at a named
write of router, ledger or answerer. The last one lives.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import sys
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from sahrat.log.kafka import KafkaLog
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.codec import encode
from sahrat.messages.stored import Draft, Stored
from sahrat.messages.topics import Topic
from tests.house.ledger import Told, answers, asked, check_settled_once, tell
from tests.integration.mortal_wallet import POINTS
from tests.unit.ledger.desk import granting
from tests.unit.match.desk import Desk

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

PLAYERS: Final = 4
COINS: Final = 100_000
ENTRY: Final = 100
WRITTEN: Final = (topics.WALLET_COMMANDS, topics.WALLET_JOURNAL, topics.INTENTS)
LIFE_S: Final = 90.0  # a member that is killed is missed by its group after six seconds
FROZEN_S: Final = 9.0
LOOK_S: Final = 0.1
FUNDED: Final = "funding.began"


def matches() -> list[Desk]:
    """Twelve matches, each in a partition of its own, that end in prizes and in a stop in turn."""
    desks: dict[int, Desk] = {}
    for n in itertools.count():
        desk = Desk(n=n)
        if desk.partition not in desks:
            desks[desk.partition] = desk
            desk.coin_table(*range(PLAYERS), entry=ENTRY)
            for who in range(2):
                desk.leave(who)
            if len(desks) % 2:
                desk.stop()
            else:
                desk.leave(2)
        if len(desks) == topics.MATCH_PARTITIONS:
            return list(desks.values())
    raise AssertionError


class Stage:
    """The topics of one test, and the wallets at work on them."""

    def __init__(self, servers: str, log: KafkaLog, prefix: str, said: Path) -> None:
        self.servers, self.log, self.prefix, self.said = servers, log, prefix, said
        self.told: list[Desk] = []

    @asynccontextmanager
    async def wallet(
        self, topic: str = "-", nth: int = 0, point: str = "-"
    ) -> AsyncIterator[asyncio.subprocess.Process]:
        """Run a worker; whatever happens it is not left behind."""
        module = "tests.integration.mortal_wallet"
        told = (self.servers, self.prefix, topic, str(nth), point)
        with self.said.open("ab") as said:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", module, *told, stdout=said, stderr=said
            )
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()

    async def grant(self) -> None:
        drafts = [Draft(w.LEDGER.encode(), encode(granting(who, COINS))) for who in range(PLAYERS)]
        await self.log.append(topics.WALLET_COMMANDS, 0, drafts)

    async def happen(self, desk: Desk, wallet: asyncio.subprocess.Process) -> None:
        """Let a match happen: the end comes once the entries are held, or nobody lives to do it."""
        self.told.append(desk)
        cut = next(
            n for n, record in enumerate(desk.records, 1) if record.events[-1].type == FUNDED
        )
        await self.log.append(topics.INTENTS, desk.partition, asked(desk))
        await self._store(desk, desk.values[:cut])
        while wallet.returncode is None and not await self._held(desk):
            await asyncio.sleep(LOOK_S)
        await self._store(desk, desk.values[cut:])

    async def _store(self, desk: Desk, values: Sequence[bytes]) -> None:
        drafts = [Draft(desk.match_id.encode(), value) for value in values]
        await self.log.append(topics.EVENTS, desk.partition, drafts)

    async def _held(self, desk: Desk) -> bool:
        return any(
            entry.id.startswith(f"hold:{desk.match_id}:")
            for entry in tell(await self.read(topics.WALLET_JOURNAL)).entries
        )

    async def read(self, topic: Topic, partition: int = 0) -> list[Stored]:
        """Read all that a partition holds."""
        end = (await self.log.bounds(topic, partition)).end
        reader, found = self.log.reader(topic, partition, 0), list[Stored]()
        while len(found) < end:
            found += await reader.read()
        await reader.close()
        return found

    async def done(self) -> Told:
        """Wait until all that happened is in the journal and answered, and check it."""
        async with asyncio.timeout(LIFE_S):
            while True:
                told = tell(await self.read(topics.WALLET_JOURNAL))
                intents = [s for p in range(12) for s in await self.read(topics.INTENTS, p)]
                wanted = PLAYERS + 2 * len(self.told)
                if len(told.entries) >= wanted and len(answers(intents)) == len(self.told):
                    break
                await asyncio.sleep(LOOK_S)
        check_settled_once(told)
        assert len(told.entries) == wanted
        assert [entry.reason for entry in told.entries] == [None] * wanted
        assert told.book.state.holds == {}
        ends = sorted(e.id for e in told.of(w.SettleEntries) + told.of(w.RefundEntries))
        assert ends == sorted(f"settle:{desk.match_id}" for desk in self.told)
        sums = told.book.state.sums
        assert sums[w.FEE] == ENTRY * PLAYERS // 10 * len(told.of(w.SettleEntries))
        assert sums["player"] == PLAYERS * COINS - sums[w.FEE]
        return told


@pytest.fixture
async def stage(kafka: str, tmp_path: Path) -> AsyncIterator[Stage]:
    prefix = f"t{uuid.uuid4().hex[:12]}."
    log = KafkaLog(kafka, prefix=prefix, flush=False)
    await log.start()
    yield Stage(kafka, log, prefix, tmp_path / "wallet.log")
    await log.close()


async def test_F03_killed_between_any_two_of_its_writes(stage: Stage) -> None:
    """Each life dies at another write: the hold of its match, or what its end brings."""
    await stage.grant()
    plans = [(topic, point) for topic in WRITTEN for point in POINTS]
    desks = matches()
    for number, ((topic, point), desk) in enumerate(zip(plans, desks, strict=False)):
        nth = 1 + number % 2 * (topic is not topics.INTENTS)  # of one match there is one answer
        async with stage.wallet(topic.name, nth, point) as wallet, asyncio.timeout(LIFE_S):
            feeding = asyncio.create_task(stage.happen(desk, wallet))
            code = await wallet.wait()
            await feeding
            assert code == -signal.SIGKILL, stage.said.read_text()
    async with stage.wallet() as wallet:
        await stage.happen(desks[len(plans)], wallet)
        told = await stage.done()
        wallet.terminate()
        assert await wallet.wait() == 0, stage.said.read_text()
    commands = await stage.read(topics.WALLET_COMMANDS)
    sys.stdout.write(
        f"\n{len(plans)} kills; {len(told.entries)} entries, {told.repeats} stored again, "
        f"{len(commands)} commands, {told.snapshots} snapshots\n"
    )
    assert len(commands) > len(told.entries), "nothing was ever asked for again"


async def test_F14_a_frozen_wallet_wakes_and_changes_nothing(stage: Stage) -> None:
    """Two workers; the one that holds the ledger is frozen for longer than its group waits."""
    await stage.grant()
    desks = matches()
    async with stage.wallet() as first:
        await stage.happen(desks[0], first)
        await stage.done()
        async with stage.wallet() as wallet:
            for desk in desks[1:4]:
                os.kill(first.pid, signal.SIGSTOP)
                feeding = asyncio.create_task(stage.happen(desk, wallet))
                await asyncio.sleep(FROZEN_S)
                os.kill(first.pid, signal.SIGCONT)
                await feeding
                await stage.done()
