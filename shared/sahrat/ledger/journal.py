"""The journal read back: each entry once, in its order, as one chain; folded into the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sahrat.ledger import laws
from sahrat.ledger.state import Broken, State, digest_of, evolve
from sahrat.messages import wallet as w
from sahrat.messages.codec import encode
from sahrat.messages.envelope import GENESIS

RECENT: Final = 10_000
"""So many entries' digests are remembered. An older entry that comes again is dropped by its number
alone; auditors compare all."""


class Chain:
    """Where a reader of the journal stands.

    Two ledgers may write at once, one of them frozen or counted as dead, and both write the same
    bytes; so an entry may come again at any time.

    Attributes:
        entry, digest: Of the last entry taken; 0 and zeros before the first.
    """

    def __init__(self, entry: int = 0, digest: str = GENESIS) -> None:
        self.entry = entry
        self.digest = digest
        self._recent = {entry: digest}

    def take(self, entry: w.JournalEntry, value: bytes) -> bool:
        """Return whether an entry is the next one; False: it came again.

        Raises:
            Broken: It is another one than stood there, or does not continue the last.
        """
        if entry.entry <= self.entry:
            if self._recent.get(entry.entry, digest_of(value)) != digest_of(value):
                raise Broken(f"entry {entry.entry} has two contents")
            return False
        if entry.entry != self.entry + 1:
            raise Broken(f"entry {entry.entry} after {self.entry}")
        if entry.prev != self.digest:
            raise Broken(f"entry {entry.entry} does not continue entry {self.entry}")
        self.entry, self.digest = entry.entry, digest_of(value)
        self._recent[self.entry] = self.digest
        self._recent.pop(self.entry - RECENT, None)
        return True


@dataclass(frozen=True, slots=True)
class Change:
    """A new entry, and the players whose coins it touches, available or held."""

    entry: w.JournalEntry
    players: tuple[str, ...]


class Book:
    """The ledger as the journal tells it.

    Attributes:
        state: After the last entry taken.
    """

    def __init__(self, state: State | None = None) -> None:
        self.state = state or State()
        self._chain = Chain(self.state.entry, self.state.digest)

    def take(self, entry: w.JournalEntry, value: bytes) -> Change | None:
        """Take an entry as it stands in the journal; None if it came again.

        Raises:
            Broken: The journal is damaged.
            LawBroken: The entry breaks a law; the state is of no use any more.
        """
        if not self._chain.take(entry, value):
            return None
        was = laws.before(self.state, entry)
        players = evolve(self.state, entry, value)
        laws.check(was, entry, self.state)
        return Change(entry, players)

    def write(self, entry: w.JournalEntry) -> bytes:
        """Take an entry that was just decided, and return its bytes. Raises as `take` does."""
        value = encode(entry)
        self.take(entry, value)
        return value
