"""Says which partitions a worker has taken up, in one line for all of them."""

from __future__ import annotations

import asyncio
from typing import Final

from structlog.stdlib import BoundLogger

SETTLED_S: Final = 0.5  # with no other partition the group has shared them out


class Served:
    """Gathers what is taken up one by one: a line for each would bury the house's address.

    Args:
        log: The worker's.
        event: What it says of them.
    """

    def __init__(self, log: BoundLogger, event: str = "serving") -> None:
        self._log = log
        self._event = event
        self._new: dict[int, int | None] = {}
        self._settling: asyncio.TimerHandle | None = None

    def began(self, partition: int, *, live: int | None = None, **details: object) -> None:
        """Take a partition from which on records are worked on.

        Args:
            partition: Which.
            live: How many matches play there, where the worker knows.
            details: Said of this partition alone, to whoever wants to know all (`debug`).
        """
        known = {} if live is None else {"live": live}
        self._log.debug(self._event, partition=partition, **known, **details)
        self._new[partition] = live
        if self._settling is not None:
            self._settling.cancel()
        self._settling = asyncio.get_running_loop().call_later(SETTLED_S, self._say)

    def _say(self) -> None:
        self._settling = None
        lives = [live for live in self._new.values() if live is not None]
        known = {"live": sum(lives)} if lives else {}
        self._log.info(self._event, partitions=sorted(self._new), **known)
        self._new.clear()
