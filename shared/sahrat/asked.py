"""Which intent a record must come from: what an auditor judges again. Pure."""

from __future__ import annotations

from typing import Any, Final

import orjson

from sahrat.games.game import Game
from sahrat.match.evolve import Broken
from sahrat.match.match import Match
from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.envelope import IntentEnvelope, Record

_ENVELOPE: Final = IntentEnvelope[Any]
LONG: Final = 300  # characters, up to which an event is said as a whole


def asked(match: Match, record: Record[Message]) -> IntentEnvelope[Any]:
    """Return the intent that a record must come from, by its sender and its first events.

    Raises:
        Broken: It can come from none.
    """
    kind, _, name = record.caused_by.sender.partition(":")
    player_id = name if kind == "player" else None
    intent = _player_intent(match, record) if player_id else _system_intent(match, record, name)
    return _ENVELOPE.model_construct(
        intent_id=record.caused_by.intent_id,
        match_id=record.match_id,
        player_id=player_id,
        system=None if player_id else name,
        step=match.state.step if match.state else None,
        not_after_ms=None,
        sent_by=record.caused_by.intent_id,
        intent=intent,
    )


def _player_intent(match: Match, record: Record[Message]) -> Message:
    first = record.events[0]
    match first:
        case m.TableOpened():
            taken = record.events[1] if len(record.events) > 1 else None
            if not isinstance(taken, m.SeatTaken) or taken.line is None:
                raise Broken("who opens a table sits down at it")
            return m.OpenTable(
                rules=record.rules,
                options=first.options,
                entry_coins=first.entry_coins,
                nickname=taken.nickname,
                seat_number=taken.seat_number,
                line=taken.line,
            )
        case m.SeatTaken():
            if first.line is None:
                raise Broken("a player who sits down has a line")
            return m.JoinTable(
                nickname=first.nickname, seat_number=first.seat_number, line=first.line
            )
        case m.PlayerPresent():
            return m.JoinTable(nickname="", seat_number="0", line=first.line)
        case m.SeatFreed() | m.PlayerLeft():
            return m.LeaveTable()
        case _:
            return _game_intent(match.game, first)


def _system_intent(match: Match, record: Record[Message], name: str) -> Message:
    first = record.events[0]
    match first:
        case _ if name == "wallet":
            return _wallets_answer(match, record)
        case m.PlayerPresent():
            return m.LineUp(player_id=first.player_id, line=first.line)
        case m.PlayerAway():
            return _lost_line(match, record)
        case m.MatchResumed():
            return m.Tick(last_ms=first.last_ms)
        case m.EntriesRefunded() | m.MatchStopped():
            return _stop(record)
        case _ if name == "bots":
            return _game_intent(match.game, first)
        case _:
            return m.Due(last_ms=record.caused_by.at_ms)


def _wallets_answer(match: Match, record: Record[Message]) -> Message:
    """The wallet names the funding that is under way; of another one it would be refused."""
    attempt = match.known.attempt
    short = tuple(
        event.player_id
        for event in record.events
        if isinstance(event, m.SeatFreed) and event.why == "refused"
    )
    if short:
        return m.EntriesRefused(attempt=attempt, players=short)
    return m.EntriesHeld(attempt=attempt)


def _stop(record: Record[Message]) -> Message:
    stopped = record.events[-1]
    if not isinstance(stopped, m.MatchStopped):
        raise Broken("entries go back where nothing is stopped")
    return m.StopMatch(reason=stopped.reason, operator=stopped.operator, detail=stopped.detail)


def _lost_line(match: Match, record: Record[Message]) -> Message:
    """A single line that went down, or a gateway with all that it had."""
    first = record.events[0]
    if not isinstance(first, m.PlayerAway):
        raise Broken("nobody is away")
    chair = match.known.chair(first.player_id)
    line = None if chair is None else match.known.sitters[chair].line
    if line is None:
        raise Broken("a player who has no line can't lose it")
    of_gateway = [s for s in match.known.sitters if s.line and s.line.gateway == line.gateway]
    if len(record.events) == len(of_gateway):
        return m.GatewayLost(gateway=line.gateway)
    return m.LineDown(player_id=first.player_id, line=line)


def _game_intent(game: Game, first: Message) -> Message:
    intent = game.asked(first) if isinstance(first, game.events) else None
    if intent is None:
        raise Broken(f"{said(first)} is nothing that a player can ask for")
    return intent


def said(event: Message) -> str:
    """Return an event in one line, for people: its values as they stand in the record, but for the
    quotes around a text.
    """
    return _said(event.model_dump(mode="json"))


def said_apart(shown: Message, right: Message) -> tuple[str, str]:
    """Return two events that differ, each in one line. Of long ones of a type only that which
    differs is said, and of lists as long as each other the entries that do.
    """
    long = max(len(said(shown)), len(said(right))) > LONG
    if not long or type(shown) is not type(right):
        return said(shown), said(right)
    one, other = shown.model_dump(mode="json"), right.model_dump(mode="json")
    apart = [key for key in one if one[key] != other[key]]
    for key in apart:
        if isinstance(one[key], list) and len(one[key]) == len(other[key]):
            pairs = [pair for pair in zip(one[key], other[key], strict=True) if pair[0] != pair[1]]
            one[key], other[key] = [a for a, _ in pairs], [b for _, b in pairs]
    keys = ("type", *apart)
    return _said({key: one[key] for key in keys}), _said({key: other[key] for key in keys})


def _said(values: dict[str, Any]) -> str:
    name = values.pop("type", "?")
    shown = (
        f"{key}={value if isinstance(value, str) else orjson.dumps(value).decode()}"
        for key, value in values.items()
    )
    return f"{name} " + " ".join(shown)
