"""What must hold of commands, journal and answers in any log, however often they were written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sahrat.games import wire
from sahrat.ledger import snapshot
from sahrat.ledger.journal import Book
from sahrat.ledger.laws import check_all
from sahrat.messages import match as m
from sahrat.messages import wallet as w
from sahrat.messages.stored import Draft, Stored
from tests.unit.match.desk import Desk


@dataclass
class Told:
    """What a log tells of coins.

    Attributes:
        book: The journal folded, by every law (W1 to W6, W8), with its repeats dropped.
        entries: Each once, in order.
        repeats: How often an entry stood there again, with the same bytes.
        snapshots: How many whole ones there are.
    """

    book: Book = field(default_factory=Book)
    entries: list[w.JournalEntry] = field(default_factory=list)
    repeats: int = 0
    snapshots: int = 0

    def of(self, kind: type[Any]) -> list[w.JournalEntry]:
        """The entries of a type of command that moved coins."""
        return [e for e in self.entries if isinstance(e.command, kind) and e.reason is None]


def tell(journal: Sequence[Stored]) -> Told:
    """Fold a journal; raises where it is damaged, breaks a law, or has another snapshot."""
    told = Told()
    dumps: dict[int, tuple[w.JournalSnapshot, ...]] = {}
    parts: dict[int, dict[int, w.JournalSnapshot]] = {}
    for stored in journal:
        entry = w.JOURNAL.decode(stored.value)
        if isinstance(entry, w.JournalSnapshot):
            assert entry == dumps[entry.entry][entry.part - 1]
            parts.setdefault(entry.entry, {})[entry.part] = entry
            continue
        if told.book.take(entry, stored.value) is None:
            told.repeats += 1
            continue
        told.entries.append(entry)
        dumps[entry.entry] = tuple(snapshot.dump(told.book.state))
    told.snapshots = sum(len(parts[number]) == len(dumps[number]) for number in parts)
    check_all(told.book.state)
    return told


def check_settled_once(told: Told) -> None:
    """W3 and W4: every hold has one end, and every match one settlement or refund at the most."""
    ends = [
        e.command.match_id
        for e in told.of(w.SettleEntries) + told.of(w.RefundEntries)
        if not isinstance(e.command, w.GrantCoins)
    ]
    assert len(ends) == len(set(ends)), "a match that was settled or refunded twice"
    open_ = len(told.book.state.holds)
    assert len(told.of(w.HoldEntries)) == len(ends) + len(told.of(w.ReleaseEntries)) + open_


def asked(desk: Desk) -> list[Draft]:
    """Return what the records of a desk come from, as it stands in the intents before them; in the
    place of the answers that the desk made up itself stands something else.
    """
    first = desk.intents[0].value
    return [
        Draft(stored.key, first if b'"system":"wallet"' in stored.value else stored.value)
        for stored in desk.intents
    ]


def answers(intents: Iterable[Stored]) -> Mapping[str, Any]:
    """Return the wallet's answers by intent id; each id says the same, however often."""
    found: dict[str, Any] = {}
    for stored in intents:
        envelope = wire.INTENTS.decode(stored.value)
        if envelope.system == "wallet":
            assert isinstance(envelope.intent, m.EntriesHeld | m.EntriesRefused)
            said = (envelope.match_id, envelope.intent)
            assert found.setdefault(envelope.intent_id, said) == said
    return found
