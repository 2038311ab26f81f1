"""What takes long is computed elsewhere: its partition waits, the others go on (rule K3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

import pytest

from sahrat.games.carrom import CARROM
from sahrat.games.carrom.messages import Shoot
from sahrat.games.carrom.weak import weak_shot
from sahrat.log.live import LivePartition
from sahrat.log.memory import MemoryLog, MemoryStore
from sahrat.log.port import Stored
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.runtime.apart import Here, NotComputed
from services.rules import core
from services.rules.host import Rules
from tests.unit.match.desk import Desk, FixedKeys
from tests.unit.rules.test_core import play
from tests.unit.rules.test_host import events
from tests.unit.travelled import travelled

T = TypeVar("T")
SHOT = Shoot(x=0, dx=3_000, dy=252_600, speed=6_000_000)
LIMIT_S = 10.0


@pytest.fixture(scope="module")
def desk() -> Desk:
    """A match of Carrom with a break, a shot that is none, one too many, and one by the clock."""
    desk = Desk(rules=CARROM.rules)
    desk.open(0, players=2)
    desk.join(1)
    first = desk.on_turn()
    shot = desk.envelope(SHOT, who=first, step=1)
    for _ in range(2):
        desk.put(shot)
    aim, step = weak_shot(desk.state.board), desk.state.step
    assert aim is not None
    desk.send(aim, who=first, step=1)
    desk.send(aim.model_copy(update={"speed": 0}), who=desk.on_turn(), step=step)
    desk.send(aim, who=1 - desk.on_turn(), step=step)
    desk.send(aim.model_copy(update={"speed": 3_000_000}), who=desk.on_turn(), step=step)
    desk.wait(15).due()
    desk.due()
    assert len(desk.values) == 5
    return desk


def judged(desk: Desk, help_with: Callable[[core.Heavy], None]) -> tuple[list[bytes], list[int]]:
    """Judge all intents anew; return the records, and the offsets where something took long."""
    live, values, heavy = LivePartition(desk.partition), list[bytes](), list[int]()
    for stored in desk.intents:
        for output in core.step(live, stored, desk.keys):
            if isinstance(output, core.Heavy):
                help_with(output)
                heavy.append(stored.offset)
            elif isinstance(output, core.Event):
                values.append(output.draft.value)
    return values, heavy


def elsewhere(heavy: core.Heavy) -> None:
    """Compute it as another process does."""
    heavy.given = heavy.work.given(travelled(travelled(heavy.work.run)()))


def test_where_it_is_computed_changes_no_byte(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    alone, heavy = judged(desk, lambda _: None)
    assert alone == desk.values
    assert heavy == [2, 7, 8], "of what is refused or repeated nothing is computed"

    def never(*_: object) -> None:
        raise AssertionError("it is there already")

    monkeypatch.setattr(CARROM, "_simulate", never)
    assert judged(desk, elsewhere) == (desk.values, heavy)


class Slow(Here):
    """Computes nothing before it is told to."""

    def __init__(self) -> None:
        self.asked = 0
        self.started = 0
        self.closed = 0
        self.goes = asyncio.Event()

    def start(self) -> None:
        self.started += 1

    async def run(self, work: Callable[[], T]) -> T:
        self.asked += 1
        await self.goes.wait()
        return await super().run(work)

    async def close(self) -> None:
        self.closed += 1


class Gone(Here):
    """Computes nothing at all."""

    async def run(self, work: Callable[[], T]) -> T:
        raise NotComputed("3 processes died of it")


async def filled(*desks: Desk) -> MemoryLog:
    store = MemoryStore()
    await store.open(topics.ALL)
    stored: list[Stored] = [one for desk in desks for one in desk.intents]
    await store.write(stored, [])
    log = MemoryLog(store=store)
    await log.start()
    return log


async def until_end(log: MemoryLog, partition: int, end: int) -> None:
    async with asyncio.timeout(LIMIT_S):
        while (await log.bounds(topics.EVENTS, partition)).end < end:
            await asyncio.sleep(0.01)


def other_desk(than: Desk) -> Desk:
    """A match of another game in another partition."""
    desk = next(d for d in map(Desk, range(1, 50)) if d.partition != than.partition)
    desk.table_of(0, 1)
    play(desk, steps=40)
    return desk


def test_a_partition_waits_for_its_shot_and_the_others_go_on(desk: Desk) -> None:
    async def main() -> None:
        other = other_desk(desk)
        log, slow, stop = await filled(desk, other), Slow(), asyncio.Event()
        running = asyncio.create_task(Rules(log, FixedKeys(), slow).run(stop))
        await until_end(log, other.partition, len(other.values))
        assert slow.asked == 1
        assert await events(log, desk.partition) == []
        slow.goes.set()
        await until_end(log, desk.partition, len(desk.values))
        stop.set()
        await running
        assert await events(log, desk.partition) == desk.values
        assert await events(log, other.partition) == other.values
        assert (slow.asked, slow.closed) == (3, 1)
        again = Slow()
        stop.clear()
        running = asyncio.create_task(Rules(log, FixedKeys(), again).run(stop))
        async with asyncio.timeout(LIMIT_S):
            while not again.started:
                await asyncio.sleep(0.01)
        stop.set()
        await running
        assert again.asked == 0, "what was judged is not computed again"

    asyncio.run(main())


def test_what_nobody_computes_elsewhere_is_computed_here(desk: Desk) -> None:
    async def main() -> None:
        log, stop = await filled(desk), asyncio.Event()
        running = asyncio.create_task(Rules(log, FixedKeys(), Gone()).run(stop))
        await until_end(log, desk.partition, len(desk.values))
        stop.set()
        await running
        assert await events(log, desk.partition) == desk.values

    asyncio.run(main())


def test_a_fault_in_saying_what_takes_long_is_one_of_the_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = Desk(rules=CARROM.rules)
    desk.open(0, players=2)
    desk.join(1)
    before = desk.state
    monkeypatch.setattr(type(CARROM), "work", lambda *_: 1 // 0)
    letter, refused = desk.put(desk.envelope(SHOT, who=desk.on_turn(), step=1))
    assert (letter.reason, refused.reason) == ("fault", "fault")
    assert desk.state is before
    assert isinstance(desk.send(m.LeaveTable(), who=0).events[0], m.PlayerLeft)
