"""What a helper that plays or calls has counted, and what processes used meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from tests.bench.processes import Failed, Helper
from tests.bench.spread import Spread
from tests.bench.usage import Usage, by_role, spent

DRIVER: Final = "driver"

Roles = Callable[[], Mapping[str, Sequence[int]]]
"""Returns processes by role, as they are now."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What happened between two looks.

    Attributes:
        rate: Actions a second.
        spread: Of the times of the actions.
        cpu_us: CPU time an action, by role; the driver's among them.
        used: What each role had used by the end.
        said: What the helpers said besides, added up.
    """

    rate: float
    spread: Spread
    cpu_us: Mapping[str, float]
    used: Mapping[str, Usage]
    said: Mapping[str, Any]

    @classmethod
    def over(cls, helpers: Sequence[Helper], roles: Roles, seconds: float) -> Self:
        """Let helpers count for so many seconds. Raises Failed."""
        pids = {**roles(), DRIVER: [helper.pid for helper in helpers]}
        for helper in helpers:
            helper.tell("begin")
        before = by_role(pids)
        time.sleep(seconds)
        for helper in helpers:
            helper.tell("end")
        after = by_role(pids)
        heard = [helper.hear() for helper in helpers]
        times_us = [time_us for one in heard for time_us in one["times_us"]]
        spread = Spread.of(times_us)
        if spread is None:
            raise Failed("nothing came of any action")
        return cls(
            rate=sum(len(one["times_us"]) / (one["took_us"] / 1e6) for one in heard),
            spread=spread,
            cpu_us={
                role: cpu_s * 1e6 / len(times_us) for role, cpu_s in spent(before, after).items()
            },
            used=after,
            said=_added(heard),
        )

    @property
    def server_us(self) -> float:
        """CPU time an action of everything but the driver."""
        return sum(cpu_us for role, cpu_us in self.cpu_us.items() if role != DRIVER)


def _added(heard: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return numbers and counts by name added up, over all helpers."""
    found: dict[str, Any] = {}
    for one in heard:
        for name, value in one.items():
            if isinstance(value, dict):
                counts = found.setdefault(name, {})
                for key, count in value.items():
                    counts[key] = counts.get(key, 0) + count
            elif isinstance(value, int):
                found[name] = found.get(name, 0) + value
    return found
