"""What the projection asks of the place that its rows are kept in."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from services.projection.core.journal import Known, Named
from services.projection.journal_rows import JournalWrites
from services.projection.rows import Place, View, Writes


class Overtaken(Exception):
    """Somebody else has moved the partition's place on: nothing was written, ask for it anew."""


class Turn(Protocol):
    """One batch's transaction, begun where the partition stands; nobody else has that place."""

    async def views(self, match_ids: Sequence[str]) -> tuple[dict[str, View], frozenset[str]]:
        """Return the views of those matches that are known, and the ids of the parked ones."""

    async def digests(self, records: Sequence[tuple[str, int]]) -> dict[tuple[str, int], str]:
        """Return the digests of records that are kept already, by (match id, seq)."""

    async def write(self, writes: Writes) -> None:
        """Write the rows and the new place; they count once the transaction has ended well."""


class JournalTurn(Protocol):
    """The same for a batch of the journal."""

    async def known(self, named: Named) -> Known:
        """Return what the tables hold of what a batch names."""

    async def write(self, writes: JournalWrites) -> None:
        """Write the rows and the new place; they count once the transaction has ended well."""


class Places(Protocol):
    """Where the rows of one topic and its places are. Whatever it raises of `away` may be tried
    again.
    """

    away: tuple[type[Exception], ...]

    async def open(self) -> None:
        """Get ready, whether the database answers or not."""

    async def close(self) -> None:
        """Let go of all connections."""

    async def place(self, partition: int) -> Place:
        """Return how far a partition has come; makes the tables if they are missing."""


class ReadModels(Places, Protocol):
    """The read models of the matches."""

    def turn(self, place: Place) -> AbstractAsyncContextManager[Turn]:
        """Begin a batch at this place; ended by an exception it leaves nothing.

        Raises:
            Overtaken: The partition does not stand there (any more).
        """


class JournalModels(Places, Protocol):
    """The read models of the journal."""

    def turn(self, place: Place) -> AbstractAsyncContextManager[JournalTurn]:
        """Begin a batch at this place, as `ReadModels.turn` does."""
