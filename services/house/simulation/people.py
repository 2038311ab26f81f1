"""The people at the simulated tables: real phones, and whatever people do with them."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from sahrat import games
from services.house.phone import Phone
from services.house.simulation.gateway import Streets
from services.house.simulation.world import World
from services.house.wishes import Refused

THINKS_S: Final = (0.0, 0.02, 0.1, 0.3)
AWAY_FOR_S: Final = (0.05, 0.5, 3.0, 8.0, 12.0, 70.0)
RESTS_S: Final = 0.3
PATIENCE_S: Final = 1e6
SHORT: Final = "pawns_to_win"


@dataclass
class Plan:
    """What is played at one table.

    Attributes:
        people: How many people come.
        entry: In coins; 0: a free table.
        options: Of the table.
    """

    game: str
    people: int
    entry: int
    options: dict[str, Any]


@dataclass
class Guest:
    """One person with one phone.

    Attributes:
        joined: He has been told that he sits at the table.
        left: He has got up for good.
    """

    phone: Phone
    chance: Random
    joined: bool = False
    left: bool = False


@dataclass
class Table:
    """One match and its people.

    Attributes:
        match_id: Empty until somebody is told that the table is open.
        refusals: What people were refused, by reason.
    """

    world: World
    plan: Plan
    chance: Random
    number: int
    match_id: str = ""
    guests: list[Guest] = field(default_factory=list)
    refusals: dict[str, int] = field(default_factory=dict)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    async def play(self) -> None:
        """Come, sit down, and play to the end."""
        for index in range(self.plan.people):
            self.guests.append(self._guest(index))
        await asyncio.gather(*(guest.phone.start(PATIENCE_S) for guest in self.guests))
        opener, *others = self.guests
        if not await self._open(opener):
            self.done.set()
            return
        await asyncio.gather(*(self._join(guest) for guest in others))
        acts = [asyncio.create_task(self._live(guest)) for guest in self.guests]
        acts += [asyncio.create_task(self._stay(guest)) for guest in self.guests]
        await asyncio.gather(*(guest.phone.over(self.match_id) for guest in self.guests))
        for act in acts:
            act.cancel()
        await asyncio.gather(*acts, return_exceptions=True)
        self.done.set()

    async def close(self) -> None:
        """Switch all phones off."""
        await asyncio.gather(*(guest.phone.close() for guest in self.guests))

    def _guest(self, index: int) -> Guest:
        chance = Random(f"{self.chance.random()}")
        player_id = self.world.player(10 * self.number + index)
        streets = Streets(self.world.of("gateway"), self.world.day, player_id, chance)
        phone = Phone(
            streets,
            f"p{self.number}-{index}",
            seed=str(chance.random()),
            think_s=chance.choice(THINKS_S),
            ids=Random(chance.random()),
        )
        return Guest(phone, chance)

    async def _open(self, guest: Guest) -> bool:
        plan = self.plan
        await self._can_pay(guest)
        try:
            self.match_id = await guest.phone.open(plan.game, plan.options, plan.entry)
        except Refused as refused:
            self._note(refused)
            return False
        guest.joined = True
        return True

    async def _join(self, guest: Guest) -> None:
        await guest.phone.watch(self.match_id)
        await asyncio.sleep(guest.chance.choice(THINKS_S))
        try:
            await guest.phone.join(self.match_id)
            guest.joined = True
        except Refused as refused:
            self._note(refused)

    async def _live(self, guest: Guest) -> None:
        """Let something happen to somebody, or not."""
        phone, chance, match_id = guest.phone, guest.chance, self.match_id
        while True:
            await asyncio.sleep(chance.choice((0.5, 2.0, 5.0)))
            draw = chance.random()
            if draw < 0.06:
                guest.left = True
                with contextlib.suppress(Refused):
                    await phone.leave(match_id)
                return
            if draw < 0.3:
                away_s = chance.choice(AWAY_FOR_S)
                await phone.lose_line(away_s, silently=chance.random() < 0.4)
            elif draw < 0.36:
                phone.plays = False  # he looks elsewhere; his steps time out
                await asyncio.sleep(chance.choice((3.0, 20.0)))
                phone.plays = True
                await phone.watch(match_id)

    async def _stay(self, guest: Guest) -> None:
        """Sit down again where the seat was lost before play began."""
        known = guest.phone.tables[self.match_id]
        while not known.step and not known.end:
            if known.mine or not known.seq or guest.left:
                await guest.phone.reached(self.match_id, known.seq + 1)
                continue
            await asyncio.sleep(RESTS_S)
            await self._can_pay(guest)
            try:
                await guest.phone.join(self.match_id)
            except Refused as refused:
                self._note(refused)
                if refused.reason in ("full_table", "unknown_match"):
                    return

    async def _can_pay(self, guest: Guest) -> None:
        entry = self.plan.entry
        if entry:
            await guest.phone.purse.until(lambda purse: purse.can_pay(entry), PATIENCE_S)

    def _note(self, refused: Refused) -> None:
        self.refusals[refused.reason] = self.refusals.get(refused.reason, 0) + 1


def plan(chance: Random, game: str) -> Plan:
    """Return what is played at a table."""
    found = games.current(game)
    assert found is not None
    size = chance.choice((2, 2, 2, 3, 4))
    options: dict[str, Any] = {"players": size, "step_seconds": 8, "fill_seconds": 5}
    if SHORT in found.options.model_fields:
        options[SHORT] = 1
    entry = chance.choice((0, 0, 10, 33))
    people = size if entry else chance.choice((1, 2, size))
    return Plan(game, people, entry, options)
