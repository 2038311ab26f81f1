"""A member's hold of one partition, and what the end of its `serve` means."""

from __future__ import annotations

import asyncio
from typing import Protocol

from sahrat.log.port import LogFault, OwnershipLost, Released


class Waiter(Protocol):
    """A reader that may be waiting for records."""

    def wake(self) -> None:
        """Let it look again."""


class Hold:
    """One partition that a member owns.

    released: its readers are told to stop. lost: the group gave the partition to another member
    without waiting for this one. ended: its `serve` is over.
    """

    def __init__(self, partition: int) -> None:
        self.partition = partition
        self.readers: list[Waiter] = []
        self.released = False
        self.lost = False
        self.ended = False

    @property
    def over(self) -> bool:
        """Whether its readers must raise `Released`."""
        return self.released or self.ended

    def release(self) -> None:
        """Tell its readers to stop."""
        self.released = True
        self._wake()

    def end(self) -> None:
        """Note that its `serve` is over."""
        self.ended = True
        self._wake()

    def _wake(self) -> None:
        for reader in self.readers:
            reader.wake()


def failure_of(hold: Hold, serve: asyncio.Task[None]) -> BaseException | None:
    """Return what was wrong in how a `serve` ended, or None."""
    if serve.cancelled():
        if hold.released:
            return None
        return LogFault(f"serve of partition {hold.partition} was cancelled")
    failure = serve.exception()
    if failure is None and not hold.released and not hold.lost:
        return LogFault(f"serve of partition {hold.partition} returned by itself")
    if isinstance(failure, Released) and (hold.released or hold.lost):
        return None
    if isinstance(failure, OwnershipLost) and hold.lost:
        return None
    return failure
