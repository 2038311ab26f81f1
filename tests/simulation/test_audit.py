"""The audit beside a house that is struck: whenever it looks, it finds all coins accounted for."""

from __future__ import annotations

import asyncio
import random
from typing import Any, Final

import structlog

from services.audit.core.report import Report
from services.audit.host import Audit
from services.house.simulation.loop import run
from services.house.simulation.partitions import FEW, partitions
from tests.house.house import House
from tests.house.storm import WALLET, Storm

SEEDS: Final = range(4)
LOOK_S: Final = 0.37  # never in step with anything


async def _look(house: House, found: list[Report]) -> None:
    while True:
        await asyncio.sleep(LOOK_S)
        found.append(await Audit(house.log, "").run())


async def _storm(seed: int, logged: list[Any]) -> list[Report]:
    """Audit a house again and again while everything strikes it, and once when all is over."""
    async with House(bot_pause_ms=400, logged=logged) as house:
        found: list[Report] = []
        await house.gateway()
        await house.ready()
        looking = asyncio.create_task(_look(house, found))
        storm = Storm(house, random.Random(seed), seed % 2 == 1, WALLET)
        house.start(WALLET)
        await storm.run(60)
        await storm.stop_all()
        await asyncio.sleep(5)
        assert not looking.done(), looking.exception()
        looking.cancel()
        found.append(await Audit(house.log, "").run())
        return found


def test_F03_an_audit_at_any_moment_is_balanced() -> None:
    """What is on its way is counted as that; in the end nothing is, and nothing is held."""
    looks: list[Report] = []
    for seed in SEEDS:
        with partitions(FEW), structlog.testing.capture_logs() as logged:
            found = run(_storm(seed, logged))
        assert (found[-1].pending, found[-1].holds, found[-1].damaged) == ([], 0, {})
        looks += found
    assert any(look.pending for look in looks)
    assert any(look.waiting_commands for look in looks)
    assert any(look.holds for look in looks)
    assert any(look.refunded for look in looks)
