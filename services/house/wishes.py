"""What a phone has asked for, and what it counts of what came back."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

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
