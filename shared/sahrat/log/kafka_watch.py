"""Finds out that the broker is away, or silent about what somebody waits for.

The client retries for ever, and there are ways in which it waits for an answer that never comes
(aio-libs/aiokafka#1154, #703). So whoever waits says so, and the process ends when it was in vain
for too long.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

import structlog

from sahrat.log.port import LogFault

TICK_S: Final = 0.5
STALL_S: Final = 1.0
"""A longer step means that this process stood still: it could not have heard an answer."""

RED_SHARE: Final = 0.6  # of the limit: the health page is red before the process ends

_log = structlog.get_logger("log")


class Silence:
    """How long somebody has waited for the broker, in seconds of this process's own running.

    Args:
        what: What is waited for, for people.
        limit_s: How long it may last.
    """

    def __init__(self, what: str, limit_s: float) -> None:
        self.what = what
        self.limit_s = limit_s
        self.waiting = False
        self.seconds = 0.0

    def begin(self) -> None:
        """Wait from now on."""
        self.waiting = True
        self.seconds = 0.0

    def end(self) -> None:
        """Wait no more."""
        self.waiting = False
        self.seconds = 0.0


class Watch:
    """Counts silences, and ends everything when one is too long or somebody reports a fault."""

    def __init__(self) -> None:
        self.fault: LogFault | None = None
        self._silences: dict[Silence, None] = {}
        self._looks: list[Callable[[], None]] = []
        self._ends: dict[Callable[[], None], None] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to count."""
        self._task = asyncio.create_task(self._count())

    async def close(self) -> None:
        """Stop counting."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def silence(self, what: str, limit_s: float) -> Silence:
        """Return a new silence that is counted from now on."""
        silence = Silence(what, limit_s)
        self._silences[silence] = None
        return silence

    def drop(self, silence: Silence) -> None:
        """Count a silence no more."""
        self._silences.pop(silence, None)

    def look(self, look: Callable[[], None]) -> None:
        """Call `look` before each count, for those who have to see whether they heard."""
        self._looks.append(look)

    def at_fault(self, end: Callable[[], None]) -> None:
        """Call `end` once a fault is known."""
        self._ends[end] = None
        if self.fault is not None:
            end()

    def forget(self, end: Callable[[], None]) -> None:
        """Take back `at_fault`."""
        self._ends.pop(end, None)

    def fail(self, fault: LogFault) -> None:
        """End everything that uses the log, for the first fault that is reported."""
        if self.fault is None:
            self.fault = fault
            _log.error("the log can't be used any more", fault=str(fault))
            for end in list(self._ends):
                end()

    def healthy(self) -> str | None:
        """Return what is wrong, or None."""
        if self.fault is not None:
            return str(self.fault)
        for silence in self._silences:
            if silence.waiting and silence.seconds > silence.limit_s * RED_SHARE:
                return f"{silence.what}: no answer for {silence.seconds:.0f} s"
        return None

    def add(self, seconds: float) -> None:
        """Count seconds that have gone by, but not those in which nothing could be heard."""
        seconds = min(seconds, STALL_S)
        for look in self._looks:
            look()
        for silence in list(self._silences):
            if silence.waiting:
                silence.seconds += seconds
                if silence.seconds > silence.limit_s:
                    self.fail(LogFault(f"{silence.what}: no answer for {silence.seconds:.0f} s"))

    async def _count(self) -> None:
        before = time.monotonic()
        try:
            while self.fault is None:
                await asyncio.sleep(TICK_S)
                now = time.monotonic()
                self.add(now - before)
                before = now
        except Exception as failure:  # nobody would notice that nobody counts
            self.fail(LogFault(f"counting failed: {failure!r}"))
