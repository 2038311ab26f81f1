"""What a command moves, or why it moves nothing (rule M). Total: every command has one outcome."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from sahrat.ledger import settlement
from sahrat.ledger.state import DAYS, Hold, State, content_of, day_of
from sahrat.messages import wallet as w
from sahrat.messages.base import INT_LIMIT
from sahrat.messages.topics import partition_of

DAY_COINS: Final = 200  # rule M.2: so much may be earned in a UTC day

R = w.WalletReason


@dataclass(frozen=True, slots=True)
class Stamp:
    """Where a command stands in `wallet.commands`, and its append time there."""

    offset: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """A command that was taken before: it leaves no trace."""

    why: str


@dataclass(frozen=True, slots=True)
class _Outcome:
    reason: w.WalletReason | None = None
    postings: tuple[w.Posting, ...] = ()
    short: tuple[str, ...] = ()


def decide(
    state: State, command: w.WalletCommand, stamp: Stamp, *, founded: bool = True
) -> w.JournalEntry | Dropped:
    """Return the entry that a command makes, which may be a refusal; or that it makes none.

    Args:
        state: The ledger before it.
        command: What is asked.
        stamp: Where it stands.
        founded: Whether the intent that it names as its cause was ever stored. If not it is nobody
            that may ask, and it does not count as that partition's latest.

    Checked in this order: who may ask for it, and under which id; whether it was taken before; then
    as `WalletReason` lists.
    """
    known = state.ids.get(command.id)
    if not (founded and may_send(command)):
        outcome = _Outcome(R.WRONG_CAUSE)
    elif isinstance(command.cause, w.MatchCause):
        if command.cause.offset <= state.causes.get(command.cause.partition, -1):
            return Dropped("its cause, or a later one, was taken")
        outcome = _judge(state, command)
    elif known is not None and known.content == content_of(command):
        return Dropped("it was taken")
    elif known is not None:
        outcome = _Outcome(R.ID_REUSED)
    else:
        outcome = _judge(state, command)
    return w.JournalEntry(
        entry=state.entry + 1,
        at_ms=stamp.at_ms,
        offset=stamp.offset,
        prev=state.digest,
        id=command.id,
        cause=command.cause,
        command=command.command,
        reason=outcome.reason,
        short=outcome.short,
        postings=outcome.postings,
        balances=_balances(state, outcome.postings),
    )


def may_send(command: w.WalletCommand) -> bool:
    """Tell whether the cause of a command may ask for this, and its id is the one that follows."""
    cause, asked = command.cause, command.command
    match cause:
        case w.MatchCause():
            return (
                not isinstance(asked, w.GrantCoins)
                and cause.match_id == asked.match_id
                and cause.partition == partition_of(cause.match_id)
                and _attempt_fits(cause, asked)
                and command.id == _id_of(asked)
            )
        case w.OperatorCause():
            if isinstance(asked, w.RefundEntries):
                return asked.attempt is None and command.id == _id_of(asked)
            return isinstance(asked, w.GrantCoins) and command.id.startswith("grant:")
        case w.WelcomeCause():
            return isinstance(asked, w.GrantCoins) and command.id == f"welcome:{asked.player_id}"


def _attempt_fits(cause: w.MatchCause, asked: w.Command) -> bool:
    """A funding is named by the record that began it; what follows from it has a later one."""
    match asked:
        case w.HoldEntries():
            return asked.attempt == cause.seq
        case w.ReleaseEntries() | w.SettleEntries() | w.RefundEntries():
            return asked.attempt is not None and 0 < asked.attempt < cause.seq
        case w.RewardPlayers() | w.GrantCoins():
            return True


def _id_of(asked: w.Command) -> str:
    match asked:
        case w.HoldEntries():
            return f"hold:{asked.match_id}:{asked.attempt}"
        case w.ReleaseEntries():
            return f"release:{asked.match_id}:{asked.attempt}"
        case w.SettleEntries() | w.RefundEntries():
            return f"settle:{asked.match_id}"
        case w.RewardPlayers():
            return f"reward:{asked.match_id}"
        case w.GrantCoins():
            return ""


def _judge(state: State, command: w.WalletCommand) -> _Outcome:
    asked = command.command
    match asked:
        case w.HoldEntries():
            return _hold(state, asked)
        case w.ReleaseEntries():
            hold = state.holds.get(asked.match_id)
            if hold is None or hold.attempt != asked.attempt:
                return _Outcome(R.NOTHING_HELD)
            return _Outcome(postings=_back(hold))
        case w.SettleEntries():
            return _settle(state, asked)
        case w.RefundEntries():
            hold = state.holds.get(asked.match_id)
            if _is_closed(state, asked.match_id):
                return _Outcome(R.ALREADY_SETTLED)
            if hold is None or asked.attempt not in (None, hold.attempt):
                return _Outcome(R.NOTHING_HELD)
            return _Outcome(postings=_back(hold))
        case w.RewardPlayers():
            return _reward(state, asked, command.cause)
        case w.GrantCoins():
            if _too_much(state, asked.coins):
                return _Outcome(R.TOO_MUCH)
            return _Outcome(postings=_pay(w.GRANTS, ((asked.player_id, asked.coins),)))


def _is_closed(state: State, match_id: str) -> bool:
    """Tell whether a match was settled or refunded (rule M.8): for ever where an operator did it,
    since records of that match may still come; for a while otherwise.
    """
    return match_id in state.closed or f"settle:{match_id}" in state.ids


def _hold(state: State, asked: w.HoldEntries) -> _Outcome:
    """Hold all entries, or none (rule M.4)."""
    if _is_closed(state, asked.match_id):
        return _Outcome(R.ALREADY_SETTLED)
    if asked.match_id in state.holds:
        return _Outcome(R.ALREADY_HELD)
    short = tuple(p for p in asked.players if state.available(p) < asked.entry_coins)
    if short:
        return _Outcome(R.NOT_ENOUGH, short=short)
    if not _each_once(asked.players):
        return _Outcome(R.BAD_AMOUNTS)
    held = w.hold_account(asked.match_id, asked.attempt)
    return _Outcome(
        postings=tuple(
            w.Posting(source=w.player_account(p), destination=held, coins=asked.entry_coins)
            for p in asked.players
        )
    )


def _settle(state: State, asked: w.SettleEntries) -> _Outcome:
    """Pay what rules M.5 to M.7 say, and nothing else."""
    hold = state.holds.get(asked.match_id)
    if _is_closed(state, asked.match_id):
        return _Outcome(R.ALREADY_SETTLED)
    if hold is None or hold.attempt != asked.attempt:
        return _Outcome(R.NOTHING_HELD)
    winners = [prize.player_id for prize in asked.prizes]
    paid = [prize.coins for prize in asked.prizes]
    fits = settlement.fits(hold.pot_coins, len(hold.players), asked.fee_coins, paid)
    if not fits or not _each_once(winners) or not all(p in hold.players for p in winners):
        return _Outcome(R.BAD_AMOUNTS)
    postings = _pay(hold.account, zip(winners, paid, strict=True))
    if asked.fee_coins:
        fee = w.Posting(source=hold.account, destination=w.FEE, coins=asked.fee_coins)
        postings = (*postings, fee)
    return _Outcome(postings=postings)


def _reward(state: State, asked: w.RewardPlayers, cause: w.Cause) -> _Outcome:
    """Pay what of each reward fits into the player's day (rule M.2)."""
    assert isinstance(cause, w.MatchCause)  # `may_send` has seen to it
    if _is_closed(state, asked.match_id):
        return _Outcome(R.ALREADY_SETTLED)
    if not _each_once([reward.player_id for reward in asked.rewards]):
        return _Outcome(R.BAD_AMOUNTS)
    day = day_of(cause.at_ms)
    paid = [(r.player_id, min(r.coins, _room(state, r.player_id, day))) for r in asked.rewards]
    paid = [(player_id, coins) for player_id, coins in paid if coins > 0]
    if not paid:
        return _Outcome(R.DAY_IS_FULL)
    if _too_much(state, sum(coins for _, coins in paid)):
        return _Outcome(R.TOO_MUCH)
    return _Outcome(postings=_pay(w.GRANTS, paid))


