"""What PostgreSQL shows of coins against the journal that it is made from."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sahrat.messages import wallet as w
from services.audit.core.books import Books
from services.audit.core.fault import Fault, Place
from services.audit.core.history import Change, Purses, mark_of


@dataclass(frozen=True, slots=True)
class Shown:
    """Read at one moment.

    Attributes:
        offset: Of the journal: this is what is made of all that stands before it.
        coins: By account.
        held: By player's account: his entries that are held.
        marks: By entry, what its rows in the players' histories come to; at 0 the rows of entries
            that are none.
    """

    offset: int
    coins: dict[str, int]
    held: dict[str, int]
    marks: array[int] = field(default_factory=lambda: array("Q", [0]))


class Tables:
    """Compares while the journal is read.

    Args:
        shown: What is shown.

    Attributes:
        entry: The last one before the place at which it was compared; None: not yet.
        fault: The first thing that is wrong. It does not end the audit: the journal comes first.
    """

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self.entry: int | None = None
        self.fault: Fault | None = None

    def follow(self, entry: w.JournalEntry, changes: Iterable[Change]) -> None:
        """Compare the players' histories at an entry."""
        if self.entry is not None:
            return
        marks = self._shown.marks
        mark = marks[entry.entry] if entry.entry < len(marks) else None
        if mark != mark_of(entry, changes):
            self._wrong("the history that players read is another than the journal's", entry.entry)

    def compare(self, offset: int, entries: int, books: Books, purses: Purses) -> None:
        """Compare the balances, when the journal is read as far as they are."""
        if self.entry is not None or self._shown.offset != offset:
            return
        self.entry = entries
        if len(self._shown.marks) > entries + 1 or self._shown.marks[0]:
            self._wrong("the history that players read has entries that are not there", entries)
        self._compare("coins", self._shown.coins, books.coins)
        self._compare("coins held", self._shown.held, purses.held)

    def end(self, end: int) -> None:
        """Take that the journal ends here. Raises Fault: something is wrong."""
        if self.entry is None:
            raise Fault(
                "tables",
                f"PostgreSQL stands at {self._shown.offset} of the journal, which ends at {end}: "
                "it was made from another log, or from one that has lost its end",
            )
        if self.fault is not None:
            raise self.fault

    def _compare(self, what: str, shown: Mapping[str, int], due: Mapping[str, int]) -> None:
        for account in [*due, *shown]:
            is_, must = shown.get(account, 0), due.get(account, 0)
            if is_ != must:
                said = f"{account} has {is_} {what} in PostgreSQL, and {must} in the journal"
                self._wrong(said, self.entry)

    def _wrong(self, what: str, entry: int | None) -> None:
        if self.fault is None:
            hint = (
                "no coin is lost: the journal is balanced, only what is shown of it is wrong, and "
                "`sahrat rebuild` makes that anew"
            )
            self.fault = Fault("tables", f"{what}; {hint}", Place(entry or None))
