"""How the house keeps up, as the answers to the timer's ticks tell it (rule K)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sahrat.messages import topics
from sahrat.messages.envelope import TickAnswered

PAUSE_S: Final = 0.5  # between a tick's answer and the next tick
LIVE: Final = 10_000  # in a partition with so many live matches no table is opened


class Ticks:
    """The newest answered tick of each partition."""

    def __init__(self, lag_s: float, monotonic: Callable[[], float]) -> None:
        """Take the lag above which no table is opened, and seconds that never go back. The start
        counts as a tick, so that the timer has time to hear of this gateway.
        """
        self._most_s = lag_s
        self._monotonic = monotonic
        self._heard_s = [monotonic()] * topics.MATCH_PARTITIONS
        self._lag_s = [0.0] * topics.MATCH_PARTITIONS
        self._live = [0] * topics.MATCH_PARTITIONS

    def answered(self, partition: int, answer: TickAnswered, at_ms: int) -> None:
        """Take an answer, and when the log stored it."""
        self._heard_s[partition] = self._monotonic()
        self._lag_s[partition] = max(0, at_ms - answer.tick_ms) / 1000
        self._live[partition] = answer.live

    def busy(self, partition: int) -> str:
        """Return why no table should be opened in a partition; empty when one may be."""
        overdue_s = self._monotonic() - self._heard_s[partition] - PAUSE_S
        if max(overdue_s, self._lag_s[partition]) > self._most_s:
            return "the house is behind"
        if self._live[partition] >= LIVE:
            return "too many matches are open"
        return ""
