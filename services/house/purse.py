"""What a phone is told of its player's coins, by the message `wallet` of the gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any


class Purse:
    """One player's coins, as far as his phone knows.

    Attributes:
        entry: Number of the journal's entry up to which this is told; 0 before anything was.
        available: Coins that he may spend; None before anything was told.
        held: Coins held for his matches, by match.
        problems: What did not fit, in words.
    """

    __slots__ = ("_waiting", "available", "entry", "held", "problems")

    def __init__(self) -> None:
        self.entry = 0
        self.available: int | None = None
        self.held: dict[str, int] = {}
        self.problems: list[str] = []
        self._waiting: list[tuple[Callable[[Purse], bool], asyncio.Future[None]]] = []

    def take(self, message: Mapping[str, Any]) -> None:
        """Take what the gateway says; another gateway that is a little behind is passed over."""
        if message["entry"] < self.entry:
            return
        self.entry, self.available = message["entry"], message["available_coins"]
        self.held = {hold["match_id"]: hold["coins"] for hold in message["holds"]}
        if message["available_coins"] < 0 or sum(self.held.values()) != message["held_coins"]:
            self.problems.append(f"coins that can't be: {dict(message)}")
        for condition, found in self._waiting:
            if not found.done() and condition(self):
                found.set_result(None)
        self._waiting = [waiting for waiting in self._waiting if not waiting[1].done()]

    async def until(self, condition: Callable[[Purse], bool], limit_s: float) -> bool:
        """Wait until something is so, and return whether it is within so many seconds."""
        if condition(self):
            return True
        found = asyncio.get_running_loop().create_future()
        self._waiting.append((condition, found))
        try:
            async with asyncio.timeout(limit_s):
                await found
        except TimeoutError:
            return False
        return True

    def can_pay(self, coins: int) -> bool:
        """Return whether he has so many coins to spend."""
        return self.available is not None and self.available >= coins
