"""The ledger on the log: folds commands into the journal, in their order, and keeps its place."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import structlog

from sahrat.ledger import snapshot
from sahrat.ledger.journal import Book
from sahrat.ledger.laws import LawBroken
from sahrat.log.journal import LEDGER, JournalFollower, JournalPlace
from sahrat.log.port import Bookmark, Claim, Log, LogFault, OwnershipLost, Released
from sahrat.messages import topics
from sahrat.messages.codec import FromTheFuture
from sahrat.messages.stored import Draft, Stored
from services.wallet.busy import Busy
from services.wallet.core import folding

BATCH: Final = 500
BOOKMARK_S: Final = 1.0
NAME: Final = "the ledger"

_log = structlog.get_logger("wallet")


class Ledger:
    """Serves `wallet.commands`: one partition, one order.

    Args:
        log: The log.
        busy: Told since when it waits for the log.
        every: Entries from one snapshot to the next.
    """

    def __init__(self, log: Log, busy: Busy, every: int = snapshot.EVERY) -> None:
        self._log = log
        self._busy = busy
        self._every = every
        self._judged = 0  # up to here the dead letters have what is no command
        self._ends: dict[int, int] = {}  # of the intents, as far as anybody asked

    async def run(self, stop: asyncio.Event) -> None:
        """Own the commands until `stop`, whenever no other process does."""
        await self._log.own(LEDGER, topics.WALLET_COMMANDS, self.serve, stop)

    async def serve(self, claim: Claim) -> None:
        """Fold commands in order; each batch is stored before the next is read.

        Raises:
            Released: The claim is.
            LogFault: The log is away, or commands or journal are not what they were.
            FromTheFuture: A command is newer than this code; those before it are stored.
            LawBroken: An entry would break a law; those before it are stored.
        """
        loop = asyncio.get_running_loop()
        follower = JournalFollower(self._log, claim.reader)
        try:
            with self._busy.waiting(NAME):
                place = await self._recover(follower)
        finally:
            await follower.close()
        book = follower.book
        known = JournalPlace(snapshot=follower.place.snapshot, end=follower.next_offset)
        reader, marked = claim.reader(topics.WALLET_COMMANDS, place), loop.time()
        place = self._judged
        try:
            while True:
                batch = await reader.read(BATCH)
                with self._busy.waiting(NAME):
                    known = await self._fold(book, known, batch)
                    place = max(place, batch[-1].offset + 1)
                    if loop.time() - marked >= BOOKMARK_S:
                        await claim.bookmark(Bookmark(place, known.dump()))
                        marked = loop.time()
        except Released:
            with suppress(OwnershipLost):  # it is another's already
                await claim.bookmark(Bookmark(place, known.dump()))
            raise
        finally:
            await reader.close()

    async def _recover(self, follower: JournalFollower) -> int:
        """Fold the journal; return the offset of the first command that may not be in it.

        That is the one behind the last entry's. Those up to the bookmark made no entry, if it is
        right; they are judged again, for the journal alone says what was.
        """
        await follower.catch_up()
        found = (await self._log.bookmarks(LEDGER, topics.WALLET_COMMANDS)).get(0)
        state = follower.book.state
        place = state.offset + 1
        judged = self._judged = max(place, 0 if found is None else found.offset)
        commands = await self._log.bounds(topics.WALLET_COMMANDS, 0)
        if commands.end < judged:
            raise LogFault(
                f"{topics.WALLET_COMMANDS.name} ends at {commands.end}, below {judged}, where the "
                "ledger had come to: commands were lost"
            )
        _log.info("keeping the ledger", entry=state.entry, offset=place, holds=len(state.holds))
        return place

    async def _fold(self, book: Book, known: JournalPlace, batch: Sequence[Stored]) -> JournalPlace:
        """Fold a batch; return what the bookmark may say, once the log has all that came of it."""
        entries: list[Draft] = []
        fault: FromTheFuture | LawBroken | None = None
        try:
            for stored in batch:
                for output in await self._step(book, stored):
                    match output:
                        case folding.Entry():
                            entries.append(output.draft)
                            if output.alarm:
                                _log.error("alarm", problem="a refusal", detail=output.alarm)
                        case folding.Whole():
                            known = await self._store(known, entries)
                            entries = []
                            known = await self._keep(known, output)
                        case folding.Dead():
                            if stored.offset >= self._judged:
                                await self._bury(output)
        except (FromTheFuture, LawBroken) as found:
            fault = found
        known = await self._store(known, entries)
        if fault is not None:
            _log.error("alarm", problem="the ledger stops", detail=str(fault)[:300])
            raise fault
        return known

    async def _step(self, book: Book, stored: Stored) -> list[folding.Output]:
        """Fold one command, looking at the intents first where it names one that is not known.

        A command is written when its cause is stored. One whose cause is not there yet when it is
        read is refused in the journal, so whoever takes over finds that verdict and makes no other.
        """
        try:
            return [*folding.step(book, stored, self._every, self._ends, sure=False)]
        except folding.Doubt as doubt:
            number = doubt.partition
            self._ends[number] = (await self._log.bounds(topics.INTENTS, number)).end
            return [*folding.step(book, stored, self._every, self._ends)]

    async def _store(self, known: JournalPlace, drafts: Sequence[Draft]) -> JournalPlace:
        """Store entries.

        Raises:
            AppendFailed: Nothing may be read or written any more; the process must end.
        """
        if not drafts:
            return known
        acks = await self._log.append(topics.WALLET_JOURNAL, 0, drafts)
        return JournalPlace(snapshot=known.snapshot, end=acks[-1].offset + 1)

    async def _keep(self, known: JournalPlace, whole: folding.Whole) -> JournalPlace:
        """Store a snapshot, part by part; others work between two, for there may be thousands."""
        end, offsets = known.end, []
        for draft in whole.drafts:
            self._busy.moved(NAME)
            acks = await self._log.append(topics.WALLET_JOURNAL, 0, (draft,))
            offsets.append(acks[0].offset)
            end = acks[0].offset + 1
            await asyncio.sleep(0)
        return JournalPlace(snapshot=offsets[0], end=end)

    async def _bury(self, dead: folding.Dead) -> None:
        """Put a command that can't be read with the dead letters."""
        _log.error("alarm", problem="dead letter", detail=dead.alarm)
        await self._log.append(topics.DEAD_LETTERS, 0, (dead.draft,))
