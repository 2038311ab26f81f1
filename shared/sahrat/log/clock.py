"""The log's time of a partition, as somebody who must wait can know it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class LogClock:
    """The time stamp that the broker gave last, as far as seen, plus the time since.

    The last one, not the highest: when the broker's clock is set back, this one is too.

    Args:
        monotonic: Seconds that never go back, such as the running loop's `time`.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._at_ms: int | None = None
        self._seen_s = 0.0

    def saw(self, at_ms: int) -> None:
        """Take the append time of a record just read, or just stored by an own append."""
        self._at_ms = at_ms
        self._seen_s = self._monotonic()

    @property
    def now_ms(self) -> int | None:
        """The log's time in ms since 1970; None before anything was seen. It is never ahead of a
        broker whose clock runs evenly: reading and answering take time.
        """
        if self._at_ms is None:
            return None
        return self._at_ms + whole_ms(self._monotonic() - self._seen_s)


def loop_ms() -> int:
    """Return the running loop's time in whole ms: for pauses, and for who was heard when."""
    return whole_ms(asyncio.get_running_loop().time())


def whole_ms(seconds: float) -> int:
    """Return the whole ms in a time. By microseconds, or 0.1 + 0.2 would fall short of its ms."""
    return round(seconds * 1_000_000) // 1000
