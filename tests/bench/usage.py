"""What processes have used, from `/proc`: CPU time and memory. Linux alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")
PAGE_KB: Final = os.sysconf("SC_PAGE_SIZE") // 1024

# Fields of /proc/PID/stat after the name in brackets. Source: proc(5).
PARENT: Final = 1
TIMES: Final = slice(11, 15)  # utime, stime, and of children that ended: cutime, cstime
RESIDENT: Final = 21


@dataclass(frozen=True, slots=True)
class Usage:
    """CPU time in seconds since the start, and resident memory in kB."""

    cpu_s: float = 0.0
    rss_kb: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Return both together."""
        return Usage(self.cpu_s + other.cpu_s, self.rss_kb + other.rss_kb)


def usage(pids: Iterable[int]) -> Usage:
    """Return what processes have used; those that are gone count as nothing.

    Time of children that have ended counts as their parent's, so a server's tree loses nothing when
    one of its processes comes and goes between two looks.
    """
    found = Usage()
    for pid in pids:
        fields = _stat(pid)
        if fields:
            ticks = sum(map(int, fields[TIMES]))
            found += Usage(ticks * TICK_S, int(fields[RESIDENT]) * PAGE_KB)
    return found


def tree(root: int) -> list[int]:
    """Return a process and all that came of it."""
    children: dict[int, list[int]] = {}
    for entry in PROC.iterdir():
        if entry.name.isdecimal() and (fields := _stat(int(entry.name))):
            children.setdefault(int(fields[PARENT]), []).append(int(entry.name))
    found = [root]
    for pid in found:
        found += children.get(pid, ())
    return found


def by_role(roles: Mapping[str, Sequence[int]]) -> dict[str, Usage]:
    """Return what each role's processes have used."""
    return {role: usage(pids) for role, pids in roles.items()}


def spent(before: Mapping[str, Usage], after: Mapping[str, Usage]) -> dict[str, float]:
    """Return the CPU seconds that each role used between two looks."""
    return {
        role: max(0.0, used.cpu_s - before.get(role, Usage()).cpu_s) for role, used in after.items()
    }


def _stat(pid: int) -> list[str]:
    """Return a process's fields after its name, which may hold anything; none if it is gone."""
    try:
        text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()
