"""How long a rules worker keeps a shot at Carrom waiting while fifty tables play.

The matches are told before, and their intents given to a real worker in their order, as many a
second as so many tables send whose players think for two seconds. The log is in memory: what is
measured is the worker, and the process that computes for it.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from typing import Final

from sahrat import games
from sahrat.dice import MasterKeys, Secret
from sahrat.log.memory import MemoryLog
from sahrat.messages import topics
from sahrat.messages.topics import MATCH_PARTITIONS
from sahrat.runtime.apart import Apart
from sahrat.runtime.keys import MatchKeys
from services.rules.host import Rules
from tests.bench.report import Row
from tests.bench.stories import ENTRY, Told, tell

CARROM: Final = "carrom"
TABLES: Final = 50
SHOTS: Final = 8  # of each table
THINKS_S: Final = 2.0
SITS_S: Final = 5.0  # before the first shot, in which the process that computes is started
OPTIONS: Final[dict[str, str | int]] = {"players": 2, "bot_level": "easy"}


def at_tables() -> list[Row]:
    """Return how long after its intent a shot's record was stored."""
    times_ms = asyncio.run(_played())
    worst = sorted(times_ms)[len(times_ms) * 99 // 100]
    note = f"{len(times_ms)} shots, {TABLES} tables, by the clock"
    return [
        Row(CARROM, "", f"{TABLES} tables, intent to record: {what}", value, "ms", note=note)
        for what, value in (("p50", statistics.median(times_ms)), ("p99", worst))
    ]


async def _played() -> list[float]:
    game = games.current(CARROM)
    assert game is not None
    keys = MatchKeys(MasterKeys([("k1", 0, Secret(bytes(32)))]))
    at_ms = time.time_ns() // 1_000_000
    told = [Told(n, keys, at_ms, game.rules, OPTIONS) for n in range(MATCH_PARTITIONS)]
    tell(told, TABLES, SHOTS)
    log, stop = MemoryLog(), asyncio.Event()
    await log.start()
    running = asyncio.create_task(Rules(log, keys, Apart(games.get_ready)).run(stop))
    try:
        gap_s = THINKS_S / TABLES * MATCH_PARTITIONS
        each = (_partition(log, one, gap_s) for one in told)
        return [ms for times in await asyncio.gather(*each) for ms in times]
    finally:
        stop.set()
        await running


async def _partition(log: MemoryLog, told: Told, gap_s: float) -> list[float]:
    """Give a partition's intents to the worker, and return how long each shot took, in ms."""
    reader = log.reader(topics.EVENTS, told.number, 0)
    loop, took_ms = asyncio.get_running_loop(), list[float]()
    entering = ENTRY * len({intent.key for intent in told.intents})  # they stand first
    next_s = loop.time() + SITS_S + gap_s * told.number / MATCH_PARTITIONS
    for number, intent in enumerate(told.intents):
        if number >= entering:
            await asyncio.sleep(max(0.0, next_s - loop.time()))
            next_s += gap_s
        begun_s = loop.time()
        await log.append(topics.INTENTS, told.number, (intent,))
        await reader.read(1)
        if number >= entering:
            took_ms.append((loop.time() - begun_s) * 1000)
    await reader.close()
    return took_ms
