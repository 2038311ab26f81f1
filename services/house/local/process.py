"""Processes of this machine: who they are, how they end, and how they never outlive us."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

SHELL: Final = "/bin/sh"
POLL_S: Final = 0.02
TAIL_BYTES: Final = 16_384
TAIL_LINES: Final = 4
TAIL_LINE_CHARS: Final = 240
LOG_BYTES: Final = 8 * 1024 * 1024  # a longer log is put aside at the next start

_PROC: Final = Path("/proc")
_AT_OUR_END: Final = 'read -r _; "$@"'  # nothing is ever written: `read` returns when the pipe ends


def command_line(pid: int) -> str:
    """Return a process's command line; empty if it is gone, dead or not ours to see."""
    if (_PROC / "self").exists():
        try:
            line = (_PROC / str(pid) / "cmdline").read_bytes()
        except OSError:
            return ""
    else:
        line = subprocess.run(
            ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, check=False
        ).stdout
    return os.fsdecode(line.replace(b"\0", b" ").strip())


def works_in(pid: int, folder: Path, mark: str) -> bool:
    """Return whether a living process has `folder` as its working folder.

    Args:
        pid: The process; the number may long be another's.
        folder: The folder, whatever it was called when the process started.
        mark: Where the system does not show working folders: text of the command line instead.
    """
    if not (_PROC / "self").exists():
        return mark in command_line(pid)
    try:
        return folder.samefile(_PROC / str(pid) / "cwd")
    except OSError:  # gone, dead and unburied, or another user's
        return False


def exists(pid: int) -> bool:
    """Return whether the number is some process's, be it dead and unburied."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def send(pid: int, signal_number: int) -> None:
    """Send a signal; a process that is gone already is no fault.

    Raises:
        PermissionError: The process is somebody else's.
    """
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal_number)


def wait_until(done: Callable[[], bool], limit_s: float) -> bool:
    """Return whether `done` became true within `limit_s` seconds; it is asked at least once."""
    deadline = time.monotonic() + limit_s
    while not done():
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_S)
    return True


def write_whole(path: Path, text: str) -> None:
    """Write a small file so that a crash leaves the old text or the new one, never a part.

    Raises:
        OSError: The folder cannot be written to.
    """
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, encoding="utf-8", errors="surrogateescape")  # paths
    part.replace(path)


def put_aside(log: Path) -> None:
    """Rename a log that has grown long, so that two files of it are kept at most."""
    if log.exists() and log.stat().st_size > LOG_BYTES:
        log.replace(log.with_name(f"{log.name}.1"))


def tail(log: Path) -> str:
    """Return the last words of a log in one line, without the frames of stack traces."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - TAIL_BYTES))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError as fault:
        return f"(unreadable: {fault.strerror})"
    words = [line.strip()[:TAIL_LINE_CHARS] for line in lines]
    told = [line for line in words if line and not line.startswith(("at ", "... "))]
    return " | ".join(told[-TAIL_LINES:]) or "(empty)"


class Guard:
    """Runs a command once this process is gone, however it went: `kill -9` too.

    A shell waits for the end of a pipe of which this process alone has the other end; the kernel
    closes it with us. It has a session of its own, so that Ctrl-C does not reach it. A child that
    was forked without an exec shares the pipe, and the guard then waits for both.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        user: int | None = None,
        group: int | None = None,
        environment: Mapping[str, str] | None = None,
        keeps: Sequence[int] = (),
    ) -> None:
        """Set the guard.

        Args:
            command: What it runs.
            user: As whom, if not as this process.
            group: With that user.
            environment: The command's; by default ours.
            keeps: Descriptors of locks that are to be held until the command has ended.

        Raises:
            OSError: There is no process to be had.
        """
        self._shell = subprocess.Popen(
            [SHELL, "-c", _AT_OUR_END, SHELL, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env=environment,
            user=user,
            group=group,
            extra_groups=None if user is None else [],
            pass_fds=tuple(keeps),
            start_new_session=True,
        )

    def dismiss(self) -> None:
        """End the guard; its command is not run. A second time does nothing."""
        self._shell.kill()
        self._shell.wait()
        if self._shell.stdin is not None:
            self._shell.stdin.close()
