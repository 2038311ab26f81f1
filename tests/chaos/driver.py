"""Phones that play at tables of all kinds for as long as the house is struck.

When a match is over, others play the next one at the same kind of table. At some tables people
leave, or lose their line and come back; at some one sleeps, so that his time runs out. How long
play stood still is measured where nothing of that disturbs it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, cycle
from random import Random
from typing import Final

from typing_extensions import override

from services.house.line import AWAY, HttpAccount, Internet, SocketLine
from services.house.network import Network, NoAccount
from services.house.phone import Phone
from services.house.table import Table, Terms
from services.house.wishes import Refused
from tests.chaos.fleet import Guest, Guests

THINK_S: Final = 0.25
AGAIN_S: Final = 1.0  # before others try to sit down where a house that was struck let nobody
STEP_S: Final = 8


@dataclass(frozen=True, slots=True)
class Place:
    """A kind of table at which one match follows another.

    Attributes:
        phones, sleepers: How many sit down: those who play, and those who don't.
        calm: Nothing but a fault of the house holds play up there.
    """

    terms: Terms
    phones: int
    sleepers: int = 0
    calm: bool = False


FREE: Final = Place(Terms({"players": 4, "fill_seconds": 5}), 2, calm=True)
DUEL: Final = Place(Terms({"players": 2}, game="carrom"), 2, calm=True)
COIN_DUEL: Final = Place(Terms({"players": 2}, entry=100), 2, calm=True)
UNLUCKY: Final = Place(
    Terms({"players": 4, "fill_seconds": 5}, leave=0.2, drop=0.7, game="pachisi"), 3
)
COIN: Final = Place(Terms({"players": 4}, entry=50, leave=0.2, drop=0.5), 4)
QUICK_COIN: Final = Place(Terms({"players": 2, "pawns_to_win": 1}, entry=100), 2)
ASLEEP: Final = Place(Terms({"players": 2, "step_seconds": STEP_S}), 1, sleepers=1)
PLACES: Final = (FREE, FREE, DUEL, COIN_DUEL, UNLUCKY, COIN, QUICK_COIN, *4 * (ASLEEP,))


class Doors(Network):
    """A house with several gateways, as one phone sees it: whenever it loses its line it comes back
    by another door.

    Args:
        urls: Of the gateways.
        first: Which of them it takes first.
    """

    def __init__(self, urls: Sequence[str], first: int) -> None:
        self._doors = cycle([Internet(url) for url in urls])
        for _ in range(first % len(urls)):
            next(self._doors)

    @override
    def account(self, nickname: str) -> HttpAccount:
        return next(self._doors).account(nickname)

    @override
    def line(self) -> SocketLine:
        return next(self._doors).line()


class Driver(Guests):
    """Keeps every place in play.

    Args:
        urls: The house's gateways.
        seed: Decides what phones choose, and what befalls whom.
        places: The tables.
        think_s: How long those who play think before each step.

    Attributes:
        matches: How many were begun.
        unseated: How often nobody could sit down, as while the house is away.
        calm: Who has played where nothing but the house can hold play up.
    """

    def __init__(
        self,
        urls: Sequence[str],
        seed: str,
        places: Sequence[Place] = PLACES,
        think_s: float = THINK_S,
    ) -> None:
        super().__init__()
        self.matches = self.unseated = 0
        self._urls = urls
        self._seed = seed
        self._places = places
        self._think_s = think_s
        self.calm: list[Guest] = []
        self._tables: list[Table] = []
        self._keeping: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin to play everywhere; return when everybody plays who is to be heard."""
        self.watch()
        self._keeping = [
            asyncio.create_task(self._keep(place, number))
            for number, place in enumerate(self._places, start=1)
        ]
        while len(self.lively()) < sum(place.phones for place in self._places if place.calm):
            for task in self._keeping:
                if task.done():
                    task.result()
            await asyncio.sleep(0.1)

    async def finish(self) -> None:
        """Let everybody get up, and wait until all have seen the ends of their matches."""
        for task in self._keeping:
            task.cancel()
        for ended in await asyncio.gather(*self._keeping, return_exceptions=True):
            if isinstance(ended, Exception):
                raise ended
        await self.leave()

    def lively(self) -> list[Guest]:
        """Return who of these plays at this moment."""
        return [guest for guest in self.calm if guest.plays]

    @override
    def problems(self) -> list[str]:
        return super().problems() + [what for table in self._tables for what in table.problems]

    async def _keep(self, place: Place, number: int) -> None:
        for again in count(1):
            await self._play(place, f"{number}-{again}")

    async def _play(self, place: Place, name: str) -> None:
        phones = [
            Phone(
                Doors(self._urls, n),
                f"P {name}-{n}",
                seed=f"{self._seed}/{name}/{n}",
                think_s=self._think_s,
            )
            for n in range(1, place.phones + place.sleepers + 1)
        ]
        for phone in phones[place.phones :]:
            phone.plays = False

        def began(match_id: str) -> None:
            self.matches += 1

        table = Table(place.terms, phones, Random(f"{self._seed}/{name}"), began)
        self._tables.append(table)
        try:
            await table.sit_down()
        except (Refused, NoAccount, *AWAY):
            await self._give_up(phones)
            return
        guests = [Guest(phone, table.match_id) for phone in phones]
        self.add(guests)
        if place.calm:
            self.calm += guests
        await table.to_the_end()
        await table.close()

    async def _give_up(self, phones: Sequence[Phone]) -> None:
        """Let those get up again who have sat down, and come to the end of their match."""
        self.unseated += 1
        for phone in phones:
            self.add(Guest(phone, match_id) for match_id in phone.tables)
            for match_id in [*phone.tables]:
                with suppress(Refused):
                    await phone.leave(match_id)
        await asyncio.gather(*(phone.close() for phone in phones if not phone.tables))
        await asyncio.sleep(AGAIN_S)
