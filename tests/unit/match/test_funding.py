"""Rules T and M at a coin table before play: who is asked for his entry, what an answer does."""

from __future__ import annotations

from typing import Any

import pytest

from sahrat.match import limits
from sahrat.match.state import Phase
from sahrat.match.view import snapshot
from sahrat.messages import match as m
from sahrat.messages.reasons import Reason
from tests.unit.match.desk import Desk, event, names, player, refold


def funding(*players: int, entry: int = 100) -> Desk:
    """A coin table whose last seat was just taken."""
    desk = Desk()
    desk.table_of(*(players or (0, 1)), entry=entry)
    assert desk.state.phase is Phase.FUNDING
    return desk


# ---- opening


@pytest.mark.parametrize(
    ("entry", "fits"),
    [(1, False), (9, False), (10, True), (100, True), (1_000_000, True), (1_000_001, False)],
)
def test_M3_an_entry_is_10_to_1_000_000_coins(entry: int, fits: bool) -> None:
    outcome = Desk().open(0, entry=entry)
    if fits:
        assert names(outcome) == ["table.opened", "seat.taken"]
        assert event(outcome, "table.opened").entry_coins == entry
    else:
        assert outcome.reason is Reason.BAD_ENTRY
        assert "10 to 1000000" in outcome.detail


def test_B2_a_coin_table_waits_for_players_and_never_fills_with_bots() -> None:
    desk = Desk()
    opened = event(desk.open(0, entry=10, players=4, fill_seconds=5), "table.opened")
    assert (opened.fill_ms, opened.idle_ms) == (0, desk.now_ms + limits.IDLE_MS)
    assert desk.wait(1_799.999).due().reason is Reason.NOT_DUE
    assert not any(sitter.bot for sitter in desk.state.sitters)


def test_T5_an_open_coin_table_closes_when_nothing_happened_for_30_minutes() -> None:
    desk = Desk()
    desk.open(0, entry=10, players=3)
    desk.wait(1_000).join(1)
    desk.wait(1_000).down(1)
    desk.wait(1).up(1, 50)  # a line that comes back is nothing that happens at the table
    assert desk.wait(798).due().reason is Reason.NOT_DUE
    record = desk.wait(1).due()
    assert names(record) == ["table.closed"]
    assert event(record, "table.closed").why == "idle"


# ---- funding


@pytest.mark.parametrize("size", [2, 3, 4])
def test_M4_the_last_seat_begins_a_funding_named_by_its_record(size: int) -> None:
    desk = Desk()
    desk.table_of(*range(size), entry=33)
    record = desk.records[-1]
    assert names(record) == ["seat.taken", "funding.began"]
    began = event(record, "funding.began")
    assert (began.attempt, began.entry_coins) == (record.seq, 33) == (size, 33)
    assert began.players == tuple(player(n) for n in range(size))
    assert desk.state.idle_ms == desk.state.fill_ms == desk.state.step_ms == 0
    assert snapshot(desk.match).state.phase == "funding"
    assert snapshot(desk.match).state.entry_coins == 33
    assert desk.state.live


def test_M4_play_begins_when_every_entry_is_held_and_everybody_is_there() -> None:
    desk = funding(0, 1, 2)
    record = desk.wait(3).held()
    assert names(record) == ["match.started", "step.opened"]
    assert record.caused_by.sender == "system:wallet"
    assert event(record, "step.opened").deadline_ms == desk.now_ms + 15_000
    assert desk.state.attempt == 3
    assert desk.held().reason is Reason.STALE_FUNDING  # its answer came twice


def test_T7_nobody_sits_down_while_the_entries_are_held() -> None:
    refused = funding(0, 1).join(2)
    assert refused.reason is Reason.NOT_OPEN
    assert "held" in refused.detail


@pytest.mark.parametrize("attempt", [0, 1, 3])
def test_T7_an_answer_about_another_attempt_is_stale(attempt: int) -> None:
    desk = funding()
    assert desk.state.attempt == 2
    before = desk.state
    assert desk.held(attempt).reason is Reason.STALE_FUNDING
    assert desk.short(0, attempt=attempt).reason is Reason.STALE_FUNDING
    assert desk.state is before


