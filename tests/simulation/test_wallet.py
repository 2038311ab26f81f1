"""The wallet on a log in memory: killed between any two steps, doubled, frozen, and fed again.

The matches are over before it starts: their records are all there, as rules wrote them, and come
one by one.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

import pytest
import structlog
from typing_extensions import override

from sahrat.log.journal import LEDGER
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.codec import encode
from sahrat.messages.stored import Ack, Draft
from sahrat.messages.topics import Topic
from services.house.simulation.broker import TimedStore
from services.house.simulation.loop import run
from services.wallet import answerer
from services.wallet.host import Wallet
from services.wallet.router import GROUP
from tests.house.gated import GatedLog
from tests.house.ledger import Told, answers, asked, check_settled_once, tell
from tests.unit.ledger.desk import granting
from tests.unit.match.desk import START_MS, Desk, player, uuid7
from tests.unit.rules.test_core import play

COINS: Final = 1000
PLAYERS: Final = 4
WRITTEN: Final = (topics.WALLET_COMMANDS, topics.WALLET_JOURNAL, topics.INTENTS)
PAUSE_S: Final = 0.4  # between two records: some bookmarks are kept on the way, and some are not
BACK_S: Final = 0.1
FEEDING: Final = "feeding"
EVERY: Final = 7  # entries to a snapshot: several in each run
CALM_S: Final = 5.0
LATE_S: Final = 0.25  # then the next owner has read the log to its end, and has written

Fate = Literal["lost", "stored", "late"]
"""What becomes of what a wallet writes in the moment when it dies."""


def matches() -> list[Desk]:
    """Eight matches, each in a partition of its own, that end in every way there is."""
    found: dict[int, Desk] = {}
    for n in itertools.count():
        found.setdefault(Desk(n=n).partition, Desk(n=n))
        if len(found) == 8:
            break
    desks = list(found.values())
    desks[0].coin_table(0, 1, entry=100).leave(0)
    desks[1].coin_table(0, 1, 2, 3, entry=33)
    for who in (2, 0, 3):
        desks[1].leave(who)
    desks[2].coin_table(2, 3, entry=250)
    desks[2].stop()
    desks[3].table_of(0, 9, entry=10)  # the ninth has no coins
    desks[3].short(9)
    desks[3].join(1)
    desks[3].held()
    desks[3].stop()
    desks[4].table_of(0, 1, entry=50)
    desks[4].leave(1)
    desks[4].leave(0)
    desks[5].table_of(2, 3, entry=50)
    desks[5].stop()
    desks[6].table_of(0, 1, pawns_to_win=1, pawns_out=1)
    play(desks[6], steps=2000)
    desks[7].coin_table(0, 2, entry=20)  # goes on: its entries stay held
    return desks


MATCHES: Final = matches()
WANTED: Final = {  # what each player has in the end, by hand
    0: COINS - 100 - 33 - 50 + 50 - 10 + 10 - 20,
    1: COINS - 100 + 180 - 33 + 119,
    2: COINS - 33 - 20,
    3: COINS - 33,
}


class StruckLog(GatedLog):
    """A log that wallets are killed at."""

    stage: Stage

    @override
    async def append(self, topic: Topic, partition: int, drafts: Sequence[Draft]) -> Sequence[Ack]:
        fate = self.stage.fate(topic)
        if fate in (None, "stored"):
            return await super().append(topic, partition, drafts)
        if fate == "late":
            self.stage.late.append(asyncio.create_task(self._late(topic, partition, drafts)))
        await asyncio.get_running_loop().create_future()  # it hears no more of it
        return ()

    async def _late(self, topic: Topic, partition: int, drafts: Sequence[Draft]) -> None:
        await asyncio.sleep(LATE_S)
        await super().append(topic, partition, drafts)


@dataclass
class Stage:
    """A log that the matches come to, and wallets that work on it.

    Attributes:
        kills: At which step it is killed, and what becomes of what it writes there.
        steps: How often a wallet has written something.
    """

    kills: dict[int, Fate] = field(default_factory=dict)
    steps: int = 0
    killed: int = 0
    wallets: list[asyncio.Task[None]] = field(default_factory=list)
    late: list[asyncio.Task[None]] = field(default_factory=list)
    _killing: list[asyncio.Task[None]] = field(default_factory=list)
    _ids: Any = field(default_factory=lambda: itertools.count(1))

    async def open(self, store: TimedStore | None = None) -> StruckLog:
        loop = asyncio.get_running_loop()
        self.log = StruckLog(lambda: START_MS + round(loop.time() * 1000), store or TimedStore())
        self.log.stage = self
        await self.log.start()
        return self.log

    def start(self) -> None:
        """Set a wallet to work."""
        wallet = Wallet(self.log, self._new_id, EVERY)
        self.wallets.append(asyncio.create_task(wallet.run(asyncio.Event())))

    async def feed(self, pause_s: float = PAUSE_S) -> None:
        """Let coins be granted, and the matches happen, each of them a record at a time."""
        grants = [Draft(w.LEDGER.encode(), encode(granting(who, COINS))) for who in range(PLAYERS)]
        await self.log.append(topics.WALLET_COMMANDS, 0, grants)
        for desk in MATCHES:
            await self.log.append(topics.INTENTS, desk.partition, asked(desk))
        for values in itertools.zip_longest(*(_moving(desk) for desk in MATCHES)):
            for desk, records in zip(MATCHES, values, strict=True):
                if records:
                    drafts = [Draft(desk.match_id.encode(), value) for value in records]
                    await self.log.append(topics.EVENTS, desk.partition, drafts)
                    await asyncio.sleep(pause_s)

    async def close(self) -> Told:
        """End all, and tell what the log holds."""
        await asyncio.sleep(CALM_S)
        for task in (*self.late, *self._killing):
            await task
        for task in self.wallets:
            assert not task.done(), task.exception()
            task.cancel()
        await asyncio.gather(*self.wallets, return_exceptions=True)
        told = tell(self.topic(topics.WALLET_JOURNAL))
        check(told, [s for p in range(12) for s in self.topic(topics.INTENTS, p)])
        await self.log.close()
        return told

    def topic(self, topic: Topic, partition: int = 0) -> Sequence[Any]:
        return self.log.store.recent((topic.name, partition), 0, 10**9)

    def fate(self, topic: Topic) -> Fate | None:
        """Count a wallet's write, and say whether it is killed there."""
        task = asyncio.current_task()
        if topic not in WRITTEN or task is None or task.get_name() == FEEDING:
            return None
        step, self.steps = self.steps, self.steps + 1
        if step in self.kills:
            self.killed += 1
            self._killing.append(asyncio.create_task(self._kill()))
        return self.kills.get(step)

    async def _kill(self) -> None:
        wallets, self.wallets = self.wallets, []
        for task in wallets:
            task.cancel()
        await asyncio.gather(*wallets, return_exceptions=True)
        await asyncio.sleep(BACK_S)
        self.start()

    def _new_id(self) -> str:
        return uuid7(START_MS, 10_000_000 + next(self._ids))


