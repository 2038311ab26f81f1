"""Phones that play, and phones whose owners sleep, at tables that last as long as a test wants."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from services.house.followed import Followed
from services.house.network import Network
from services.house.phone import LATER_S, Phone
from services.house.wishes import FOR_NOW, RACES, Refused
from tests.chaos.verifier import Seen

LOOK_S: Final = 0.02
AT_ONCE_S: Final = 1.0  # a silence that begins so soon after a blow belongs to it


@dataclass(slots=True)
class Guest:
    """A phone at one table.

    Attributes:
        heard_s: When it saw the records of play, in seconds that never go back.
    """

    phone: Phone
    match_id: str
    heard_s: list[float] = field(default_factory=list)
    _seq: int = 0

    @property
    def table(self) -> Followed:
        """What it has seen."""
        return self.phone.tables[self.match_id]

    @property
    def plays(self) -> bool:
        """Whether its match is being played."""
        return self.table.step > 0 and not self.table.end

    def look(self) -> None:
        """Note whether something new has come."""
        if self.table.seq != self._seq:
            self._seq = self.table.seq
            if self.table.step:
                self.heard_s.append(time.monotonic())

    def heard_since(self, at_s: float) -> bool:
        """Whether something has come since then, or nothing more will."""
        return bool(self.table.end) or (bool(self.heard_s) and self.heard_s[-1] > at_s)

    def silence_s(self, blow_s: float) -> float:
        """Return how long after a blow the next record came, if not one that was on its way."""
        first = bisect_right(self.heard_s, blow_s)
        times = [blow_s, *self.heard_s[first:]]
        waits = [
            (after - before, after)
            for before, after in pairwise(times)
            if before <= blow_s + AT_ONCE_S
        ]
        return max(waits)[1] - blow_s if waits else float("inf")

    def stillness_s(self, from_s: float, to_s: float) -> float:
        """Return the longest time between two records that has to do with a span of time."""
        first = max(0, bisect_left(self.heard_s, from_s) - 1)
        last = bisect_right(self.heard_s, to_s)
        return max((b - a for a, b in pairwise(self.heard_s[first : last + 1])), default=0.0)

    def stillness_within_s(self, from_s: float, to_s: float) -> float:
        """Return the longest time between two records that lie within a span of time."""
        heard_s = self.heard_s[bisect_left(self.heard_s, from_s) : bisect_right(self.heard_s, to_s)]
        return max((b - a for a, b in pairwise(heard_s)), default=0.0)


class Guests:
    """Phones at tables, and what they saw."""

    def __init__(self) -> None:
        self.guests: list[Guest] = []
        self._live: list[Guest] = []
        self._looking: asyncio.Task[None] | None = None

    def add(self, guests: Iterable[Guest]) -> None:
        """Follow these too."""
        for guest in guests:
            self.guests.append(guest)
            self._live.append(guest)

    def watch(self) -> None:
        """Note from now on when records come."""
        self._looking = asyncio.create_task(self._look())

    def seen(self) -> Iterable[Seen]:
        """Yield every record that any of them has seen."""
        for guest in self.guests:
            for seq, digest in guest.table.digests.items():
                yield guest.match_id, seq, digest

    def problems(self) -> list[str]:
        """Return what any of them did not expect."""
        return [problem for guest in self.guests for problem in guest.phone.problems]

    async def leave(self) -> None:
        """Let all get up, so that bots play to the end; wait until all have seen it."""
        for guest in self.guests:
            guest.phone.plays = False
        await asyncio.gather(*(self._leave(guest) for guest in self.guests))

    async def _leave(self, guest: Guest) -> None:
        while not guest.table.end:
            try:
                await guest.phone.leave(guest.match_id)
                break
            except Refused as refused:
                if refused.reason in RACES:  # it had got up before, or the match is over
                    break
                if refused.reason not in FOR_NOW:
                    raise
            await asyncio.sleep(LATER_S)
        await guest.phone.over(guest.match_id)

    async def close(self) -> None:
        """Switch all phones off."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        await asyncio.gather(*(guest.phone.close() for guest in self.guests))

    async def _look(self) -> None:
        while True:
            for guest in self._live:
                guest.look()
            self._live = [guest for guest in self._live if not guest.table.end]
            await asyncio.sleep(LOOK_S)


class Fleet(Guests):
    """The tables of one test.

    Args:
        network: Where the house is.
        think_s: How long those who play think before each step.
    """

    def __init__(self, network: Network, think_s: float) -> None:
        super().__init__()
        self.players: list[Guest] = []
        self.sleepers: list[Guest] = []
        self._network = network
        self._think_s = think_s
        self._names = 0

    async def phone(self, *, plays: bool = True) -> Phone:
        """Switch on a phone."""
        self._names += 1
        name = f"Guest {self._names}"
        phone = Phone(self._network, name, seed=name, think_s=self._think_s)
        phone.plays = plays
        await phone.start()
        return phone

    async def table(
        self, options: Mapping[str, Any], *, players: int, sleepers: int = 0
    ) -> Sequence[Guest]:
        """Open a table, and seat so many who play and so many who sleep; who plays opens it."""
        wanted = [True] * players + [False] * sleepers
        phones = [await self.phone(plays=plays) for plays in wanted]
        match_id = await phones[0].open("ludo", options)
        for phone in phones[1:]:
            await phone.join(match_id)
        guests = [Guest(phone, match_id) for phone in phones]
        for guest in guests:
            (self.players if guest.phone.plays else self.sleepers).append(guest)
        self.add(guests)
        return guests
