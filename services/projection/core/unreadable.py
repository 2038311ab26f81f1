"""What is kept of a record that can't be read: a row to look it up by, and its dead letter."""

from __future__ import annotations

from typing import Final

from sahrat.messages.codec import Poison
from sahrat.messages.dead import dead_letter, plain
from sahrat.messages.stored import Stored
from services.projection.rows import Letter, UnreadableRow

READER: Final = "projection"


def buried(stored: Stored, poison: Poison) -> tuple[UnreadableRow, Letter]:
    """Return both, for a record of whatever topic."""
    row = UnreadableRow(
        stored.topic,
        stored.partition,
        stored.offset,
        poison.reason,
        plain(poison.detail),
        stored.at_ms,
    )
    letter = dead_letter(READER, stored, poison.reason, poison.detail)
    return row, Letter(stored.partition, stored.offset, letter)
