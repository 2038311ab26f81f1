"""What alarms and ends of processes each fault explains: one that nothing explains is a failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from sahrat.log.port import LogFault

OUT_OF_REACH: Final = ("broker away", "cut off: ", "frozen: ", "all gateways silent", "slow log")
ALARMS: Final[Mapping[str, tuple[str, ...]]] = {
    "dead letter": ("poison in ",),
    "an answer that can't be read": ("poison in match.refusals",),
    "a record that does not fit": ("poison in match.events", "poison in wallet.journal"),
    "a record that is no entry": ("poison in wallet.journal",),
    "a record that can't be read": ("poison in ",),
    "the log does not answer": (*OUT_OF_REACH, "clock of a gateway"),
}
"""By what an alarm says, the beginnings of the faults of which one must have struck."""
ENDS: Final[Mapping[str, tuple[str, ...]]] = {
    "LogAway": OUT_OF_REACH,
    "OutOfRange": ("log's clock forward",),  # all that is kept for an hour is an hour old at once
    "LogFault": (*OUT_OF_REACH, "bookmark lost", "bookmark damaged", "tail lost"),
}
"""By the exception that a process ended with, the same."""


def names(why: BaseException) -> Iterator[str]:
    """Yield the names of all that a process ended with."""
    if isinstance(why, BaseExceptionGroup):
        for one in why.exceptions:
            yield from names(one)
    else:
        yield type(why).__name__ if isinstance(why, LogFault) else f"{type(why).__name__}: {why}"


def missing(counts: Counter[str]) -> list[str]:
    """Return the alarms and ends that no fault of a run explains, in words."""
    found: list[str] = []
    for kind, known in (("alarm: ", ALARMS), ("end: ", ENDS)):
        for name in counts:
            what = name.removeprefix(kind)
            if what != name and not _excused(known.get(what, ()), counts):
                found.append(f"nothing explains {name!r}")
    return found


def _excused(beginnings: tuple[str, ...], counts: Counter[str]) -> bool:
    return any(name.startswith(beginnings) for name in counts if beginnings)
