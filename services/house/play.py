"""Drives phones through whole matches, and compares what they saw with what the log says."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Protocol

from sahrat.match.match import digest_of
from sahrat.verify import NotRecords, verify
from services.house.door import reason
from services.house.followed import Followed
from services.house.line import AWAY, Internet
from services.house.network import NoAccount
from services.house.phone import Phone
from services.house.problem import Problem
from services.house.purse import Purse
from services.house.source import Source
from services.house.wishes import Refused

GAME: Final = "ludo"
READ_S: Final = 30.0  # for the read models to have the last record
LOOK_S: Final = 0.1
TELL_S: Final = 0.5
COINS_S: Final = 15.0  # for the coins that a new player is given, and for prizes, to be told
NOT_ENOUGH: Final = "not_enough_coins"
RESTS_S: Final = 0.3  # before a phone that lost its seat in funding sits down again
MISFORTUNE: Final = (4, 80)  # between these records of its match a phone loses its line or leaves
SILENT: Final = 0.5  # of the lost lines


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played.

    Attributes:
        players: Seats of each table; bots sit on `bots` of them.
        entry: What each phone pays to play, in coins; 0: free tables.
        leave: Share of the phones that leave their match for good, between 0 and 1.
        drop: Share of the others that lose their line for about `drop_s`, and come back.
        options: The table's options besides the players and what bots need.
        parallel: Matches at a time.
        think_s: Before each step of a phone.
        timeout_s: After that a match counts as stuck.
    """

    url: str
    matches: int
    players: int
    bots: int
    seed: str
    entry: int = 0
    leave: float = 0.0
    drop: float = 0.0
    drop_s: float = 5.0
    options: Mapping[str, Any] = field(default_factory=dict)
    parallel: int = 20
    think_s: float = 0.0
    timeout_s: float = 900.0

    @property
    def table(self) -> dict[str, Any]:
        """The options that each table is opened with."""
        fill = {"fill_seconds": 5} if self.bots else {}
        return {"players": self.players, **fill, **self.options}


@dataclass(slots=True)
class Played:
    """One match, and how it went.

    Attributes:
        match_id: Empty if no table could be opened.
        end: The type of the last event; empty if none came.
        places: Place by seat.
        records, digest: How many the log has, and the last one's.
        prizes, fee: What each seat won of the pot, and the rest of it; nothing of a free table.
        left, dropped, returned: Phones that left, that lost their line, that a bot gave way to.
        forfeited: Phones that lost their entry by leaving or by being away for too long.
        timed_out: Steps of phones that the clock played.
        problems: What was not as it should be.
    """

    number: int
    match_id: str = ""
    end: str = ""
    places: dict[int, int] = field(default_factory=dict)
    prizes: dict[int, int] = field(default_factory=dict)
    fee: int = 0
    records: int = 0
    digest: str = ""
    seconds: float = 0.0
    phones: int = 0
    left: int = 0
    dropped: int = 0
    returned: int = 0
    forfeited: int = 0
    timed_out: int = 0
    acts: int = 0
    repeats: int = 0
    snapshots: int = 0
    rate: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


class Watcher(Protocol):
    """Is told how far it is."""

    def began(self, match_id: str) -> None:
        """A table is open, and its match takes its course."""

    def going(self, records: int, acts: int) -> None:
        """So many records all matches have as far as phones have seen, and so many acts of theirs.
        Told about twice a second.
        """

    def ended(self, played: Played) -> None:
        """A match is over, or is not played on."""


async def play(plan: Plan, source: Source, watcher: Watcher) -> list[Played]:
    """Play all matches, and return how they went, in order.

    Args:
        plan: What to play.
        source: Where the records are read back from.
        watcher: Told meanwhile.
    """
    gate = asyncio.Semaphore(plan.parallel)
    tables: dict[int, _Table] = {}
    over: list[Played] = []

    async def one(number: int) -> Played:
        async with gate:
            tables[number] = _Table(plan, source, number, watcher.began)
            played = await tables[number].play()
            del tables[number]
        over.append(played)
        watcher.ended(played)
        return played

    async def look() -> None:
        while True:
            await asyncio.sleep(TELL_S)
            going = [*(table.standing for table in tables.values())]
            going += [(played.records, played.acts) for played in over]
            watcher.going(sum(r for r, _ in going), sum(a for _, a in going))

    looking = asyncio.create_task(look())
    try:
        return [*await asyncio.gather(*(one(number) for number in range(1, plan.matches + 1)))]
    finally:
        looking.cancel()


