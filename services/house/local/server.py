"""What a broker and a database of this machine have in common."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self


class Server(Protocol):
    """A server that runs while it is wanted, as a context too. All of it blocks."""

    @property
    def pid(self) -> int | None:
        """The process; none while it does not run. Raises OSError."""

    def start(self) -> str:
        """Start it if it does not run, and return its address. Raises LocalError, OSError."""

    def stop(self) -> None:
        """End it."""

    def restart(self) -> str:
        """Stop, then start on the same data; return the address. Raises as `start`."""
        self.stop()
        return self.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
