"""How fast somebody may send: a token bucket in whole numbers. Times are milliseconds."""

from __future__ import annotations

from typing import Final

_MILLI: Final = 1000


class Bucket:
    """Lets `rate` a second through, and `burst` at once after a pause."""

    __slots__ = ("_at_ms", "_burst", "_left", "_rate")

    def __init__(self, rate: int, burst: int, now_ms: int) -> None:
        """Start full."""
        self._rate = rate
        self._burst = burst * _MILLI
        self._left = self._burst  # in thousandths: `rate` of them come back each millisecond
        self._at_ms = now_ms

    def take(self, now_ms: int) -> bool:
        """Return whether one more may pass now, and count it if so."""
        self._refill(now_ms)
        if self._left < _MILLI:
            return False
        self._left -= _MILLI
        return True

    def full(self, now_ms: int) -> bool:
        """Return whether nothing was taken for so long that this bucket is like a new one."""
        self._refill(now_ms)
        return self._left == self._burst

    def _refill(self, now_ms: int) -> None:
        gained = max(0, now_ms - self._at_ms) * self._rate
        self._left = min(self._burst, self._left + gained)
        self._at_ms = now_ms
