"""Takes one partition's records into the read models, batch by batch."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from sahrat.messages.stored import Stored
from services.projection.core import matches as core
from services.projection.models import ReadModels, Turn
from services.projection.rows import Letter, Place, View, Writes

KEPT: Final = 1_000  # about 2 kB each, for each of twelve partitions

Bury = Callable[[Letter], Awaitable[None]]


class Follower:
    """Projects one partition from its place on, and remembers the matches at hand.

    A view is a function of the records before the place, and is only used while the database
    stands at that very place: it is never stale.

    Args:
        models: Where the rows go.
        place: Where the partition stands.
        bury: Stores the dead letter of a record that can't be read, before the row that says so
            counts: a crash in between repeats the letter and never loses it. None: somebody else
            has done so.
        kept: How many matches are remembered; others are read again.
    """

    def __init__(
        self, models: ReadModels, place: Place, bury: Bury | None = None, *, kept: int = KEPT
    ) -> None:
        self.place = place
        self._models = models
        self._bury = bury
        self._kept = kept
        self._views: OrderedDict[str, View] = OrderedDict()

    async def take(self, batch: Sequence[Stored]) -> Writes:
        """Project the next records, and return what was written once it is committed.

        Raises:
            Overtaken: Somebody else has; nothing was written, and this follower is of no use.
            FromTheFuture: A record is newer than this code; nothing was written.
            LogFault: A dead letter could not be stored; nothing was written.
            Exception: One of the models' `away`: perhaps written, perhaps not.
        """
        reads = core.decode(batch)
        async with self._models.turn(self.place) as turn:
            writes = core.fold(self.place, reads, await self._known(turn, reads))
            if self._bury is not None:
                for letter in writes.letters:
                    await self._bury(letter)
            await turn.write(writes)
        self.place = writes.place
        self._remember(writes)
        return writes

    async def _known(self, turn: Turn, reads: Sequence[core.Read]) -> core.Known:
        ids = core.named(reads)
        views = {match_id: self._views[match_id] for match_id in ids if match_id in self._views}
        parked: frozenset[str] = frozenset()
        strangers = [match_id for match_id in ids if match_id not in views]
        if strangers:
            found, parked = await turn.views(strangers)
            views |= found
        again = core.suspects(reads, views)
        return core.Known(views, parked, await turn.digests(again) if again else {})

    def _remember(self, writes: Writes) -> None:
        for view in writes.matches:
            self._views[view.match_id] = view
            self._views.move_to_end(view.match_id)
            if view.ended_ms is not None:
                del self._views[view.match_id]
        for row in writes.parked:
            self._views.pop(row.match_id, None)
        while len(self._views) > self._kept:
            self._views.popitem(last=False)
