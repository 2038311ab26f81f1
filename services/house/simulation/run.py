"""One seed: a house, its people, a storm, a calm, and the oracle."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import structlog

from services.house.simulation import damage, faults, oracle
from services.house.simulation.loop import run
from services.house.simulation.partitions import partitions
from services.house.simulation.people import Table, plan
from services.house.simulation.world import World

CALM_S: Final = 400.0  # for all matches to come to their end once nothing strikes any more
REST_S: Final = 4.0  # for wallet and read models to follow
COMMON: Final[tuple[tuple[faults.Fault, int], ...]] = (
    (faults.crash_at_a_point, 12),
    (faults.crash_anywhere, 3),
    (faults.one_part_down, 2),
    (faults.all_down, 1),
    (faults.hand_over, 2),
    (faults.lose_an_answer, 3),
    (faults.zombie, 3),
    (faults.freeze, 2),
    (faults.cut_off, 2),
    (faults.silence, 1),
    (faults.broker_away, 1),
    (faults.slow_log, 1),
    (faults.database_away, 1),
    (faults.commit_unheard, 1),
    (faults.own_clock, 2),
    (faults.broker_clock, 1),
    (faults.repeat_intents, 3),
    (faults.repeat_records, 2),
    (faults.poison, 2),
    (faults.stop_a_match, 1),
    (faults.open_again, 1),
    (damage.rewind, 1),
)
RARE: Final = (faults.night, damage.lose_bookmark, damage.damage_bookmark, damage.lose_tail)
RARELY: Final = 0.05


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
    chance = Random(seed)
    with _alarms() as alarms, partitions(chance.choice((1, 1, 2))):
        outcome = run(_whole(seed, game, chance))
    for alarm in alarms:
        outcome.counts[f"alarm: {alarm.get('problem')}"] += 1
    return outcome


async def _whole(seed: int, game: str, chance: Random) -> Outcome:
    outcome = Outcome(seed)
    world = World(
        chance,
        {"rules": chance.choice((1, 1, 2)), "gateway": chance.choice((1, 2))},
        welcome_coins=chance.choice((40, 100, 1_000)),
        batch=chance.choice((1, 7, 500)),
    )
    await world.open()
    tables = [
        Table(world, plan(chance, game), Random(chance.random()), number)
        for number in range(chance.choice((1, 1, 2)))
    ]
    playing = [asyncio.create_task(table.play()) for table in tables]
    try:
        await _storm(world, chance, outcome)
        world.repair()
        try:
            async with asyncio.timeout(CALM_S):
                await asyncio.gather(*playing)
        except TimeoutError:
            outcome.problems.append(f"not over {CALM_S:g} s after the storm")
        await asyncio.sleep(REST_S)
        found = await oracle.look(world, tables)
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        for table in tables:
            await table.close()
        await world.close()
    outcome.problems += world.problems + found.problems
    outcome.counts += found.counts
    for table in tables:
        outcome.counts += Counter({f"refused: {k}": v for k, v in table.refusals.items()})
    for machine in world.machines:
        for why in machine.ends:
            outcome.counts[f"ended: {type(why).__name__}"] += 1
    outcome.records = sum(len(chain.records) for chain in found.chains.values())
    outcome.virtual_s = asyncio.get_running_loop().time()
    return outcome


async def _storm(world: World, chance: Random, outcome: Outcome) -> None:
    """Strike until enough has struck."""
    await asyncio.sleep(chance.choice((0.0, 0.5, 2.0)))
    kinds, weights = [fault for fault, _ in COMMON], [weight for _, weight in COMMON]
    for _ in range(chance.choice((4, 8, 12))):
        fault = (
            chance.choice(RARE) if chance.random() < RARELY else chance.choices(kinds, weights)[0]
        )
        for name in await fault(world, chance):
            outcome.counts[name] += 1
            outcome.crashes += name.startswith("crash: ")
        await asyncio.sleep(chance.choice((0.0, 0.05, 0.3, 1.0, 2.0)))


@contextlib.contextmanager
def _alarms() -> Iterator[list[MutableMapping[str, Any]]]:
    """Hear what people would be called for, and nothing else."""
    heard: list[MutableMapping[str, Any]] = []

    def hear(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
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
