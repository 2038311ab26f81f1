"""A house that played for coins, whose log is kept; and copies of it that were altered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from typing import Any, Final

import orjson
import structlog

from sahrat.log.journal import JournalPlace
from sahrat.log.memory import MemoryLog, MemoryStore
from sahrat.log.port import Bookmark
from sahrat.log.store import Mark, Place
from sahrat.match.state import Phase
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.base import Message
from sahrat.messages.codec import encode
from sahrat.messages.envelope import GENESIS
from sahrat.messages.stored import Draft, Stored
from services.audit.core.fault import Fault
from services.audit.core.report import Report
from services.audit.core.tables import Shown
from services.audit.host import Audit
from services.house.simulation.loop import run
from services.house.simulation.partitions import FEW, partitions
from tests.house.bank import KEY, grant
from tests.house.gateway import Gateway
from tests.house.house import House
from tests.unit.match.desk import START_MS, player

A, B, C, D, E = (player(n) for n in range(1, 6))
POOR: Final = player(6)
JOURNAL: Final = (topics.WALLET_JOURNAL.name, 0)
COMMANDS: Final = (topics.WALLET_COMMANDS.name, 0)
PLACE: Final = JournalPlace(snapshot=0, end=0).dump()


@dataclass
class Copy:
    """A log as lists, which may be altered.

    Attributes:
        judged: What the ledger's bookmark says; -1: it has none.
        marks: What bookmarks there are besides.
        named: Matches of the story by what happens in them.
        parts: How many partitions the matches are shared out among.
    """

    records: dict[Place, list[Stored]]
    judged: int = -1
    named: dict[str, str] = field(default_factory=dict)
    parts: int = FEW
    marks: list[Mark] = field(default_factory=list)

    def copy(self) -> Copy:
        records = {place: list(stored) for place, stored in self.records.items()}
        return replace(self, records=records)

    # ---- the journal

    @property
    def entries(self) -> list[w.JournalEntry]:
        """Each once, without snapshots."""
        found: dict[int, w.JournalEntry] = {}
        for stored in self.records[JOURNAL]:
            entry = w.JOURNAL.decode(stored.value)
            if isinstance(entry, w.JournalEntry):
                found.setdefault(entry.entry, entry)
        return list(found.values())

    def journal(self, entries: Sequence[w.JournalEntry], *, fit: bool = True) -> Copy:
        """Let the journal be these entries; `fit`: with numbers and digests made to fit."""
        copy, digest, values = self.copy(), GENESIS, list[bytes]()
        for number, entry in enumerate(entries, 1):
            update = {"entry": number, "prev": digest}
            values.append(encode(entry.model_copy(update=update) if fit else entry))
            digest = sha256(values[-1]).hexdigest()
        copy.records[JOURNAL] = [
            Stored(*JOURNAL, offset, START_MS, KEY, value) for offset, value in enumerate(values)
        ]
        return copy

    def alter(self, number: int, **update: Any) -> Copy:
        """Change fields of one entry, with all digests made to fit."""
        entries = self.entries
        entries[number - 1] = entries[number - 1].model_copy(update=update)
        return self.journal(entries)

    # ---- commands

    @property
    def commands(self) -> list[Stored]:
        return self.records[COMMANDS]

    def send(self, command: w.WalletCommand, at: int | None = None) -> Copy:
        """Put a command behind the others, or in the place of one."""
        copy = self.copy()
        offset = len(copy.commands) if at is None else at
        stored = Stored(*COMMANDS, offset, START_MS + 10**7, KEY, encode(command))
        copy.commands[offset : offset + 1] = [stored]
        return copy

    def book(self, command: w.WalletCommand, *postings: w.Posting) -> Copy:
        """Send a command, and write the entry that a ledger would make of it which moves this."""
        copy = self.send(command)
        coins = balances(self.entries)
        touched: dict[str, int] = {}
        for posting in postings:
            for account, change in (
                (posting.source, -posting.coins),
                (posting.destination, posting.coins),
            ):
                touched[account] = touched.get(account, coins.get(account, 0)) + change
        entry = w.JournalEntry(
            entry=1,
            at_ms=copy.commands[-1].at_ms,
            offset=copy.commands[-1].offset,
            prev=GENESIS,
            id=command.id,
            cause=command.cause,
            command=command.command,
            reason=None,
            short=(),
            postings=postings,
            balances=tuple(w.Balance(account=a, coins=c) for a, c in touched.items()),
        )
        return copy.journal([*self.entries, entry])

    # ---- matches

    def rewrite(self, match_id: str, change: Callable[[list[dict[str, Any]]], None]) -> Copy:
        """Change a match's records where they stand, with all digests made to fit."""
        copy = self.copy()
        with partitions(self.parts):
            stored = copy.records[topics.EVENTS.name, topics.partition_of(match_id)]
        places = [at for at, one in enumerate(stored) if one.key == match_id.encode()]
        records = [orjson.loads(stored[at].value) for at in places]
        change(records)
        digest = GENESIS
        for at, record in zip(places, records, strict=True):
            record["prev"] = digest
            stored[at] = replace(stored[at], value=orjson.dumps(record))
            digest = sha256(stored[at].value).hexdigest()
        return copy

    def find(self, kind: type[Message], match: str = "", nth: int = 0) -> w.JournalEntry:
        """The nth entry of a kind that moved coins, of a match of the story or of any."""
        wanted = self.named.get(match)
        found = [
            entry
            for entry in self.entries
            if isinstance(entry.command, kind)
            and entry.reason is None
            and (wanted is None or getattr(entry.command, "match_id", None) == wanted)
        ]
        return found[nth]

    # ---- the audit

    def audit(self, shown: Shown | str = "") -> Report:
        """Audit it. Raises Fault."""
        with partitions(self.parts):
            return run(self._audit(shown))

    async def _audit(self, shown: Shown | str) -> Report:
        log = await self.open()
        try:
            return await Audit(log, shown).run()
        finally:
            await log.close()

    async def open(self) -> MemoryLog:
        """Return it as a log."""
        store = MemoryStore()
        await store.open(topics.ALL)
        marks = [Mark("wallet-ledger", *COMMANDS, Bookmark(self.judged, PLACE))] * (
            self.judged >= 0
        )
        marks += self.marks
        await store.write([one for stored in self.records.values() for one in stored], marks)
        log = MemoryLog(lambda: START_MS, store)
        await log.start()
        return log

    def fault(self) -> Fault:
        """Audit it, and return what is wrong."""
        try:
            report = self.audit()
        except Fault as fault:
            return fault
        raise AssertionError(f"nothing was found: {report}")


