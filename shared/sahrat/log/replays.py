"""Replays of one log that several followers of a process begin at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, Protocol, Self, TypeVar

from sahrat.log.shared import RECORDS, Shared


class Copied(Protocol):
    """What can be copied, so that the copy changes apart."""

    def copy(self) -> Self:
        """Return a copy."""


T = TypeVar("T", bound=Copied)


class SharedReplays(Shared):
    """What followers share, and the replays that are under way."""

    def __init__(self, most: int = RECORDS) -> None:
        super().__init__(most)
        self._replays: dict[Hashable, asyncio.Future[Any]] = {}

    async def replayed(self, begun: Hashable, replay: Callable[[], Awaitable[T]]) -> T | None:
        """Return a copy of what another makes of the log just now who begins as the caller would;
        None where nobody does, and `replay` has made the caller's own. Raises what that raises.

        Args:
            begun: Which records, and from where on.
            replay: Reads and folds them.
        """
        while (going := self._replays.get(begun)) is not None:
            found: T | None = await asyncio.shield(going)
            if found is not None:
                return found.copy()
        going = self._replays[begun] = asyncio.get_running_loop().create_future()
        made: T | None = None
        try:
            made = await replay()
        finally:  # a copy, since the caller's own goes on at once
            del self._replays[begun]
            going.set_result(None if made is None else made.copy())
        return None
