"""A ledger without a log: commands in, entries out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sahrat.ledger.decide import Dropped, Stamp, decide
from sahrat.ledger.journal import Book
from sahrat.messages import wallet as w
from sahrat.messages.codec import encode
from sahrat.messages.topics import partition_of
from tests.unit.match.desk import START_MS, player, uuid7

__all__ = ["START_MS", "player"]


def match(n: int) -> str:
    return uuid7(START_MS, n)


def id_of(asked: w.Command) -> str:
    """The id under which a match asks for something."""
    match asked:
        case w.HoldEntries():
            return f"hold:{asked.match_id}:{asked.attempt}"
        case w.ReleaseEntries():
            return f"release:{asked.match_id}:{asked.attempt}"
        case w.RewardPlayers():
            return f"reward:{asked.match_id}"
        case w.GrantCoins():
            return f"grant:{asked.player_id}"
        case _:
            return f"settle:{asked.match_id}"


@dataclass
class Desk:
    """Sends commands in the order of the log.

    Attributes:
        sent: All commands, as they were sent.
        values: The journal.
    """

    now_ms: int = START_MS
    book: Book = field(default_factory=Book)
    sent: list[w.WalletCommand] = field(default_factory=list)
    values: list[bytes] = field(default_factory=list)
    causes: dict[int, int] = field(default_factory=dict)

    def put(self, command: w.WalletCommand) -> w.JournalEntry | Dropped:
        """Send a command as it is."""
        outcome = decide(self.book.state, command, Stamp(len(self.sent), self.now_ms))
        self.sent.append(command)
        if isinstance(outcome, w.JournalEntry):
            self.values.append(self.book.write(outcome))
        return outcome

    def entry(self, command: w.WalletCommand) -> w.JournalEntry:
        """Send a command that makes an entry."""
        outcome = self.put(command)
        assert isinstance(outcome, w.JournalEntry), outcome
        return outcome

    def cause(self, match_id: str, seq: int, at_ms: int | None = None) -> w.MatchCause:
        """The next record of a match."""
        partition = partition_of(match_id)
        offset = self.causes[partition] = self.causes.get(partition, -1) + 1
        return w.MatchCause(
            match_id=match_id,
            seq=seq,
            at_ms=self.now_ms if at_ms is None else at_ms,
            partition=partition,
            offset=offset,
        )

    # ---- what matches ask for

    def ask(self, asked: w.Command, seq: int = 100, at_ms: int | None = None) -> w.JournalEntry:
        assert not isinstance(asked, w.GrantCoins)
        cause = self.cause(asked.match_id, seq, at_ms)
        return self.entry(w.WalletCommand(id=id_of(asked), cause=cause, command=asked))

    def hold(self, n: int, entry: int, *who: int, attempt: int = 3) -> w.JournalEntry:
        players = tuple(player(number) for number in who)
        asked = w.HoldEntries(
            match_id=match(n), attempt=attempt, entry_coins=entry, players=players
        )
        return self.ask(asked, attempt)

    def release(self, n: int, attempt: int = 3) -> w.JournalEntry:
        return self.ask(w.ReleaseEntries(match_id=match(n), attempt=attempt))

    def refund(self, n: int, attempt: int = 3) -> w.JournalEntry:
        return self.ask(w.RefundEntries(match_id=match(n), attempt=attempt))

    def settle(
        self, n: int, fee: int, prizes: Sequence[tuple[int, int]], attempt: int = 3
    ) -> w.JournalEntry:
        paid = tuple(w.PlayerCoins(player_id=player(who), coins=coins) for who, coins in prizes)
        asked = w.SettleEntries(match_id=match(n), attempt=attempt, fee_coins=fee, prizes=paid)
        return self.ask(asked)

    def reward(self, n: int, *prizes: tuple[int, int], at_ms: int | None = None) -> w.JournalEntry:
        paid = tuple(w.PlayerCoins(player_id=player(who), coins=coins) for who, coins in prizes)
        return self.ask(w.RewardPlayers(match_id=match(n), rewards=paid), at_ms=at_ms)

    # ---- what people ask for

    def grant(self, who: int, coins: int, n: int = 1, reason: str = "prize") -> w.JournalEntry:
        return self.entry(granting(who, coins, n, reason))

    # ---- looking

    @property
    def coins(self) -> dict[str, int]:
        return self.book.state.balances

    def available(self, who: int) -> int:
        return self.book.state.available(player(who))


def granting(who: int, coins: int, n: int = 1, reason: str = "prize") -> w.WalletCommand:
    return w.WalletCommand(
        id=f"grant:{uuid7(START_MS, 9_000_000 + 1000 * n + who)}",
        cause=w.OperatorCause(operator="salim", reason=reason),
        command=w.GrantCoins(player_id=player(who), coins=coins),
    )


def refunding(n: int, reason: str = "damaged") -> w.WalletCommand:
    return w.WalletCommand(
        id=f"settle:{match(n)}",
        cause=w.OperatorCause(operator="salim", reason=reason),
        command=w.RefundEntries(match_id=match(n), attempt=None),
    )


def welcoming(who: int, coins: int = 1000) -> w.WalletCommand:
    return w.WalletCommand(
        id=f"welcome:{player(who)}",
        cause=w.WelcomeCause(),
        command=w.GrantCoins(player_id=player(who), coins=coins),
    )


def refold(values: Sequence[bytes]) -> Book:
    """Fold a journal as every reader does."""
    book = Book()
    for value in values:
        entry = w.JOURNAL.decode(value)
        assert isinstance(entry, w.JournalEntry)
        assert encode(entry) == value
        assert book.take(entry, value) is not None
    return book
