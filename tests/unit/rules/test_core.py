"""The rules worker's core: once, in order, whatever comes twice, late, wrong or damaged."""

from __future__ import annotations

import random
from typing import Any

import pytest

from sahrat.games.ludo import LUDO
from sahrat.games.ludo.messages import MovePawn, RollDie
from sahrat.log.live import LivePartition, Verdict
from sahrat.messages import match as m
from sahrat.messages.codec import encode
from sahrat.messages.envelope import IntentRepeated
from sahrat.messages.reasons import Reason
from sahrat.messages.stored import Stored
from services.rules import core
from tests.unit.match.desk import Desk, line, names, player, refold


def play(desk: Desk, seed: int = 1, steps: int = 400) -> None:
    """Play random legal steps, with time-outs in between, until the match is over."""
    rng = random.Random(seed)
    for _ in range(steps):
        if not desk.match.live:
            return
        desk.wait(rng.choice([0.2, 1, 3]))
        who, step = desk.on_turn(), desk.state.step
        awaited = LUDO.awaited(desk.state.board)
        assert awaited is not None
        if rng.random() < 0.1:
            desk.wait(15).due()
        elif awaited.action == "roll":
            desk.send(RollDie(number=str(rng.getrandbits(64))), who=who, step=step)
        else:
            for pawn in rng.sample(range(4), 4):
                outcome = desk.send(MovePawn(pawn=pawn), who=who, step=step)
                if not hasattr(outcome, "reason"):
                    break


@pytest.fixture
def played() -> Desk:
    desk = Desk()
    desk.table_of(0, 1)
    play(desk, steps=60)
    return desk


def again(desk: Desk, start: int, live: LivePartition) -> list[bytes]:
    """Judge the stored intents from an offset on with other live matches; return the records."""
    out: list[bytes] = []
    for stored in desk.intents[start:]:
        for output in core.step(live, stored, desk.keys):
            if isinstance(output, core.Event):
                out.append(output.draft.value)
    return out


def test_a_whole_match_ends_with_places_and_the_secret() -> None:
    desk = Desk()
    desk.table_of(0, 1, 2, 3)
    play(desk, seed=3, steps=5000)
    last = desk.records[-1].events[-1]
    assert last.type == "match.ended"
    assert sorted(place.place for place in last.places) == [1, 2, 3, 4]
    assert refold(desk, desk.values).live() == []


def test_replay_from_the_start_gives_the_same_bytes(played: Desk) -> None:
    assert again(played, 0, LivePartition(played.partition)) == played.values


def test_a_second_owner_writes_the_same_bytes_from_wherever_it_goes_on(played: Desk) -> None:
    for known in range(1, len(played.values)):
        live = refold(played, played.values[:known])
        start = live.high  # rules goes on at the highest cause offset, that one included
        assert again(played, start, live) == played.values[known:]


def test_a_reader_drops_what_it_knows_and_parks_what_cannot_be(played: Desk) -> None:
    live = refold(played, played.values)
    key = played.match_id.encode()

    def take(value: bytes) -> Any:
        return live.take(Stored("t", played.partition, 999, 0, key, value))

    assert take(played.values[3]).verdict is Verdict.REPEATED
    assert take(played.values[-1]).verdict is Verdict.REPEATED
    forged = played.values[-1].replace(b'"at_ms":1', b'"at_ms":2', 1)
    assert take(forged).verdict is Verdict.PARKED
    assert live.live() == []


def test_a_gap_parks_the_match(played: Desk) -> None:
    live = refold(played, played.values[:5])
    key = played.match_id.encode()
    taken = live.take(Stored("t", played.partition, 9, 0, key, played.values[6]))
    assert taken.verdict is Verdict.PARKED
    assert "7 after 5" in taken.detail


def test_C09_the_same_intent_gets_its_first_answer_again_and_nobody_elses() -> None:
    desk = Desk()
    desk.table_of(0, 1)
    who = desk.on_turn()
    first = desk.envelope(RollDie(number="7"), who=who, step=1)
    (record,) = desk.put(first)
    (repeated,) = desk.put(first)
    assert isinstance(repeated, IntentRepeated)
    assert repeated.seq == record.seq
    (other,) = desk.put(first.model_copy(update={"player_id": player(1 - who)}))
    assert other.reason in (Reason.STALE_STEP, Reason.NOT_YOUR_TURN)


def test_a_refused_intent_is_judged_afresh_when_it_comes_again() -> None:
    desk = Desk()
    desk.table_of(0, 1)
    who = 1 - desk.on_turn()
    early = desk.envelope(RollDie(number="7"), who=who, step=2)
    (refused,) = desk.put(early)
    assert refused.reason is Reason.STALE_STEP
    while desk.state.step != 2 or desk.on_turn() != who:
        if desk.state.step >= 2:
            pytest.fail("the first player rolled a six: choose another table")
        desk.wait(15).due()
    (record,) = desk.put(early)
    assert "ludo.rolled" in names(record)


