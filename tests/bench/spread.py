"""How measured times are spread. Times come in microseconds and leave in milliseconds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

N = TypeVar("N", int, float)


def percentile(ordered: Sequence[N], percent: int) -> N:
    """Return the smallest value that at least `percent` of the values do not exceed.

    Args:
        ordered: The values, ascending; at least one.
        percent: 1..100.

    Source: nearest rank, so that what is returned has been measured.
    """
    return ordered[math.ceil(len(ordered) * percent / 100) - 1]


@dataclass(frozen=True, slots=True)
class Spread:
    """Percentiles and the worst, in ms; `count` values."""

    count: int
    p50: float
    p99: float
    worst: float

    @classmethod
    def of(cls, times_us: Sequence[int]) -> Spread | None:
        """Return how times are spread; None when there are none."""
        if not times_us:
            return None
        ordered = sorted(times_us)
        return cls(
            len(ordered),
            percentile(ordered, 50) / 1000,
            percentile(ordered, 99) / 1000,
            ordered[-1] / 1000,
        )
