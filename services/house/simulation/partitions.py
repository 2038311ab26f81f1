"""Fewer partitions than the product has: a run costs what its ticks cost, two a second in each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sahrat.messages import topics

FEW: Final = 3  # enough for a group to share, and for a neighbour that nothing happens to


@contextmanager
def partitions(count: int) -> Iterator[None]:
    """Let the match topics have so many partitions for a while."""
    before = topics.MATCH_PARTITIONS
    _set(count)
    try:
        yield
    finally:
        _set(before)


def _set(count: int) -> None:
    vars(topics)["MATCH_PARTITIONS"] = count
    for topic in topics.MATCH_TOPICS:
        object.__setattr__(topic, "partitions", count)  # they are frozen, and known to everybody
