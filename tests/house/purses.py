"""A wallet that holds nothing: it answers each funding as it is told, for stories of matches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID

from sahrat.games import wire
from sahrat.log.port import Claim, Log
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.codec import encode
from sahrat.messages.envelope import IntentEnvelope
from sahrat.messages.stored import Draft, Stored

Short = Callable[[m.FundingBegan], Sequence[str]]
"""Says which players of a funding have not enough; nobody: their entries are held."""


class Purses:
    """Answers every funding in the log, those of long ago too: its answers may come twice.

    Args:
        log: The log.
        short: Decides.
        pause_s: Returns how long each answer takes.
        new_id: Gives this worker its id.
    """

    name = "purses"

    def __init__(
        self,
        log: Log,
        short: Short,
        pause_s: Callable[[], float],
        new_id: Callable[[], str],
    ) -> None:
        self._log = log
        self._short = short
        self._pause_s = pause_s
        self._id = new_id()

    async def run(self, stop: asyncio.Event) -> None:
        await self._log.own("purses", topics.EVENTS, self.serve, stop)

    def health(self) -> str | None:
        return None

    async def serve(self, claim: Claim) -> None:
        reader = claim.reader(topics.EVENTS, 0)
        try:
            while True:
                for stored in await reader.read():
                    await self._look(stored)
        finally:
            await reader.close()

    async def _look(self, stored: Stored) -> None:
        record = wire.RECORDS.decode(stored.value)
        for event in record.events:
            if isinstance(event, m.FundingBegan):
                await asyncio.sleep(self._pause_s())
                draft = Draft(stored.key, encode(self._answer(record.match_id, event)))
                await self._log.append(topics.INTENTS, stored.partition, (draft,))

    def _answer(self, match_id: str, began: m.FundingBegan) -> IntentEnvelope[Any]:
        short = tuple(self._short(began))
        attempt = began.attempt
        digest = sha256(f"{match_id}|{attempt}".encode()).digest()
        return IntentEnvelope[Any](
            intent_id=str(UUID(bytes=digest[:16])),
            match_id=match_id,
            player_id=None,
            system="wallet",
            step=None,
            not_after_ms=None,
            sent_by=self._id,
            intent=m.EntriesRefused(attempt=attempt, players=short)
            if short
            else m.EntriesHeld(attempt=attempt),
        )
