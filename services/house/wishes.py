"""What a phone has asked for, and what it counts of what came back."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from services.house.followed import Followed

FOR_NOW: Final = frozenset({"late", "house_busy", "too_fast", "not_in_control", "not_signed_in"})
"""Refusals that say nothing of what was asked for: the same may be done a moment later."""
RACES: Final = frozenset(
    {"stale_step", "not_your_turn", "not_playing", "not_seated", "unknown_match", "seat_is_bot"}
)
"""Refusals of somebody who was overtaken: fine if the records show that he was."""


class Refused(Exception):
    """A wish for a seat was refused, for this reason."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason


@dataclass(slots=True)
class Wish:
    """Something that this phone has asked for and that is not answered yet.

    Attributes:
        step: The step that it is for; 0 outside play.
        tries: How often this step has been asked for, with this one.
        first_s, last_s: When it was sent first and last, in seconds of the loop; 0: not yet.
        answer: Gets the match's id once it is done, where somebody waits for that.
    """

    intent_id: str
    data: bytes
    match_id: str = ""
    step: int = 0
    tries: int = 1
    first_s: float = 0.0
    last_s: float = 0.0
    answer: asyncio.Future[str] | None = None


@dataclass(frozen=True, slots=True)
class Doubt:
    """A refusal that the records must explain, or that the player had got up (`left`)."""

    match_id: str
    step: int
    reason: str
    left: bool

    def explained_by(self, known: Followed) -> bool:
        """Return whether a match, as far as it is known by now, explains the refusal."""
        if self.reason == "seat_is_bot" and known.returned:
            return True
        if self.reason == "not_seated" and (self.left or known.forfeited):
            return True
        return self.step in known.lost_steps or bool(known.end and self.reason == "unknown_match")


@dataclass(slots=True)
class Counts:
    """What a phone has done and met.

    Attributes:
        repeats: Intents sent again, since no answer came.
    """

    records: int = 0
    acts: int = 0
    repeats: int = 0
    snapshots: int = 0
    refusals: Counter[str] = field(default_factory=Counter)


def uuid7(at_ms: int, free: int) -> str:
    """Return the UUIDv7 of a moment with 74 bits of one's own choice, in its usual text form."""
    return str(UUID(int=at_ms << 80 | 7 << 76 | free >> 62 << 64 | 2 << 62 | free & (1 << 62) - 1))
