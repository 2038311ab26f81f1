"""Drives phones through whole matches, and compares what they saw with what the log says."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Protocol

from sahrat import games
from sahrat.games.game import Preset
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
from services.house.table import COINS_S, Table, Terms, players_of
from services.house.wishes import Refused

READ_S: Final = 30.0  # for the read models to have the last record
LOOK_S: Final = 0.1
TELL_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played.

    Attributes:
        game, preset: By their names; the latter is empty for none.
        players: Seats of each table; bots sit on `bots` of them.
        entry: What each phone pays to play, in coins; 0: free tables.
        leave: Share of the phones that leave their match for good, between 0 and 1.
        drop: Share of the others that lose their line for about `drop_s`, and come back.
        options: The table's options besides the players, the preset's and what bots need.
        parallel: Matches at a time.
        think_s: Before each step of a phone.
        timeout_s: After that a match counts as stuck.
    """

    url: str
    matches: int
    players: int
    bots: int
    seed: str
    game: str = "ludo"
    preset: str = ""
    entry: int = 0
    leave: float = 0.0
    drop: float = 0.0
    drop_s: float = 5.0
    options: Mapping[str, Any] = field(default_factory=dict)
    parallel: int = 20
    think_s: float = 0.0
    timeout_s: float = 900.0

    @property
    def presets(self) -> Preset:
        """The options that `preset` stands for; none where the game has none of that name."""
        game = games.current(self.game)
        return {} if game is None else game.options.presets.get(self.preset, {})

    @property
    def terms(self) -> Terms:
        """How it is played at each table."""
        fill = {"fill_seconds": 5} if self.bots else {}
        options = {**fill, **self.presets, **self.options}
        players = players_of(self.game, self.players, options)
        return Terms(
            {"players": players, **options},
            self.entry,
            self.leave,
            self.drop,
            self.drop_s,
            self.game,
        )


@dataclass(slots=True)
class Played:
    """One match, and how it went.

    Attributes:
        match_id: Empty if no table could be opened.
        end: The type of the last event; empty if none came.
        places: Place by seat.
        records, digest: How many the log has, and the last one's.
        prizes_coins, fee_coins: What each seat won of the pot, and the rest of it; nothing of a
            free table.
        refund_coins: What went back, all entries together, where the match was stopped.
        seconds: How long it took, whole milliseconds of it.
        player_ids: Whose phones played.
        left, dropped, returned: Phones that left, that lost their line, that a bot gave way to.
        forfeited: Phones that lost their entry by leaving or by being away for too long.
        timed_out: Steps of phones that the clock played.
        problems: What was not as it should be.
    """

    number: int
    match_id: str = ""
    end: str = ""
    places: dict[int, int] = field(default_factory=dict)
    prizes_coins: dict[int, int] = field(default_factory=dict)
    fee_coins: int = 0
    refund_coins: int = 0
    records: int = 0
    digest: str = ""
    seconds: float = 0.0
    phones: int = 0
    player_ids: list[str] = field(default_factory=list)
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
    matches: dict[int, _Match] = {}
    over: list[Played] = []

    async def one(number: int) -> Played:
        async with gate:
            matches[number] = _Match(plan, source, number, watcher.began)
            played = await matches[number].play()
            del matches[number]
        over.append(played)
        watcher.ended(played)
        return played

    async def look() -> None:
        while True:
            await asyncio.sleep(TELL_S)
            going = [*(match.table.standing for match in matches.values())]
            going += [(played.records, played.acts) for played in over]
            watcher.going(sum(r for r, _ in going), sum(a for _, a in going))

    looking = asyncio.create_task(look())
    try:
        return [*await asyncio.gather(*(one(number) for number in range(1, plan.matches + 1)))]
    finally:
        looking.cancel()


class _Match:
    """One match that is played, and read back."""

    def __init__(
        self, plan: Plan, source: Source, number: int, began: Callable[[str], None]
    ) -> None:
        self._plan = plan
        self._source = source
        self._played = Played(number)
        phones = [
            Phone(
                Internet(plan.url),
                f"Phone {number}-{index}",
                seed=f"{plan.seed}/{number}/{index}",
                think_s=plan.think_s,
            )
            for index in range(1, plan.players - plan.bots + 1)
        ]
        self.table = Table(plan.terms, phones, Random(f"{plan.seed}/{number}"), began)

    async def play(self) -> Played:
        """Play the match to its end, or until it is stuck."""
        played, table, loop = self._played, self.table, asyncio.get_running_loop()
        began_s = loop.time()
        played.phones = len(table.phones)
        played.problems = table.problems
        try:
            async with asyncio.timeout(self._plan.timeout_s):
                await table.sit_down()
                await table.to_the_end()
        except TimeoutError:
            played.problems.append(f"not over after {self._plan.timeout_s:g} s")
        except (Refused, NoAccount) as refused:
            played.problems.append(f"nobody could sit down: {refused}")
        except AWAY as fault:
            played.problems.append(f"the house does not answer: {reason(fault)}")
        if self._plan.entry and not played.problems:
            await asyncio.gather(*(self._check_purse(phone) for phone in table.phones))
        played.seconds = round(loop.time() - began_s, 3)
        await table.close()
        self._count()
        if played.match_id:
            await self._compare()
        return played

    async def _check_purse(self, phone: Phone) -> None:
        """The player has what he had, and what the match brought him; nothing is held any more."""
        match_id = self.table.match_id
        net = phone.tables[match_id].net_coins
        if net is None:  # its end came in a snapshot
            return
        due = self.table.before[phone] + net

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
        played, table = self._played, self.table
        played.match_id, played.left, played.dropped = table.match_id, table.left, table.dropped
        for phone in table.phones:
            played.player_ids.append(phone.account.player_id)
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
        views = [phone.tables[played.match_id] for phone in self.table.phones]
        last = max((view.seq for view in views), default=0)
        try:
            records = await self._read_back(last)
        except (Problem, *AWAY) as fault:
            why = fault.message if isinstance(fault, Problem) else reason(fault)
            played.problems.append(f"its records can't be read back: {why}")
            return
        played.records, played.digest = len(records), digest_of(records[-1]) if records else ""
        for phone, view in zip(self.table.phones, views, strict=True):
            played.problems += _differences(f"phone {phone.account.player_id}", view, records)
        try:
            report = await asyncio.to_thread(verify, records)
        except NotRecords as fault:
            played.problems.append(f"what the log has does not fit: {fault}")
            return
        played.end, played.places = report.end, dict(report.places)
        played.prizes_coins, played.fee_coins = dict(report.prizes), report.fee_coins
        played.refund_coins = report.refund_coins
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