def _moving(desk: Desk) -> list[list[bytes]]:
    """A match's records, cut behind each that moves coins: nobody waits between the others."""
    cut: list[list[bytes]] = [[]]
    for record, value in zip(desk.records, desk.values, strict=True):
        cut[-1].append(value)
        if any(event.type.startswith(("fund", "entr", "coins")) for event in record.events):
            cut.append([])
    return [part for part in cut if part]


def check(told: Told, intents: Sequence[Any]) -> None:
    """Each match has what its records say, once; nobody has a coin more or less."""
    check_settled_once(told)
    state = told.book.state
    assert {who: state.available(player(who)) for who in WANTED} == {
        who: coins + EARNED.get(who, 0) for who, coins in WANTED.items()
    }
    assert list(state.holds) == [MATCHES[7].match_id]
    assert len(told.of(w.SettleEntries)) == 2
    assert len(told.of(w.RefundEntries)) == 2 + 1
    asked = [r for desk in MATCHES for r in desk.records for e in r.events if e.type in FUNDED]
    fundings = [e for r in asked for e in r.events if e.type == "funding.began"]
    assert len(answers(intents)) == len(fundings)
    assert len(told.entries) == PLAYERS + len(asked)


FUNDED: Final = (
    "funding.began",
    "funding.failed",
    "entries.settled",
    "entries.refunded",
    "coins.earned",
)
EARNED: Final = {
    who: prize.coins
    for who in range(PLAYERS)
    for record in MATCHES[6].records
    for event in record.events
    if event.type == "coins.earned"
    for prize in event.rewards
    if prize.player_id == player(who)
}


