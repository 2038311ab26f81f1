"""The log's time as this gateway knows it: of each partition, and the newest of all."""

from __future__ import annotations

from collections.abc import Callable

from sahrat.log.clock import LogClock
from sahrat.messages import topics


class Times:
    """Clocks set by every append time that is seen, read or returned by an own append."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        """Take seconds that never go back."""
        self._house = LogClock(monotonic)
        self._partitions = [LogClock(monotonic) for _ in range(topics.MATCH_PARTITIONS)]

    def saw(self, at_ms: int, partition: int | None = None) -> None:
        """Take an append time; of the pulse, without a partition."""
        self._house.saw(at_ms)
        if partition is not None:
            self._partitions[partition].saw(at_ms)

    def now_ms(self, partition: int | None = None) -> int:
        """Return the log's time in ms since 1970, of a partition where it was seen there.

        Raises:
            RuntimeError: No append time was seen yet; the first pulse gives one.
        """
        own = None if partition is None else self._partitions[partition].now_ms
        found = self._house.now_ms if own is None else own
        if found is None:
            raise RuntimeError("the log's time is not known yet")
        return found
