"""What an embedded log keeps its records in."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sahrat.log.port import Bookmark, Bounds, Stored
from sahrat.messages.topics import Topic

Place = tuple[str, int]
"""A topic's name and a partition of it."""


def wall_ms() -> int:
    """Return the wall clock in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Mark:
    """A bookmark on its way to the store."""

    group: str
    topic: str
    partition: int
    mark: Bookmark


@dataclass(frozen=True, slots=True)
class Kept:
    """What a store already holds when it is opened."""

    bounds: Mapping[Place, Bounds]
    marks: Sequence[Mark]


class Store(Protocol):
    """Where an embedded log keeps its records. Never asked for two writes at once."""

    async def open(self, wanted: Sequence[Topic]) -> Kept:
        """Open it, make what is missing, and say what is there. Raises LogFault."""

    async def close(self) -> None:
        """Let go of it."""

    async def write(self, records: Sequence[Stored], marks: Sequence[Mark]) -> None:
        """Keep records and bookmarks for good, all or none. Raises LogFault."""

    def recent(self, place: Place, offset: int, limit: int) -> Sequence[Stored]:
        """Return 1..limit records from an offset on if they are at hand, else nothing."""

    async def read(self, place: Place, offset: int, limit: int) -> Sequence[Stored]:
        """Return 1..limit records from an offset on; none when it was trimmed meanwhile."""

    async def trim(self, place: Place, before: int) -> None:
        """Delete the records below an offset."""

    async def expire(self, oldest: Sequence[tuple[Place, int]]) -> Sequence[int]:
        """Delete each place's first records that are older than a time (ms); return the starts."""
