"""What the ledger holds after a journal entry, and how an entry changes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, NamedTuple

from sahrat.messages import wallet as w
from sahrat.messages.codec import encode
from sahrat.messages.envelope import GENESIS

DAY_MS: Final = 24 * 3_600_000
CLOSED_MS: Final = 2 * DAY_MS
"""How long a settled, refunded or rewarded match is remembered, so that a second settlement is told
as such. Later ones are refused all the same: nothing is held for that match."""
DAYS: Final = 8
"""So many of a player's days with rewards are remembered, the latest ones. A reward for a day
before them pays nothing, since what was paid on it is not known any more."""
PLAYER: Final = "player"
HOLD: Final = "hold"
KINDS: Final = (PLAYER, HOLD, w.FEE, w.GRANTS)


class Broken(Exception):
    """An entry that can't follow on what went before: the journal is damaged."""


@dataclass(frozen=True, slots=True)
class Hold:
    """The entries of a match, held since a funding."""

    match_id: str
    attempt: int
    entry_coins: int
    players: tuple[str, ...]

    @property
    def account(self) -> str:
        """Its account."""
        return w.hold_account(self.match_id, self.attempt)

    @property
    def pot_coins(self) -> int:
        """All of it."""
        return self.entry_coins * len(self.players)


class Once(NamedTuple):
    """A command that counts once for ever.

    Attributes:
        content: Digest of it: another one of the same id is refused.
        entry: Number of the entry that it made.
        reason: Why it moved nothing.
        coins: What it moved, in all.
    """

    content: str
    entry: int
    reason: w.WalletReason | None
    coins: int


@dataclass(slots=True)
class State:
    """The ledger after an entry. Changed by `evolve` alone.

    Attributes:
        entry, digest: Number of the last entry (0: none), and SHA-256 of its value bytes.
        offset: Of the last command taken; -1 for none.
        at_ms: The highest append time of a command taken.
        balances: Coins by account. A player's stays when it is empty; a hold's goes.
        sums: The same, added up by kind of account, each of `KINDS`.
        holds: The open ones by match: a match has one at most.
        causes: The highest cause offset taken, by partition of the matches.
        ids: Commands that count once for ever, by id, and what became of each.
        closed: Matches settled, refunded or rewarded a short while ago: when.
        days: Coins that a player was rewarded with, by UTC day; the latest `DAYS` of each.
        held_by: What of a player's is held, by match.
    """

    entry: int = 0
    digest: str = GENESIS
    offset: int = -1
    at_ms: int = 0
    balances: dict[str, int] = field(default_factory=dict)
    sums: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    holds: dict[str, Hold] = field(default_factory=dict)
    causes: dict[int, int] = field(default_factory=dict)
    ids: dict[str, Once] = field(default_factory=dict)
    closed: dict[str, int] = field(default_factory=dict)
    days: dict[str, dict[int, int]] = field(default_factory=dict)
    held_by: dict[str, dict[str, int]] = field(default_factory=dict)

    def knows(self, player_id: str) -> bool:
        """Tell whether a player has ever had coins."""
        return w.player_account(player_id) in self.balances

    def available(self, player_id: str) -> int:
        """Return what a player may spend, in coins."""
        return self.balances.get(w.player_account(player_id), 0)

    def held(self, player_id: str) -> dict[str, int]:
        """Return what of a player's is held, in coins by match, oldest first."""
        return dict(self.held_by.get(player_id, {}))


def digest_of(value: bytes) -> str:
    """Return an entry's digest: SHA-256 of its value bytes, in hex."""
    return sha256(value).hexdigest()


def content_of(command: w.WalletCommand) -> str:
    """Return the digest by which a command sent again is known from another of the same id."""
    return digest_of(encode(command))


def kind_of(account: str) -> str:
    """Return an account's kind."""
    return account.partition(":")[0]


def day_of(at_ms: int) -> int:
    """Return the UTC day of a time: days since 1970-01-01."""
    return at_ms // DAY_MS


