"""The phones of one table: they sit down, play their match to its end, and some have bad luck."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any, Final, get_args

from pydantic import ValidationError

from sahrat import games
from services.house.followed import Followed
from services.house.phone import Phone
from services.house.wishes import Refused

COINS_S: Final = 15.0  # for the coins that a new player is given, and for prizes, to be told
NOT_ENOUGH: Final = "not_enough_coins"
RESTS_S: Final = 0.3  # before a phone that lost its seat in funding sits down again
MISFORTUNE: Final = (4, 80)  # between these records of its match a phone loses its line or leaves
SILENT: Final = 0.5  # of the lost lines


@dataclass(frozen=True, slots=True)
class Terms:
    """How it is played at a table.

    Attributes:
        options: The table's.
        entry: What each phone pays to play, in coins; 0: a free table.
        leave: Share of the phones that leave their match for good, between 0 and 1.
        drop: Share of the others that lose their line for about `drop_s`, and come back.
        game: What is played.
    """

    options: Mapping[str, Any]
    entry: int = 0
    leave: float = 0.0
    drop: float = 0.0
    drop_s: float = 5.0
    game: str = "ludo"


def players_of(name: str, size: int, options: Mapping[str, Any]) -> object:
    """Return the value of the option `players` that gives a game's table of these options so many
    seats, such as `2v2`; the number itself where none does, which the game then refuses.
    """
    game = games.current(name)
    if game is None:
        return size
    for value in get_args(game.options.model_fields["players"].annotation):
        with suppress(ValidationError):
            chosen = game.options.model_validate({**options, "players": value})
            if len(game.seats(chosen)) == size:
                return value
    return size


class Table:
    """One match's phones.

    Args:
        terms: How it is played.
        phones: Who plays; the first opens the table.
        chance: Decides who has which misfortune, and when.
        began: Told the match's id once the table is open.

    Attributes:
        match_id: Empty as long as no table could be opened.
        before: What each phone had before the match, at a coin table.
        left, dropped: Phones that left, and that lost their line.
        problems: What was not as it should be.
    """

    def __init__(
        self,
        terms: Terms,
        phones: Sequence[Phone],
        chance: Random,
        began: Callable[[str], None],
    ) -> None:
        self.phones = phones
        self.match_id = ""
        self.before: dict[Phone, int] = {}
        self.left = self.dropped = 0
        self.problems: list[str] = []
        self._terms = terms
        self._chance = chance
        self._began = began
        self._leavers: list[Phone] = []

    @property
    def standing(self) -> tuple[int, int]:
        """How many records the phones have seen by now, and how often they have acted."""
        seen = [t.seq for phone in self.phones for t in phone.tables.values()]
        return max(seen, default=0), sum(phone.counts.acts for phone in self.phones)

    async def close(self) -> None:
        """Switch all phones off."""
        await asyncio.gather(*(phone.close() for phone in self.phones))

    async def sit_down(self) -> None:
        """All connect before one opens the table, so that no bot is faster."""
        await asyncio.gather(*(phone.start() for phone in self.phones))
        if self._terms.entry:
            await asyncio.gather(*(self._can_pay(phone) for phone in self.phones))
        opener, *others = self.phones
        self.match_id = await opener.open(self._terms.game, self._terms.options, self._terms.entry)
        self._began(self.match_id)
        await asyncio.gather(*(phone.join(self.match_id) for phone in others))

    async def _can_pay(self, phone: Phone) -> None:
        """Wait for the coins that a house gives a new player. Raises Refused."""
        entry = self._terms.entry
        if not await phone.purse.until(lambda purse: purse.can_pay(entry), COINS_S):
            has = phone.purse.available
            told = "is told of no coins" if has is None else f"has {has} coins"
            raise Refused(NOT_ENOUGH, f"a new player {told}, and the entry is {entry}")
        self.before[phone] = phone.purse.available or 0

    async def to_the_end(self) -> None:
        """Play until every phone has seen the end of the match."""
        match_id = self.match_id
        async with asyncio.TaskGroup() as group:
            others = [group.create_task(self._happen(phone)) for phone in self.phones]
            stays = self._stay if self._terms.entry else self._take_back
            others += [group.create_task(stays(phone)) for phone in self.phones]
            await asyncio.gather(*(phone.over(match_id) for phone in self.phones))
            for other in others:
                other.cancel()

    async def _stay(self, phone: Phone) -> None:
        """Sit down again where the line was lost when the entries were held: the table is open
        again, and waits for somebody.
        """
        match_id = self.match_id
        known = phone.tables[match_id]
        while not known.step and not known.end:
            if not _lost_seat(known):
                await phone.reached(match_id, known.seq + 1)
                continue
            await asyncio.sleep(RESTS_S)  # what was held for it may only be on its way back
            await phone.purse.until(lambda purse: purse.can_pay(self._terms.entry), COINS_S)
            try:
                await phone.join(match_id)
            except Refused as refused:
                if _lost_seat(known) and refused.reason != NOT_ENOUGH:
                    self.problems.append(f"a phone could not sit down: {refused}")
                    return

    async def _take_back(self, phone: Phone) -> None:
        """Ask for the seat again that a bot plays since the phone missed too many steps of a free
        table (rule K.5); after a lost line alone it gets it back without a word.
        """
        match_id = self.match_id
        known = phone.tables[match_id]
        while not known.end:
            if self._waits_for(phone, known):
                try:
                    await phone.join(match_id)
                except Refused as refused:
                    await asyncio.sleep(RESTS_S)  # perhaps it was the end that came first
                    if self._waits_for(phone, known):
                        self.problems.append(f"a phone could not take its seat back: {refused}")
                        return
            await phone.reached(match_id, known.seq + 1)

    def _waits_for(self, phone: Phone, known: Followed) -> bool:
        return known.replaced and not known.end and phone not in self._leavers

    async def _begun(self, phone: Phone) -> None:
        known = phone.tables[self.match_id]
        while not known.step and not known.end:
            await phone.reached(known.match_id, known.seq + 1)

    async def _happen(self, phone: Phone) -> None:
        """Let a phone leave, or lose its line, or neither, at some record of its match."""
        terms, match_id = self._terms, self.match_id
        leaves, drops = self._chance.random() < terms.leave, self._chance.random() < terms.drop
        at, silently = self._chance.randint(*MISFORTUNE), self._chance.random() < SILENT
        away_s = terms.drop_s * (0.5 + self._chance.random())
        if not (leaves or drops):
            return
        if terms.entry:  # of who gets up before play begins somebody else would have to come
            await self._begun(phone)
        await phone.reached(match_id, at)
        if phone.tables[match_id].end:
            return
        if leaves:
            self._leavers.append(phone)
            try:
                await phone.leave(match_id)
                self.left += 1
            except Refused as refused:
                await asyncio.sleep(RESTS_S)  # perhaps it was the end that came first
                if not phone.tables[match_id].end:
                    self.problems.append(f"a phone could not leave: {refused}")
        else:
            self.dropped += 1
            await phone.lose_line(away_s, silently=silently)


def _lost_seat(known: Followed) -> bool:
    """Whether a phone that came to a table sits there no more, and the match is not over."""
    return bool(known.seq) and not known.end and known.mine is None
