"""A database's part played in memory, for the projection's core alone."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from sahrat.messages.codec import encode
from sahrat.messages.envelope import Record
from sahrat.messages.stored import Draft, Stored
from services.projection.core import matches as core
from services.projection.rows import Place, View, Writes
from tests.unit.projection.stories import Story, store

P = 3


class Tables:
    """What a database would hold after each batch, as far as the core asks."""

    def __init__(self) -> None:
        self.place = Place(P)
        self.views: dict[str, View] = {}
        self.values: dict[tuple[str, int], bytes] = {}
        self.parked: dict[str, str] = {}
        self.unreadable: list[tuple[int, str]] = []
        self.letters: list[Draft] = []
        self.alarms: list[str] = []
        self.played: list[View] = []

    def take(self, batch: Sequence[Stored]) -> Writes:
        reads = core.decode(batch)
        ids = core.named(reads)
        views = {match_id: self.views[match_id] for match_id in ids if match_id in self.views}
        digests = {
            name: sha256(self.values[name]).hexdigest() for name in core.suspects(reads, views)
        }
        parked = frozenset(match_id for match_id in ids if match_id in self.parked)
        writes = core.fold(self.place, reads, core.Known(views, parked, digests))
        self.place = writes.place
        self.views |= {view.match_id: view for view in writes.matches}
        for row in writes.records:
            assert (row.match_id, row.seq) not in self.values
            self.values[row.match_id, row.seq] = row.value
        for parked_row in writes.parked:
            assert parked_row.match_id not in self.parked
            self.parked[parked_row.match_id] = parked_row.reason
        self.unreadable += [(row.offset, row.reason) for row in writes.unreadable]
        self.letters += [letter.draft for letter in writes.letters]
        self.alarms += [alarm.what for alarm in writes.alarms]
        self.played += writes.played
        return writes


def projected(batches: Sequence[Sequence[Stored]]) -> Tables:
    tables = Tables()
    for batch in batches:
        tables.take(batch)
    return tables


def put(story: Story, at: int, *drafts: Draft) -> list[Stored]:
    """The topic with other records in between."""
    return store([*story.drafts[:at], *drafts, *story.drafts[at:]])


def forged(record: Record[Any], **changes: Any) -> Draft:
    changed = record.model_copy(update=changes)
    return Draft(changed.match_id.encode(), encode(changed))


def same(tables: Tables, whole: Tables) -> None:
    """The same rows, but for where the records stand."""
    assert tables.views == whole.views
    assert tables.values == whole.values
