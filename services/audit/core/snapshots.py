"""The snapshots in the journal: who starts from one must find what the entries before it say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

import orjson

from sahrat.messages import wallet as w
from services.audit.core.books import Books
from services.audit.core.fault import Fault, Place

ROWS: Final = 500  # of a part
HEAD: Final = "head"
_ROWS_BEGIN: Final = '{"of":'
"""What every part begins with. One of the first version does not: it is a piece of a text."""


@dataclass(slots=True)
class _Due:
    """What the parts of a snapshot must be.

    Attributes:
        digest: Of the entry.
        texts: SHA-256 of the text of each.
        tables: What each holds.
        seen: Numbers of the parts that came.
    """

    digest: str
    texts: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    seen: dict[int, None] = field(default_factory=dict)


@dataclass(slots=True)
class Snapshots:
    """Holds each part to what the entries before it say, as often as it comes.

    Attributes:
        whole: How many were whole, and as they must be.
        broken: Entries whose snapshot is damaged or came late. Readers pass these over, or nobody
            can tell any more whether they are right: nothing is lost by either.
    """

    whole: int = 0
    broken: list[int] = field(default_factory=list)
    _due: dict[tuple[int, bool], _Due] = field(default_factory=dict)
    _pieces: list[w.JournalSnapshot] = field(default_factory=list)
    _open: int = 0

    def take(self, part: w.JournalSnapshot, entry: int, digest: str, books: Books) -> None:
        """Take a part.

        Args:
            part: The part.
            entry: Number of the last entry before it.
            digest: Of that entry.
            books: After that entry.

        Raises:
            Fault: A sound part says something else than the entries.
        """
        of_rows = part.text.startswith(_ROWS_BEGIN)
        due = self._due.get((part.entry, of_rows))
        if due is None and part.entry != entry:
            self._broke(part.entry)
            return
        if part.digest != (digest if due is None else due.digest):
            raise Fault("chain", f"a snapshot of another entry {part.entry}", Place(part.entry))
        if due is not None:  # a second ledger's, who was at work too, or had been
            self._check(part, due)
        elif of_rows:
            self._open = entry
            due = self._due[entry, True] = _due(books, entry, digest)
            self._check(part, due)
        else:
            self._gather(part, books)

    def follow(self) -> None:
        """The next entry came: what is not whole by now never will be."""
        due = self._due.get((self._open, True))
        if due is not None and len(due.seen) < len(due.texts):
            self._broke(self._open)
        if self._pieces:
            self._broke(self._pieces[0].entry)
        self._open = 0

    def _check(self, part: w.JournalSnapshot, due: _Due) -> None:
        of_rows = part.text.startswith(_ROWS_BEGIN)
        text, place = _hash(part.text.encode()), Place(part.entry)
        if of_rows and part.sha256 != text:
            self._broke(part.entry)
            return
        if part.parts != len(due.texts) or part.part > part.parts:
            raise Fault("W8", f"a snapshot of {part.parts} parts, due are {len(due.texts)}", place)
        if text != due.texts[part.part - 1]:
            table = due.tables[part.part - 1]
            raise Fault(
                "W3" if table == "holds" else "W8",
                f"part {part.part} of a snapshot ({table}) says something else than the entries",
                place,
            )
        self.whole += part.part not in due.seen and len(due.seen) + 1 == len(due.texts)
        due.seen[part.part] = None

    # ---- of the first version

    def _gather(self, piece: w.JournalSnapshot, books: Books) -> None:
        """Take a piece of a text that says it all."""
        if piece in self._pieces:
            return
        if piece.part != len(self._pieces) + 1:
            self._broke(piece.entry)
            return
        self._pieces.append(piece)
        if len(self._pieces) < piece.parts:
            return
        pieces, self._pieces = self._pieces, []
        text = "".join(one.text for one in pieces).encode()
        if any(one.sha256 != _hash(text) for one in pieces):
            self._broke(piece.entry)
            return
        if text != _text(books, piece.entry, piece.digest):
            raise Fault("W8", "a snapshot says something else than entries", Place(piece.entry))
        texts = [_hash(one.text.encode()) for one in pieces]
        seen = dict.fromkeys(range(1, len(texts) + 1))
        self._due[piece.entry, False] = _Due(piece.digest, texts, ["all"] * len(texts), seen)
        self.whole += 1

    def _broke(self, entry: int) -> None:
        self._pieces.clear()
        if entry not in self.broken:
            self.broken.append(entry)


def _due(books: Books, entry: int, digest: str) -> _Due:
    """Return what the parts must be: rows stand in the order in which the entries brought them."""
    due = _Due(digest)
    for table, text in _parts(books, entry, digest):
        due.tables.append(table)
        due.texts.append(_hash(text))
    return due


def _parts(books: Books, entry: int, digest: str) -> Iterator[tuple[str, bytes]]:
    head = {
        "of": HEAD,
        "entry": entry,
        "digest": digest,
        "offset": books.offset,
        "at_ms": books.at_ms,
        "causes": [*books.causes.items()],
    }
    yield HEAD, orjson.dumps(head)
    tables: tuple[tuple[str, Iterable[object]], ...] = (
        ("balances", books.coins.items()),
        ("holds", [(h.match_id, h.attempt, h.coins, h.players) for h in books.holds.values()]),
        ("ids", [(command_id, *once) for command_id, once in books.once.items()]),
        ("closed", books.closed.items()),
        ("days", [(who, sorted(days.items())) for who, days in books.days.items()]),
    )
    for table, found in tables:
        rows = [*found]
        for begin in range(0, len(rows), ROWS):
            yield table, orjson.dumps({"of": table, "rows": rows[begin : begin + ROWS]})


def _text(books: Books, entry: int, digest: str) -> bytes:
    """Return the text of a snapshot of the first version."""
    holds = [
        {"match_id": h.match_id, "attempt": h.attempt, "entry_coins": h.coins, "players": h.players}
        for h in books.holds.values()
    ]
    days = [
        {"player_id": who, "days": sorted(days.items())} for who, days in sorted(books.days.items())
    ]
    kept = {
        "entry": entry,
        "digest": digest,
        "offset": books.offset,
        "at_ms": books.at_ms,
        "balances": sorted(books.coins.items()),
        "holds": holds,
        "causes": sorted(books.causes.items()),
        "ids": sorted((command_id, once[0]) for command_id, once in books.once.items()),
        "closed": [*books.closed.items()],
        "days": days,
    }
    return orjson.dumps(kept)


def _hash(text: bytes) -> str:
    return sha256(text).hexdigest()
