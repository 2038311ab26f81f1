"""What a phone makes of what it is told of its player's coins."""

from __future__ import annotations

import asyncio
from typing import Any

from services.house.purse import Purse
from tests.unit.match.desk import uuid7

MATCH = uuid7(0, 1)


def told(entry: int, available: int, *held: int) -> dict[str, Any]:
    return {
        "type": "wallet",
        "entry": entry,
        "available_coins": available,
        "held_coins": sum(held),
        "holds": [{"match_id": uuid7(0, n), "coins": coins} for n, coins in enumerate(held, 1)],
    }


def test_what_a_gateway_that_is_behind_tells_is_passed_over() -> None:
    purse = Purse()
    assert not purse.can_pay(0)  # nothing is known yet
    purse.take(told(7, 900, 100))
    assert (purse.available, purse.held) == (900, {MATCH: 100})
    purse.take(told(6, 1_000))
    assert purse.available == 900
    purse.take(told(9, 1_080))
    assert (purse.available, purse.held, purse.problems) == (1_080, {}, [])
    assert purse.can_pay(1_080)
    assert not purse.can_pay(1_081)


def test_coins_that_cannot_be_are_told() -> None:
    purse = Purse()
    purse.take(told(1, -1))
    purse.take(told(2, 5, 10) | {"held_coins": 9})
    assert len(purse.problems) == 2


async def test_somebody_waits_for_coins_until_they_come_or_no_longer() -> None:
    purse = Purse()
    assert not await purse.until(lambda p: p.can_pay(10), 0.01)
    waiting = asyncio.create_task(purse.until(lambda p: p.can_pay(10), 5))
    await asyncio.sleep(0)
    purse.take(told(1, 9))
    purse.take(told(2, 10))
    assert await waiting
    assert await purse.until(lambda p: p.can_pay(10), 0)
