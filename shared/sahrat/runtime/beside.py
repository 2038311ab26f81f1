"""Tasks beside the one that made them, which share its end."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self


class Beside:
    """Tasks that work beside the task that made them, and wake it. What ends one of them is raised
    in it; when it ends, they do. Everything happens in the order in which they were made, so that
    the same program has the same story.

        async with Beside() as beside:
            beside.start(read())
            while True:
                ...
                await beside.rest(1.0)
    """

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []
        self._woken = asyncio.Event()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside; it may only end by raising."""
        task = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._woken.set())
        self._tasks.append(task)

    def wake(self) -> None:
        """End the rest of the one that made the tasks, or its next one."""
        self._woken.set()

    async def rest(self, seconds: float | None) -> None:
        """Wait to be woken, for so long at most (None: for ever).

        Raises:
            BaseException: What ended one of the tasks.
            RuntimeError: One of them returned.
        """
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            pass
        self._woken.clear()
        for task in self._tasks:
            if task.done():
                task.result()
                raise RuntimeError("what works beside has returned by itself")

    async def __aenter__(self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the tasks, and wait until they have."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
