"""The people at the simulated tables: real phones, and whatever people do with them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, get_args

import orjson

from sahrat import games
from services.house.phone import Phone
from services.house.simulation.gateway import Streets
from services.house.simulation.world import World
from services.house.table import players_of
from services.house.wishes import Refused

THINKS_S: Final = (0.0, 0.02, 0.1, 0.3)
AWAY_FOR_S: Final = (0.05, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 8.0, 12.0, 12.0, 70.0)
RESTS_S: Final = 0.3
GIVES_UP_S: Final = 20.0
PATIENCE_S: Final = 1e6
STRANGER_ID: Final = "01a3185c-5000-7000-8000-00000000dead"
STRANGER: Final = f"player:{STRANGER_ID}"
SHORT: Final[Mapping[str, Mapping[str, Any]]] = {
    "ludo": {
        "pawns_to_win": 1,
        "pawns_out": 1,
        "six_again": "off",
        "home_exact": "overshoot_ok",
    },
    "pachisi": {
        "cowries": 7,
        "six_up": 35,
        "grace_use": "bonus",
        "pieces_per_throw": "split",
        "may_decline": "off",
        "overshoot_ends_turn": "off",
    },
    "carrom": {"coins_each": 6, "bot_level": "easy"},  # who tries the least in his head
}
"""Options with which a match is over soon, by game; its first version had none of them."""
ALONE: Final[Mapping[tuple[str, int], Mapping[str, Any]]] = {("carrom", 3): {"mode": "points"}}
"""Options that a game needs for a table of so many."""
INTENTS: Final[Mapping[str, Sequence[Mapping[str, Any]]]] = {
    "ludo": (
        {"type": "ludo.roll", "number": "1"},
        *({"type": "ludo.move", "pawn": pawn} for pawn in range(4)),
    ),
    "pachisi": (
        {"type": "pachisi.throw", "number": "1"},
        *({"type": "pachisi.move", "item": 0, "piece": p, "lap": False} for p in range(4)),
    ),
    "carrom": (
        {"type": "carrom.shoot", "x": 0, "dx": 0, "dy": 1, "speed": 3_000_000},
        {"type": "carrom.shoot", "x": 100_000, "dx": -1, "dy": 2, "speed": 3_000_000},
    ),
}
"""What somebody may try who has no business at a table, by game."""


@dataclass
class Plan:
    """What is played at one table.

    Attributes:
        people: How many people come.
        entry: In coins; 0: a free table.
        options: Of the table.
        old: It is opened before the house knows the newest rules.
    """

    game: str
    people: int
    entry: int
    options: dict[str, Any]
    old: bool = False


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
        calm: Nothing more happens to anybody.
    """

    world: World
    plan: Plan
    chance: Random
    number: int
    match_id: str = ""
    guests: list[Guest] = field(default_factory=list)
    refusals: dict[str, int] = field(default_factory=dict)
    calm: bool = False

    async def play(self) -> None:
        """Come, sit down, and play to the end."""
        if not self.plan.old:
            await self.world.renewed.wait()
        for index in range(self.plan.people):
            self.guests.append(self._guest(index))
        await asyncio.gather(*(guest.phone.start(PATIENCE_S) for guest in self.guests))
        opener, *others = self.guests
        if not await self._open(opener):
            return
        await asyncio.gather(*(self._join(guest) for guest in others))
        acts = [asyncio.create_task(self._live(guest)) for guest in self.guests]
        acts += [asyncio.create_task(self._stay(guest)) for guest in self.guests]
        acts += [asyncio.create_task(self._give_up(guest)) for guest in self.guests]
        await asyncio.gather(*(guest.phone.over(self.match_id) for guest in self.guests))
        for act in acts:
            act.cancel()
        await asyncio.gather(*acts, return_exceptions=True)

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
        while not self.calm:
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

    async def _give_up(self, guest: Guest) -> None:
        """Wait no longer at a table that nobody else comes to."""
        known = guest.phone.tables[self.match_id]
        while not known.end:
            await asyncio.sleep(GIVES_UP_S)
            if self.calm and not known.step and not known.end:
                guest.left = True
                with contextlib.suppress(Refused):
                    await guest.phone.leave(self.match_id)

    async def _can_pay(self, guest: Guest) -> None:
        entry = self.plan.entry
        if entry:
            await guest.phone.purse.until(lambda purse: purse.can_pay(entry), PATIENCE_S)

    def _note(self, refused: Refused) -> None:
        self.refusals[refused.reason] = self.refusals.get(refused.reason, 0) + 1


class Stranger:
    """Somebody who sits at no table, and wants to act at all of them (T02, T03, C29).

    Args:
        world: The house.
        tables: Where he has no business.
        chance: Decides what he tries.

    Attributes:
        wishes: How many he has sent.
        problems: Wishes that were accepted.
    """

    def __init__(self, world: World, tables: list[Table], chance: Random) -> None:
        self.wishes = 0
        self.problems: list[str] = []
        self._world = world
        self._tables = tables
        self._chance = chance
        self._streets = Streets(world.of("gateway"), world.day, STRANGER_ID, chance)

    async def play(self) -> None:
        """Try, until told to stop."""
        while True:
            await asyncio.sleep(self._chance.choice((0.5, 2.0, 5.0)))
            with contextlib.suppress(ConnectionError):
                await self._try()

    async def _try(self) -> None:
        account, line = self._streets.account("nobody"), self._streets.line()
        await account.renew()
        await line.open()
        try:
            await line.send(orjson.dumps({"type": "sign_in", "token": account.token}))
            for table in self._tables:
                if table.match_id:
                    await line.send(orjson.dumps(self._wish(table.match_id, table.plan.game)))
                    self.wishes += 1
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    while (heard := await line.receive()) is not None:
                        if heard and orjson.loads(heard).get("type") == "accepted":
                            self.problems.append(f"a stranger was let in: {heard!r}")
        finally:
            await line.cut()

    def _wish(self, match_id: str, game: str) -> dict[str, Any]:
        intent = self._chance.choice(INTENTS[game])
        step = self._chance.choice((0, 1, 2, 50))
        act = {"type": "act", "step": step, "intent": intent}
        wish = self._chance.choice((act, act, {"type": "leave"}))
        return {**wish, "intent_id": self._world.new_id(), "match_id": match_id}


def plan(chance: Random, game: str, *, old: bool) -> Plan:
    """Return what is played at a table."""
    found = games.current(game)
    assert found is not None
    size = chance.choice((2, 2, 2, 2, 3, 4))
    needed = ALONE.get((game, size), {})
    options: dict[str, Any] = {
        "players": players_of(game, size, needed),
        **needed,
        "step_seconds": min(get_args(found.options.model_fields["step_seconds"].annotation)),
        "fill_seconds": 5,
    }
    if not old:
        options |= SHORT.get(game, {})
    entry = chance.choice((0, 0, 10, 33))
    people = size if entry else chance.choice((1, 2, size))
    return Plan(game, people, entry, options, old)
