"""The coins of a house, worked out from its journal by hand: purses, piles and what must hold."""

from __future__ import annotations

from collections import Counter

from sahrat.match.state import Phase
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.codec import encode
from sahrat.messages.stored import Draft
from tests.house.house import House

KEY = w.LEDGER.encode()


async def grant(house: House, player_id: str, coins: int) -> None:
    """Give a player coins, as an operator."""
    command = w.WalletCommand(
        id=f"grant:{house.new_id()}",
        cause=w.OperatorCause(operator="amal", reason="a test"),
        command=w.GrantCoins(player_id=player_id, coins=coins),
    )
    await house.log.append(topics.WALLET_COMMANDS, 0, (Draft(KEY, encode(command)),))


def entries(house: House) -> list[w.JournalEntry]:
    """Return the journal's entries, each once; one that stands there twice is the same twice."""
    found: dict[int, bytes] = {}
    for stored in house.topic(topics.WALLET_JOURNAL, 0):
        entry = w.JOURNAL.decode(stored.value)
        if isinstance(entry, w.JournalEntry):
            assert found.setdefault(entry.entry, stored.value) == stored.value, entry.entry
    assert list(found) == list(range(1, len(found) + 1))
    return [e for e in map(w.JOURNAL.decode, found.values()) if isinstance(e, w.JournalEntry)]


def balances(house: House) -> Counter[str]:
    """Return what every account holds in the end; after each entry nobody owes anything."""
    found: Counter[str] = Counter()
    for entry in entries(house):
        for posting in entry.postings:
            found[posting.source] -= posting.coins
            found[posting.destination] += posting.coins
        assert sum(found.values()) == 0
        assert all(coins >= 0 for account, coins in found.items() if account != w.GRANTS), entry
    return found


def purse(house: House, player_id: str) -> int:
    return balances(house)[w.player_account(player_id)]


def audit_bank(house: House) -> None:
    """Check that what is held is the entries of the matches that are on, and of no other."""
    due: Counter[str] = Counter()
    for match_id in house.all_records():
        match = house.match(match_id)
        state = match.known
        if state.phase is Phase.PLAYING and not state.free:
            account = w.hold_account(match_id, state.attempt)
            due[account] = state.entry_coins * len(state.sitters)
    held = {a: coins for a, coins in balances(house).items() if a.startswith("hold:") and coins}
    assert held == dict(due)
