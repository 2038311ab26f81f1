"""Follow `wallet.journal`: begin at the last snapshot, fold up to the end as of now, then go on.

The ledger and the gateways hold all balances this way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import structlog
from pydantic import ValidationError

from sahrat.ledger.journal import Book, Change
from sahrat.ledger.laws import LawBroken
from sahrat.ledger.snapshot import Damaged, Loading
from sahrat.ledger.state import Broken
from sahrat.log.port import Bookmark, LogFault, LogReader, Reader, Stored
from sahrat.messages import wallet as w
from sahrat.messages.base import Count, Message
from sahrat.messages.codec import FromTheFuture, Poison, encode
from sahrat.messages.topics import WALLET_COMMANDS, WALLET_JOURNAL, Topic

LEDGER: Final = "wallet-ledger"
"""The group of the ledger, whose bookmark in the commands names the last snapshot."""
KEY: Final = w.LEDGER.encode()

OpenReader = Callable[[Topic, int], Reader]
"""Reads partition 0 of a topic from an offset on: `Claim.reader`, or a log's."""

_log = structlog.get_logger("journal")


class JournalPlace(Message):
    """What rides along with the ledger's bookmark.

    Attributes:
        snapshot: Where the last whole snapshot stands in the journal; 0: read from the beginning.
        end: Where the journal ended: it can't have become shorter.
    """

    snapshot: Count
    end: Count

    def dump(self) -> str:
        """Return the bookmark's metadata."""
        return encode(self).decode()

    @classmethod
    def load(cls, mark: Bookmark | None) -> JournalPlace:
        """Return what the ledger's bookmark holds; the beginning where it has none.

        Raises:
            LogFault: It is not the ledger's metadata.
        """
        if mark is None:
            return cls(snapshot=0, end=0)
        try:
            return cls.model_validate_json(mark.metadata)
        except ValidationError:
            raise LogFault(
                f"the bookmark of the ledger at {mark.offset} has metadata of somebody else"
            ) from None


def decode(stored: Stored) -> w.JournalEntry | w.JournalSnapshot:
    """Return what stands in the journal.

    Raises:
        FromTheFuture: It is newer than this code; the worker must end.
        Poison: It is not the ledger's.
    """
    if stored.key != KEY:
        raise Poison("wrong-key", f"under {stored.key[:40].decode('utf-8', 'replace')}")
    return w.JOURNAL.decode(stored.value)


class JournalFollower:
    """All balances, kept up with the journal.

    Args:
        log: Where the bookmark and the end are.
        open_reader: Reads the journal; None: the log's own reader, which owns nothing.

    Attributes:
        book: The ledger up to the last entry read; its `state` has balances and holds.
        place: What the ledger's bookmark said at the start.
        next_offset: Of the journal.
        caught_up: Whether all is read that stood there at the start.
    """

    def __init__(self, log: LogReader, open_reader: OpenReader | None = None) -> None:
        self._log = log
        self._open = open_reader or (lambda topic, offset: log.reader(topic, 0, offset))
        self._reader: Reader | None = None
        self.book = Book()
        self.place = JournalPlace.load(None)
        self.next_offset = 0
        self.caught_up = False

    async def catch_up(self) -> None:
        """Find the last snapshot and fold up to the end of the journal.

        Raises:
            LogFault: The log is away, or the journal is damaged or shorter than it was.
            FromTheFuture: An entry is newer than this code; the worker must end.
            Released: The claim is being released.
        """
        mark = (await self._log.bookmarks(LEDGER, WALLET_COMMANDS)).get(0)
        self.place = JournalPlace.load(mark)
        end = (await self._log.bounds(WALLET_JOURNAL, 0)).end
        if end < self.place.end:
            raise LogFault(
                f"{WALLET_JOURNAL.name} ends at {end}, below {self.place.end}, where it had ended: "
                "entries were lost"
            )
        if self.place.snapshot:
            try:
                await self._begin_at_snapshot()
                await self._fold()
            except (Damaged, Broken, LawBroken) as damage:  # the entries have it all
                _alarm("a snapshot is of no use", self.place.snapshot, damage)
                self.place = self.place.model_copy(update={"snapshot": 0})
        if not self.place.snapshot:
            await self._begin(0)
            await self.follow_to_end()
        self.caught_up = True

    async def follow_to_end(self) -> None:
        """Fold up to the end of the journal as of now. Raises as `catch_up` does."""
        try:
            await self._fold()
        except (Broken, LawBroken) as damage:
            raise self._damaged(damage) from None

    async def read(self) -> Sequence[Change]:
        """Wait for entries and take them; return those that are new, which may be none. After
        `catch_up`. Raises as it does.
        """
        try:
            taken = [self._take(stored) for stored in await self._reading().read()]
        except (Broken, LawBroken) as damage:
            raise self._damaged(damage) from None
        return [change for change in taken if change is not None]

    async def close(self) -> None:
        """Stop reading."""
        if self._reader is not None:
            await self._reader.close()

    def _reading(self) -> Reader:
        if self._reader is None:
            raise RuntimeError("nothing is read before `catch_up`")
        return self._reader

    async def _begin(self, offset: int, book: Book | None = None) -> None:
        await self.close()
        self._reader = self._open(WALLET_JOURNAL, offset)
        self.next_offset = offset
        self.book = book or Book()

    async def _fold(self) -> None:
        """Read to the end of the journal as of now; much may have come while much was read."""
        end = (await self._log.bounds(WALLET_JOURNAL, 0)).end
        while self.next_offset < end:
            while self.next_offset < end:
                for stored in await self._reading().read():
                    self._take(stored)
            end = (await self._log.bounds(WALLET_JOURNAL, 0)).end

    async def _begin_at_snapshot(self) -> None:
        """Load the snapshot, and stand before what follows its first part: between its parts, and
        behind them, entries may stand that two ledgers wrote.

        Raises:
            Damaged: There is none, or it is not whole.
        """
        offset = self.place.snapshot
        end = (await self._log.bounds(WALLET_JOURNAL, 0)).end
        await self._begin(offset)
        loading, first = Loading(), True
        while not loading.whole:
            if self.next_offset >= end:
                raise Damaged("parts are missing")
            for stored in await self._reading().read(1):
                self.next_offset = stored.offset + 1
                part = _part(stored)
                if first and (part is None or part.part != 1):
                    raise Damaged("its first part is not there")
                first = False
                if part is not None:
                    loading.take(part)
            await asyncio.sleep(0)  # a reader that has it all at hand lets nobody else work
        await self._begin(offset + 1, Book(loading.state()))

    def _take(self, stored: Stored) -> Change | None:
        self.next_offset = stored.offset + 1
        try:
            entry = decode(stored)
        except FromTheFuture:
            raise
        except Poison as poison:
            _alarm("a record that is no entry", stored.offset, poison)
            return None
        if isinstance(entry, w.JournalSnapshot):
            return None
        return self.book.take(entry, stored.value)

    def _damaged(self, damage: Exception) -> LogFault:
        _alarm("the journal is damaged", self.next_offset - 1, damage)
        return LogFault(f"{WALLET_JOURNAL.name} at {self.next_offset - 1}: {damage}")


def _part(stored: Stored) -> w.JournalSnapshot | None:
    """Return a part of a snapshot; None for anything else."""
    try:
        found = decode(stored)
    except Poison:
        return None
    return found if isinstance(found, w.JournalSnapshot) else None


def _alarm(problem: str, offset: int, damage: Exception) -> None:
    _log.error("alarm", problem=problem, offset=offset, detail=str(damage)[:300])
