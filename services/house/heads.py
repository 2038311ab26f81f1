"""Lists of heads as commands make them and hold the log to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from sahrat.log.port import LogReader
from services.audit import heads
from services.audit.core.heads import LINE_BYTES, Change, Found, Heads, Listed, NoList, parse
from services.audit.core.heads import compare as differences
from services.house.problem import Problem

SECOND_MS: Final = 1000


@dataclass(frozen=True, slots=True)
class Held:
    """What became of a list.

    Attributes:
        name: Of its file.
        problems: Why it may not be held to the log as it is, one a line; empty for none.
        changes: Matches that are not as it says.
    """

    name: str
    listed: Listed
    problems: tuple[str, ...]
    changes: tuple[Change, ...]

    @property
    def same(self) -> bool:
        """Whether it is what was written, and the log has all of it."""
        return not self.problems and not self.changes


async def make(log: LogReader, day: date, tell: Callable[[int, int], None]) -> tuple[Heads, Found]:
    """Return the heads of a day, and what else was found.

    Raises:
        Problem: It is not over: another match may end on it.
        FromTheFuture, LogFault: As `heads.find`.
    """
    log_ms = await heads.log_time(log)
    if not heads.is_over(day, log_ms):
        raise Problem(_not_over(day, log_ms))
    found = await heads.find(log, [day], tell=tell)
    return found.heads(day), found


async def compare(
    log: LogReader, lists: Sequence[tuple[str, Listed]], tell: Callable[[int, int], None]
) -> list[Held]:
    """Hold the log to lists, by the names of their files. Raises as `heads.find`."""
    log_ms = await heads.log_time(log)
    days = [listed.heads.day for _, listed in lists]
    wanted = frozenset(head.match_id for _, listed in lists for head in listed.heads.heads)
    found = await heads.find(log, days, wanted, tell)
    held: list[Held] = []
    for name, listed in lists:
        problems = [listed.problem] if listed.problem else []
        if not heads.is_over(listed.heads.day, log_ms):
            problems.append(f"{_not_over(listed.heads.day, log_ms)}, or the log has lost its end")
        changes = tuple(differences(listed.heads, found))
        held.append(Held(name, listed, tuple(problems), changes))
    return held


def read_list(path: Path) -> Listed:
    """Return the list in a file. Raises Problem: it can't be read, or is none."""
    try:
        with path.open("rb") as file:
            return parse(iter(partial(file.readline, LINE_BYTES), b""))
    except OSError as fault:
        raise Problem(f"{path}: {fault.strerror}") from None
    except NoList as fault:
        hint = "`sahrat heads DAY > FILE` writes one"
        raise Problem(f"{path}: no list of heads: {fault}: {hint}") from None


def in_words(held: Held) -> list[str]:
    """Return the lines that say what became of a list."""
    day, listed = held.listed.heads.day, held.listed.heads
    if held.same:
        count = len(listed.heads) - len(listed.damaged)
        return [
            f"the same  {day}: {count} matches and {len(listed.damaged)} damaged as in {held.name}",
            f"digest    {held.listed.digest}: is this the one that was published?",
        ]
    said = [f"NOT THE SAME: {held.name} of {day}: {problem}" for problem in held.problems]
    said += [
        f"NOT THE SAME: {held.name} of {day}: match {change.match_id} {_WHAT[change.what]}: "
        f"{change.said}"
        for change in held.changes
    ]
    return said


def as_json(held: Sequence[Held]) -> dict[str, Any]:
    """Return the same as one object."""
    return {
        "same": all(one.same for one in held),
        "lists": [
            {
                "file": one.name,
                "day": one.listed.heads.day.isoformat(),
                "digest": one.listed.digest,
                "matches": len(one.listed.heads.heads) - len(one.listed.heads.damaged),
                "damaged": len(one.listed.heads.damaged),
                "same": one.same,
                "problems": one.problems,
                "changes": [asdict(change) for change in one.changes],
            }
            for one in held
        ],
    }


_WHAT: Final = {
    "rewritten": "was rewritten",
    "lost": "was lost",
    "added": "was added",
    "moved": "was moved to another day",
}


def _not_over(day: date, log_ms: int) -> str:
    if not log_ms:
        return f"{day} is not over: the log is empty"
    at = f"{datetime.fromtimestamp(log_ms / SECOND_MS, UTC):%Y-%m-%d %H:%M:%S}"
    return f"{day} is not over by the log's time, which is {at} UTC"
