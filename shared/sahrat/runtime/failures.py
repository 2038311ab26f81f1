"""Which exit code belongs to what ended a process, and what is said of it in one line."""

from __future__ import annotations

from sahrat.log.port import AppendFailed, LogFault
from sahrat.messages.codec import FromTheFuture
from sahrat.runtime.exits import Exit
from sahrat.runtime.settings import BadSetting


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
