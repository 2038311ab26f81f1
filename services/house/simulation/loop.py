"""An asyncio loop whose time is virtual: a sleep costs nothing, and code takes no time.

The same program has the same story on it, to the last callback: what is ready runs in the order in
which it became ready, and time moves on to the next timer only when nothing is.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from contextvars import Context, ContextVar
from typing import Any, Final, TypeVar, TypeVarTuple, Unpack

from typing_extensions import override

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

SPINS: Final = 1_000_000
"""So many turns of the loop in one and the same moment are a program that runs for ever."""


class Watch:
    """A process's own monotonic clock. `ahead_s`: how far it is ahead; may be set at any moment."""

    def __init__(self) -> None:
        self.ahead_s = 0.0


WATCH: Final[ContextVar[Watch | None]] = ContextVar("watch", default=None)
"""The clock of the process that a task belongs to; tasks that it makes inherit it."""


class Stuck(Exception):
    """The program waits for ever, or never waits."""


class _Jump(selectors.SelectSelector):
    """Waits for nothing outside: it moves the time on to the next timer."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0
        self._turns = 0

    @override
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise Stuck("everybody waits for somebody else: no timer is set")
        if timeout > 0:
            self.now_s += timeout
            self._turns = 0
            return []
        self._turns += 1
        if self._turns > SPINS:
            self._turns = 0  # its tasks are cancelled on this loop
            raise Stuck(f"{SPINS} turns at {self.now_s} s: somebody never waits")
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """The loop. It has no sockets, threads or processes.

    Attributes:
        unheard: Exceptions that nobody took, in order.

    """

    def __init__(self) -> None:
        self._jump = _Jump()
        self.unheard: list[BaseException] = []
        super().__init__(self._jump)

    @override
    def time(self) -> float:
        """Return the virtual time in seconds, which begins at 0, as the process's clock has it."""
        watch = WATCH.get()
        return self._jump.now_s if watch is None else self._jump.now_s + watch.ahead_s

    @property
    def true_s(self) -> float:
        """The virtual time in seconds, whatever the process's own clock shows."""
        return self._jump.now_s

    @override
    def call_at(
        self,
        when: float,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call something once the process's clock shows a time, if it goes right from now on."""
        watch = WATCH.get()
        true_s = when if watch is None else when - watch.ahead_s
        return super().call_at(true_s, callback, *args, context=context)

    @override
    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Keep what nobody took, for `run` to raise."""
        exception = context.get("exception")
        self.unheard.append(
            exception if exception is not None else RuntimeError(str(context.get("message")))
        )


def true_s() -> float:
    """Return the virtual time in seconds, whatever the process's own clock shows."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, VirtualLoop):
        raise TypeError("no virtual loop runs")
    return loop.true_s


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a program to its end on a virtual loop of its own.

    Raises:
        Stuck: It can't come to an end.
        BaseException: What it raised; or else the first that a task of it raised unheard.
    """
    loops: list[VirtualLoop] = []

    def new_loop() -> VirtualLoop:
        loops.append(VirtualLoop())
        return loops[-1]

    with asyncio.Runner(loop_factory=new_loop) as runner:
        result = runner.run(main)
    for fault in loops[0].unheard:
        raise fault
    return result
