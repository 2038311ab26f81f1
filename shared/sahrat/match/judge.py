"""`judge`: may an intent happen, and what happens then. Pure.

The order of the checks is the order of `Reason`, and part of the contract.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

from pydantic import ValidationError

from sahrat.games.game import Game, Work
from sahrat.match import clock, coins, limits
from sahrat.match.match import Match
from sahrat.match.play import Dealer, Events, Table
from sahrat.match.state import Phase, State
from sahrat.messages import match as m
from sahrat.messages.base import Line
from sahrat.messages.envelope import IntentEnvelope
from sahrat.messages.reasons import Reason, Refused
from sahrat.messages.words import say_where

_ALLOWED: Final[dict[str, tuple[type, ...]]] = {
    "gateway": (m.LineUp, m.LineDown, m.GatewayLost),
    "timer": (m.Tick, m.Due, m.GatewayLost, m.StopMatch),
    "operator": (m.StopMatch,),
    "wallet": (m.EntriesHeld, m.EntriesRefused),
}


@dataclass(frozen=True, slots=True)
class Stamp:
    """Where the log put an intent, and when: the only time that a decision knows."""

    partition: int
    offset: int
    at_ms: int


class Keys(Protocol):
    """The master keys, as far as a decision needs them."""

    def newest(self, opened_ms: int) -> str:
        """Return the id of the key that a match opened at this append time uses."""

    def dealer(self, key_id: str, match_id: str) -> Dealer:
        """Return the dealer of a match under a key."""

    def commitment(self, key_id: str, match_id: str) -> str:
        """Return the commitment to a match's secret (rule D)."""


Verdict = Events | Refused


def open_table(envelope: IntentEnvelope[Any], game: Game, keys: Keys, stamp: Stamp) -> Verdict:
    """Judge the opening of a match that is not known; its id and rules are known to be sound."""
    intent, match_id, player_id = envelope.intent, envelope.match_id, envelope.player_id
    if not isinstance(intent, m.OpenTable) or match_id is None or player_id is None:
        raise TypeError("not a player's opening")
    opened_ms = _uuid7_ms(match_id)
    if opened_ms is None or not (
        -limits.OPENING_AHEAD_MS <= stamp.at_ms - opened_ms <= limits.OPENING_AGE_MS
    ):
        return Refused(Reason.STALE_OPENING, "the match id is not of this moment")
    try:
        options = game.options.model_validate(intent.options)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return Refused(Reason.BAD_OPTIONS, say_where(first, game.options.model_fields))
    unfit = game.refused(options, intent.entry_coins)
    if unfit:
        return Refused(Reason.BAD_OPTIONS, unfit)
    free = intent.entry_coins == 0
    least, most = limits.ENTRY_COINS
    if not (free or least <= intent.entry_coins <= most):
        return Refused(Reason.BAD_ENTRY, f"an entry is {least} to {most} coins, or 0: a free table")
    key_id = keys.newest(stamp.at_ms)
    opened = m.TableOpened(
        game=game.name,
        options=options.model_dump(),
        seats=len(game.seats(options)),
        entry_coins=intent.entry_coins,
        key_id=key_id,
        commitment=keys.commitment(key_id, match_id),
        fill_ms=stamp.at_ms + options.fill_seconds * 1000 if free else 0,  # rule B.2
        idle_ms=0 if free else stamp.at_ms + limits.IDLE_MS,
    )
    table = Table(game, keys.dealer(key_id, match_id), stamp.at_ms, seq=1)
    state = Match(match_id, game).after((opened,))
    return (
        opened,
        *table.seat_taken(state, player_id, intent.nickname, intent.seat_number, intent.line),
    )


def work(match: Match, envelope: IntentEnvelope[Any], stamp: Stamp) -> Work | None:
    """Return what judging an intent for a live match takes long to compute; None where nothing
    does. Whoever calls has found the same as for `judge`.
    """
    heavy, state, intent = match.game.heavy, match.known, envelope.intent
    if heavy is None or state.phase is not Phase.PLAYING:
        return None
    if isinstance(intent, m.Due):
        fires = clock.alive(intent.last_ms, stamp.at_ms) and 0 < state.step_ms <= stamp.at_ms
        return heavy.work(state.board, None) if fires else None
    if not isinstance(intent, match.game.intents):
        return None
    return None if _may_play(match.game, state, envelope) else heavy.work(state.board, intent)


