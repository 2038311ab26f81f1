"""What the gateway's pages read from the read models. Play needs none of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from sahrat.messages.base import Message
from services.gateway.coins import WalletChange
from services.gateway.messages import PastSitting


class Reads(Protocol):
    """The read models, over whatever they are kept in.

    Attributes:
        away: What a method raises while they can't be reached, or are being replaced.
    """

    away: tuple[type[Exception], ...]

    async def match(self, match_id: str) -> Message | None:
        """Return what is known of a match; None for one that is not known (yet)."""

    def records(self, match_id: str, after: int = 0) -> AsyncIterator[bytes]:
        """Yield a match's records above a seq as stored, in order; none for one that is not known
        (yet).
        """

    async def history(self, player_id: str) -> Sequence[PastSitting]:
        """Return the matches that a player sat in, newest first; the first hundred."""

    async def wallet(self, player_id: str, before: int | None) -> Sequence[WalletChange]:
        """Return what changed a player's coins, newest first, below an entry's number or from the
        newest on; the first hundred.
        """