def test_T7_an_answer_is_stale_where_no_funding_is_under_way() -> None:
    desk = Desk()
    desk.open(0, entry=10)
    assert desk.held(0).reason is Reason.STALE_FUNDING
    free = Desk()
    free.table_of(0, 1)
    assert free.held(0).reason is Reason.STALE_FUNDING


@pytest.mark.parametrize("system", ["gateway", "timer", "bots", "operator"])
def test_T7_only_the_wallet_answers(system: str) -> None:
    desk = funding()
    held = m.EntriesHeld(attempt=2)
    assert desk.send(held, system=system).reason is Reason.WRONG_SENDER
    assert desk.send(held, who=0).reason is Reason.WRONG_SENDER
    assert desk.send(m.LeaveTable(), system="wallet").reason is Reason.WRONG_SENDER


# ---- a funding that fails


def failed(desk: Desk, record: Any, why: str, *freed: int) -> None:
    """The record frees these seats and no other, and the table is open again."""
    assert names(record) == ["seat.freed"] * len(freed) + ["funding.failed"]
    gone = [(e.player_id, e.why, e.idle_ms) for e in record.events[:-1]]
    assert gone == [(player(n), why, desk.now_ms + limits.IDLE_MS) for n in freed]
    assert desk.state.phase is Phase.OPEN
    assert (desk.state.attempt, desk.state.idle_ms) == (0, desk.now_ms + limits.IDLE_MS)


def test_T7_who_gets_up_in_funding_frees_his_seat() -> None:
    desk = funding(0, 1, 2)
    record = desk.leave(1)
    failed(desk, record, "left", 1)
    assert event(record, "funding.failed").attempt == 3
    assert desk.held(3).reason is Reason.STALE_FUNDING  # the wallet could not know yet


def test_T7_who_is_away_for_60_s_in_funding_frees_his_seat() -> None:
    desk = funding(0, 1, 2)
    desk.down(2)
    assert desk.wait(59.999).due().reason is Reason.NOT_DUE
    failed(desk, desk.wait(0.001).due(), "away", 2)


def test_T7_two_who_are_away_in_funding_make_it_fail_once() -> None:
    desk = funding(0, 1, 2)
    desk.down(2)
    desk.wait(1).down(0)
    record = desk.wait(60).due()
    assert names(record) == ["seat.freed", "funding.failed", "seat.freed"]
    assert [e.player_id for e in record.events if e.type == "seat.freed"] == [player(2), player(0)]


def test_T7_held_while_somebody_is_away_frees_his_seat_at_once() -> None:
    desk = funding(0, 1, 2, 3)
    desk.down(3)
    desk.down(1)
    failed(desk, desk.held(), "away", 1, 3)


def test_T7_held_just_after_he_is_back_begins_play() -> None:
    desk = funding()
    desk.down(1)
    desk.wait(30).up(1, 50)
    assert names(desk.held())[0] == "match.started"


@pytest.mark.parametrize("short", [(1,), (2, 0), (3, 2, 1)])
def test_T7_who_has_not_enough_frees_his_seat_and_nobody_else(short: tuple[int, ...]) -> None:
    desk = funding(0, 1, 2, 3)
    failed(desk, desk.short(*short), "refused", *sorted(short))


def test_T7_somebody_away_keeps_his_seat_when_another_has_not_enough() -> None:
    desk = funding(0, 1)
    desk.down(0)
    failed(desk, desk.short(1), "refused", 1)
    assert [s.player_id for s in desk.state.sitters] == [player(0)]
    assert names(desk.wait(60).due()) == ["seat.freed", "table.closed"]


def test_T7_an_answer_that_names_a_stranger_is_refused_whole() -> None:
    desk = funding(0, 1)
    assert desk.short(1, 7).reason is Reason.NOT_SEATED
    assert desk.state.phase is Phase.FUNDING


