"""What the wallet tells a match: whether the entries of a funding are held."""

from __future__ import annotations

from hashlib import sha256
from uuid import UUID

from sahrat.messages import match as m
from sahrat.messages import wallet as w
from sahrat.messages.base import Message
from sahrat.messages.codec import encode
from sahrat.messages.envelope import IntentEnvelope
from sahrat.messages.stored import Draft


def answer_of(entry: w.JournalEntry, sent_by: str) -> tuple[str, Draft] | None:
    """Return a match and the intent that answers it; None for an entry that nobody waits for.

    The intent's id comes from the entry's, so that an answer sent again is the same. A hold that
    was refused for anything but coins frees every seat: that match is not as it should be. One that
    a match may not have asked for is not answered.
    """
    asked = entry.command
    if not isinstance(asked, w.HoldEntries) or entry.reason is w.WalletReason.WRONG_CAUSE:
        return None
    intent: Message = m.EntriesHeld(attempt=asked.attempt)
    if entry.reason is not None:
        intent = m.EntriesRefused(attempt=asked.attempt, players=entry.short or asked.players)
    envelope = IntentEnvelope[Message](
        intent_id=str(UUID(bytes=sha256(f"answer:{entry.id}".encode()).digest()[:16])),
        match_id=asked.match_id,
        player_id=None,
        system="wallet",
        step=None,
        not_after_ms=None,
        sent_by=sent_by,
        intent=intent,
    )
    return asked.match_id, Draft(asked.match_id.encode(), encode(envelope))
