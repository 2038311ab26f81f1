"""Percentiles are values that were measured."""

from __future__ import annotations

import pytest

from tests.bench.spread import Spread, percentile


@pytest.mark.parametrize(
    ("percent", "expected"),
    [(1, 10), (10, 10), (11, 20), (50, 50), (51, 60), (99, 100), (100, 100)],
)
def test_the_nearest_rank_counts(percent: int, expected: int) -> None:
    assert percentile([10, 20, 30, 40, 50, 60, 70, 80, 90, 100], percent) == expected


@pytest.mark.parametrize("percent", [1, 50, 100])
def test_one_value_is_every_percentile(percent: int) -> None:
    assert percentile([7], percent) == 7


def test_a_spread_is_in_ms_whatever_the_order() -> None:
    assert Spread.of([3_000, 1_000, 2_500]) == Spread(count=3, p50=2.5, p99=3.0, worst=3.0)


def test_nothing_measured_has_no_spread() -> None:
    assert Spread.of([]) is None
