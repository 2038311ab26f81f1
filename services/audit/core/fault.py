"""What an audit finds wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Law = Literal[
    "chain", "W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8", "B2", "M2", "M3", "M6", "S3", "tables"
]


@dataclass(frozen=True, slots=True)
class Place:
    """Where it is.

    Attributes:
        entry: Number of the journal's entry; None where it is in no entry.
        match_id, record: The match and its record, where it is about one.
    """

    entry: int | None = None
    match_id: str | None = None
    record: int | None = None


NOWHERE: Final = Place()


class Fault(Exception):
    """A law is broken: which, where, and how."""

    def __init__(self, law: Law, what: str, place: Place = NOWHERE) -> None:
        super().__init__(what)
        self.law = law
        self.what = what
        self.place = place

    def at(self, entry: int) -> Fault:
        """Return the same fault as one of an entry."""
        place = self.place
        return Fault(self.law, self.what, Place(entry, place.match_id, place.record))

    def __str__(self) -> str:
        """Say it in one line."""
        place = self.place
        named = (("entry", place.entry), ("match", place.match_id), ("record", place.record))
        where = ", ".join(f"{name} {value}" for name, value in named if value is not None)
        return f"{self.law}{f' ({where})' if where else ''}: {self.what}"
