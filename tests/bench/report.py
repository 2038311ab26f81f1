"""What was measured: rows, as a table for people and as JSON for whoever compares runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson

HEAD: Final = ("figure", "log", "what", "value", "", "floor", "ratio", "")


@dataclass(frozen=True, slots=True)
class Row:
    """One figure.

    Attributes:
        figure: What was run, such as `saturated`.
        log: `embedded`, `kafka` or neither.
        name: What was measured there.
        unit: Of value and floor.
        floor: The same work without the house, measured in the same run; None where there is no
            such work.
        note: What one has to know to read it.
    """

    figure: str
    log: str
    name: str
    value: float
    unit: str
    floor: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """The value by its floor."""
        return self.value / self.floor if self.floor else None


@dataclass
class Report:
    """All rows of a run, printed as they come.

    Attributes:
        head: Machine, options and date, as they stand in the JSON file.
        problems: What went wrong in a figure, so that nobody takes it for sound.
    """

    head: dict[str, Any]
    rows: list[Row] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def add(self, *rows: Row) -> None:
        """Take rows."""
        self.rows += rows

    def dump(self) -> bytes:
        """Return the whole as JSON."""
        rows = [{**asdict(row), "ratio": row.ratio} for row in self.rows]
        content = {**self.head, "rows": rows, "problems": self.problems}
        return orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n"

    def save(self, path: Path) -> None:
        """Write the JSON file. Raises OSError."""
        path.write_bytes(self.dump())


def table(rows: Sequence[Row]) -> str:
    """Return rows as text in columns."""
    lines = [HEAD, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD) - 1)]
    right = {3, 5, 6}  # numbers
    texts = []
    for line in lines:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line[:-1], widths, strict=True))
        ]
        texts.append("  ".join([*cells, line[-1]]).rstrip())
    return "\n".join(texts)


def _cells(row: Row) -> tuple[str, ...]:
    floor = "" if row.floor is None else number(row.floor)
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    return (row.figure, row.log, row.name, number(row.value), row.unit, floor, ratio, row.note)


def number(value: float) -> str:
    """Return a number with three digits that count, or all before the point."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
