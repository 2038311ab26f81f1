"""Stories in a simulated house, as tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

import structlog

from services.house.simulation.loop import run
from tests.house.audit import audit
from tests.house.house import House


def story(tell: Callable[[House], Awaitable[None]]) -> Callable[[], None]:
    """Make a test of a story in a house with rules and the timer; its log is audited after it."""

    async def whole(logged: list[Any]) -> None:
        async with House(logged=logged, begin=("rules", "timer")) as house:
            await tell(house)
            audit(house)

    @wraps(tell)
    def test() -> None:
        with structlog.testing.capture_logs() as logged:
            run(whole(logged))

    del vars(test)["__wrapped__"]  # pytest would look for its fixtures there
    return test
