"""What the timer writes for a partition, against rules' own core: whole answers, no log."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import pytest

from sahrat.games import wire
from sahrat.messages import match as m
from sahrat.messages.envelope import IntentEnvelope, IntentRefused, Record, TickAnswered
from sahrat.messages.reasons import Reason
from sahrat.messages.stored import Ack
from services.timer.core.partition import UNANSWERED, Partition, Send
from services.timer.core.ticks import Now, Pulses
from tests.unit.match.desk import START_MS, Desk, gateway, line, player, uuid7


@dataclass
class Shift:
    """A timer and a desk, where nothing gets from one to the other but by hand.

    `mono_ms` runs with the desk's time.
    """

    desk: Desk = field(default_factory=Desk)
    pulses: Pulses = field(default_factory=lambda: Pulses(0))

    def __post_init__(self) -> None:
        ids = itertools.count(1)
        self.core = Partition(
            self.desk.partition, uuid7(START_MS, 0), lambda: uuid7(START_MS, next(ids)), self.pulses
        )

    @property
    def mono_ms(self) -> int:
        return self.desk.now_ms - START_MS

    @property
    def now(self) -> Now:
        return Now(self.desk.now_ms, self.mono_ms)

    def act(self, *, beat: bool = True) -> list[IntentEnvelope[Any]]:
        """Let the timer act; return what it wrote, which stands in no log yet."""
        if beat:
            self.pulses.heard(gateway(), self.mono_ms)
        self.sends = self.core.act(self.now)
        return [wire.INTENTS.decode(send.draft.value) for send in self.sends]

    def store(self, sends: list[Send] | None = None) -> list[Any]:
        """Store what was written, let rules judge it, and return what came of it."""
        found = []
        for send in self.sends if sends is None else sends:
            offset = len(self.desk.intents)
            self.core.stored([send], [Ack(offset, self.desk.now_ms)])
            found += self.desk.put_bytes(send.draft.key, send.draft.value)
        return found

    def tell(self, found: list[Any]) -> None:
        """Let the timer read records and answers."""
        for one in found:
            if isinstance(one, Record):
                match = self.desk.live.get(one.match_id)
                assert match is not None
                self.core.taken(match, one.caused_by, self.mono_ms)
            else:
                self.core.answered(one, self.desk.now_ms, self.mono_ms)

    def go(self, seconds: float, step_s: float = 0.1) -> list[IntentEnvelope[Any]]:
        """Let time pass with everybody alive; return all that was written but ticks."""
        written: list[IntentEnvelope[Any]] = []
        for _ in range(round(seconds / step_s)):
            self.desk.wait(step_s)
            written += self.act()
            self.tell(self.store())
        return [envelope for envelope in written if not isinstance(envelope.intent, m.Tick)]


@pytest.fixture
def shift() -> Shift:
    shift = Shift()
    shift.act()
    shift.tell(shift.store())
    before = len(shift.desk.records)
    shift.desk.table_of(0, 1)
    shift.tell(shift.desk.records[before:])
    return shift


def due(shift: Shift) -> list[IntentEnvelope[Any]]:
    """Go on to the moment at which a due is written, and no further."""
    while True:
        shift.desk.wait(0.1)
        written = [e for e in shift.act() if not isinstance(e.intent, m.Tick)]
        if written:
            return written
        shift.tell(shift.store())


def test_a_due_names_its_match_and_the_newest_answered_tick(shift: Shift) -> None:
    (envelope,) = due(shift)
    assert envelope.match_id == shift.desk.match_id
    assert (envelope.system, envelope.player_id, envelope.step) == ("timer", None, None)
    assert envelope.not_after_ms is None
    assert envelope.sent_by == uuid7(START_MS, 0)
    last = [a for a in shift.desk.answers if isinstance(a, TickAnswered)][-1]
    assert envelope.intent == m.Due(last_ms=last.tick_ms)
    assert shift.mono_ms == 15_000


def test_ticks_go_out_half_a_second_after_the_answer(shift: Shift) -> None:
    times: list[int] = []
    while len(times) < 5:
        shift.desk.wait(0.05)
        if any(isinstance(e.intent, m.Tick) for e in shift.act()):
            times.append(shift.mono_ms)
            (answer,) = shift.store()
            shift.desk.wait(0.2)
            shift.tell([answer])
    assert [after - before for before, after in itertools.pairwise(times)] == [700] * 4


def test_a_due_is_not_repeated_before_it_is_answered(shift: Shift) -> None:
    due(shift)
    shift.store(shift.sends[:0])
    for _ in range(13):
        shift.desk.wait(0.1)
        assert shift.act() == []


def test_the_record_that_took_a_due_makes_room_for_the_next(shift: Shift) -> None:
    (first,) = due(shift)
    shift.tell(shift.store())
    (second,) = due(shift)
    assert first.intent_id != second.intent_id
    assert shift.mono_ms == 30_000


def test_a_due_that_was_not_due_is_tried_again_after_a_moment(shift: Shift) -> None:
    (first,) = due(shift)
    refused = IntentRefused(
        match_id=first.match_id,
        intent_id=first.intent_id,
        sender="system:timer",
        sent_by=first.sent_by,
        offset=99,
        reason=Reason.NOT_DUE,
        detail="",
    )
    shift.core.answered(refused, shift.desk.now_ms, shift.mono_ms)
    shift.sends = []
    assert shift.core.wake_ms(shift.now) == 15_250
    shift.desk.wait(0.249)
    assert [e for e in shift.act() if isinstance(e.intent, m.Due)] == []
    shift.desk.wait(0.001)
    assert len([e for e in shift.act() if isinstance(e.intent, m.Due)]) == 1


def test_a_due_is_given_up_when_two_later_ticks_were_answered(shift: Shift) -> None:
    """Rules died between its records and their answers, and went on behind them."""
    (lost,) = due(shift)
    *ticks, send = shift.sends
    shift.tell(shift.store(ticks))
    shift.core.stored([send], [Ack(len(shift.desk.intents), shift.desk.now_ms)])
    shift.desk.put_bytes(b"@", b"{}")  # stands there instead: the due is never judged
    again: list[IntentEnvelope[Any]] = []
    while not again:
        shift.desk.wait(0.1)
        again = [e for e in shift.act() if isinstance(e.intent, m.Due)]
        ticks = [s for s in shift.sends if b"clock.tick" in s.draft.value]
        shift.tell(shift.store(ticks))
        assert shift.mono_ms < 18_000
    assert again[0].intent_id != lost.intent_id
    assert shift.mono_ms >= 15_600


def test_two_hundred_dues_may_be_on_their_way() -> None:
    shift = Shift()
    shift.act()
    shift.tell(shift.store())
    tables = 0
    for n in range(5_000):
        desk = Desk(n=n)
        if desk.partition == shift.desk.partition and tables < UNANSWERED + 50:
            desk.table_of(0, 1)
            shift.core.known(desk.match)
            tables += 1
    shift.go(14.9)
    shift.desk.wait(0.1)
    shift.act()
    dues = [send for send in shift.sends if b"clock.due" in send.draft.value]
    assert len(dues) == UNANSWERED
    for n, send in enumerate(dues[:30]):
        refused = IntentRefused(
            match_id=send.draft.key.decode(),
            intent_id=send.intent_id,
            sender="system:timer",
            sent_by=uuid7(START_MS, 0),
            offset=1_000 + n,
            reason=Reason.UNKNOWN_MATCH,
            detail="",
        )
        shift.core.answered(refused, shift.desk.now_ms, shift.mono_ms)
    more = [e for e in shift.act() if isinstance(e.intent, m.Due)]
    assert len(more) == 30


# ---- gateways


def lost(written: list[IntentEnvelope[Any]]) -> list[str]:
    return [e.intent.gateway for e in written if isinstance(e.intent, m.GatewayLost)]


def test_a_gateway_that_seats_name_is_lost_after_six_seconds(shift: Shift) -> None:
    shift.desk.send(m.LineUp(player_id=player(0), line=line(7, 1)), system="gateway")
    shift.tell(shift.desk.records[-1:])
    shift.pulses.heard(gateway(1), shift.mono_ms)
    assert lost(shift.go(5.9)) == []
    assert lost(shift.go(0.1)) == [gateway(1)]
    assert lost(shift.go(20)) == []
    state = shift.desk.state
    assert [sitter.line is None for sitter in state.sitters].count(True) == 1


def test_a_gateway_that_no_seat_names_is_nobodys(shift: Shift) -> None:
    shift.pulses.heard(gateway(1), shift.mono_ms)
    assert lost(shift.go(20)) == []


def test_no_gateway_is_lost_while_no_tick_is_answered(shift: Shift) -> None:
    shift.desk.send(m.LineUp(player_id=player(0), line=line(7, 1)), system="gateway")
    shift.tell(shift.desk.records[-1:])
    for _ in range(300):
        shift.desk.wait(0.1)
        assert lost(shift.act()) == []
        shift.sends = []


def test_a_gateway_is_named_once_in_six_seconds_though_nothing_comes_of_it(shift: Shift) -> None:
    shift.desk.send(m.LineUp(player_id=player(0), line=line(7, 1)), system="gateway")
    shift.tell(shift.desk.records[-1:])
    times: list[int] = []
    while shift.mono_ms < 20_000:
        shift.desk.wait(0.1)
        times += [shift.mono_ms] * len(lost(shift.act()))
        shift.tell(shift.store([s for s in shift.sends if b"clock.tick" in s.draft.value]))
    assert times == [6_000, 12_000, 18_000]


# ---- what is over


def test_an_ended_match_is_left_alone(shift: Shift) -> None:
    shift.desk.send(
        m.StopMatch(reason="operator", operator="amal", detail="a test"), system="operator"
    )
    shift.tell(shift.desk.records[-1:])
    assert shift.go(60) == []


def test_a_parked_match_is_left_alone(shift: Shift) -> None:
    shift.desk.match.parked = "its record has two contents"
    shift.core.taken(shift.desk.match, None, shift.mono_ms)
    assert shift.go(60) == []


def test_a_match_known_from_the_replay_is_served_like_any_other() -> None:
    shift = Shift()
    shift.desk.table_of(0, 1)
    shift.core.known(shift.desk.match)
    written = shift.go(16)
    assert [type(e.intent) for e in written] == [m.Due]
