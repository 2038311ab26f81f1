"""Read models that are a test's: matches by their id, and whether they can be reached."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import orjson

from sahrat.messages.base import Message
from sahrat.runtime.ids import new_id
from sahrat.storage.reads import ReadsAway
from services.gateway.coins import WalletChange
from services.gateway.messages import PastMatch, PastSeat, PastSitting
from services.gateway.reads import Reads

OPENED_MS = 1_800_000_000_000


class Archive(Reads):
    """Matches' records, as they would stand in the read models.

    Attributes:
        past: Matches that only the read models have, by id.
        played: What everybody has played.
        changes: What changed everybody's coins.
    """

    away = (ReadsAway,)

    def __init__(self) -> None:
        self.matches: dict[str, Sequence[bytes]] = {}
        self.is_away = False
        self.past: dict[str, PastMatch] = {}
        self.played: list[PastSitting] = []
        self.changes: list[WalletChange] = []

    def keep(self, lines: Sequence[bytes]) -> str:
        """Keep a match, and return its id."""
        match_id = str(orjson.loads(lines[0])["match_id"])
        self.matches[match_id] = lines
        return match_id

    async def match(self, match_id: str) -> Message | None:
        return self.past.get(match_id)

    async def records(self, match_id: str) -> AsyncIterator[bytes]:
        if self.is_away:
            raise ReadsAway("away")
        for line in self.matches.get(match_id, ()):
            yield line

    async def history(self, player_id: str) -> Sequence[PastSitting]:
        return self.played

    async def wallet(self, player_id: str, before: int | None) -> Sequence[WalletChange]:
        return self.changes


def stopped_match(seated: tuple[PastSeat, ...]) -> PastMatch:
    """A match that stood still for too long, with those who sat there."""
    return PastMatch(
        match_id=new_id(),
        game="ludo",
        rules="ludo/2",
        options={},
        size=4,
        entry_coins=0,
        key_id="k1",
        commitment="0" * 64,
        phase="stopped",
        opened_ms=OPENED_MS,
        started_ms=OPENED_MS,
        ended_ms=OPENED_MS,
        end_reason="stood_still",
        secret="0" * 64,
        seq=9,
        digest="0" * 64,
        parked=None,
        seated=seated,
    )
