"""How fast a phone sends: below the limit of the house that it plays at."""

from __future__ import annotations

from typing import Final

SHARE: Final = 0.9  # of what the house allows: its clock and ours count differently
BURST_S: Final = 1.5  # so many seconds' worth at once after a pause; the house allows two


class Pace:
    """Spaces messages out.

    Args:
        rate: Messages a second that the house allows.
    """

    __slots__ = ("_burst_s", "_each_s", "_next_s")

    def __init__(self, rate: int) -> None:
        self._each_s = 1 / (rate * SHARE)
        self._burst_s = BURST_S
        self._next_s = 0.0

    def take(self, now_s: float) -> float:
        """Count one message, and return in how many seconds it may go out."""
        self._next_s = max(self._next_s, now_s - self._burst_s) + self._each_s
        return max(0.0, self._next_s - now_s)
