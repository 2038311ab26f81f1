"""Read models that are a test's: matches by their id, and whether they can be reached."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import orjson

from sahrat.messages.base import Message
from sahrat.storage.reads import ReadsAway
from services.gateway.coins import WalletChange
from services.gateway.messages import PastSitting
from services.gateway.reads import Reads


class Archive(Reads):
    """Matches' records, as they would stand in the read models."""

    away = (ReadsAway,)

    def __init__(self) -> None:
        self.matches: dict[str, Sequence[bytes]] = {}
        self.is_away = False

    def keep(self, lines: Sequence[bytes]) -> str:
        """Keep a match, and return its id."""
        match_id = str(orjson.loads(lines[0])["match_id"])
        self.matches[match_id] = lines
        return match_id

    async def match(self, match_id: str) -> Message | None:
        return None

    async def records(self, match_id: str) -> AsyncIterator[bytes]:
        if self.is_away:
            raise ReadsAway("away")
        for line in self.matches.get(match_id, ()):
            yield line

    async def history(self, player_id: str) -> Sequence[PastSitting]:
        return []

    async def wallet(self, player_id: str, before: int | None) -> Sequence[WalletChange]:
        return []
