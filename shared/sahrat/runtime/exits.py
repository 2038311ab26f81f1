"""How a process of the house ends: one meaning for each exit code, the same in every process.

Every command starts with this, so it loads nothing; see `failures` for what has which code.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Exit(IntEnum):
    """The exit codes. Released values: only added to."""

    DONE = 0
    FAULT = 1
    USAGE = 2
    LOG = 3
    NEWER = 4
    SLOW = 5


MEANINGS: Final = {
    Exit.DONE: "done; or told to stop, and stopped cleanly",
    Exit.FAULT: "something does not fit (verify), or a fault of the program: see its log",
    Exit.USAGE: "it can't be done this way: wrong option or setting, no such file, folder in use",
    Exit.LOG: "the log is away or damaged, or did not take a record; a start again goes on",
    Exit.NEWER: "the log has a record of a newer version: install that one",
    Exit.SLOW: "told to stop, and not stopped in time",
}
