"""The answerer on the log: tells matches what the journal says of their fundings."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import structlog
from pydantic import ValidationError

from sahrat.ledger.journal import Chain
from sahrat.ledger.state import Broken
from sahrat.log.journal import decode
from sahrat.log.port import Bookmark, Claim, Log, LogFault, OwnershipLost, Released
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.base import Count, Digest, Message
from sahrat.messages.codec import FromTheFuture, Poison, encode
from sahrat.messages.dead import dead_letter
from sahrat.messages.envelope import GENESIS
from sahrat.messages.stored import Draft, Stored
from sahrat.messages.topics import partition_of
from services.wallet.busy import Busy
from services.wallet.core.answering import answer_of

GROUP: Final = "wallet-answers"
BOOKMARK_S: Final = 1.0  # a restart repeats the answers of so long; rules knows them by their ids
NAME: Final = "the answerer"

_log = structlog.get_logger("wallet")


class Told(Message):
    """What rides along with the answerer's bookmark: the last entry before it."""

    entry: Count
    digest: Digest

    @classmethod
    def load(cls, mark: Bookmark | None) -> Told:
        """Return what a bookmark holds; what stands before the first entry where there is none.

        Raises:
            LogFault: It is not the answerer's metadata.
        """
        if mark is None:
            return cls(entry=0, digest=GENESIS)
        try:
            return cls.model_validate_json(mark.metadata)
        except ValidationError:
            raise LogFault(f"the bookmark of {GROUP} at {mark.offset} is somebody else's") from None


class Answerer:
    """Serves `wallet.journal`.

    Args:
        log: The log.
        sent_by: This worker's id.
        busy: Told since when it waits for the log.
    """

    def __init__(self, log: Log, sent_by: str, busy: Busy) -> None:
        self._log = log
        self._id = sent_by
        self._busy = busy

    async def run(self, stop: asyncio.Event) -> None:
        """Own the journal's answers until `stop`, whenever no other process does."""
        await self._log.own(GROUP, topics.WALLET_JOURNAL, self.serve, stop)

    async def serve(self, claim: Claim) -> None:
        """Answer each entry once it is stored, until the claim is released.

        Raises:
            Released: It is.
            LogFault: The log is away, or the journal is damaged.
            FromTheFuture: An entry is newer than this code.
        """
        loop = asyncio.get_running_loop()
        found = (await self._log.bookmarks(GROUP, topics.WALLET_JOURNAL)).get(0)
        told, place = Told.load(found), 0 if found is None else found.offset
        chain = Chain(told.entry, told.digest)
        reader, marked = claim.reader(topics.WALLET_JOURNAL, place), loop.time()
        try:
            while True:
                batch = await reader.read()
                with self._busy.waiting(NAME):
                    await self._answer(chain, batch)
                    place = batch[-1].offset + 1
                    if loop.time() - marked >= BOOKMARK_S:
                        await claim.bookmark(_mark(chain, place))
                        marked = loop.time()
        except Released:
            with suppress(OwnershipLost):  # it is another's already
                await claim.bookmark(_mark(chain, place))
            raise
        finally:
            await reader.close()

    async def _answer(self, chain: Chain, batch: Sequence[Stored]) -> None:
        """Take entries, and return once the log has what they have to tell."""
        answers: dict[int, list[Draft]] = {}
        for stored in batch:
            entry = await self._take(chain, stored)
            found = None if entry is None else answer_of(entry, self._id)
            if found is not None:
                match_id, draft = found
                answers.setdefault(partition_of(match_id), []).append(draft)
        for partition, drafts in answers.items():
            await self._log.append(topics.INTENTS, partition, drafts)

    async def _take(self, chain: Chain, stored: Stored) -> w.JournalEntry | None:
        """Return an entry that is new."""
        try:
            entry = decode(stored)
            if isinstance(entry, w.JournalSnapshot) or not chain.take(entry, stored.value):
                return None
        except FromTheFuture:
            raise
        except Poison as poison:
            where = f"{stored.topic}/{stored.partition}@{stored.offset}"
            _log.error("alarm", problem="dead letter", detail=f"{where}: {poison}"[:300])
            letter = dead_letter("wallet", stored, poison.reason, poison.detail)
            await self._log.append(topics.DEAD_LETTERS, 0, (letter,))
            return None
        except Broken as damage:
            _log.error("alarm", problem="the journal is damaged", detail=str(damage))
            raise LogFault(f"{stored.topic} at {stored.offset}: {damage}") from None
        return entry


def _mark(chain: Chain, place: int) -> Bookmark:
    """Return the bookmark behind the last entry taken."""
    told = Told(entry=chain.entry, digest=chain.digest)
    return Bookmark(place, encode(told).decode())
