"""The snapshots in the journal: who starts from one must find what the entries before it say."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import orjson

from sahrat.messages import wallet as w
from services.audit.core.books import Books
from services.audit.core.fault import Fault, Place


@dataclass(slots=True)
class Snapshots:
    """Puts the parts together, one snapshot at a time.

    Attributes:
        whole: How many were whole, and as they must be.
        broken: Entries whose snapshot is damaged or came late. Readers pass these over, or nobody
            can tell any more whether they are right: nothing is lost by either.
    """

    whole: int = 0
    broken: list[int] = field(default_factory=list)
    _parts: list[w.JournalSnapshot] = field(default_factory=list)
    _done: int = 0

    def take(self, part: w.JournalSnapshot, entry: int, digest: str, books: Books) -> None:
        """Take a part.

        Args:
            part: The part.
            entry: Number of the last entry before it.
            digest: Of that entry.
            books: After that entry.

        Raises:
            Fault: A whole snapshot says something else than the entries.
        """
        if part.entry == self._done:
            return  # of another ledger that was at work too, or had been
        if part.entry != entry:
            self._broke(part.entry)
            return
        if part.digest != digest:
            raise Fault("chain", f"a snapshot of another entry {entry}", Place(entry))
        if part.part == 1 and not self._parts:
            self._parts = [part]
        elif part in self._parts:
            return
        elif part.part == len(self._parts) + 1:
            self._parts.append(part)
        else:
            self._broke(part.entry)
            return
        if len(self._parts) == part.parts:
            self._compare(entry, books)

    def follow(self) -> None:
        """The next entry came: what is not whole by now never will be."""
        if self._parts:
            self._broke(self._parts[0].entry)

    def _compare(self, entry: int, books: Books) -> None:
        text = "".join(part.text for part in self._parts).encode()
        if any(part.sha256 != sha256(text).hexdigest() for part in self._parts):
            self._broke(entry)
            return
        self._parts.clear()
        self._done = entry
        if _balances(text) != books.coins:
            raise Fault("W8", "a snapshot has other balances than the entries", Place(entry))
        if _holds(text) != {
            h.match_id: (h.attempt, h.coins, h.players) for h in books.holds.values()
        }:
            raise Fault("W3", "a snapshot has other holds than the entries", Place(entry))
        self.whole += 1

    def _broke(self, entry: int) -> None:
        self._parts.clear()
        if entry not in self.broken:
            self.broken.append(entry)


def _balances(text: bytes) -> dict[str, int] | None:
    try:
        return dict(_read(text)["balances"])
    except (KeyError, TypeError, ValueError):
        return None


def _holds(text: bytes) -> dict[str, tuple[int, int, tuple[str, ...]]] | None:
    try:
        return {
            hold["match_id"]: (hold["attempt"], hold["entry_coins"], tuple(hold["players"]))
            for hold in _read(text)["holds"]
        }
    except (KeyError, TypeError, ValueError):
        return None


def _read(text: bytes) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(text)
    return found
