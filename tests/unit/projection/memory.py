"""Read models in memory: what the host asks of a database, for tests on virtual time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256

from typing_extensions import override

from services.projection.models import Overtaken, ReadModels, Turn
from services.projection.rows import Place, View, Writes


class Away(Exception):
    """The database does not answer."""


class MemoryModels(ReadModels):
    """Keeps the rows in dictionaries. While `gone` is set it is away; `asked` counts attempts."""

    away = (Away,)

    def __init__(self) -> None:
        self.gone = False
        self.asked = 0
        self.places: dict[int, Place] = {}
        self.views: dict[str, View] = {}
        self.values: dict[tuple[str, int], bytes] = {}
        self.parked: dict[str, str] = {}

    @override
    async def open(self) -> None:
        """Nothing is to be opened."""

    @override
    async def close(self) -> None:
        """Nothing is held."""

    @override
    async def place(self, partition: int) -> Place:
        self._answer()
        return self.places.setdefault(partition, Place(partition))

    @override
    @asynccontextmanager
    async def turn(self, place: Place) -> AsyncIterator[Turn]:
        self._answer()
        if self.places.get(place.partition) != place:
            raise Overtaken(f"partition {place.partition}")
        turn = MemoryTurn(self)
        yield turn
        self._answer()
        if turn.writes is not None:
            self._commit(turn.writes)

    def _answer(self) -> None:
        self.asked += 1
        if self.gone:
            raise Away("no answer")

    def _commit(self, writes: Writes) -> None:
        self.places[writes.place.partition] = writes.place
        self.views |= {view.match_id: view for view in writes.matches}
        self.parked |= {row.match_id: row.reason for row in writes.parked}
        for row in writes.records:
            assert (row.match_id, row.seq) not in self.values
            self.values[row.match_id, row.seq] = row.value


class MemoryTurn(Turn):
    """A batch's transaction: what it writes counts at its end."""

    def __init__(self, models: MemoryModels) -> None:
        self._models = models
        self.writes: Writes | None = None

    @override
    async def views(self, match_ids: Sequence[str]) -> tuple[dict[str, View], frozenset[str]]:
        models = self._models
        found = {
            match_id: models.views[match_id] for match_id in match_ids if match_id in models.views
        }
        return found, frozenset(match_id for match_id in match_ids if match_id in models.parked)

    @override
    async def digests(self, records: Sequence[tuple[str, int]]) -> dict[tuple[str, int], str]:
        return {name: sha256(self._models.values[name]).hexdigest() for name in records}

    @override
    async def write(self, writes: Writes) -> None:
        self.writes = writes
