"""Which steps the bots play: each once, and none that a bot is no longer awaited for (rule B)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from sahrat.games import wire
from sahrat.games.carrom import CARROM
from sahrat.games.ludo import LUDO
from sahrat.games.ludo.messages import RollDie
from sahrat.messages import match as m
from sahrat.messages.reasons import Reason
from sahrat.messages.stored import Draft
from services.bots.core import Fault, Partition, Turn, awaited, intent_id
from tests.unit.match.desk import START_MS, Desk, line, player, uuid7
from tests.unit.travelled import travelled

PAUSE_MS = 1_000


@pytest.fixture
def desk() -> Desk:
    """Two players; the one whose turn it is has left, and a bot plays for him."""
    desk = Desk()
    desk.table_of(0, 1)
    desk.send(m.LeaveTable(), who=desk.on_turn())
    return desk


@pytest.fixture
def bots() -> Partition:
    return Partition(uuid7(START_MS, 0), PAUSE_MS)


def played(bots: Partition, mono_ms: int) -> list[Any]:
    found = []
    for draft in bots.act(mono_ms):
        assert isinstance(draft, Draft)
        found.append(wire.INTENTS.decode(draft.value))
    return found


def test_a_bot_thinks_and_then_plays_what_its_game_says(desk: Desk, bots: Partition) -> None:
    bots.look(desk.match, 0)
    assert bots.wake_ms() == PAUSE_MS
    assert played(bots, PAUSE_MS - 1) == []
    (envelope,) = played(bots, PAUSE_MS)
    assert envelope.intent == LUDO.bot(desk.state.board, "") == RollDie(number="")
    assert (envelope.system, envelope.player_id) == ("bots", None)
    assert (envelope.match_id, envelope.step) == (desk.match_id, 1)
    assert envelope.intent_id == intent_id(desk.match_id, 1)
    assert envelope.not_after_ms is None
    assert bots.wake_ms() is None
    (record,) = desk.put(envelope)
    assert record.caused_by.sender == "system:bots"


def test_a_step_is_played_once_whatever_becomes_of_it(desk: Desk, bots: Partition) -> None:
    bots.look(desk.match, 0)
    assert len(played(bots, PAUSE_MS)) == 1
    desk.send(m.LineUp(player_id=player(5), line=line(1)), system="gateway")
    bots.look(desk.match, PAUSE_MS)
    assert played(bots, 60_000) == []


def test_a_player_is_not_played_for(desk: Desk, bots: Partition) -> None:
    other = Desk(n=1)
    other.table_of(0, 1)
    bots.look(other.match, 0)
    assert awaited(other.match) is None
    assert played(bots, 60_000) == []


def test_a_player_who_is_back_while_the_bot_thinks_plays_himself(
    desk: Desk, bots: Partition
) -> None:
    who = 0 if desk.seat_of(0) == desk.state.step_seat else 1
    bots.look(desk.match, 0)
    desk.join(who, 9)
    bots.look(desk.match, 500)
    assert played(bots, PAUSE_MS) == []
    desk.send(m.LeaveTable(), who=who)  # within the same step
    bots.look(desk.match, 2_000)
    assert len(played(bots, 2_000 + PAUSE_MS)) == 1


def test_the_state_counts_at_the_moment_of_sending(desk: Desk, bots: Partition) -> None:
    bots.look(desk.match, 0)
    desk.wait(15).due()  # nobody told the bots
    assert played(bots, PAUSE_MS) == []


def test_a_match_that_ended_is_forgotten(desk: Desk, bots: Partition) -> None:
    bots.look(desk.match, 0)
    desk.send(m.StopMatch(reason="operator", operator="amal", detail="a test"), system="operator")
    bots.look(desk.match, 1)
    assert played(bots, PAUSE_MS) == []


def test_the_id_is_of_the_match_and_the_step_alone(desk: Desk) -> None:
    ids = [intent_id(desk.match_id, step) for step in range(100)]
    assert len(dict.fromkeys(ids)) == 100
    assert intent_id(uuid7(START_MS, 99), 1) != ids[1]
    for sent_by in (1, 2):
        bots = Partition(uuid7(START_MS, sent_by), 0)
        bots.look(desk.match, 0)
        (envelope,) = played(bots, 0)
        assert envelope.intent_id == ids[1]


def test_two_bots_at_once_have_one_effect(desk: Desk) -> None:
    envelopes = []
    for sent_by in (1, 2):
        bots = Partition(uuid7(START_MS, sent_by), 0)
        bots.look(desk.match, 0)
        envelopes += played(bots, 0)
    (record,) = desk.put(envelopes[0])
    (again,) = desk.put(envelopes[1])
    assert (again.type, again.seq) == ("repeated", record.seq)


def test_a_game_that_raises_stops_no_other_match(desk: Desk, bots: Partition) -> None:
    other = Desk(n=1)
    other.table_of(0, 1)
    other.send(m.LeaveTable(), who=other.on_turn())
    desk.match.state = replace(desk.state, board=None)
    bots.look(desk.match, 0)
    bots.look(other.match, 0)
    fault, draft = bots.act(PAUSE_MS)
    assert isinstance(fault, Fault)
    assert (fault.match_id, fault.step) == (desk.match_id, 1)
    assert isinstance(draft, Draft)
    assert bots.act(60_000) == []


def test_B_what_takes_long_to_choose_is_chosen_elsewhere(bots: Partition) -> None:
    """Of the state, the match and the step alone, wherever that is; the envelope is as always."""
    desk = Desk(rules=CARROM.rules)
    desk.open(0, players=2)
    desk.join(1)
    desk.send(m.LeaveTable(), who=desk.on_turn())
    bots.look(desk.match, 0)
    (turn,) = bots.act(PAUSE_MS)
    assert isinstance(turn, Turn)
    assert bots.act(60_000) == []
    chosen = travelled(travelled(turn.choose)())
    assert chosen == CARROM.bot(desk.state.board, f"{desk.match_id}|1")
    envelope = wire.INTENTS.decode(bots.chosen(turn, chosen).value)
    assert (envelope.intent, envelope.step) == (chosen, 1)
    assert envelope.intent_id == intent_id(desk.match_id, 1)
    (record,) = desk.put(envelope)
    assert record.events[0].type == "carrom.striker_shot"


def test_a_refused_bot_is_refused_for_good(desk: Desk, bots: Partition) -> None:
    bots.look(desk.match, 0)
    (envelope,) = played(bots, PAUSE_MS)
    who = 0 if desk.seat_of(0) == desk.state.step_seat else 1
    desk.join(who, 9)
    (refused,) = desk.put(envelope)
    assert refused.reason is Reason.SEAT_NOT_BOT