def judge(
    match: Match,
    envelope: IntentEnvelope[Any],
    keys: Keys,
    stamp: Stamp,
    game: Game | None = None,
) -> Verdict:
    """Judge an intent for a live match. Whoever calls has found that it is live, that the intent
    is neither late nor repeated, and that its sender may send such intents.

    Args:
        match: As it was before.
        envelope: The intent.
        keys: Of the dice.
        stamp: Where the intent stands in the log.
        game: The match's game, where it was given what it takes long to compute (`work`).
    """
    state = match.known
    table = _table(match, keys, stamp, game)
    intent = envelope.intent
    match intent:
        case m.OpenTable():
            return Refused(Reason.MATCH_EXISTS)
        case m.Due():
            return _due(table, state, intent)
        case m.StopMatch():
            return _stop(table, match, intent)
        case m.LineUp():
            return _line_up(state, intent)
        case m.LineDown():
            return _line_down(table, state, intent)
        case m.JoinTable():
            return _join(table, state, envelope.player_id or "", intent)
        case m.LeaveTable():
            return _leave(table, state, envelope.player_id or "")
        case m.EntriesHeld() | m.EntriesRefused():
            return _answered(table, state, intent)
        case _:
            return _play(table, state, envelope)


def partition_intent(
    match: Match, intent: m.Tick | m.GatewayLost, keys: Keys, stamp: Stamp
) -> Events:
    """Return what an intent for a whole partition does to one of its live matches."""
    state = match.known
    if isinstance(intent, m.Tick):
        if clock.alive(intent.last_ms, stamp.at_ms):
            return ()
        resumed = clock.resume(state, intent.last_ms, stamp.at_ms)
        return () if resumed is None else (resumed,)
    table = _table(match, keys, stamp)
    return tuple(
        table.away(state, chair)
        for chair, sitter in enumerate(state.sitters)
        if sitter.line is not None and sitter.line.gateway == intent.gateway
    )


def wrong_sender(envelope: IntentEnvelope[Any]) -> bool:
    """Return whether such an intent may not come from such a sender."""
    system = isinstance(envelope.intent, m.SYSTEM_INTENTS)
    if envelope.system is None:
        return system
    if envelope.system == "bots":
        return system or isinstance(envelope.intent, m.PLAYER_INTENTS)
    if not isinstance(envelope.intent, _ALLOWED[envelope.system]):
        return True
    stop = envelope.intent
    if not isinstance(stop, m.StopMatch):
        return False
    return (stop.reason == "operator") != (envelope.system == "operator")


def _table(match: Match, keys: Keys, stamp: Stamp, game: Game | None = None) -> Table:
    dealer = keys.dealer(match.known.key_id, match.match_id)
    return Table(game or match.game, dealer, stamp.at_ms, seq=match.seq + 1)


def _uuid7_ms(match_id: str) -> int | None:
    digits = match_id.replace("-", "")
    return int(digits[:12], 16) if digits[12] == "7" else None


def _due(table: Table, state: State, intent: m.Due) -> Verdict:
    if not clock.alive(intent.last_ms, table.at_ms):
        return Refused(Reason.LATE, "the house stood still")
    return table.due(state) or Refused(Reason.NOT_DUE)


def _stop(table: Table, match: Match, intent: m.StopMatch) -> Verdict:
    if intent.reason == "stood_still" and table.at_ms - match.moved_ms <= limits.STILL_MS:
        return Refused(Reason.NO_CAUSE, "the match has not stood still")
    if intent.reason == "too_long" and match.seq < limits.RECORDS:
        return Refused(Reason.NO_CAUSE, "the match is not too long")
    if intent.reason == "operator" and not (intent.operator and intent.detail):
        return Refused(Reason.NO_CAUSE, "an operator gives his name and a reason")
    return (
        *coins.refunded(match.known),
        m.MatchStopped(
            reason=intent.reason,
            operator=intent.operator,
            detail=intent.detail,
            secret=table.dealer.reveal(),
        ),
    )


