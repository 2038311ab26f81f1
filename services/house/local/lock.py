"""Locks between processes of one machine. The kernel drops them when their process dies."""

import contextlib
import fcntl
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from services.house.local.errors import LocalError

_logger = logging.getLogger(__name__)

HOLD_FILE: Final = "lock"


class Busy(LocalError):
    """Another process, or another part of this one, has the folder."""


class Hold:
    """A folder that is ours alone until `release` or until this process dies."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def shared(self) -> tuple[int, ...]:
        """Return what a child is to inherit (`pass_fds`) so that it holds the folder too."""
        return () if self._descriptor is None else (self._descriptor,)

    def release(self) -> None:
        """Let others have the folder; a second time does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def hold(folder: Path, name: str = HOLD_FILE) -> Hold:
    """Take a folder for this process alone, without waiting; the folder is made if missing.

    Args:
        folder: What nobody else is to use.
        name: Its lock file; one folder can have several, each for a purpose of its own.

    Raises:
        Busy: Somebody has it; the message names the process.
        OSError: The folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(descriptor, 20, 0).decode(errors="replace").strip() or "unknown"
        os.close(descriptor)
        raise Busy(f"{folder} is in use by process {owner}") from None
    _sign(descriptor)
    return Hold(descriptor)


@contextlib.contextmanager
def wait_for(path: Path, reason: str) -> Iterator[None]:
    """Take the lock file at `path`, waiting as long as another process has it.

    Args:
        path: The lock file; its folder is made if missing. It is never removed: a waiter would
            then hold a lock that nobody else sees.
        reason: What the other is doing, for the log line written when there is a wait.

    Raises:
        OSError: The file cannot be made or written to.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = _open(path)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _logger.warning("waiting: %s", reason)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        _sign(descriptor)
        yield
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _sign(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
