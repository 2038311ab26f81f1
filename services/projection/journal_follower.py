"""Takes the journal's records into the read models, batch by batch."""

from __future__ import annotations

from collections.abc import Sequence

from sahrat.messages.stored import Stored
from services.projection.core import journal
from services.projection.follower import Bury
from services.projection.journal_rows import JournalWrites
from services.projection.models import JournalModels
from services.projection.rows import Place


class JournalTables:
    """Projects the journal from its place on. It remembers nothing: entries are few, and each
    batch reads what it changes.

    Args:
        models: Where the rows go.
        place: Where they stand.
        bury: Stores the dead letter of a record that can't be read, before the row that says so
            counts. None: somebody else has done so.
    """

    def __init__(self, models: JournalModels, place: Place, bury: Bury | None = None) -> None:
        self.place = place
        self._models = models
        self._bury = bury

    async def take(self, batch: Sequence[Stored]) -> JournalWrites:
        """Project the next records, and return what was written once it is committed.

        Raises:
            Damaged: The journal does not fit; nothing was written.
            Overtaken: Somebody else has; nothing was written, and this is of no use any more.
            FromTheFuture: A record is newer than this code; nothing was written.
            LogFault: A dead letter could not be stored; nothing was written.
            Exception: One of the models' `away`: perhaps written, perhaps not.
        """
        reads = journal.decode(batch)
        async with self._models.turn(self.place) as turn:
            known = await turn.known(journal.named(self.place, reads))
            writes = journal.fold(self.place, reads, known)
            if self._bury is not None:
                for letter in writes.letters:
                    await self._bury(letter)
            await turn.write(writes)
        self.place = writes.place
        return writes
