"""Tests that are stories of a house, told on virtual time."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

import structlog

from services.house.simulation.loop import run
from services.house.simulation.partitions import FEW, partitions
from tests.house.audit import audit
from tests.house.house import House

FIRST: int = 2  # a story's arguments that are no fixtures: the house and its gateway


def simulated(story: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Make a test of a story: run it in a house of its own, with one gateway and every worker at
    work, and audit the house's log afterwards.
    """

    async def whole(logged: list[Any], fixtures: dict[str, Any]) -> None:
        async with House(logged=logged) as house:
            gateway = await house.gateway()
            await house.ready()
            await story(house, gateway, **fixtures)
            audit(house)
            assert len(house.alarms()) == house.pardoned, house.alarms()

    @wraps(story)
    def test(**fixtures: Any) -> None:
        with partitions(FEW), structlog.testing.capture_logs() as logged:
            run(whole(logged, fixtures))

    parameters = list(inspect.signature(story).parameters.values())[FIRST:]
    del vars(test)["__wrapped__"]  # pytest would look for its fixtures there
    vars(test)["__signature__"] = inspect.Signature(parameters)
    return test
