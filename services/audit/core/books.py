"""All accounts, kept by this program itself: what each command must come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from sahrat.messages import wallet as w
from sahrat.messages.base import INT_LIMIT
from sahrat.messages.codec import encode
from sahrat.messages.topics import partition_of
from services.audit.core.shares import DAY_EARNS, DAY_MS

CLOSED_MS: Final = 2 * DAY_MS
"""So long the ledger tells a match that was settled from one for which nothing is held."""
DAYS: Final = 8
"""So many of a player's days with rewards count; one before them pays nothing."""

R = w.WalletReason
Move = tuple[str, str, int]
"""From, to, coins."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command comes to: coins that move, or why none do."""

    reason: w.WalletReason | None = None
    moves: tuple[Move, ...] = ()
    short: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """What is held for a match."""

    match_id: str
    attempt: int
    coins: int
    players: tuple[str, ...]

    @property
    def account(self) -> str:
        """Its account."""
        return w.hold_account(self.match_id, self.attempt)


@dataclass(slots=True)
class Books:
    """The accounts after an entry.

    Attributes:
        at_ms: The latest time of a command taken.
        offset: Of the last one.
        coins: By account; a hold's is there while it is open.
        total: Of all accounts; 0 by law W1.
        holds: By match.
        causes: By partition: the highest cause offset taken.
        once: Commands of people, by id: a digest of each, the entry that it made, and why nothing
            moved or how many coins.
        closed: Matches settled, refunded or rewarded within `CLOSED_MS`: when.
        days: By player: coins earned by day.
    """

    at_ms: int = 0
    offset: int = -1
    coins: dict[str, int] = field(default_factory=dict)
    total: int = 0
    holds: dict[str, Held] = field(default_factory=dict)
    causes: dict[int, int] = field(default_factory=dict)
    once: dict[str, tuple[str, int, w.WalletReason | None, int]] = field(default_factory=dict)
    closed: dict[str, int] = field(default_factory=dict)
    days: dict[str, dict[int, int]] = field(default_factory=dict)

    # ---- what must come of a command

    def leaves_no_trace(self, command: w.WalletCommand) -> bool:
        """Tell whether a command was taken before, so that it makes no entry."""
        if not is_proper(command):
            return False
        if isinstance(command.cause, w.MatchCause):
            return command.cause.offset <= self.causes.get(command.cause.partition, -1)
        return command.id in self.once and self.once[command.id][0] == _digest(command)

    def outcome(self, command: w.WalletCommand) -> Outcome:
        """Return what a command must come to that was not taken before.

        One of a match is what its record asks: whoever calls has seen to it.
        """
        if not is_proper(command):
            return Outcome(R.WRONG_CAUSE)
        if not isinstance(command.cause, w.MatchCause) and command.id in self.once:
            return Outcome(R.ID_REUSED)
        asked = command.command
        match asked:
            case w.GrantCoins():
                if self._too_many(asked.coins):
                    return Outcome(R.TOO_MUCH)
                return Outcome(moves=((w.GRANTS, w.player_account(asked.player_id), asked.coins),))
            case w.ReleaseEntries():
                held = self.holds.get(asked.match_id)
                if held is None or held.attempt != asked.attempt:
                    return Outcome(R.NOTHING_HELD)
                return Outcome(moves=_back(held))
            case w.HoldEntries() | w.SettleEntries() | w.RefundEntries() | w.RewardPlayers():
                if self.is_closed(asked.match_id):
                    return Outcome(R.ALREADY_SETTLED)
                return self._of_open_match(asked, command.cause)

    def is_closed(self, match_id: str) -> bool:
        """Tell whether a match was settled, refunded or rewarded."""
        return match_id in self.closed or f"settle:{match_id}" in self.once

    def _of_open_match(
        self,
        asked: w.HoldEntries | w.SettleEntries | w.RefundEntries | w.RewardPlayers,
        cause: w.Cause,
    ) -> Outcome:
        held = self.holds.get(asked.match_id)
        match asked:
            case w.HoldEntries():
                return self._hold(asked, held)
            case w.SettleEntries() if held is not None and held.attempt == asked.attempt:
                prizes = [(p.player_id, p.coins) for p in asked.prizes]
                moves = _pay(held.account, prizes)
                if asked.fee_coins:
                    moves = (*moves, (held.account, w.FEE, asked.fee_coins))
                return Outcome(moves=moves)
            case w.RefundEntries() if held is not None and asked.attempt in (None, held.attempt):
                return Outcome(moves=_back(held))
            case w.RewardPlayers():
                return self._reward(asked, cause)
            case _:
                return Outcome(R.NOTHING_HELD)

    def _hold(self, asked: w.HoldEntries, held: Held | None) -> Outcome:
        if held is not None:
            return Outcome(R.ALREADY_HELD)
        short = tuple(p for p in asked.players if self.available(p) < asked.entry_coins)
        if short:
            return Outcome(R.NOT_ENOUGH, short=short)
        to = w.hold_account(asked.match_id, asked.attempt)
        return Outcome(
            moves=tuple((w.player_account(p), to, asked.entry_coins) for p in asked.players)
        )

    def _reward(self, asked: w.RewardPlayers, cause: w.Cause) -> Outcome:
        day = cause.at_ms // DAY_MS if isinstance(cause, w.MatchCause) else 0
        pays: list[tuple[str, int]] = []
        for reward in asked.rewards:
            days = self.days.get(reward.player_id, {})
            known = len(days) < DAYS or day >= min(days)
            room = DAY_EARNS - days.get(day, 0) if known else 0
            if room > 0:
                pays.append((reward.player_id, min(room, reward.coins)))
        if not pays:
            return Outcome(R.DAY_IS_FULL)
        if self._too_many(sum(coins for _, coins in pays)):
            return Outcome(R.TOO_MUCH)
        return Outcome(moves=_pay(w.GRANTS, pays))

    def available(self, player_id: str) -> int:
        """Return what a player may spend."""
        return self.coins.get(w.player_account(player_id), 0)

    def _too_many(self, coins: int) -> bool:
        return coins - self.coins.get(w.GRANTS, 0) >= INT_LIMIT

    # ---- what an entry does

    def take(self, entry: w.JournalEntry) -> None:
        """Take an entry that is what it must be."""
        self.at_ms, self.offset = max(self.at_ms, entry.at_ms), entry.offset
        for balance in entry.balances:
            self.total += balance.coins - self.coins.get(balance.account, 0)
            self.coins[balance.account] = balance.coins
        if entry.reason is not R.WRONG_CAUSE:
            self._remember(entry)
        if entry.reason is None:
            self._happened(entry)
        while self.closed:
            oldest = next(iter(self.closed))
            if self.at_ms - self.closed[oldest] <= CLOSED_MS:
                break
            del self.closed[oldest]

    def _remember(self, entry: w.JournalEntry) -> None:
        if isinstance(entry.cause, w.MatchCause):
            self.causes[entry.cause.partition] = entry.cause.offset
        elif entry.reason is None or isinstance(entry.command, w.GrantCoins):
            command = w.WalletCommand(id=entry.id, cause=entry.cause, command=entry.command)
            coins = sum(posting.coins for posting in entry.postings)
            self.once.setdefault(entry.id, (_digest(command), entry.entry, entry.reason, coins))

    def _happened(self, entry: w.JournalEntry) -> None:
        asked = entry.command
        match asked:
            case w.HoldEntries():
                held = Held(asked.match_id, asked.attempt, asked.entry_coins, asked.players)
                self.holds[asked.match_id] = held
            case w.ReleaseEntries():
                self._let_go(asked.match_id)
            case w.SettleEntries() | w.RefundEntries():
                self._let_go(asked.match_id)
                self.closed[asked.match_id] = self.at_ms
            case w.RewardPlayers():
                self.closed[asked.match_id] = self.at_ms
                self._earned(entry)
            case w.GrantCoins():
                pass

    def _let_go(self, match_id: str) -> None:
        held = self.holds.pop(match_id)
        del self.coins[held.account]

    def _earned(self, entry: w.JournalEntry) -> None:
        if not isinstance(entry.cause, w.MatchCause):
            return
        day = entry.cause.at_ms // DAY_MS
        for posting in entry.postings:
            days = self.days.setdefault(posting.destination.removeprefix("player:"), {})
            days[day] = days.get(day, 0) + posting.coins
            if len(days) > DAYS:
                del days[min(days)]


