"""A disk that can be full: a file system of its own in memory, as large as it is told to be."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

MOUNT: Final = ("mount", "-t", "tmpfs", "-o")


class NoDisk(Exception):
    """None can be had here; one line that says why."""


class SmallDisk:
    """One of these.

    Args:
        folder: Where it is mounted; made if missing.
        megabytes: How much it holds; only what is on it takes memory.
    """

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.folder = folder
        self._bytes = megabytes * 1024 * 1024
        self._mounted = False

    def mount(self) -> None:
        """Put it there. Raises NoDisk where one may not mount."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._run(*MOUNT, f"size={self._bytes}", "tmpfs", str(self.folder))
        self._mounted = True

    def fill(self) -> None:
        """Let it be full from now on: what is on it is all that it holds. Raises NoDisk."""
        found = os.statvfs(self.folder)
        self._resize((found.f_blocks - found.f_bfree) * found.f_frsize)

    def clear(self) -> None:
        """Let it have room again. Raises NoDisk."""
        self._resize(self._bytes)

    def unmount(self) -> None:
        """Take it away, with all that is on it; nothing happens if it is not there."""
        if self._mounted:
            self._run("umount", str(self.folder))
            self._mounted = False

    def _resize(self, size: int) -> None:
        self._run("mount", "-o", f"remount,size={size}", str(self.folder))

    def _run(self, *command: str) -> None:
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as fault:
            raise NoDisk(f"{command[0]}: {fault.strerror}") from None
        if done.returncode:
            raise NoDisk(" ".join(done.stderr.split()) or f"{command[0]} ended badly")
