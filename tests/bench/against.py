"""A run of the bench beside an earlier one on the same machine: what has become worse."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import orjson

from tests.bench.report import Row

WORSE: Final = 0.15
"""By such a part a ratio may be worse than before; what is beyond it is a failure."""

Key = tuple[str, str, str]


class Unreadable(Exception):
    """The earlier results can't be read; one line that says why."""


def earlier(path: Path) -> Mapping[Key, float]:
    """Return the ratios of an earlier run, by figure, log and name. Raises Unreadable."""
    try:
        rows: list[dict[str, Any]] = orjson.loads(path.read_bytes())["rows"]
        return {_key(row): row["ratio"] for row in rows if row["ratio"] is not None}
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise Unreadable(f"{path} holds no results of a bench: {fault}") from None


def _key(row: Mapping[str, Any]) -> Key:
    return row["figure"], row["log"], row["name"]


def worse(rows: Sequence[Row], before: Mapping[Key, float]) -> list[str]:
    """Return what is worse by more than `WORSE`: a rate that is lower by its floor, or a time or a
    cost that is higher.
    """
    found = []
    for row in rows:
        was = before.get((row.figure, row.log, row.name))
        if not was or row.ratio is None:
            continue
        gets = row.ratio / was if row.unit.startswith("/") else was / row.ratio
        if gets < 1 - WORSE:
            found.append(
                f"{row.figure} {row.log}, {row.name}: {row.ratio:.2f} of its floor, was {was:.2f}"
            )
    return found


def median(runs: Sequence[Sequence[Row]]) -> list[Row]:
    """Return each row as it was in the run in which its ratio, or else its value, is the median:
    of an even number of runs the lower of the two in the middle.
    """
    by_key: dict[Key, list[Row]] = {}
    for row in (row for run in runs for row in run):
        by_key.setdefault((row.figure, row.log, row.name), []).append(row)
    return [_middle(rows) for rows in by_key.values()]


def _middle(rows: Sequence[Row]) -> Row:
    sizes = [row.value if row.ratio is None else row.ratio for row in rows]
    return rows[sizes.index(statistics.median_low(sizes))]
