"""The projection worker on virtual time: how it waits, hands over and says that it can't work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sahrat.log.memory import MemoryLog
from sahrat.messages import topics
from sahrat.messages.stored import Draft
from services.house.simulation.loop import VirtualLoop
from services.projection import host
from services.projection.host import Projection
from tests.unit.projection.memory import MemoryModels
from tests.unit.projection.stories import Story
from tests.unit.projection.tables import Tables

P = 3


def on_virtual_time(story: Callable[[VirtualLoop], Awaitable[None]]) -> float:
    """Run a story to its end; return how many seconds it took there."""
    loop = VirtualLoop()
    try:
        loop.run_until_complete(asyncio.wait_for(story(loop), 3600))
        return loop.time()
    finally:
        loop.close()


async def started(loop: VirtualLoop) -> MemoryLog:
    log = MemoryLog(now_ms=lambda: round(loop.time() * 1000))
    await log.start()
    return log


def test_C49_after_an_absence_of_any_length_all_is_projected_within_seconds(
    part: Story, known: Tables
) -> None:
    async def story(loop: VirtualLoop) -> None:
        log, models, stop = await started(loop), MemoryModels(), asyncio.Event()
        projection = Projection(log, models)
        working = asyncio.create_task(projection.run(stop))
        await log.append(topics.EVENTS, P, part.drafts[:100])
        await asyncio.sleep(2)
        assert models.places[P].next_offset == 100
        for absence_s in (5, 60, 1800):
            models.gone = True
            asked = models.asked
            at = models.places[P].next_offset
            await log.append(topics.EVENTS, P, part.drafts[at : at + 100])
            await asyncio.sleep(absence_s)
            assert (projection.health() is None) == (absence_s < host.RED_S)
            assert models.asked - asked <= 10 + absence_s / host.LAST_RETRY_S
            models.gone = False
            await asyncio.sleep(host.LAST_RETRY_S + 1)
            assert models.places[P].next_offset == at + 100
            assert projection.health() is None
        stop.set()
        await working
        assert models.views == known.views
        assert projection.health() == "not running"

    on_virtual_time(story)


def test_stopping_and_handing_over_wait_for_no_database(part: Story) -> None:
    """Twelve partitions, none of which ever had an answer; half of them go to a second member."""

    async def story(loop: VirtualLoop) -> None:
        log, away, here = await started(loop), MemoryModels(), MemoryModels()
        away.gone = True
        await log.append(topics.EVENTS, P, part.drafts)
        stop = asyncio.Event()
        stuck = asyncio.create_task(Projection(log, away).run(stop))
        await asyncio.sleep(600)
        also = asyncio.Event()
        second = asyncio.create_task(Projection(log, here).run(also))
        await asyncio.sleep(0.1)
        assert len(here.places) == topics.EVENTS.partitions // 2
        began = loop.time()
        stop.set()
        await stuck
        assert loop.time() - began < 0.1
        await asyncio.sleep(2)
        assert len(here.places) == topics.EVENTS.partitions
        assert here.places[P].next_offset == len(part.drafts)
        also.set()
        await second

    on_virtual_time(story)


def test_the_same_story_gives_the_same_rows_at_the_same_times(part: Story) -> None:
    def run() -> tuple[float, dict[int, int], list[tuple[str, int]]]:
        models = MemoryModels()

        async def story(loop: VirtualLoop) -> None:
            log, stop = await started(loop), asyncio.Event()
            working = asyncio.create_task(Projection(log, models).run(stop))
            for at in range(0, len(part.drafts), 7):
                models.gone = at % 5 == 0
                await log.append(topics.EVENTS, P, part.drafts[at : at + 7])
                await asyncio.sleep(0.3)
            models.gone = False
            while models.places[P].next_offset < len(part.drafts):
                await asyncio.sleep(0.1)
            stop.set()
            await working

        took = on_virtual_time(story)
        offsets = {partition: place.next_offset for partition, place in models.places.items()}
        return took, offsets, list(models.values)

    assert run() == run()


def test_records_one_by_one_are_not_a_transaction_each(part: Story) -> None:
    async def story(loop: VirtualLoop) -> None:
        log, models, stop = await started(loop), MemoryModels(), asyncio.Event()
        working = asyncio.create_task(Projection(log, models).run(stop))
        await asyncio.sleep(1)
        asked = models.asked
        for draft in part.drafts[:200]:
            await log.append(topics.EVENTS, P, [draft])
            await asyncio.sleep(0.02)
        await asyncio.sleep(host.PAUSE_S + 0.01)
        assert models.places[P].next_offset == 200
        assert (models.asked - asked) / 2 <= 4 / host.PAUSE_S + 2
        await log.append(topics.EVENTS, P, [Draft(b"", b"{")])
        stop.set()
        await working

    on_virtual_time(story)
