"""What the timer writes for one partition, out of all that it hears."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sahrat.match.match import Match
from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.codec import encode
from sahrat.messages.envelope import (
    Cause,
    IntentEnvelope,
    IntentRefused,
    IntentRepeated,
    TickAnswered,
)
from sahrat.messages.reasons import Reason
from sahrat.messages.stored import Ack, Draft
from sahrat.messages.topics import partition_key
from services.timer.core.ticks import LOST_MS, Now, Pulses, Ticks
from services.timer.core.watch import Want, Watch, Watches

UNANSWERED: Final = 200  # dues and stops on their way in one partition
_HOPE: Final = (Reason.NOT_DUE, Reason.LATE)
"""Refusals of which the next try may be free."""

Answer = IntentRefused | IntentRepeated | TickAnswered


@dataclass(frozen=True, slots=True)
class Send:
    """An intent to append."""

    intent_id: str
    draft: Draft


@dataclass(slots=True)
class _OnItsWay:
    match_id: str
    want: Want
    offset: int | None = None


@dataclass(slots=True)
class _Named:
    """A gateway that seats name."""

    since_ms: int
    seats: int = 0


class Partition:
    """One partition of the match topics. After each input ask `act`, append what it returns, tell
    `stored`; and ask again at `wake_ms`, or at the next input.

    Args:
        partition: Its number.
        sent_by: This worker's id, new at each start.
        new_id: Gives an id for each intent.
        pulses: The gateways that are alive, kept up by whoever calls.
    """

    def __init__(
        self, partition: int, sent_by: str, new_id: Callable[[], str], pulses: Pulses
    ) -> None:
        self.ticks = Ticks()
        self._key = partition_key(partition).encode()
        self._sent_by = sent_by
        self._new_id = new_id
        self._pulses = pulses
        self._watches = Watches()
        self._on_their_way: dict[str, _OnItsWay] = {}
        self._given_up_below = -1
        self._named: dict[str, _Named] = {}
        self._told_lost: dict[str, int] = {}

    # ---- what is heard

    def known(self, match: Match) -> None:
        """Take a live match of the replay."""
        self._look(match, None)

    def taken(self, match: Match, cause: Cause | None, mono_ms: int) -> None:
        """Take a match that a record just read has changed, or parked; `cause` None: the record
        can't be read.
        """
        if cause is not None:
            self.ticks.judged(cause.offset, mono_ms, answers=False)
        if cause is None or not match.live:
            self._drop(match.match_id)
            return
        watch = self._look(match, mono_ms)
        sent = self._on_their_way.get(watch.awaits)
        if sent is None:
            return
        if cause.intent_id == watch.awaits or (
            sent.offset is not None and cause.offset > sent.offset
        ):
            del self._on_their_way[watch.awaits]
            self._watches.settled(watch)

    def answered(self, answer: Answer, at_ms: int, mono_ms: int) -> None:
        """Take an answer just read; `at_ms`: its own append time."""
        if isinstance(answer, TickAnswered):
            if self.ticks.answered(answer, at_ms, mono_ms):
                self._give_up(answer.offset, mono_ms)
        elif isinstance(answer, IntentRefused):
            self._refused(answer, mono_ms)
        self.ticks.judged(answer.offset, mono_ms, answers=True)

    def stored(self, sends: Sequence[Send], acks: Sequence[Ack]) -> None:
        """Take where the intents stand that `act` returned."""
        for send, ack in zip(sends, acks, strict=True):
            self.ticks.stored(send.intent_id, ack.offset)
            sent = self._on_their_way.get(send.intent_id)
            if sent is not None:
                sent.offset = ack.offset

    # ---- what follows

    def act(self, now: Now) -> list[Send]:
        """Return what is to be appended now, in order, as one batch."""
        sends: list[Send] = []
        self.ticks.look(now)
        if self.ticks.may_send(self._pulses, now.mono_ms):
            tick = self._whole(m.Tick(last_ms=self.ticks.named(now)))
            self.ticks.sent(tick.intent_id, now.mono_ms)
            sends.append(tick)
        if now.log_ms is None or not self.ticks.alive(now):
            return sends
        sends.extend(self._lost(now.mono_ms))
        room = UNANSWERED - len(self._on_their_way)
        for watch, want in self._watches.ready(now.log_ms, now.mono_ms, room):
            send = self._for(watch, want)
            watch.awaits = send.intent_id
            self._on_their_way[send.intent_id] = _OnItsWay(watch.match.match_id, want)
            sends.append(send)
        return sends

    def wake_ms(self, now: Now) -> int | None:
        """Return the moment (`mono_ms`) at which `act` may have more to do without an input."""
        times = [self.ticks.wake_ms(self._pulses, now.mono_ms)]
        if self.ticks.alive(now):
            times.append(self._watches.wake_ms(now))
            times += [self._lost_at(gateway) for gateway in self._named]
        return min((at for at in times if at is not None), default=None)

    # ---- gateways

    def _lost(self, mono_ms: int) -> Iterator[Send]:
        for gateway in self._named:
            if self._lost_at(gateway) <= mono_ms:
                self._told_lost = {
                    told: at for told, at in self._told_lost.items() if mono_ms - at < LOST_MS
                }
                self._told_lost[gateway] = mono_ms
                yield self._whole(m.GatewayLost(gateway=gateway))

    def _lost_at(self, gateway: str) -> int:
        heard_ms = self._pulses.last(gateway)
        last_ms = self._named[gateway].since_ms if heard_ms is None else heard_ms
        return max(last_ms, self._told_lost.get(gateway, last_ms)) + LOST_MS

    def _name(self, watch: Watch, mono_ms: int | None) -> None:
        """Count which gateways the seats name; one that was not heard yet has its time from now."""
        gateways = tuple(
            sitter.line.gateway for sitter in watch.match.known.sitters if sitter.line is not None
        )
        if gateways == watch.gateways:
            return
        since_ms = self._pulses.since_ms if mono_ms is None else mono_ms
        for gateway in gateways:
            self._named.setdefault(gateway, _Named(since_ms)).seats += 1
        self._unname(watch)
        watch.gateways = gateways

    def _unname(self, watch: Watch) -> None:
        for gateway in watch.gateways:
            named = self._named[gateway]
            named.seats -= 1
            if named.seats == 0:
                del self._named[gateway]

    # ---- matches

    def _look(self, match: Match, mono_ms: int | None) -> Watch:
        watch = self._watches.look(match, mono_ms)
        self._name(watch, mono_ms)
        return watch

    def _drop(self, match_id: str) -> None:
        watch = self._watches.drop(match_id)
        if watch is not None:
            self._unname(watch)
            self._on_their_way.pop(watch.awaits, None)

    def _refused(self, answer: IntentRefused, mono_ms: int) -> None:
        sent = self._on_their_way.pop(answer.intent_id, None)
        watch = None if sent is None else self._watches.get(sent.match_id)
        if sent is None or watch is None:
            return
        if sent.want == "due" and answer.reason is Reason.FAULT:
            self._watches.failed(watch, mono_ms)
        else:
            self._watches.refused(watch, mono_ms, hope=answer.reason in _HOPE)

    def _give_up(self, offset: int, mono_ms: int) -> None:
        """With the answer to a tick: what stands before the tick before it will have no answer.
        What stands between the two may: records come by another topic, perhaps a moment later.
        """
        for intent_id, sent in list(self._on_their_way.items()):
            if sent.offset is not None and sent.offset < self._given_up_below:
                del self._on_their_way[intent_id]
                watch = self._watches.get(sent.match_id)
                if watch is not None:
                    self._watches.refused(watch, mono_ms, hope=True)
        self._given_up_below = offset

    # ---- intents

    def _for(self, watch: Watch, want: Want) -> Send:
        match_id = watch.match.match_id
        intent: Message = (
            m.Due(last_ms=self.ticks.last_ms) if want == "due" else m.StopMatch(reason=want)
        )
        return self._send(match_id.encode(), match_id, intent)

    def _whole(self, intent: Message) -> Send:
        return self._send(self._key, None, intent)

    def _send(self, key: bytes, match_id: str | None, intent: Message) -> Send:
        envelope = IntentEnvelope[Message](
            intent_id=self._new_id(),
            match_id=match_id,
            player_id=None,
            system="timer",
            step=None,
            not_after_ms=None,
            sent_by=self._sent_by,
            intent=intent,
        )
        return Send(envelope.intent_id, Draft(key, encode(envelope)))