async def told_by(stage: Stage, pause_s: float = PAUSE_S, wallets: int = 1) -> Told:
    await stage.open()
    for _ in range(wallets):
        stage.start()
    feeding = asyncio.create_task(stage.feed(pause_s), name=FEEDING)
    await feeding
    return await stage.close()


def quietly(story: Any) -> Any:
    with structlog.testing.capture_logs() as logged:
        found = run(story)
    assert [entry for entry in logged if entry["event"] == "alarm"] == []
    return found


def test_M_a_wallet_does_what_matches_say_and_answers_them() -> None:
    stage = Stage()
    told = quietly(told_by(stage))
    assert (told.repeats, stage.killed) == (0, 0)
    assert told.snapshots == len(told.entries) // EVERY
    assert EARNED in ({0: 20, 1: 5}, {0: 5, 1: 20})


@pytest.mark.parametrize("pause_s", [0, PAUSE_S], ids=["at-once", "one-by-one"])
@pytest.mark.parametrize("fate", get_args(Fate))
def test_F03_C37_C38_killed_at_any_step(fate: Fate, pause_s: float) -> None:
    """F03, C36 to C38: at each write of router, ledger and answerer."""
    step = repeats = 0
    while True:
        stage = Stage({step: fate})
        repeats += quietly(told_by(stage, pause_s)).repeats
        if not stage.killed:
            break
        step += 1
    assert step > (10 if pause_s == 0 else 40), "it had so many steps without a kill"
    assert (repeats > 0) == (fate == "late")


def test_F03_killed_again_and_again() -> None:
    kills = repeats = 0
    for seed in range(60):
        rng = random.Random(seed)
        stage = Stage({step: rng.choice(get_args(Fate)) for step in rng.sample(range(60), 12)})
        repeats += quietly(told_by(stage, rng.choice([0, 0.05, PAUSE_S]))).repeats
        kills += stage.killed
    assert kills > 300
    assert repeats > 0, "no entry was ever stored twice: nothing was shown"


def test_F14_a_ledger_that_is_counted_as_dead_writes_the_same_bytes() -> None:
    """Two wallets; the owner of the ledger is counted as dead again and again, and goes on."""
    repeats = 0
    for seed in range(20):

        async def story(seed: int = seed) -> Told:
            rng, stage = random.Random(seed), Stage()
            log = await stage.open()
            stage.start()
            stage.start()
            groups = {
                LEDGER: topics.WALLET_COMMANDS,
                answerer.GROUP: topics.WALLET_JOURNAL,
                GROUP: topics.EVENTS,
            }

            async def freeze() -> None:
                while True:
                    await asyncio.sleep(rng.expovariate(2))
                    group = rng.choice(list(groups))
                    log.expel(group, groups[group], rng.randrange(groups[group].partitions))

            freezing = asyncio.create_task(freeze())
            await asyncio.create_task(stage.feed(0.1), name=FEEDING)
            freezing.cancel()
            return await stage.close()

        repeats += quietly(story()).repeats
    assert repeats > 0, "no two ledgers ever wrote at once: nothing was shown"


def test_C39_a_router_without_its_bookmarks_asks_for_all_again_and_nothing_comes_of_it() -> None:
    async def story() -> None:
        stage = Stage()
        log = await stage.open()
        stage.start()
        await asyncio.create_task(stage.feed(0), name=FEEDING)
        before = await stage.close()
        for key in list(log.store._marks):
            if key[0] == GROUP:
                del log.store._marks[key]
        again = Stage()
        assert isinstance(log.store, TimedStore)
        await again.open(log.store)
        end = (await again.log.bounds(topics.WALLET_COMMANDS, 0)).end
        again.start()
        after = await again.close()
        assert len(again.topic(topics.WALLET_COMMANDS)) > end + 15
        assert after.entries == before.entries

    quietly(story())
