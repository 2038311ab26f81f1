"""Read models that are a test's: matches by their id, and whether they can be reached."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import orjson

from sahrat.messages.base import Message
from sahrat.messages.wallet import MatchCause, OperatorCause
from sahrat.runtime.ids import new_id
from sahrat.storage.reads import ReadsAway
from services.gateway.coins import StopTold, WalletChange
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

    def tell_all(self) -> None:
        """Have something of everything: won, left and stopped, an entry that came back, a gift."""
        ids = [new_id() for _ in range(3)]
        over: dict[str, Any] = {
            "game": "ludo",
            "seat": 0,
            "entry_coins": 100,
            "started_ms": OPENED_MS,
            "ended_ms": OPENED_MS + 60_000,
            "ended_as_bot": False,
        }
        left: dict[str, Any] = {"end_reason": "finished", "place": 2, "has_left": True}
        self.played = [
            PastSitting(match_id=ids[0], **over, end_reason="finished", place=1, prize_coins=180),
            PastSitting(match_id=ids[1], **over, **left, prize_coins=0),
            PastSitting(match_id=ids[2], **over, end_reason="operator", place=None),
        ]
        refund = WalletChange(
            entry=19,
            at_ms=OPENED_MS,
            id=f"settle:{ids[2]}",
            kind="refund",
            match_id=ids[2],
            cause=MatchCause(match_id=ids[2], seq=9, at_ms=OPENED_MS, partition=4, offset=40),
            available_change_coins=100,
            held_change_coins=-100,
            available_coins=1000,
            held_coins=0,
            stop=StopTold(reason="operator", operator="amal", detail="<b>the power</b> fails"),
        )
        gift = OperatorCause(operator="amal", reason="a prize of the spring cup")
        given = {"id": f"grant:{new_id()}", "kind": "grant", "match_id": None, "cause": gift}
        self.changes = [refund, refund.model_copy(update={**given, "stop": None})]

    def forget(self) -> None:
        """Have nothing of anybody any more."""
        self.played, self.changes = [], []

    def keep(self, lines: Sequence[bytes]) -> str:
        """Keep a match, and return its id."""
        match_id = str(orjson.loads(lines[0])["match_id"])
        self.matches[match_id] = lines
        return match_id

    async def match(self, match_id: str) -> Message | None:
        return self.past.get(match_id)

    async def records(self, match_id: str, after: int = 0) -> AsyncIterator[bytes]:
        if self.is_away:
            raise ReadsAway("away")
        for line in self.matches.get(match_id, ())[after:]:
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
