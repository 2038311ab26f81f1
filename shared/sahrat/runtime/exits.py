"""How a process of the house ends: one meaning for each exit code, the same in every process."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from sahrat.log.port import AppendFailed, LogFault
from sahrat.messages.codec import FromTheFuture
from sahrat.runtime.settings import BadSetting


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


def exit_of(failure: BaseException) -> Exit:
    """Return the exit code for what ended a process; of several failures, the gravest one's.

    A record that was perhaps not stored counts more than anything that follows from it.
    """
    causes = list(_causes(failure))
    for kind, code in (
        (AppendFailed, Exit.LOG),
        (FromTheFuture, Exit.NEWER),
        (LogFault, Exit.LOG),
        (BadSetting, Exit.USAGE),
    ):
        if any(isinstance(cause, kind) for cause in causes):
            return code
    return Exit.FAULT


def reason_of(failure: BaseException) -> str:
    """Return in one line what ended a process."""
    said = [" ".join(str(cause).split()) or type(cause).__name__ for cause in _causes(failure)]
    return "; ".join(dict.fromkeys(said))


def _causes(failure: BaseException) -> list[BaseException]:
    if isinstance(failure, BaseExceptionGroup):
        return [cause for part in failure.exceptions for cause in _causes(part)]
    return [failure]