def _line_up(state: State, intent: m.LineUp) -> Verdict:
    chair = state.chair(intent.player_id)
    if chair is None or state.sitters[chair].left:
        return Refused(Reason.NOT_SEATED)
    sitter = state.sitters[chair]
    if sitter.line == intent.line:
        return Refused(Reason.STALE_LINE, "it is up already")
    return (_present(intent.player_id, intent.line, sitter.bot),)


def _line_down(table: Table, state: State, intent: m.LineDown) -> Verdict:
    chair = state.chair(intent.player_id)
    if chair is None or state.sitters[chair].line != intent.line:
        return Refused(Reason.STALE_LINE)
    return (table.away(state, chair),)


def _join(table: Table, state: State, player_id: str, intent: m.JoinTable) -> Verdict:
    chair = state.chair(player_id)
    if chair is not None:
        sitter = state.sitters[chair]
        if sitter.left and not state.free:
            return Refused(Reason.NOT_SEATED, "the seat was given up")
        if sitter.line is not None:
            return Refused(Reason.ALREADY_SEATED)
        return (_present(player_id, intent.line, sitter.bot),)
    if state.phase is not Phase.OPEN:
        began = "the entries are being held" if state.phase is Phase.FUNDING else "play has begun"
        return Refused(Reason.NOT_OPEN, began)
    if len(state.sitters) >= state.size:
        return Refused(Reason.TABLE_FULL)
    return table.seat_taken(state, player_id, intent.nickname, intent.seat_number, intent.line)


def _leave(table: Table, state: State, player_id: str) -> Verdict:
    chair = state.chair(player_id)
    if chair is None or state.sitters[chair].left:
        return Refused(Reason.NOT_SEATED)
    if state.phase is not Phase.PLAYING:
        return table.seats_freed(state, (player_id,), "left")
    return table.left(state, chair, "left")


def _answered(table: Table, state: State, intent: m.EntriesHeld | m.EntriesRefused) -> Verdict:
    """The wallet has held the entries of a funding, or not: only the one under way counts."""
    if state.phase is not Phase.FUNDING or intent.attempt != state.attempt:
        return Refused(Reason.STALE_FUNDING, "no such funding is under way")
    if isinstance(intent, m.EntriesHeld):
        return table.entries_held(state)
    if any(state.chair(player_id) is None for player_id in intent.players):
        return Refused(Reason.NOT_SEATED, "somebody who does not sit here has not enough coins")
    short = [sitter.player_id for sitter in state.sitters if sitter.player_id in intent.players]
    return table.seats_freed(state, short, "refused")


def _play(table: Table, state: State, envelope: IntentEnvelope[Any]) -> Verdict:
    refused = _may_play(table.game, state, envelope)
    if refused is not None:
        return refused
    played = table.game.decide(state.board, state.step_seat, envelope.intent, table.chance(state))
    if isinstance(played, Refused):
        return played
    return (*played, *table.go_on(state, played))


def _may_play(game: Game, state: State, envelope: IntentEnvelope[Any]) -> Refused | None:
    """Return why the sender may not play this intent now, whatever the game says of it."""
    chair = None
    if envelope.player_id is not None:
        chair = state.chair(envelope.player_id)
        if chair is None or state.sitters[chair].left:
            return Refused(Reason.NOT_SEATED)
    if state.phase is not Phase.PLAYING:
        return Refused(Reason.NOT_PLAYING)
    if envelope.step != state.step:
        return Refused(Reason.STALE_STEP, f"the step is {state.step}")
    on_turn = state.chair_of_seat(state.step_seat)
    if chair is None:
        if not state.sitters[on_turn].bot:
            return Refused(Reason.SEAT_NOT_BOT)
    elif chair != on_turn:
        return Refused(Reason.NOT_YOUR_TURN)
    elif state.sitters[chair].bot:
        return Refused(Reason.SEAT_IS_BOT, "take your seat again first")
    if not isinstance(envelope.intent, game.intents):
        return Refused(Reason.WRONG_GAME)
    number = game.number(envelope.intent)
    if number is not None and (number == "") != (chair is None):
        return Refused(Reason.BAD_NUMBER, "a player's roll has a number, a bot's has none")
    return None


def _present(player_id: str, line: Line, returned: bool) -> m.PlayerPresent:
    return m.PlayerPresent(player_id=player_id, line=line, returned=returned)
