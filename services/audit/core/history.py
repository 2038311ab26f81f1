"""What an entry does to each player, worked out again: the history that players read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from hashlib import sha256
from typing import Final

import orjson

from sahrat.messages import wallet as w
from services.audit.core.books import Books

PLAYER: Final = w.player_account("")
_WHOLE: Final = 2**64


@dataclass(frozen=True, slots=True)
class Change:
    """What an entry did to one player, and what he had after it."""

    player_id: str
    available_change_coins: int
    held_change_coins: int
    available_coins: int
    held_coins: int


class Purses:
    """What is held of each player's, besides what the books say.

    Attributes:
        held: By player's account.
    """

    def __init__(self) -> None:
        self.held: Counter[str] = Counter()

    def take(self, entry: w.JournalEntry, books: Books) -> list[Change]:
        """Take a sound entry, and return whom it changes.

        Args:
            entry: The entry.
            books: Before it.
        """
        if entry.reason is not None:
            return []
        moved: Counter[str] = Counter()
        for posting in entry.postings:
            moved[posting.source] -= posting.coins
            moved[posting.destination] += posting.coins
        held = {w.player_account(player): coins for player, coins in _held(entry.command, books)}
        self.held.update(held)
        players = dict.fromkeys(name for name in (*moved, *held) if name.startswith(PLAYER))
        return [
            Change(
                account.removeprefix(PLAYER),
                moved[account],
                held.get(account, 0),
                books.coins.get(account, 0) + moved[account],
                self.held[account],
            )
            for account in players
        ]


def _held(command: w.Command, books: Books) -> list[tuple[str, int]]:
    """Return what a command that is carried out changes of each player's held coins."""
    match command:
        case w.HoldEntries():
            return [(player, command.entry_coins) for player in command.players]
        case w.ReleaseEntries() | w.SettleEntries() | w.RefundEntries():
            hold = books.holds[command.match_id]
            return [(player, -hold.coins) for player in hold.players]
        case w.RewardPlayers() | w.GrantCoins():
            return []


# ---- rows as numbers: so a million entries of a database can be compared in little room


def row_mark(*values: object) -> int:
    """Return a row as a number below 2**64, the same for the same values."""
    text = orjson.dumps(values, option=orjson.OPT_SORT_KEYS)
    return int.from_bytes(sha256(text).digest()[:8], "big")


def sum_marks(marks: Iterable[int]) -> int:
    """Return rows in any order as one such number."""
    return sum(marks) % _WHOLE


def mark_of(entry: w.JournalEntry, changes: Iterable[Change]) -> int:
    """Return what the rows of an entry must come to."""
    head = row_mark(
        entry.at_ms,
        entry.id,
        entry.command.type,
        None if isinstance(entry.command, w.GrantCoins) else entry.command.match_id,
        entry.cause.model_dump(mode="json"),
    )
    return sum_marks([head, *(row_mark(*astuple(change)) for change in changes)])
