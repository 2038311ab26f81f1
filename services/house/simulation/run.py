"""One seed: a house, its people, a storm, a calm, and the oracle."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import traceback
from collections import Counter
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import structlog

from services.house.simulation import catalogue, excuses, faults, oracle
from services.house.simulation.loop import run
from services.house.simulation.partitions import partitions
from services.house.simulation.people import Stranger, Table, plan
from services.house.simulation.versions import versions
from services.house.simulation.world import World

CALM_S: Final = 400.0  # for all matches to come to their end once nothing strikes any more
OLD_SHARE: Final = 0.03  # of the seeds begin with an older version, whose matches are longer
FRAMES: Final = -8  # the innermost of a traceback
REST_S: Final = 4.0  # for wallet and read models to follow


@dataclass
class Outcome:
    """How a seed went.

    Attributes:
        problems: What the oracle found; empty when all held.
        counts: How often each fault struck, and what came of the matches.
        crashes: Processes that died without a word.
        virtual_s: How long it lasted for the house.
    """

    seed: int
    problems: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    crashes: int = 0
    records: int = 0
    virtual_s: float = 0.0


def simulate(seed: int, game: str = "ludo") -> Outcome:
    """Run a seed to its end. The same seed is the same run."""
    chance, outcome = Random(seed), Outcome(seed)
    with _alarms() as alarms, partitions(chance.choice((1, 1, 2))), versions():
        try:
            run(_whole(outcome, game, chance))
        except Exception:  # of the house or of the simulation: a failure of this seed either way
            outcome.problems.append(traceback.format_exc(limit=FRAMES))
    for alarm in alarms:
        outcome.counts[f"alarm: {alarm.get('problem')}"] += 1
    outcome.problems += excuses.missing(outcome.counts)
    return outcome


async def _whole(outcome: Outcome, game: str, chance: Random) -> None:
    old = chance.random() < OLD_SHARE
    world = World(
        chance,
        {"rules": chance.choice((1, 1, 2)), "gateway": chance.choice((1, 2))},
        welcome_coins=chance.choice((40, 100, 1_000)),
        batch=chance.choice((1, 7, 500)),
        old=old,
    )
    await world.open()
    tables = [
        Table(world, plan(chance, game, old=old and not number), Random(chance.random()), number)
        for number in range(2 if old else chance.choice((1, 1, 1, 2)))
    ]
    stranger = Stranger(world, tables, Random(chance.random()))
    playing = [asyncio.create_task(table.play()) for table in tables]
    prowling = asyncio.create_task(stranger.play())
    try:
        await _storm(world, chance, outcome)
        for name in await faults.upgrade(world, chance):
            outcome.counts[name] += 1
        world.repair()
        for table in tables:
            table.calm = True
        try:
            async with asyncio.timeout(CALM_S):
                await asyncio.gather(*playing)
        except TimeoutError:
            outcome.problems.append(f"not over {CALM_S:g} s after the storm")
        await asyncio.sleep(REST_S)
        found = await oracle.look(world, tables)
    finally:
        outcome.crashes = sum(machine.kills for machine in world.machines)
        outcome.virtual_s = asyncio.get_running_loop().time()
        for task in (*playing, prowling):
            task.cancel()
        await asyncio.gather(*playing, prowling, return_exceptions=True)
        for table in tables:
            await table.close()
        await world.close()
    outcome.counts["a stranger's wishes"] += stranger.wishes
    outcome.problems += world.problems + stranger.problems + found.problems
    outcome.counts += found.counts
    for table in tables:
        outcome.counts += Counter({f"refused: {k}": v for k, v in table.refusals.items()})
    for machine in world.machines:
        for why in machine.ends:
            outcome.counts += Counter(f"end: {name}" for name in excuses.names(why))
    outcome.records = sum(len(chain.records) for chain in found.chains.values())


async def _storm(world: World, chance: Random, outcome: Outcome) -> None:
    """Strike until enough has struck."""
    await asyncio.sleep(chance.choice((0.0, 0.5, 2.0)))
    for _ in range(chance.choice((4, 8, 12))):
        for name in await catalogue.choose(chance)(world, chance):
            outcome.counts[name] += 1
        await asyncio.sleep(chance.choice((0.0, 0.05, 0.3, 1.0, 2.0)))


@contextlib.contextmanager
def _alarms() -> Iterator[list[MutableMapping[str, Any]]]:
    """Hear what people would be called for, and nothing else."""
    heard: list[MutableMapping[str, Any]] = []

    def hear(_: structlog.typing.WrappedLogger, __: str, event: structlog.typing.EventDict) -> str:
        if event["event"] == "alarm":
            heard.append(event)
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(
        processors=[hear],
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        cache_logger_on_first_use=False,
    )
    try:
        yield heard
    finally:
        structlog.configure(**before)
