"""A house in this process, as small as play needs it: a log, rules, the timer and gateways."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from sahrat.dice import MasterKeys, Secret
from sahrat.games import wire
from sahrat.log.memory import MemoryLog
from sahrat.log.port import Log, Stored
from sahrat.messages.topics import EVENTS, INTENTS, MATCH_PARTITIONS, Topic, partition_of
from sahrat.runtime.ids import new_id
from sahrat.runtime.keys import MatchKeys
from services.gateway.accounts import Accounts
from services.gateway.host import Gateway
from services.gateway.sessions import Limits
from services.rules.host import Rules
from services.timer.host import Timer
from services.wallet.host import Wallet
from tests.integration.documented import Documented
from tests.integration.phone import Phone

PATIENT_S = 60.0  # a machine that also does other things may be far behind
ACCOUNTS = Accounts([bytes(range(32))])
MASTER = MasterKeys([("k1", 0, Secret(bytes(range(32, 64))))])


@dataclass
class House:
    """What runs, and what a test asks of it.

    Attributes:
        documented: Holds all that its gateways answer to the document.
    """

    log: Log
    tasks: dict[str, tuple[asyncio.Task[None], asyncio.Event]] = field(default_factory=dict)
    phones: list[Phone] = field(default_factory=list)
    documented: Documented = field(default_factory=Documented)

    # ---- workers

    def start(self, name: str, worker: Any) -> None:
        stop = asyncio.Event()
        self.tasks[name] = asyncio.create_task(worker.run(stop)), stop

    async def stop(self, name: str) -> None:
        """Stop a worker as SIGTERM does."""
        task, stop = self.tasks.pop(name)
        stop.set()
        async with asyncio.timeout(60):
            await task

    async def kill(self, name: str) -> None:
        """End a worker without a word to anybody."""
        task, _ = self.tasks.pop(name)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    def rules(self) -> None:
        self.start("rules", Rules(self.log, MatchKeys(MASTER)))

    def wallet(self) -> None:
        self.start("wallet", Wallet(self.log, new_id))

    async def gateway(self, name: str = "gateway", **settings: Any) -> Gateway:
        limits = settings.pop("limits", None) or Limits(rate=1000, lag_s=PATIENT_S)
        gateway = Gateway(self.log, ACCOUNTS, limits=limits, **settings)
        gateway._web._app.on_response_prepare.append(self.documented.look)
        self.start(name, gateway)
        opening = asyncio.create_task(gateway.opened.wait())
        async with asyncio.timeout(60):
            await asyncio.wait([opening, self.tasks[name][0]], return_when=asyncio.FIRST_COMPLETED)
        if not opening.done():
            opening.cancel()
            await self.tasks[name][0]
        return gateway

    # ---- phones

    async def phone(self, gateway: Gateway, nickname: str = "سالم", **kw: Any) -> Phone:
        """A phone that has signed in as a new guest."""
        phone = Phone(gateway.url)
        self.phones.append(phone)
        await phone.register(nickname)
        await phone.connect(**kw)
        return phone

    async def again(self, phone: Phone, gateway: Gateway, **kw: Any) -> Phone:
        """The same player's phone, over another socket."""
        other = Phone(gateway.url)
        self.phones.append(other)
        other.token, other.player_id = phone.token, phone.player_id
        await other.connect(**kw)
        return other

    # ---- the log

    async def stored(self, topic: Topic, partition: int) -> list[Stored]:
        bounds = await self.log.bounds(topic, partition)
        found: list[Stored] = []
        reader = self.log.reader(topic, partition, bounds.start)
        while bounds.start + len(found) < bounds.end:
            found += await reader.read()
        await reader.close()
        return found

    async def records(self, match_id: str) -> list[bytes]:
        """A match's records as the log has them."""
        stored = await self.stored(EVENTS, partition_of(match_id))
        return [record.value for record in stored if record.key == match_id.encode()]

    async def intents(self) -> list[Any]:
        """Everything but ticks that stands in the intents, decoded."""
        found = [
            wire.INTENTS.decode(stored.value)
            for partition in range(MATCH_PARTITIONS)
            for stored in await self.stored(INTENTS, partition)
        ]
        return [intent for intent in found if intent.system != "timer"]

    async def settled(self, match_id: str) -> None:
        """Wait until rules has judged all that is in a match's partition."""
        end = (await self.log.bounds(INTENTS, partition_of(match_id))).end
        for _ in range(500):
            marks = await self.log.bookmarks("rules", INTENTS)
            mark = marks.get(partition_of(match_id))
            if mark is not None and mark.offset >= end:
                return
            await asyncio.sleep(0.02)
        raise AssertionError("rules does not keep up")


@asynccontextmanager
async def house_on(log: Log) -> AsyncIterator[House]:
    """Run rules and the timer on a log; gateways and phones are the test's to start."""
    await log.start()
    house = House(log)
    house.rules()
    house.start("timer", Timer(log, new_id))
    try:
        yield house
    finally:
        for phone in house.phones:
            await phone.close()
        for name in reversed([*house.tasks]):
            await house.stop(name)
        await log.close()
    assert house.documented.wrong == []


@asynccontextmanager
async def memory_house() -> AsyncIterator[House]:
    async with house_on(MemoryLog()) as house:
        yield house


async def table(house: House, gateway: Gateway, **options: Any) -> tuple[str, list[Phone]]:
    """A table in play, and the phones of those who sit there, the one who opened it first."""
    phones = [await house.phone(gateway, f"لاعبة {n}") for n in range(options.get("players", 2))]
    await phones[0].wish("open", game="ludo", options=options)
    match_id = (await phones[0].until(lambda frame: "events" in frame))["match_id"]
    for phone in phones[1:]:
        await phone.record(match_id, await phone.wish("join", match_id=match_id))
    for phone in phones[:-1]:
        await phone.record(match_id, event="match.started")
    return match_id, phones
