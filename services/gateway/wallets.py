"""Everybody's coins as the journal tells them, and who is told of his own.

The ledger alone moves coins. What is known here may be a moment behind, so it only ever refuses
early what the ledger would refuse as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from sahrat.ledger.journal import Change
from sahrat.ledger.state import Once, State, content_of
from sahrat.log.journal import JournalFollower
from sahrat.messages import wallet as w
from sahrat.messages.topics import partition_of
from services.gateway.coins import HeldCoins, Wallet
from services.gateway.outbox import Outbox
from services.gateway.session import Session
from services.gateway.sessions import Sessions

RECENT: Final = 10_000  # entries whose outcome is at hand for who asks what became of his command


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a command.

    Attributes:
        entry: Its number in the journal; None where that is not at hand any more.
        reason: Why nothing moved.
        coins: What moved, in all; None where that is not at hand any more.
    """

    entry: int | None
    reason: w.WalletReason | None
    coins: int | None


class Wallets:
    """The coins of all players.

    Args:
        journal: Kept up by somebody else, who tells `took`.
        sessions: Who is signed in.
        outbox: Where commands go.
        welcome_coins: What a player is given whom the journal does not know; 0 for nothing.
    """

    def __init__(
        self, journal: JournalFollower, sessions: Sessions, outbox: Outbox, welcome_coins: int
    ) -> None:
        self._journal = journal
        self._sessions = sessions
        self._outbox = outbox
        self._welcome_coins = welcome_coins
        self._welcomed: dict[str, None] = {}
        self._outcomes: dict[str, dict[str, Outcome]] = {}
        self._waiting: dict[str, dict[int, asyncio.Event]] = {}
        self._number = 0

    @property
    def state(self) -> State:
        """The ledger as far as it was read here; to be looked at only."""
        return self._journal.book.state

    def wallet(self, player_id: str) -> Wallet:
        """Return what a player has."""
        held = self.state.held(player_id)
        return Wallet(
            entry=self.state.entry,
            available_coins=self.state.available(player_id),
            held_coins=sum(held.values()),
            holds=tuple(HeldCoins(match_id=match, coins=coins) for match, coins in held.items()),
        )

    def greet(self, session: Session, player_id: str) -> None:
        """Tell a session that has signed in what its player has, and welcome him if he is new."""
        session.tell(self.wallet(player_id))
        if not self._welcome_coins or self.state.knows(player_id) or player_id in self._welcomed:
            return
        self._welcomed[player_id] = None
        grant = w.GrantCoins(player_id=player_id, coins=self._welcome_coins)
        self._outbox.command(
            w.WalletCommand(id=f"welcome:{player_id}", cause=w.WelcomeCause(), command=grant)
        )

    def took(self, changes: Sequence[Change]) -> None:
        """Tell everybody whose coins have changed, on all his sockets."""
        touched = dict.fromkeys(player for change in changes for player in change.players)
        for player_id in touched:
            self._welcomed.pop(player_id, None)
            for session in self._sessions.of(player_id):
                session.tell(self.wallet(player_id))
        for change in changes:
            self._note(change.entry)

    # ---- what became of a command

    def outcome(self, command: w.WalletCommand) -> Outcome | None:
        """Return what became of a command that counts once; None while the journal has not said.

        The ledger knows it for ever, but for a refund that was refused: it may be asked again.
        """
        content, once = content_of(command), self.state.ids.get(command.id)
        if once is not None and once.content == content:
            return _outcome_of(once)
        return self._outcomes.get(command.id, {}).get(content)

    def closing(self, match_id: str, offset: int) -> Outcome | None:
        """Return how a match's entries went, settled or refunded; None while the journal has not
        said.

        Args:
            match_id: The match.
            offset: Of the cause of the record that asked for it.
        """
        state, command_id = self.state, f"settle:{match_id}"
        if command_id in state.ids:
            return _outcome_of(state.ids[command_id])
        if state.causes.get(partition_of(match_id), -1) < offset:
            return None
        found = [*self._outcomes.get(command_id, {}).values()]
        moved = [outcome for outcome in found if outcome.reason is None]
        if not moved and match_id in state.closed:
            return Outcome(None, None, None)
        return next(iter(moved or found), Outcome(None, w.WalletReason.NOTHING_HELD, 0))

    async def heard_of(self, command_id: str) -> None:
        """Wait until the journal says something of a command, from now on."""
        self._number += 1
        number, heard = self._number, asyncio.Event()
        self._waiting.setdefault(command_id, {})[number] = heard
        try:
            await heard.wait()
        finally:
            waiting = self._waiting[command_id]
            del waiting[number]
            if not waiting:
                del self._waiting[command_id]

    def _note(self, entry: w.JournalEntry) -> None:
        command = w.WalletCommand(id=entry.id, cause=entry.cause, command=entry.command)
        coins = sum(posting.coins for posting in entry.postings)
        outcome = Outcome(entry.entry, entry.reason, coins)
        self._outcomes.setdefault(entry.id, {}).setdefault(content_of(command), outcome)
        for command_id in [*islice(self._outcomes, max(0, len(self._outcomes) - RECENT))]:
            del self._outcomes[command_id]
        for heard in self._waiting.get(entry.id, {}).values():
            heard.set()


def _outcome_of(once: Once) -> Outcome:
    return Outcome(once.entry, once.reason, once.coins)