def balances(entries: Sequence[w.JournalEntry]) -> dict[str, int]:
    """What every account holds after entries."""
    found: dict[str, int] = {}
    for entry in entries:
        for balance in entry.balances:
            found[balance.account] = balance.coins
    return {a: coins for a, coins in found.items() if coins or not a.startswith("hold:")}


def story() -> Copy:
    """A copy of the story's log."""
    return _told().copy()


@cache
def _told() -> Copy:
    return told(_play)


def told(tale: Callable[[House, Gateway, dict[str, str]], Any]) -> Copy:
    """Let a tale happen in a house, and return its log."""
    with partitions(FEW), structlog.testing.capture_logs() as logged:
        return run(_tell(tale, logged))


async def _tell(tale: Callable[[House, Gateway, dict[str, str]], Any], logged: list[Any]) -> Copy:
    async with House(logged=logged) as house:
        named: dict[str, str] = {}
        gateway = await house.gateway()
        house.start("wallet")
        await house.ready()
        await tale(house, gateway, named)
        await house.settle()
        assert house.alarms() == []
        records = {
            (topic.name, number): list(house.topic(topic, number))
            for topic in (
                topics.INTENTS,
                topics.EVENTS,
                topics.WALLET_COMMANDS,
                topics.WALLET_JOURNAL,
            )
            for number in range(topic.partitions)
        }
        return Copy(records, -1, named)


async def _play(house: House, gateway: Gateway, named: dict[str, str]) -> None:
    await welcome(house, A, B, C, D)
    await grant(house, E, 250)
    await grant(house, POOR, 15)
    await house.settle()
    # All four to the end: 70 and 30.
    named["played"] = await gateway.table(A, B, C, D, entry=100)
    await play(house, gateway, named["played"])
    # One stays, the others' entries are his.
    named["left"] = await gateway.table(A, B, C, entry=33)
    for player_id in (B, C):
        await gateway.send(named["left"], m.LeaveTable(), player_id=player_id)
        await house.settle()
    # Somebody has not enough; somebody else comes, and then it is stopped, after one has left.
    named["stopped"] = await gateway.table(A, POOR, D, entry=50)
    await gateway.join(named["stopped"], E)
    await house.settle()
    await gateway.send(named["stopped"], m.LeaveTable(), player_id=D)
    await house.settle()
    await gateway.stop(named["stopped"])
    # Held, and somebody is away: released, and the table is empty in the end.
    named["failed"] = await gateway.open(A, entry=20, players=2)
    await house.kill("wallet")
    await gateway.join(named["failed"], B)
    await house.settle()
    await gateway.lose(named["failed"], B)
    house.start("wallet")
    await house.settle()
    await gateway.send(named["failed"], m.LeaveTable(), player_id=A)
    # Free ones: two humans and two bots; one leaves and earns nothing.
    for number in range(2):
        named[f"free {number}"] = await gateway.table(A, B, step_seconds=8)
        if number:
            await gateway.send(named["free 1"], m.LeaveTable(), player_id=B)
        await play(house, gateway, named[f"free {number}"])
    # These are on.
    named["on"] = await gateway.table(C, D, entry=40)
    named["open"] = await gateway.open(E, entry=10, players=2)
    await house.settle()


async def welcome(house: House, *players: str) -> None:
    for player_id in players:
        command = w.WalletCommand(
            id=f"welcome:{player_id}",
            cause=w.WelcomeCause(),
            command=w.GrantCoins(player_id=player_id, coins=1000),
        )
        await house.log.append(topics.WALLET_COMMANDS, 0, (Draft(KEY, encode(command)),))


async def play(house: House, gateway: Gateway, match_id: str) -> None:
    """Play as bots would, to the end."""
    while house.match(match_id).live:
        state = house.match(match_id).known
        assert state.phase is Phase.PLAYING
        if state.sitters[state.chair_of_seat(state.step_seat)].bot:
            await asyncio.sleep(0.1)
        else:
            await gateway.act(match_id)
            await house.settle()
    await house.settle()
