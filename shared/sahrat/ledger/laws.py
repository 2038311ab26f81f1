"""The laws that hold after every entry of the journal, whatever was decided (rule M).

- W1: what players may spend, what is held, and the fees are together what was granted.
- W2: no account but the grants is ever below zero.
- W3: a hold begins once with the entry of every player, and ends once with nothing left.
- W4: a match is settled or refunded, one of the two, once; or rewarded once.
- W5: prizes and fee are the pot, and each as rule M.6 says.
- W6: a refund, or a release, gives each player his entry, and takes no fee.
- W8: every change has a cause, and balances are what the postings make them.

(W7, that seats and holds belong together, is about matches as well: their audit checks it.)

What is checked here is looked at from the postings, and by none of `decide`'s code; how a pot is
split is both's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sahrat.ledger import state as s
from sahrat.ledger.settlement import fits
from sahrat.messages import wallet as w


class LawBroken(Exception):
    """An entry breaks a law. Whoever folds it ends, and writes nothing more."""

    def __init__(self, law: str, entry: int, what: str) -> None:
        super().__init__(f"{law} is broken by entry {entry}: {what}")
        self.law = law
        self.entry = entry


@dataclass(frozen=True, slots=True)
class Before:
    """What an entry is about to change.

    Attributes:
        balances: Of the accounts that its postings touch.
        hold: The open hold of its match.
        closed: Whether its match was settled, refunded or rewarded.
    """

    balances: Mapping[str, int]
    hold: s.Hold | None
    closed: bool


def before(state: s.State, entry: w.JournalEntry) -> Before:
    """Return what `check` needs of the state before an entry."""
    touched = [account for p in entry.postings for account in (p.source, p.destination)]
    command = entry.command
    return Before(
        balances={account: state.balances.get(account, 0) for account in touched},
        hold=s.hold_of(state, command),
        closed=not isinstance(command, w.GrantCoins) and command.match_id in state.closed,
    )


def check(was: Before, entry: w.JournalEntry, state: s.State) -> None:
    """Check the state after an entry.

    Args:
        was: `before` of it.
        entry: The entry.
        state: The ledger after it.

    Raises:
        LawBroken: The entry, or what was made of it, breaks a law.
    """
    _check_sums(entry, state)
    _check_postings(was, entry, state)
    if entry.reason is not None:
        if entry.postings:
            raise LawBroken("W8", entry.entry, "it was refused and moves coins")
        return
    match entry.command:
        case w.HoldEntries():
            _check_hold(was, entry, entry.command, state)
        case w.ReleaseEntries() | w.RefundEntries():
            _check_back(was, entry, state)
        case w.SettleEntries():
            _check_settled(was, entry, entry.command, state)
        case w.RewardPlayers(rewards=rewards):
            _check_granted(entry, {r.player_id: r.coins for r in rewards})
        case w.GrantCoins(player_id=player_id, coins=coins):
            _check_granted(entry, {player_id: coins})
            if [posting.coins for posting in entry.postings] != [coins]:
                raise LawBroken("W8", entry.entry, "not what was granted")
    settles = isinstance(entry.command, w.SettleEntries | w.RefundEntries | w.RewardPlayers)
    if settles and was.closed:
        raise LawBroken("W4", entry.entry, "the match was settled, refunded or rewarded before")


def check_all(state: s.State) -> None:
    """Check a whole state: its sums, signs and holds.

    Raises:
        LawBroken: It breaks a law.
    """
    sums, held = dict.fromkeys(s.KINDS, 0), {}
    for account, coins in state.balances.items():
        check_account(state, account)
        sums[s.kind_of(account)] += coins
        if s.kind_of(account) == s.HOLD:
            held[account] = coins
    if sums != state.sums:
        raise LawBroken("W1", state.entry, f"the accounts are {sums}, not {state.sums}")
    check_whole(state, held)


def check_account(state: s.State, account: str) -> None:
    """Check W2 for one account. Raises LawBroken."""
    coins = state.balances[account]
    if coins < 0 and account != w.GRANTS:
        raise LawBroken("W2", state.entry, f"{account} has {coins}")


def check_whole(state: s.State, held: Mapping[str, int]) -> None:
    """Check what no account says alone: W1, and W3.

    Args:
        state: Its accounts are each checked, and added up.
        held: Its accounts of holds.

    Raises:
        LawBroken: It breaks a law.
    """
    if sum(state.sums.values()):
        raise LawBroken("W1", state.entry, f"the accounts are {state.sums}")
    if {hold.account: hold.pot_coins for hold in state.holds.values()} != held:
        raise LawBroken("W3", state.entry, "holds and their accounts differ")


def _check_sums(entry: w.JournalEntry, state: s.State) -> None:
    sums = state.sums
    if sum(sums.values()):
        raise LawBroken("W1", entry.entry, f"the accounts are {sums}")
    if any(coins < 0 for kind, coins in sums.items() if kind != w.GRANTS):
        raise LawBroken("W2", entry.entry, f"the accounts are {sums}")


def _check_postings(was: Before, entry: w.JournalEntry, state: s.State) -> None:
    """W2 in the course of the postings too, and W8: the balances said are those there are."""
    course = dict(was.balances)
    for posting in entry.postings:
        course[posting.source] -= posting.coins
        course[posting.destination] += posting.coins
        if course[posting.source] < 0 and posting.source != w.GRANTS:
            raise LawBroken("W2", entry.entry, f"{posting.source} has {course[posting.source]}")
    said = {balance.account: balance.coins for balance in entry.balances}
    are = {account: state.balances.get(account, 0) for account in course}
    if said != course or are != course or len(said) != len(entry.balances):
        raise LawBroken("W8", entry.entry, f"balances {said} are said, {are} there")


def _check_granted(entry: w.JournalEntry, most: Mapping[str, int]) -> None:
    """Coins come from the grants, to each player once, and no more of them than were asked for."""
    rest = {w.player_account(player_id): coins for player_id, coins in most.items()}
    for posting in entry.postings:
        if posting.source != w.GRANTS or posting.coins > rest.pop(posting.destination, 0):
            raise LawBroken("W8", entry.entry, "not what was asked for, or not from the grants")


def _check_hold(was: Before, entry: w.JournalEntry, asked: w.HoldEntries, state: s.State) -> None:
    held = w.hold_account(asked.match_id, asked.attempt)
    paid = [(p.source, p.destination, p.coins) for p in entry.postings]
    wanted = [(w.player_account(p), held, asked.entry_coins) for p in asked.players]
    if was.hold is not None or was.balances.get(held, 0):
        raise LawBroken("W3", entry.entry, "the match has a hold already")
    if paid != wanted or state.balances.get(held) != asked.entry_coins * len(asked.players):
        raise LawBroken("W3", entry.entry, "not the entry of every player")


def _check_back(was: Before, entry: w.JournalEntry, state: s.State) -> None:
    hold = _ended(was, entry, state)
    back = [(p.source, p.destination, p.coins) for p in entry.postings]
    if back != [(hold.account, w.player_account(p), hold.entry_coins) for p in hold.players]:
        raise LawBroken("W6", entry.entry, "not every entry in full")


def _check_settled(
    was: Before, entry: w.JournalEntry, asked: w.SettleEntries, state: s.State
) -> None:
    hold = _ended(was, entry, state)
    prizes = [p for p in entry.postings if p.destination != w.FEE]
    fee = sum(p.coins for p in entry.postings if p.destination == w.FEE)
    asked_for = [(w.player_account(p.player_id), p.coins) for p in asked.prizes]
    if [(p.destination, p.coins) for p in prizes] != asked_for or fee != asked.fee_coins:
        raise LawBroken("W5", entry.entry, "not what was asked for")
    if sum(p.coins for p in prizes) + fee != hold.pot_coins:
        raise LawBroken("W5", entry.entry, "prizes and fee are not the pot")
    if not fits(hold.pot_coins, len(hold.players), fee, [p.coins for p in prizes]):
        raise LawBroken("W5", entry.entry, "the pot is not shared out as it must be")
    if not {p.destination for p in prizes} <= {w.player_account(p) for p in hold.players}:
        raise LawBroken("W5", entry.entry, "a prize for somebody who paid no entry")


def _ended(was: Before, entry: w.JournalEntry, state: s.State) -> s.Hold:
    """Return the hold that an entry ends, with nothing left of it (W3)."""
    hold = was.hold
    if hold is None or any(p.source != hold.account for p in entry.postings):
        raise LawBroken("W3", entry.entry, "it is not of the match's hold")
    if hold.account in state.balances or hold.match_id in state.holds:
        raise LawBroken("W3", entry.entry, "something is left of the hold")
    return hold
