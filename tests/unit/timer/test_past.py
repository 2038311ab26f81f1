"""What a timer finds in the log at its start, and its health while it looks."""

from __future__ import annotations

import asyncio

import pytest

from sahrat.log.memory import MemoryLog
from sahrat.log.port import Draft
from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.codec import FromTheFuture, encode
from sahrat.messages.envelope import IntentEnvelope, IntentRefused, TickAnswered
from sahrat.messages.reasons import Reason
from sahrat.messages.topics import INTENTS, REFUSALS, Topic, partition_of
from services.house.simulation.loop import run
from services.timer import past
from tests.house.house import House
from tests.unit.match.desk import START_MS, player, uuid7

PARTITION = 5


def ticked(offset: int, *, resumed: bool = False) -> bytes:
    return encode(
        TickAnswered(
            intent_id=uuid7(START_MS, offset),
            sent_by=uuid7(START_MS, 0),
            offset=offset,
            tick_ms=START_MS + offset,
            resumed=resumed,
            live=0,
        )
    )


def refused(offset: int) -> bytes:
    return encode(
        IntentRefused(
            match_id=None,
            intent_id=uuid7(START_MS, offset),
            sender="system:bots",
            sent_by=uuid7(START_MS, 0),
            offset=offset,
            reason=Reason.STALE_STEP,
            detail="",
        )
    )


def intent(n: int, what: Message) -> bytes:
    return encode(
        IntentEnvelope[Message](
            intent_id=uuid7(START_MS, n),
            match_id=None if isinstance(what, m.PARTITION_INTENTS) else uuid7(START_MS, 0),
            player_id=None,
            system="timer",
            step=None,
            not_after_ms=None,
            sent_by=uuid7(START_MS, 0),
            intent=what,
        )
    )


async def filled(topic: Topic, values: list[bytes]) -> MemoryLog:
    log = MemoryLog(now_ms=lambda: START_MS)
    await log.start()
    await log.append(topic, PARTITION, [Draft(b"@", value) for value in values])
    return log


def newest(values: list[bytes], trimmed: int = 0) -> tuple[int, int | None]:
    """Return where to read on, and the tick's offset among the intents."""

    async def main() -> tuple[int, int | None]:
        log = await filled(REFUSALS, values)
        await log.trim(REFUSALS, PARTITION, trimmed)
        end, found = await past.newest_answered(
            log, PARTITION, lambda topic, offset: log.reader(topic, PARTITION, offset)
        )
        return end, None if found is None else found[0].offset

    return run(main())


@pytest.mark.parametrize(
    ("values", "trimmed", "expected"),
    [
        pytest.param([], 0, None, id="an empty log"),
        pytest.param([refused(n) for n in range(1_200)], 0, None, id="no tick at all"),
        pytest.param([ticked(1), ticked(2), refused(3)], 0, 2, id="the newest of two"),
        pytest.param([ticked(1), *map(refused, range(2, 4_000))], 0, 1, id="far back"),
        pytest.param([ticked(1), *map(refused, range(2, 700))], 9, None, id="gone with its day"),
        pytest.param([ticked(7), ticked(6)], 0, 7, id="rules was started again and repeats itself"),
        pytest.param([ticked(1), b"{", b""], 0, 1, id="behind what cannot be read"),
    ],
)
def test_the_newest_answered_tick(values: list[bytes], trimmed: int, expected: int | None) -> None:
    assert newest(values, trimmed) == (len(values), expected)


def test_the_first_answer_to_a_tick_counts_and_not_its_repetition() -> None:
    """The later one was written when rules was back: it would say that all was alive until then."""
    now_ms = [START_MS]

    async def main() -> int | None:
        log = MemoryLog(now_ms=lambda: now_ms[0])
        await log.start()
        for at_ms in (START_MS + 500, START_MS + 99_000):
            now_ms[0] = at_ms
            await log.append(REFUSALS, PARTITION, [Draft(b"@", ticked(4, resumed=True))])
        _, found = await past.newest_answered(
            log, PARTITION, lambda topic, offset: log.reader(topic, PARTITION, offset)
        )
        return None if found is None else found[1].at_ms

    assert run(main()) == START_MS + 500


def test_an_answer_from_the_future_ends_the_worker() -> None:
    with pytest.raises(FromTheFuture):
        newest([ticked(1).replace(b'"v":1', b'"v":2')])


@pytest.mark.parametrize(
    ("answered", "expected"),
    [
        pytest.param(-1, 3, id="the newest one waits"),
        pytest.param(2, 3, id="though an older one was answered"),
        pytest.param(3, None, id="none waits"),
        pytest.param(4, None, id="all was answered"),
    ],
)
def test_the_tick_that_waits(answered: int, expected: int | None) -> None:
    tick, due = m.Tick(last_ms=0), m.Due(last_ms=0)

    async def main() -> tuple[str, int] | None:
        values = [intent(n, what) for n, what in enumerate([tick, due, tick, tick, due])]
        log = await filled(INTENTS, [*values, b"{"])
        return await past.waiting(
            log, PARTITION, lambda topic, offset: log.reader(topic, PARTITION, offset), answered
        )

    assert run(main()) == (None if expected is None else (uuid7(START_MS, expected), expected))


def test_health_is_red_while_it_reads_and_when_no_tick_comes_back() -> None:
    async def main() -> None:
        async with House() as house:
            timer = house.workers["timer"].worker
            await house.settle()
            assert timer.health() is None  # no gateway: nothing to tick for
            gateway = await house.gateway()
            partition = partition_of(await gateway.table(player(1), player(2)))
            await house.ready()
            await house.kill("rules")
            await asyncio.sleep(11)
            assert timer.health() is None
            await asyncio.sleep(2)
            assert timer.health() == "partition 0: no tick answered for 12 s"
            house.start("rules")
            await house.ready()
            assert timer.health() is None
            for name in ("timer", "bots"):
                await house.kill(name)
                house.start(name)
                worker = house.workers[name].worker
                seen: list[str | None] = []
                for _ in range(20):
                    await asyncio.sleep(0)
                    seen.append(worker.health())
                assert f"partition {partition}: not caught up" in seen
                assert seen[-1] is None

    run(main())
