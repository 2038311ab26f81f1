"""Phones at a real gateway, over the log, with rules and the timer behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from services.gateway.host import Gateway
from tests.integration.gateway_house import House, memory_house
from tests.integration.phone import Phone


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with memory_house() as house:
        yield house


@pytest.fixture
async def gateway(house: House) -> Gateway:
    return await house.gateway()


async def table(house: House, gateway: Gateway, **options: Any) -> tuple[str, list[Phone]]:
    """A table in play, and its phones by seat order."""
    size = options.get("players", 2)
    phones = [await house.phone(gateway, f"لاعبة {n}") for n in range(size)]
    opening = await phones[0].wish("open", game="ludo", options=options)
    match_id = (await phones[0].until(lambda f: "seq" in f and "events" in f))["match_id"]
    del opening
    for phone in phones[1:]:
        await phone.record(match_id, await phone.wish("join", match_id=match_id))
    return match_id, phones


async def test_a_table_is_opened_and_joined(house: House, gateway: Gateway) -> None:
    match_id, phones = await table(house, gateway)
    assert phones[0].records[match_id] == await house.records(match_id)
    assert phones[1].records[match_id] == await house.records(match_id)
