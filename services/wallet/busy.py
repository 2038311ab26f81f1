"""Since when each part of the wallet has waited for the log."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

STUCK_S: Final = 10.0


class Busy:
    """Notes who waits; one that waits for too long turns health red."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}

    @contextmanager
    def waiting(self, name: str) -> Iterator[None]:
        """Note that a part has work in hand, as long as it has."""
        self._since[name] = asyncio.get_running_loop().time()
        try:
            yield
        finally:
            self._since.pop(name, None)

    def moved(self, name: str) -> None:
        """Note that a part with much work in hand gets on with it."""
        self._since[name] = asyncio.get_running_loop().time()

    def health(self) -> str | None:
        """Return None, or who has waited too long."""
        now = asyncio.get_running_loop().time() if self._since else 0.0
        for name, since in self._since.items():
            if now - since > STUCK_S:
                return f"{name} has waited {now - since:.0f} s for the log"
        return None