def _room(state: State, player_id: str, day: int) -> int:
    """Return what a player may still earn on a day; nothing on one that is not remembered."""
    days = state.days.get(player_id, {})
    if len(days) == DAYS and day < min(days):
        return 0
    return DAY_COINS - days.get(day, 0)


def _too_much(state: State, coins: int) -> bool:
    """Tell whether more coins would be granted in all than a number may hold."""
    return coins - state.balances.get(w.GRANTS, 0) >= INT_LIMIT


def _back(hold: Hold) -> tuple[w.Posting, ...]:
    return _pay(hold.account, [(player_id, hold.entry_coins) for player_id in hold.players])


def _pay(source: str, shares: Iterable[tuple[str, int]]) -> tuple[w.Posting, ...]:
    return tuple(
        w.Posting(source=source, destination=w.player_account(player_id), coins=coins)
        for player_id, coins in shares
    )


def _each_once(players: Sequence[str]) -> bool:
    return len(dict.fromkeys(players)) == len(players)


def _balances(state: State, postings: Sequence[w.Posting]) -> tuple[w.Balance, ...]:
    after: dict[str, int] = {}
    for posting in postings:
        for account, coins in (
            (posting.source, -posting.coins),
            (posting.destination, posting.coins),
        ):
            after[account] = after.get(account, state.balances.get(account, 0)) + coins
    return tuple(w.Balance(account=account, coins=coins) for account, coins in after.items())
