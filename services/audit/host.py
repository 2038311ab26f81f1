"""The audit: journal, commands and matches read side by side, each once, from their beginnings.

Nothing is kept but accounts, matches that are on, and what was closed within two days.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from sahrat.log.port import LogReader, Stored
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.codec import FromTheFuture, Poison, encode
from sahrat.messages.envelope import GENESIS
from services.audit import marks
from services.audit.core import report as r
from services.audit.core.books import Books, Outcome, is_proper
from services.audit.core.check import check_command, check_entry, check_record, match_of
from services.audit.core.fault import Fault, Place
from services.audit.core.history import Purses
from services.audit.core.records import located
from services.audit.core.snapshots import Snapshots
from services.audit.core.table import FUNDING, OPEN, PLAYING, Ask
from services.audit.core.tables import Shown, Tables
from services.audit.core.tally import count, lines
from services.audit.matches import Matches
from services.audit.streams import Progress, Stream, Tell

RECENT: Final = 10_000  # digests of so many entries are at hand; those before are looked up


class Audit:
    """One audit.

    Args:
        log: The log, which may be written to meanwhile.
        shown: What PostgreSQL shows, read before; or why that is not known.
        tell: Told how far it is.
        player_id: Whose changes to list; empty for nobody's.
    """

    def __init__(
        self,
        log: LogReader,
        shown: Shown | str,
        tell: Tell = lambda *_: None,
        player_id: str = "",
    ) -> None:
        self._log = log
        self._tables = None if isinstance(shown, str) else Tables(shown)
        self._said = shown if isinstance(shown, str) else ""
        self._player_id = player_id
        self._purses = Purses()
        progress = Progress(tell)
        self._journal = Stream(log, topics.WALLET_JOURNAL, 0, progress)
        self._commands = Stream(log, topics.WALLET_COMMANDS, 0, progress)
        self._events = [
            Stream(log, topics.EVENTS, number, progress)
            for number in range(topics.MATCH_PARTITIONS)
        ]
        self._books = Books()
        self._matches = Matches(self._events, self._books)
        self._snapshots = Snapshots()
        self._report = r.Report(digest=GENESIS)
        self._recent: dict[int, str] = {}
        self._marks = marks.Marks()
        self._sent: dict[tuple[int, int], None] = {}  # causes of commands behind the last entry
        self._offset = -1

    async def run(self) -> r.Report:
        """Read everything, and return what is there.

        Raises:
            Fault: The first law that is broken, in the order of the journal.
            FromTheFuture: A record is newer than this program.
            LogFault: The log is away, or not whole.
        """
        streams = [self._journal, self._commands, *self._events]
        # What comes first is asked last, so that whatever an entry comes from is there to be read.
        self._marks = await marks.read(self._log)
        for stream in streams:
            await stream.begin(self._marks)
        for part in self._matches.parts:  # after the records: their causes were stored before
            part.end = (await self._log.bounds(topics.INTENTS, part.number)).end
        try:
            self._compare()
            while (stored := await self._journal.take()) is not None:
                await self._take(stored)
                self._compare()
            await self._end()
        finally:
            for stream in streams:
                await stream.close()
        return self._report

    def _compare(self) -> None:
        if self._tables is not None:
            at = self._journal.offset
            self._tables.compare(at, self._report.entries, self._books, self._purses)

    # ---- the journal

    async def _take(self, stored: Stored) -> None:
        message = self._decode(stored)
        report = self._report
        if isinstance(message, Poison):  # a stranger's, which every reader passes over
            report.unread_entries[stored.offset] = str(message)
            return
        if isinstance(message, w.JournalSnapshot):
            self._snapshots.take(message, report.entries, report.digest, self._books)
            return
        if message.entry <= report.entries:
            await self._check_again(message.entry, stored)
            report.repeated_entries += 1
            return
        self._snapshots.follow()
        if message.entry != report.entries + 1:
            raise self._missing(message.entry)
        if message.prev != report.digest:
            raise Fault(
                "chain",
                f"it names another digest than that of entry {report.entries}",
                Place(message.entry, match_of(message.command)),
            )
        if encode(message) != stored.value:
            raise Fault(
                "chain", "its bytes are not as the ledger writes them", Place(message.entry)
            )
        await self._check(message)
        count(report, message, self._matches.counts.stops)
        changes = self._purses.take(message, self._books)
        report.lines += lines(message, changes, self._player_id)
        if self._tables is not None:
            self._tables.follow(message, changes)
        self._books.take(message)
        report.entries, report.digest = message.entry, sha256(stored.value).hexdigest()
        self._recent[message.entry] = report.digest
        self._recent.pop(message.entry - RECENT, None)
        self._offset = message.offset

    def _decode(self, stored: Stored) -> w.JournalEntry | w.JournalSnapshot | Poison:
        try:
            if stored.key != w.LEDGER.encode():
                raise Poison("wrong-key", f"under {stored.key[:40]!r}")
            return w.JOURNAL.decode(stored.value)
        except FromTheFuture as newer:
            raise located(newer, stored) from None
        except Poison as poison:
            return poison

    def _missing(self, entry: int) -> Fault:
        """Return what is wrong where an entry does not follow the last one."""
        last, unread = self._report.entries, [*self._report.unread_entries.items()]
        if not unread:
            return Fault("chain", f"it follows entry {last}", Place(entry))
        offset, why = unread[-1]
        what = (
            f"entry {entry} follows entry {last}, and the record at {offset} can't be read: {why}"
        )
        return Fault("chain", what, Place(last + 1))

    async def _check_again(self, entry: int, stored: Stored) -> None:
        """Check that an entry which came again has the same bytes."""
        digest = self._recent.get(entry) or await self._look_up(entry)
        if digest != sha256(stored.value).hexdigest():
            raise Fault("chain", f"it has two contents, one at {stored.offset}", Place(entry))

    async def _look_up(self, entry: int) -> str:
        """Return the digest of an entry of long ago, where it stands first."""
        reader = self._log.reader(topics.WALLET_JOURNAL, 0, entry - 1)
        try:
            while True:
                for stored in await reader.read():
                    message = self._decode(stored)
                    if isinstance(message, w.JournalEntry) and message.entry == entry:
                        return sha256(stored.value).hexdigest()
        finally:
            await reader.close()

    async def _check(self, entry: w.JournalEntry) -> None:
        """Check an entry against its command, its record and the laws."""
        try:
            command = await self._command(entry)
            if entry.reason is w.WalletReason.WRONG_CAUSE and is_proper(command):
                await self._check_unfounded(entry)
                check_entry(entry, Outcome(entry.reason), self._books)
                return
            if isinstance(command.cause, w.MatchCause) and (
                entry.reason is not w.WalletReason.WRONG_CAUSE
            ):
                check_record(
                    entry, await self._matches.find(command.cause, entry.entry), self._books
                )
            check_entry(entry, self._books.outcome(command), self._books)
        except Fault as fault:
            raise (fault if fault.place.entry else fault.at(entry.entry)) from None

    async def _check_unfounded(self, entry: w.JournalEntry) -> None:
        """Check that a command was refused because no intent stood where it says; one of another
        match may have come there since.
        """
        cause = entry.cause
        if not isinstance(cause, w.MatchCause):
            raise Fault("W8", "refused for its cause, and it has none", Place(entry.entry))
        bounds = await self._log.bounds(topics.INTENTS, cause.partition)
        if not bounds.start <= cause.offset < bounds.end:
            return
        reader = self._log.reader(topics.INTENTS, cause.partition, cause.offset)
        try:
            found = (await reader.read(1))[0]
        finally:
            await reader.close()
        if found.key == cause.match_id.encode() and found.offset == cause.offset:
            raise Fault(
                "W8",
                f"refused for its cause, which stands at {cause.offset} of the intents",
                Place(entry.entry, cause.match_id, cause.seq),
            )

    async def _command(self, entry: w.JournalEntry) -> w.WalletCommand:
        """Return an entry's command; those before it were taken before, or are none."""
        if entry.offset <= self._offset:
            raise Fault("W8", f"its command stands at {entry.offset}, before the last entry's")
        place = Place(entry.entry, match_of(entry.command))
        while (stored := await self._commands.take()) is not None:
            command = self._read(stored)
            if stored.offset < entry.offset:
                self._pass_over(stored, command, place)
            elif command is None or stored.offset != entry.offset:
                break
            else:
                check_command(entry, command, stored.at_ms)
                if self._books.leaves_no_trace(command):
                    raise Fault("W8", f"its command, {command.id}, was taken before", place)
                return command
        raise Fault("W8", f"no command stands at {entry.offset}, where it has its own", place)

    def _read(self, stored: Stored) -> w.WalletCommand | None:
        self._report.commands += 1
        try:
            if stored.key != w.LEDGER.encode():
                raise Poison("wrong-key", "")
            return w.COMMANDS.decode(stored.value)
        except FromTheFuture as newer:
            raise located(newer, stored) from None
        except Poison:
            self._report.unread_commands += 1
            return None

    def _pass_over(self, stored: Stored, command: w.WalletCommand | None, place: Place) -> None:
        """Take a command that has no entry."""
        if command is None:
            return
        if not self._books.leaves_no_trace(command):
            raise Fault(
                "W8",
                f"the command at {stored.offset}, {command.id}, has no entry where it is due",
                Place(place.entry, match_of(command.command)),
            )
        self._report.repeated_commands += 1

    # ---- the end

    async def _end(self) -> None:
        missing = self._report.entries + 1
        while (stored := await self._commands.take()) is not None:
            command = self._read(stored)
            if command is None:
                continue
            if self._books.leaves_no_trace(command):
                self._report.repeated_commands += 1
            elif stored.offset < self._marks.judged:
                what = f"the command at {stored.offset}, {command.id}, was judged, and the journal"
                raise Fault(
                    "chain",
                    f"{what} ends before its entry",
                    Place(missing, match_of(command.command)),
                )
            else:
                self._report.waiting_commands += 1
                if isinstance(command.cause, w.MatchCause):
                    self._sent[command.cause.partition, command.cause.offset] = None
        rest, sent = await self._matches.rest(self._marks.routed)
        self._check_owed()
        self._check_sent(sent)
        self._check_holds([ask.cause.match_id for ask in rest])
        self._sum_up(rest)

    def _check_owed(self) -> None:
        for owed in self._matches.owed:
            cause, asks = owed.ask.cause, owed.ask.command.type
            damaged = cause.match_id in self._matches.parts[cause.partition].damaged
            if not damaged and f"settle:{cause.match_id}" not in self._books.once:
                raise Fault(
                    "W8",
                    f"the record asks for {asks}, and no entry is there, though entry {owed.entry} "
                    "is of a later record of its partition",
                    Place(None, cause.match_id, cause.seq),
                )

    def _check_sent(self, asks: Sequence[Ask]) -> None:
        """Check that a command is there of all that the router has come past."""
        for ask in asks:
            cause = ask.cause
            damaged = cause.match_id in self._matches.parts[cause.partition].damaged
            if damaged or f"settle:{cause.match_id}" in self._books.once:
                continue
            if (cause.partition, cause.offset) not in self._sent:
                raise Fault(
                    "W8",
                    f"the record asks for {ask.command.type}, the router has come past it, and no "
                    "command is there",
                    Place(None, cause.match_id, cause.seq),
                )

    def _check_holds(self, waiting: Sequence[str]) -> None:
        """Check W7: whatever is held is played for, or soon will be."""
        for held in self._books.holds.values():
            part = self._matches.parts[topics.partition_of(held.match_id)]
            table = part.tables.get(held.match_id)
            on = table is not None and table.phase in (FUNDING, PLAYING)
            if held.match_id in waiting or held.match_id in part.damaged:
                continue
            if table is None or not on or table.attempt != held.attempt:
                raise Fault(
                    "W7",
                    f"{held.coins * len(held.players)} coins are held, and nobody plays for them",
                    Place(None, held.match_id),
                )

    def _sum_up(self, rest: Sequence[Ask]) -> None:
        report, books, counts = self._report, self._books, self._matches.counts
        players = [coins for name, coins in books.coins.items() if name.startswith("player:")]
        tables = [table for part in self._matches.parts for table in part.tables.values()]
        report.players, report.available_coins = len(players), sum(players)
        report.holds = len(books.holds)
        report.held_coins = sum(held.coins * len(held.players) for held in books.holds.values())
        report.fee_coins = books.coins.get(w.FEE, 0)
        report.granted_coins = -books.coins.get(w.GRANTS, 0)
        report.coin_matches, report.free_matches = counts.coin, counts.free
        report.records, report.stops = counts.records, [*counts.stops.values()]
        # An operator's refund closes a match for the ledger, whatever its records say.
        phases = Counter(
            table.phase
            for table in tables
            if not table.free and f"settle:{table.match_id}" not in books.once
        )
        report.open, report.funding = phases[OPEN], phases[FUNDING]
        report.playing, report.unplayed = phases[PLAYING], counts.unplayed
        ends = w.SettleEntries | w.RefundEntries
        report.unsettled = sum(isinstance(ask.command, ends) for ask in rest)
        report.stuck = counts.damaged - sum(
            one.match_id in part.damaged for one in report.returned for part in self._matches.parts
        )
        report.pending = [
            r.Waiting(ask.cause.match_id, ask.cause.seq, ask.command.type, ask.cause.at_ms)
            for ask in rest
        ]
        for part in self._matches.parts:
            report.damaged.update(part.damaged)
        report.snapshots = self._snapshots.whole
        report.broken_snapshots = self._snapshots.broken
        total = report.available_coins + report.held_coins + report.fee_coins
        if total != report.granted_coins:
            raise Fault("W1", f"{total} coins are there, {report.granted_coins} were granted")
        if self._tables is None:
            report.tables_said = self._said
        else:
            self._tables.end(self._journal.end)
            report.tables_entry = self._tables.entry