@pytest.mark.parametrize("why", ["refused", "away"])
def test_T5_a_funding_that_nobody_is_left_of_closes_the_table(why: str) -> None:
    desk = funding(0, 1)
    if why == "away":
        desk.down(0)
        desk.down(1)
    record = desk.held() if why == "away" else desk.short(0, 1)
    assert names(record) == ["seat.freed", "seat.freed", "funding.failed", "table.closed"]
    assert len(event(record, "table.closed").secret) == 64
    assert desk.state.phase is Phase.CLOSED


def test_T7_a_second_attempt_has_a_name_of_its_own() -> None:
    desk = funding(0, 1)
    desk.short(1)
    record = desk.wait(5).join(2)
    assert names(record) == ["seat.taken", "funding.began"]
    assert event(record, "funding.began").attempt == record.seq == 4
    assert event(record, "funding.began").players == (player(0), player(2))
    assert desk.held(2).reason is Reason.STALE_FUNDING
    assert names(desk.held(4))[0] == "match.started"


def test_T7_who_was_refused_may_sit_down_again() -> None:
    desk = funding(0, 1)
    desk.short(1)
    assert names(desk.join(1)) == ["seat.taken", "funding.began"]


# ---- stops and clocks


def test_M8_a_stop_in_funding_gives_the_entries_back() -> None:
    desk = funding(0, 1, 2, entry=50)
    record = desk.stop()
    assert names(record) == ["entries.refunded", "match.stopped"]
    refunded = event(record, "entries.refunded")
    assert (refunded.attempt, refunded.entry_coins) == (3, 50)
    assert refunded.players == (player(0), player(1), player(2))
    assert desk.held(3).reason is Reason.UNKNOWN_MATCH


@pytest.mark.parametrize("entry", [0, 100])
def test_M8_a_stop_of_an_open_table_moves_no_coins(entry: int) -> None:
    desk = Desk()
    desk.open(0, entry=entry, players=2)
    assert names(desk.stop()) == ["match.stopped"]
    if entry:
        again = Desk(n=1)
        again.table_of(0, 1, entry=entry)
        again.leave(0)  # a funding that has failed holds nothing either
        assert names(again.stop()) == ["match.stopped"]


@pytest.mark.parametrize(("operator", "detail"), [("", "why"), ("amal", ""), ("", "")])
def test_T1_an_operator_gives_his_name_and_a_reason(operator: str, detail: str) -> None:
    stop = m.StopMatch(reason="operator", operator=operator, detail=detail)
    assert funding().send(stop, system="operator").reason is Reason.NO_CAUSE


@pytest.mark.parametrize(
    ("system", "reason"), [("timer", "operator"), ("operator", "fault"), ("operator", "too_long")]
)
def test_T1_a_stop_is_called_by_who_sends_it(system: str, reason: Any) -> None:
    stop = m.StopMatch(reason=reason, operator="amal", detail="a test")
    assert funding().send(stop, system=system).reason is Reason.WRONG_SENDER


def test_T1_a_funding_that_stands_still_is_stopped_and_refunded() -> None:
    desk = funding()
    stop = m.StopMatch(reason="stood_still")
    assert desk.wait(1_800).send(stop, system="timer").reason is Reason.NO_CAUSE
    record = desk.wait(0.001).send(stop, system="timer")
    assert names(record) == ["entries.refunded", "match.stopped"]


def test_K4_a_resume_in_funding_touches_no_clock_but_those_of_the_absent() -> None:
    desk = funding()
    assert len(desk.put(desk.envelope(m.Tick(last_ms=0), system="timer"))) == 1  # the answer
    desk.down(1)
    desk.wait(20)
    last_ms = desk.now_ms
    record, _ = desk.wait(600).put(desk.envelope(m.Tick(last_ms=last_ms), system="timer"))
    resumed = event(record, "match.resumed")
    assert (resumed.step_ms, resumed.fill_ms, resumed.idle_ms) == (0, 0, 0)
    assert [clock.until_ms for clock in resumed.away] == [desk.now_ms + 40_000]
    assert desk.state.phase is Phase.FUNDING


def test_a_refold_of_a_funding_gives_the_same_match() -> None:
    desk = funding(0, 1, 2)
    desk.short(1)
    desk.join(4)
    desk.down(0)
    other = refold(desk, desk.values).get(desk.match_id)
    assert other is not None
    assert other.state == desk.state
