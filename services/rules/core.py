"""What the rules worker does with one stored intent. Pure: bytes in, bytes out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from sahrat import games
from sahrat.games import wire
from sahrat.games.game import Game, Work
from sahrat.log.live import LivePartition
from sahrat.match import clock, judge
from sahrat.match.judge import Keys, Stamp, Verdict
from sahrat.match.match import Match
from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.codec import Poison, encode
from sahrat.messages.dead import dead_letter, plain
from sahrat.messages.envelope import (
    RECORD_BYTES,
    Cause,
    IntentEnvelope,
    IntentRefused,
    IntentRepeated,
    Record,
    TickAnswered,
)
from sahrat.messages.reasons import Reason, Refused
from sahrat.messages.stored import Draft, Stored
from sahrat.messages.topics import partition_key, partition_of

READER: Final = "rules"
Intent = IntentEnvelope[Message]
_RECORD = Record[Any]


@dataclass(frozen=True, slots=True)
class Event:
    """A record for `match.events`. `opens`: the match whose first record it is."""

    draft: Draft
    opens: Match | None


@dataclass(frozen=True, slots=True)
class Answer:
    """A message for `match.refusals`."""

    draft: Draft


@dataclass(frozen=True, slots=True)
class Dead:
    """A message for the dead letters; `alarm` says what people should know."""

    draft: Draft
    alarm: str


@dataclass(slots=True)
class Heavy:
    """Nothing to write: what the intent at hand takes long to compute. Who serves others has `work`
    run elsewhere before he goes on, and puts what it gave into `given`; otherwise it is computed
    while the intent is judged.
    """

    work: Work
    given: Game | None = None


Output = Event | Answer | Dead | Heavy


class Fault(Exception):
    """The game raised while it judged an intent, or while it folded what it had decided."""


def step(live: LivePartition, stored: Stored, keys: Keys) -> Iterator[Output]:
    """Judge one stored intent and take what it causes into the live matches.

    Yields:
        What is to be written, in order: the records first, then what answers the sender. Before
        all of it, once at the most, what takes long.

    """
    stamp = Stamp(stored.partition, stored.offset, stored.at_ms)
    live.forget(stored.at_ms)
    try:
        envelope = _decode(stored)
    except Poison as poison:
        yield _dead(stored, poison.reason, poison.detail)
        return
    if isinstance(envelope.intent, m.PARTITION_INTENTS):
        yield from _partition_intent(live, envelope, keys, stored)
        return
    match = live.get(envelope.match_id or "")
    if match is not None and match.cause_offset >= stored.offset:
        return  # applied before a restart
    try:
        verdict: Verdict | int | None = _answered(match, envelope, stamp)
        if verdict is None:
            heavy = _heavy(match, envelope, stamp)
            if heavy is not None:
                yield heavy
            given = None if heavy is None else heavy.given
            verdict = _judge(match, envelope, keys, stamp, given)
        if isinstance(verdict, int):
            yield _answer(envelope, _repeated(envelope, stamp, verdict))
        elif isinstance(verdict, Refused):
            yield _answer(envelope, _refused(envelope, stamp, verdict))
        else:
            yield _accept(live, match or _new(envelope), envelope, stamp, verdict)
    except Fault as fault:
        yield _dead(stored, "fault", str(fault.__cause__))
        yield _answer(envelope, _refused(envelope, stamp, Refused(Reason.FAULT)))


def _decode(stored: Stored) -> Intent:
    envelope = wire.INTENTS.decode(stored.value)
    whole = isinstance(envelope.intent, m.PARTITION_INTENTS)
    if whole != (envelope.match_id is None):
        raise Poison("wrong-match", "a match where none belongs, or none where one does")
    key = partition_key(stored.partition) if whole else str(envelope.match_id)
    if stored.key != key.encode():
        raise Poison("wrong-key", f"an intent for {key} under another key")
    if not whole and partition_of(key) != stored.partition:
        raise Poison("wrong-partition", f"{key} does not belong here")
    return envelope


def _answered(match: Match | None, envelope: Intent, stamp: Stamp) -> Refused | int | None:
    """Return a refusal, or the seq of the record that the same intent had made, where no more is
    looked at; else None.
    """
    if match is not None and match.parked:
        return Refused(Reason.PARKED, "its log is damaged; people are on it")
    first = match.accepted.find(envelope.sender, envelope.intent_id) if match else None
    if first is not None:
        return first
    if envelope.not_after_ms is not None and stamp.at_ms > envelope.not_after_ms:
        return Refused(Reason.LATE, "it was too long on its way")
    if judge.wrong_sender(envelope):
        return Refused(Reason.WRONG_SENDER)
    if match is not None and not match.live:
        return Refused(Reason.UNKNOWN_MATCH)
    return None


def _heavy(match: Match | None, envelope: Intent, stamp: Stamp) -> Heavy | None:
    try:
        work = None if match is None else judge.work(match, envelope, stamp)
    except MemoryError:
        raise
    except Exception as cause:
        raise Fault from cause
    return None if work is None else Heavy(work)


def _judge(
    match: Match | None, envelope: Intent, keys: Keys, stamp: Stamp, given: Game | None
) -> Verdict:
    try:
        if match is not None:
            return judge.judge(match, envelope, keys, stamp, given)
        if not isinstance(envelope.intent, m.OpenTable):
            return Refused(Reason.UNKNOWN_MATCH)
        game = games.find(envelope.intent.rules)
        if game is None:
            return Refused(Reason.UNKNOWN_RULES)
        return judge.open_table(envelope, game, keys, stamp)
    except MemoryError:
        raise
    except Exception as cause:
        raise Fault from cause


def _new(envelope: Intent) -> Match:
    intent = envelope.intent
    if not isinstance(intent, m.OpenTable):
        raise TypeError("not an opening")
    game = games.find(intent.rules)
    if game is None:
        raise LookupError(intent.rules)
    return Match(str(envelope.match_id), game)


def _accept(
    live: LivePartition,
    match: Match,
    envelope: Intent,
    stamp: Stamp,
    events: tuple[Message, ...],
) -> Event:
    """Make the record of an accepted intent and take it; folded before it is written."""
    opens = match if match.seq == 0 else None
    record = _RECORD(
        match_id=match.match_id,
        seq=match.seq + 1,
        at_ms=max(match.at_ms, stamp.at_ms),
        caused_by=Cause(
            intent_id=envelope.intent_id,
            sender=envelope.sender,
            partition=stamp.partition,
            offset=stamp.offset,
            at_ms=stamp.at_ms,
        ),
        rules=match.game.rules,
        prev=match.digest,
        events=events,
    )
    try:
        state = match.after(events)
        value = encode(record)
        if len(value) > RECORD_BYTES:
            raise ValueError(f"a record of {len(value)} bytes")
    except MemoryError:
        raise
    except Exception as cause:
        raise Fault from cause
    live.apply(match, record, value, state)
    return Event(Draft(match.match_id.encode(), value), opens)


def _partition_intent(
    live: LivePartition, envelope: Intent, keys: Keys, stored: Stored
) -> Iterator[Output]:
    """One record for each live match that it concerns; a tick is always answered."""
    intent = envelope.intent
    if not isinstance(intent, m.PARTITION_INTENTS):
        raise TypeError("not an intent for a whole partition")
    stamp = Stamp(stored.partition, stored.offset, stored.at_ms)
    if judge.wrong_sender(envelope):
        yield _answer(envelope, _refused(envelope, stamp, Refused(Reason.WRONG_SENDER)))
        return
    resumes = isinstance(intent, m.Tick) and not clock.alive(intent.last_ms, stamp.at_ms)
    matches = live.live() if resumes or isinstance(intent, m.GatewayLost) else []
    for match in matches:
        if match.cause_offset >= stamp.offset:
            continue
        try:
            events = _effect(match, intent, keys, stamp)
            if events:
                yield _accept(live, match, envelope, stamp, events)
        except Fault as fault:  # this match is unchanged, the others go on
            yield _dead(stored, "fault", f"{match.match_id}: {fault.__cause__}")
    if isinstance(intent, m.Tick):
        yield _answer(
            envelope,
            TickAnswered(
                intent_id=envelope.intent_id,
                sent_by=envelope.sent_by,
                offset=stamp.offset,
                tick_ms=stamp.at_ms,
                resumed=resumes,
                live=len(live.live()),
            ),
        )


def _effect(
    match: Match, intent: m.Tick | m.GatewayLost, keys: Keys, stamp: Stamp
) -> tuple[Message, ...]:
    try:
        return judge.partition_intent(match, intent, keys, stamp)
    except MemoryError:
        raise
    except Exception as cause:
        raise Fault from cause


def _refused(envelope: Intent, stamp: Stamp, refused: Refused) -> IntentRefused:
    return IntentRefused(
        match_id=envelope.match_id,
        intent_id=envelope.intent_id,
        sender=envelope.sender,
        sent_by=envelope.sent_by,
        offset=stamp.offset,
        reason=refused.reason,
        detail=plain(refused.detail),
    )


def _repeated(envelope: Intent, stamp: Stamp, seq: int) -> IntentRepeated:
    return IntentRepeated(
        match_id=str(envelope.match_id),
        intent_id=envelope.intent_id,
        sender=envelope.sender,
        sent_by=envelope.sent_by,
        offset=stamp.offset,
        seq=seq,
    )


def _answer(envelope: Intent, message: IntentRefused | IntentRepeated | TickAnswered) -> Answer:
    key = envelope.match_id or "@"
    return Answer(Draft(key.encode(), encode(message)))


def _dead(stored: Stored, reason: str, detail: str) -> Dead:
    where = f"{stored.topic}/{stored.partition}@{stored.offset}"
    alarm = f"{where}: {reason}: {detail}"[:300]
    return Dead(dead_letter(READER, stored, reason, detail), alarm)