def evolve(state: State, entry: w.JournalEntry, value: bytes) -> tuple[str, ...]:
    """Take the next entry into the state.

    Args:
        state: The ledger before it; changed.
        entry: What the journal says happened. It is never refused; whether it may have happened is
            for `laws`.
        value: Its bytes as stored.

    Returns:
        The players whose coins it touches, available or held, each once.

    Raises:
        Broken: It is not the next one.
    """
    if entry.entry != state.entry + 1 or entry.prev != state.digest:
        raise Broken(f"entry {entry.entry} does not continue entry {state.entry}")
    state.entry, state.digest, state.offset = entry.entry, digest_of(value), entry.offset
    state.at_ms = max(state.at_ms, entry.at_ms)
    for posting in entry.postings:
        _move(state, posting.source, -posting.coins)
        _move(state, posting.destination, posting.coins)
    held = None if entry.reason else hold_of(state, entry.command)
    if entry.reason is not w.WalletReason.WRONG_CAUSE:
        _remember(state, entry)
    if entry.reason is None:
        _happen(state, entry)
    _forget(state)
    named = [account.partition(":")[2] for account in _accounts(entry.postings, PLAYER)]
    return tuple(dict.fromkeys([*named, *(held.players if held else ())]))


def hold_of(state: State, command: w.Command) -> Hold | None:
    """Return the open hold of the match that a command is about."""
    return None if isinstance(command, w.GrantCoins) else state.holds.get(command.match_id)


def _move(state: State, account: str, coins: int) -> None:
    kind = kind_of(account)
    left = state.balances.get(account, 0) + coins
    state.sums[kind] += coins
    if kind == HOLD and left == 0:
        state.balances.pop(account, None)
    else:
        state.balances[account] = left


def _remember(state: State, entry: w.JournalEntry) -> None:
    """Keep by what its repeats will be known."""
    if isinstance(entry.cause, w.MatchCause):
        state.causes[entry.cause.partition] = entry.cause.offset
    elif counts_once(entry.command, entry.reason) and entry.id not in state.ids:
        command = w.WalletCommand(id=entry.id, cause=entry.cause, command=entry.command)
        coins = sum(posting.coins for posting in entry.postings)
        state.ids[entry.id] = Once(content_of(command), entry.entry, entry.reason, coins)


def counts_once(command: w.Command, reason: w.WalletReason | None) -> bool:
    """Tell whether an operator's command is done with by this outcome. A grant is, however it came
    out. A refund that was refused is not: its id is the match's, and what it is for may still come.
    """
    return reason is None or isinstance(command, w.GrantCoins)


def _happen(state: State, entry: w.JournalEntry) -> None:
    """Take what an entry did besides moving coins."""
    command = entry.command
    match command:
        case w.HoldEntries():
            hold = Hold(command.match_id, command.attempt, command.entry_coins, command.players)
            state.holds[hold.match_id] = hold
            for player_id in hold.players:
                state.held_by.setdefault(player_id, {})[hold.match_id] = hold.entry_coins
        case w.ReleaseEntries():
            _open(state, command.match_id)
        case w.SettleEntries() | w.RefundEntries():
            _open(state, command.match_id)
            state.closed[command.match_id] = state.at_ms
        case w.RewardPlayers():
            state.closed[command.match_id] = state.at_ms
            if isinstance(entry.cause, w.MatchCause):
                _reward(state, entry.postings, day_of(entry.cause.at_ms))
        case w.GrantCoins():
            pass


def _open(state: State, match_id: str) -> None:
    """Let go of a match's hold."""
    hold = state.holds.pop(match_id, None)
    for player_id in hold.players if hold else ():
        held = state.held_by[player_id]
        del held[match_id]
        if not held:
            del state.held_by[player_id]


def _reward(state: State, postings: Sequence[w.Posting], day: int) -> None:
    for posting in postings:
        days = state.days.setdefault(posting.destination.partition(":")[2], {})
        days[day] = days.get(day, 0) + posting.coins
        if len(days) > DAYS:
            del days[min(days)]


def _forget(state: State) -> None:
    """Forget the matches that closed long ago, by the journal's own time."""
    gone: list[str] = []
    for match_id, at_ms in state.closed.items():  # in the order in which they closed
        if state.at_ms - at_ms <= CLOSED_MS:
            break
        gone.append(match_id)
    for match_id in gone:
        del state.closed[match_id]


def _accounts(postings: Sequence[w.Posting], kind: str) -> list[str]:
    named = [account for p in postings for account in (p.source, p.destination)]
    return [account for account in dict.fromkeys(named) if kind_of(account) == kind]