class _Table:
    """One match's phones."""

    def __init__(
        self, plan: Plan, source: Source, number: int, began: Callable[[str], None]
    ) -> None:
        self._plan = plan
        self._began = began
        self._source = source
        self._chance = Random(f"{plan.seed}/{number}")
        self._played = Played(number)
        self._before: dict[Phone, int] = {}
        self._phones = [
            Phone(
                Internet(plan.url),
                f"Phone {number}-{index}",
                seed=f"{plan.seed}/{number}/{index}",
                think_s=plan.think_s,
            )
            for index in range(1, plan.players - plan.bots + 1)
        ]

    @property
    def standing(self) -> tuple[int, int]:
        """How many records the phones have seen by now, and how often they have acted."""
        seen = [t.seq for phone in self._phones for t in phone.tables.values()]
        return max(seen, default=0), sum(phone.counts.acts for phone in self._phones)

    async def play(self) -> Played:
        """Play the match to its end, or until it is stuck."""
        played, loop = self._played, asyncio.get_running_loop()
        began_s = loop.time()
        played.phones = len(self._phones)
        try:
            async with asyncio.timeout(self._plan.timeout_s):
                await self._sit_down()
                await self._to_the_end()
        except TimeoutError:
            played.problems.append(f"not over after {self._plan.timeout_s:g} s")
        except (Refused, NoAccount) as refused:
            played.problems.append(f"nobody could sit down: {refused}")
        except AWAY as fault:
            played.problems.append(f"the house does not answer: {reason(fault)}")
        if self._plan.entry and not played.problems:
            await asyncio.gather(*(self._check_purse(phone) for phone in self._phones))
        played.seconds = loop.time() - began_s
        await asyncio.gather(*(phone.close() for phone in self._phones))
        self._count()
        if played.match_id:
            await self._compare()
        return played

    async def _sit_down(self) -> None:
        """All connect before one opens the table, so that no bot is faster."""
        await asyncio.gather(*(phone.start() for phone in self._phones))
        if self._plan.entry:
            await asyncio.gather(*(self._can_pay(phone) for phone in self._phones))
        opener, *others = self._phones
        self._played.match_id = await opener.open(GAME, self._plan.table, self._plan.entry)
        self._began(self._played.match_id)
        await asyncio.gather(*(phone.join(self._played.match_id) for phone in others))

    async def _can_pay(self, phone: Phone) -> None:
        """Wait for the coins that a house gives a new player. Raises Refused."""
        entry = self._plan.entry
        if not await phone.purse.until(lambda purse: purse.can_pay(entry), COINS_S):
            has = phone.purse.available
            told = "is told of no coins" if has is None else f"has {has} coins"
            raise Refused(NOT_ENOUGH, f"a new player {told}, and the entry is {entry}")
        self._before[phone] = phone.purse.available or 0

    async def _to_the_end(self) -> None:
        match_id = self._played.match_id
        async with asyncio.TaskGroup() as group:
            others = [group.create_task(self._happen(phone)) for phone in self._phones]
            if self._plan.entry:
                others += [group.create_task(self._stay(phone)) for phone in self._phones]
            await asyncio.gather(*(phone.over(match_id) for phone in self._phones))
            for other in others:
                other.cancel()

    async def _stay(self, phone: Phone) -> None:
        """Sit down again where the line was lost when the entries were held: the table is open
        again, and waits for somebody.
        """
        match_id = self._played.match_id
        known = phone.tables[match_id]
        while not known.step and not known.end:
            if not _lost_seat(known):
                await phone.reached(match_id, known.seq + 1)
                continue
            await asyncio.sleep(RESTS_S)  # what was held for it may only be on its way back
            await phone.purse.until(lambda purse: purse.can_pay(self._plan.entry), COINS_S)
            try:
                await phone.join(match_id)
            except Refused as refused:
                if _lost_seat(known) and refused.reason != NOT_ENOUGH:
                    self._played.problems.append(f"a phone could not sit down: {refused}")
                    return

    async def _begun(self, phone: Phone) -> None:
        known = phone.tables[self._played.match_id]
        while not known.step and not known.end:
            await phone.reached(known.match_id, known.seq + 1)

    async def _happen(self, phone: Phone) -> None:
        """Let a phone leave, or lose its line, or neither, at some record of its match."""
        plan, match_id = self._plan, self._played.match_id
        leaves, drops = self._chance.random() < plan.leave, self._chance.random() < plan.drop
        at, silently = self._chance.randint(*MISFORTUNE), self._chance.random() < SILENT
        away_s = plan.drop_s * (0.5 + self._chance.random())
        if not (leaves or drops):
            return
        if plan.entry:  # of who gets up before play begins somebody else would have to come
            await self._begun(phone)
        await phone.reached(match_id, at)
        if phone.tables[match_id].end:
            return
        if leaves:
            try:
                await phone.leave(match_id)
                self._played.left += 1
            except Refused as refused:
                await asyncio.sleep(RESTS_S)  # perhaps it was the end that came first
                if not phone.tables[match_id].end:
                    self._played.problems.append(f"a phone could not leave: {refused}")
        else:
            self._played.dropped += 1
            await phone.lose_line(away_s, silently=silently)

    async def _check_purse(self, phone: Phone) -> None:
        """The player has what he had, and what the match brought him; nothing is held any more."""
        match_id = self._played.match_id
        net = phone.tables[match_id].net_coins
        if net is None:  # its end came in a snapshot
            return
        due = self._before[phone] + net

        def paid(purse: Purse) -> bool:
            return purse.available == due and match_id not in purse.held

        if not await phone.purse.until(paid, COINS_S):
            purse, who = phone.purse, f"phone {phone.account.player_id}"
            self._played.problems.append(
                f"{who} has {purse.available} coins where {due} are due, "
                f"and {purse.held.get(match_id, 0)} held"
            )

    # ---- afterwards

    def _count(self) -> None:
        played = self._played
        for phone in self._phones:
            played.acts += phone.counts.acts
            played.repeats += phone.counts.repeats
            played.snapshots += phone.counts.snapshots
            played.refusals += phone.counts.refusals
            played.rate = phone.rate
            played.problems += phone.problems
            for known in phone.tables.values():
                played.timed_out += known.timed_out
                played.returned += known.returned
                played.forfeited += known.forfeited

    async def _compare(self) -> None:
        """Read the records back: they fit, and every phone saw these and no others."""
        played = self._played
        views = [phone.tables[played.match_id] for phone in self._phones]
        last = max((view.seq for view in views), default=0)
        try:
            records = await self._read_back(last)
        except (Problem, *AWAY) as fault:
            why = fault.message if isinstance(fault, Problem) else reason(fault)
            played.problems.append(f"its records can't be read back: {why}")
            return
        played.records, played.digest = len(records), digest_of(records[-1]) if records else ""
        for phone, view in zip(self._phones, views, strict=True):
            played.problems += _differences(f"phone {phone.account.player_id}", view, records)
        try:
            report = await asyncio.to_thread(verify, records)
        except NotRecords as fault:
            played.problems.append(f"what the log has does not fit: {fault}")
            return
        played.end, played.places = report.end, dict(report.places)
        played.prizes, played.fee = dict(report.prizes), report.fee_coins
        if report.problem:
            played.problems.append(f"what the log has does not fit: {report.problem}")

    async def _read_back(self, last: int) -> Sequence[bytes]:
        """Return the records once the read models have as many as a phone has seen."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + READ_S
        while True:
            records = await self._source.records(self._played.match_id)
            if len(records) >= last or loop.time() > until_s:
                return records
            await asyncio.sleep(LOOK_S)


def _lost_seat(known: Followed) -> bool:
    """Whether a phone that came to a table sits there no more, and the match is not over."""
    return bool(known.seq) and not known.end and known.mine is None


def _differences(who: str, view: Followed, records: Sequence[bytes]) -> list[str]:
    """Return how what a phone saw differs from what the log has."""
    found: list[str] = []
    for seq, digest in view.digests.items():
        if seq > len(records):
            found.append(f"{who} saw record {seq}, and the log has {len(records)}")
        elif digest_of(records[seq - 1]) != digest:
            found.append(f"{who} saw another record {seq} than the log has")
    if not found and view.end and view.seq != len(records):
        found.append(f"{who} saw the end at record {view.seq}, and the log has {len(records)}")
    return found
