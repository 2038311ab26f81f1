"""What operators do: stop matches, grant coins. Each goes to the log under the operator's name.

An answer is waited for a moment; whoever gets none asks again with the same intent, which counts
once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Literal

import structlog

from sahrat.match.match import Match
from sahrat.match.state import Phase, State
from sahrat.messages import match as m
from sahrat.messages import wallet as w
from sahrat.messages.envelope import IntentRefused, IntentRepeated
from sahrat.messages.reasons import Reason, Refused
from services.gateway.coins import (
    Granted,
    NewGrant,
    NewStop,
    PlayerCoins,
    Stop,
    Stopped,
    StopPlayer,
    Stops,
)
from services.gateway.matches import Matches
from services.gateway.outbox import Outbox
from services.gateway.wallets import Outcome, Wallets

WAIT_S: Final = 5.0  # rules and ledger need some milliseconds
PAGE: Final = 200  # matches of one answer
SENDER: Final = "system:operator"
PARKED: Final = "parked"
NAMELESS: Final = "unknown"  # rules of a match whose very first record is damaged

_log = structlog.get_logger("gateway")


@dataclass(slots=True)
class _Asked:
    """A stop on its way; `answer`: the seq that it made, or why it was refused."""

    heard: asyncio.Event
    answer: int | Refused | None = None


class Operating:
    """Acts for operators, whose tokens somebody else has looked at.

    Args:
        matches: What is known of matches.
        outbox: Where intents and commands go.
        wallets: What the journal says.
    """

    def __init__(self, matches: Matches, outbox: Outbox, wallets: Wallets) -> None:
        self._matches = matches
        self._outbox = outbox
        self._wallets = wallets
        self._asked: dict[tuple[str, str], _Asked] = {}

    def full(self, match_id: str | None) -> bool:
        """Return whether too much waits to be stored, in a match's partition or for the ledger."""
        waits = match_id is not None and self._outbox.full(match_id)
        return waits or self._outbox.commands_full()

    # ---- grants

    def player(self, operator: str, player_id: str) -> PlayerCoins:
        """Return what the journal says of a player."""
        wallet = self._wallets.wallet(player_id)
        return PlayerCoins(
            operator=operator,
            player_id=player_id,
            known=self._wallets.state.knows(player_id),
            available_coins=wallet.available_coins,
            held_coins=wallet.held_coins,
        )

    async def grant(self, operator: str, wanted: NewGrant) -> Granted:
        """Give a player coins, once for each intent."""
        command = w.WalletCommand(
            id=f"grant:{wanted.intent_id}",
            cause=w.OperatorCause(operator=operator, reason=wanted.reason),
            command=w.GrantCoins(player_id=wanted.player_id, coins=wanted.coins),
        )
        outcome = await self._ask_ledger(command)
        state = _state_of(outcome)
        _log.info(
            "a grant",
            operator=operator,
            player=wanted.player_id,
            coins=wanted.coins,
            id=command.id,
            state=state,
        )
        return Granted(
            id=command.id,
            player_id=wanted.player_id,
            coins=wanted.coins,
            state=state,
            entry=None if outcome is None else outcome.entry,
            reason=None if outcome is None else outcome.reason,
        )

    async def _ask_ledger(self, command: w.WalletCommand) -> Outcome | None:
        """Return the outcome of a command, which is sent unless it is known; None for none yet."""
        if self._wallets.outcome(command) is None:
            self._outbox.command(command)
            with suppress(TimeoutError):
                async with asyncio.timeout(WAIT_S):
                    while self._wallets.outcome(command) is None:
                        await self._wallets.heard_of(command.id)
        return self._wallets.outcome(command)

    # ---- what would be stopped

    def stops(self, after: str) -> Stops:
        """Return what can be stopped: the first matches above an id, and how much it is in all."""
        known = {stop.match_id: stop for stop in self._all()}
        ids = sorted(match_id for match_id in known if match_id > after)
        shown = ids[:PAGE]
        return Stops(
            stops=tuple(known[match_id] for match_id in shown),
            after=shown[-1] if len(ids) > PAGE else None,
            matches=len(known),
            refund_coins=sum(stop.refund_coins for stop in known.values()),
        )

    def stop_of(self, match_id: str) -> Stop | None:
        """Return what stopping a match would do; None if it is over, or unknown here."""
        match = self._matches.get(match_id)
        return None if match is None else self._stop_of(match)

    def held(self, match_id: str) -> int:
        """Return how many coins the journal holds for a match."""
        hold = self._wallets.state.holds.get(match_id)
        return 0 if hold is None else hold.pot_coins

    def _all(self) -> Iterator[Stop]:
        for match in self._matches:
            stop = self._stop_of(match)
            if stop is not None:
                yield stop

    def _stop_of(self, match: Match) -> Stop | None:
        held, state = self.held(match.match_id), match.state
        if not match.live and not (match.parked and held) and not self._refunding(match):
            return None
        sitters = () if state is None else state.sitters
        return Stop(
            match_id=match.match_id,
            rules=NAMELESS if state is None else state.rules,
            phase=PARKED if match.parked or state is None else state.phase.value,
            players=tuple(
                StopPlayer(player_id=sitter.player_id or None, nickname=sitter.nickname)
                for sitter in sitters
            ),
            entry_coins=0 if state is None else state.entry_coins,
            refund_coins=held if match.parked or state is None else _entries(state),
        )

    def _refunding(self, match: Match) -> bool:
        """Return whether a match is stopped, and the journal still holds its entries."""
        stopped = match.state is not None and match.state.phase is Phase.STOPPED
        return stopped and self.held(match.match_id) > 0

    # ---- stops

    async def stop(self, operator: str, wanted: NewStop) -> Stopped:
        """Stop a match that is known here, once for each intent; rules is the judge. Of one that is
        stopped, whoever did it, it is said whether its entries are back, as long as they are not.
        """
        _log.info("a stop", operator=operator, match=wanted.match_id, intent=wanted.intent_id)
        match = self._matches.get(wanted.match_id)
        if match is None:
            return _refused(wanted.match_id, Reason.UNKNOWN_MATCH)
        if match.parked:
            return await self.refund(operator, wanted)
        seq = match.accepted.find(SENDER, wanted.intent_id)
        if seq is None and self._refunding(match):
            seq = match.seq
        if seq is None and not match.live:
            return _refused(wanted.match_id, Reason.UNKNOWN_MATCH)
        if seq is None:
            answer = await self._ask_rules(operator, wanted)
            if isinstance(answer, Refused):
                return _refused(wanted.match_id, answer.reason)
            seq = answer
        if seq is None:
            return Stopped(
                match_id=wanted.match_id,
                state="waiting",
                seq=None,
                refund_coins=_entries(match.known),
                entry=None,
                reason=None,
            )
        return await self._after_stop(match, seq)

    async def refund(self, operator: str, wanted: NewStop) -> Stopped:
        """Give the entries back of a match whose log is damaged, so that nothing can happen in it:
        by a command to the ledger, under the id that its settlement would have had.
        """
        _log.info("a refund", operator=operator, match=wanted.match_id, intent=wanted.intent_id)
        command = w.WalletCommand(
            id=f"settle:{wanted.match_id}",
            cause=w.OperatorCause(operator=operator, reason=wanted.reason),
            command=w.RefundEntries(match_id=wanted.match_id, attempt=None),
        )
        held = self.held(wanted.match_id)
        if not held and self._wallets.outcome(command) is None:
            return _refused(wanted.match_id, Reason.PARKED)
        outcome = await self._ask_ledger(command)
        state = _state_of(outcome)
        return Stopped(
            match_id=wanted.match_id,
            state="refunding" if state == "waiting" else state,
            seq=None,
            refund_coins=held if outcome is None or outcome.coins is None else outcome.coins,
            entry=None if outcome is None else outcome.entry,
            reason=None if outcome is None else outcome.reason,
        )

    async def _ask_rules(self, operator: str, wanted: NewStop) -> int | Refused | None:
        """Return the seq of the record that a stop made, or why it was refused; None for no answer
        yet.
        """
        key = (wanted.match_id, wanted.intent_id)
        asked = self._asked.setdefault(key, _Asked(asyncio.Event()))
        stop = m.StopMatch(reason="operator", operator=operator, detail=wanted.reason)
        self._outbox.stop(wanted.match_id, wanted.intent_id, stop)
        with suppress(TimeoutError):
            async with asyncio.timeout(WAIT_S):
                await asked.heard.wait()
        self._asked.pop(key, None)
        return asked.answer

    async def _after_stop(self, match: Match, seq: int) -> Stopped:
        """Wait for what the journal says of a stopped match's entries, where any were asked for."""
        due, match_id = _entries(match.known), match.match_id
        if due:
            with suppress(TimeoutError):
                async with asyncio.timeout(WAIT_S):
                    while self._wallets.closing(match_id, match.cause_offset) is None:
                        await self._wallets.heard_of(f"settle:{match_id}")
        outcome = self._wallets.closing(match_id, match.cause_offset)
        moved = due if outcome is None or outcome.coins is None else outcome.coins
        return Stopped(
            match_id=match_id,
            state="refunding" if due and outcome is None else "done",
            seq=seq,
            refund_coins=moved,
            entry=None if outcome is None else outcome.entry,
            reason=None,
        )

    # ---- what the log says

    def took(self, match_id: str, intent_id: str, seq: int) -> None:
        """Take that an operator's intent made a record."""
        self._tell(match_id, intent_id, seq)

    def answered(self, answer: IntentRefused | IntentRepeated) -> None:
        """Take what rules says of an operator's intent that made none."""
        said = (
            answer.seq
            if isinstance(answer, IntentRepeated)
            else Refused(answer.reason, answer.detail)
        )
        self._tell(answer.match_id or "", answer.intent_id, said)

    def _tell(self, match_id: str, intent_id: str, answer: int | Refused) -> None:
        asked = self._asked.get((match_id, intent_id))
        if asked is not None and asked.answer is None:
            asked.answer = answer
            asked.heard.set()


def _entries(state: State) -> int:
    """Return what goes back when a match stops, or went: every entry of its funding (rule M.8)."""
    asked_for = state.phase in (Phase.FUNDING, Phase.PLAYING, Phase.STOPPED) and state.attempt
    return state.entry_coins * len(state.sitters) if asked_for else 0


def _state_of(outcome: Outcome | None) -> Literal["waiting", "done", "refused"]:
    if outcome is None:
        return "waiting"
    return "done" if outcome.reason is None else "refused"


def _refused(match_id: str, reason: Reason) -> Stopped:
    return Stopped(
        match_id=match_id, state="refused", seq=None, refund_coins=0, entry=None, reason=reason
    )