def is_proper(command: w.WalletCommand) -> bool:
    """Tell whether this kind of cause may ask for this, under this id."""
    cause, asked = command.cause, command.command
    if isinstance(asked, w.GrantCoins):
        match cause:
            case w.MatchCause():
                return False
            case w.OperatorCause():
                return command.id.startswith("grant:")
            case w.WelcomeCause():
                return command.id == f"welcome:{asked.player_id}"
    if isinstance(cause, w.OperatorCause):
        named = command.id == f"settle:{asked.match_id}"
        return named and isinstance(asked, w.RefundEntries) and asked.attempt is None
    if isinstance(cause, w.WelcomeCause) or cause.match_id != asked.match_id:
        return False
    if cause.partition != partition_of(cause.match_id):
        return False
    match asked:
        case w.HoldEntries():
            return asked.attempt == cause.seq and command.id == f"hold:{cause.match_id}:{cause.seq}"
        case w.RewardPlayers():
            return command.id == f"reward:{cause.match_id}"
        case w.ReleaseEntries(attempt=attempt):
            named = command.id == f"release:{cause.match_id}:{attempt}"
            return named and 0 < attempt < cause.seq
        case w.SettleEntries(attempt=attempt) | w.RefundEntries(attempt=attempt):
            named = command.id == f"settle:{cause.match_id}"
            return named and attempt is not None and 0 < attempt < cause.seq


def _back(held: Held) -> tuple[Move, ...]:
    return _pay(held.account, [(player_id, held.coins) for player_id in held.players])


def _pay(source: str, pays: Iterable[tuple[str, int]]) -> tuple[Move, ...]:
    return tuple((source, w.player_account(player_id), coins) for player_id, coins in pays)


def _digest(command: w.WalletCommand) -> str:
    return sha256(encode(command)).hexdigest()


def course(coins: dict[str, int], moves: Sequence[Move]) -> tuple[dict[str, int], str]:
    """Return the balances of the accounts that moves touch, in the order in which they do, and the
    first account that was below zero on the way; empty for none.
    """
    after: dict[str, int] = {}
    below = ""
    for source, destination, amount in moves:
        for account, change in ((source, -amount), (destination, amount)):
            after[account] = after.get(account, coins.get(account, 0)) + change
        if after[source] < 0 and source != w.GRANTS:
            below = below or source
    return after, below