def test_the_order_of_the_checks() -> None:
    """Each intent is wrong in several ways; the answer names the first in the list."""
    desk = Desk()
    desk.table_of(0, 1)
    turn, other = desk.on_turn(), 1 - desk.on_turn()
    roll, move = RollDie(number="1"), MovePawn(pawn=0)
    cases: list[tuple[Any, Reason]] = [
        (desk.envelope(roll, who=9, step=9, not_after_ms=1), Reason.LATE),
        (desk.envelope(m.Due(last_ms=0), who=turn, step=9), Reason.WRONG_SENDER),
        (desk.envelope(roll, who=9, step=9), Reason.NOT_SEATED),
        (desk.envelope(roll, who=other, step=9), Reason.STALE_STEP),
        (desk.envelope(move, who=other, step=1), Reason.NOT_YOUR_TURN),
        (desk.envelope(move, who=turn, step=1), Reason.ROLL_FIRST),
        (desk.envelope(move, system="bots", step=1), Reason.SEAT_NOT_BOT),
    ]
    for envelope, reason in cases:
        (refused,) = desk.put(envelope)
        assert refused.reason is reason
    order = [list(Reason).index(reason) for _, reason in cases[:-1]]
    assert order == sorted(order)


def test_a_fault_of_the_game_leaves_the_match_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk()
    desk.table_of(0, 1)
    before = desk.state

    def breaks(*_: object) -> None:
        raise ZeroDivisionError("a fault of ours")

    with monkeypatch.context() as patch:
        patch.setattr(type(LUDO), "decide", breaks)
        envelope = desk.envelope(RollDie(number="1"), who=desk.on_turn(), step=1)
        letter, refused = desk.put(envelope)
    assert letter.reason == "fault"
    assert "a fault of ours" in letter.detail
    assert refused.reason is Reason.FAULT
    assert desk.state is before
    (record,) = desk.put(envelope)  # nothing is remembered of it
    assert "ludo.rolled" in names(record)


def test_a_fault_in_folding_what_was_decided_is_found_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = Desk()
    desk.table_of(0, 1)
    monkeypatch.setattr(type(LUDO), "evolve", lambda *_: 1 // 0)
    letter, refused = desk.put(desk.envelope(RollDie(number="1"), who=desk.on_turn(), step=1))
    assert (letter.reason, refused.reason) == ("fault", Reason.FAULT)
    assert len(desk.values) == 2


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        (None, b"{", "json-invalid"),
        (None, b"\xff\xfe", "json-invalid"),
        (None, b'{"v":2}', None),
        (b"another", None, "wrong-key"),
        (b"@0", None, "wrong-key"),
    ],
)
def test_C35_what_cannot_be_read_goes_to_the_dead_letters_and_the_next_is_judged(
    key: bytes | None, value: bytes | None, reason: str | None
) -> None:
    desk = Desk()
    desk.table_of(0, 1)
    sound = encode(desk.envelope(RollDie(number="1"), who=desk.on_turn(), step=1))
    (letter,) = desk.put_bytes(key or desk.match_id.encode(), value or sound)
    if reason:
        assert letter.reason == reason
    assert letter.offset == len(desk.intents) - 1
    (record,) = desk.put_bytes(desk.match_id.encode(), sound)
    assert "ludo.rolled" in names(record)


def test_T_an_ended_match_and_an_unknown_one_get_the_same_refusal() -> None:
    desk = Desk()
    desk.open(0)
    desk.send(m.LeaveTable(), who=0)
    ended = desk.join(1)
    unknown = Desk(n=5).join(1)
    assert (ended.reason, ended.detail) == (unknown.reason, unknown.detail)


def test_T_an_opening_that_comes_again_opens_nothing(played: Desk) -> None:
    first = played.intents[0]
    (repeated,) = played.put_bytes(first.key, first.value)
    assert isinstance(repeated, IntentRepeated)
    played.wait(3600 * 2)
    closed = Desk()
    closed.open(0)
    closed.send(m.LeaveTable(), who=0)
    closed.wait(25 * 60)
    (refused,) = closed.put_bytes(closed.intents[0].key, closed.intents[0].value)
    assert refused.reason is Reason.STALE_OPENING
    assert closed.live.matches == {}


def test_the_horizon_is_where_a_new_reader_comes_to_hold_the_same_matches(played: Desk) -> None:
    horizon, high = played.live.horizon()
    assert (horizon, high) == (0, -1)
    played.send(m.LeaveTable(), who=0)
    desk = Desk(n=2)
    desk.open(0)
    desk.send(m.LeaveTable(), who=0)
    desk.wait(21 * 60).send(m.LineUp(player_id=player(0), line=line(1)), system="gateway")
    horizon, high = desk.live.horizon()
    assert horizon == len(desk.values)
    assert high == desk.live.high
