"""Rules K and S: deadlines, who is played for, what an outage leaves of every clock."""

from __future__ import annotations

from typing import Any

import pytest

from sahrat.games.ludo.messages import RollDie
from sahrat.match import limits
from sahrat.messages import match as m
from sahrat.messages.reasons import Reason
from tests.unit.match.desk import Desk, event, gateway, line, names, player


def playing(n: int = 0, **options: int) -> Desk:
    desk = Desk(n=n)
    desk.table_of(0, 1, **options)
    return desk


def down(desk: Desk, who: int) -> Any:
    return desk.send(m.LineDown(player_id=player(who), line=line(who)), system="gateway")


def up(desk: Desk, who: int, number: int) -> Any:
    return desk.send(m.LineUp(player_id=player(who), line=line(number)), system="gateway")


@pytest.mark.parametrize("seconds", [15, 8, 10, 20, 30])
def test_K_a_step_is_played_when_its_time_is_over_and_not_before(seconds: int) -> None:
    desk = playing(step_seconds=seconds)
    assert desk.wait(seconds - 0.001).due().reason is Reason.NOT_DUE
    record = desk.wait(0.001).due()
    assert names(record)[:2] == ["step.timed_out", "ludo.rolled"]
    assert event(record, "ludo.rolled").number == ""
    assert event(record, "step.opened").deadline_ms == desk.now_ms + seconds * 1000
    assert desk.due().reason is Reason.NOT_DUE


@pytest.mark.parametrize("first", ["move", "due"])
def test_C14_at_the_deadline_the_first_in_the_log_wins_and_the_other_is_refused(first: str) -> None:
    desk = playing()
    step, who = desk.state.step, desk.on_turn()
    desk.wait(15)
    if first == "move":
        assert "ludo.rolled" in names(desk.send(RollDie(number="7"), who=who, step=step))
        assert desk.due().reason is Reason.NOT_DUE
    else:
        assert names(desk.due())[0] == "step.timed_out"
        refused = desk.send(RollDie(number="7"), who=who, step=step)
        assert refused.reason is Reason.STALE_STEP


@pytest.mark.parametrize(("gap", "late"), [(-2001, True), (-2000, False), (2000, False)])
def test_K_a_due_far_from_the_last_answered_tick_is_late(gap: int, late: bool) -> None:
    desk = playing().wait(15)
    outcome = desk.send(m.Due(last_ms=desk.now_ms + gap), system="timer")
    assert (getattr(outcome, "reason", None) is Reason.LATE) is late


def test_K_a_resume_gives_a_step_its_full_time_and_other_clocks_what_they_had_left() -> None:
    desk = playing()
    who = 1 - desk.on_turn()
    down(desk, who)
    desk.wait(14)
    last = desk.now_ms
    desk.wait(600)
    record, answer = desk.put(desk.envelope(m.Tick(last_ms=last), system="timer"))
    resumed = event(record, "match.resumed")
    assert resumed.step_ms == desk.now_ms + 15_000
    assert [c.until_ms for c in resumed.away] == [desk.now_ms + 46_000]
    assert answer.resumed
    assert answer.tick_ms == desk.now_ms
    assert desk.state.step == 1


def test_K_a_resume_leaves_at_least_ten_seconds_and_never_more_than_the_full_time() -> None:
    desk = playing()
    down(desk, 0)
    desk.wait(55)
    (record, _) = desk.put(desk.envelope(m.Tick(last_ms=desk.now_ms - 3_000), system="timer"))
    assert event(record, "match.resumed").away[0].until_ms == desk.now_ms + limits.KEEP_MS
    (record, _) = desk.put(desk.envelope(m.Tick(last_ms=0), system="timer"))
    assert event(record, "match.resumed").away[0].until_ms == desk.now_ms + limits.AWAY_MS


@pytest.mark.parametrize("back_s", [15, 3_600])
@pytest.mark.parametrize("down_s", [0.5, 10])
def test_K_who_goes_away_after_the_clock_was_set_back_has_his_full_time(
    back_s: int, down_s: float
) -> None:
    desk = playing()
    last_ms = desk.wait(20).now_ms
    desk.wait(-back_s)
    down(desk, 0)
    desk.wait(down_s)
    (record, _) = desk.put(desk.envelope(m.Tick(last_ms=last_ms), system="timer"))
    assert event(record, "match.resumed").away[0].until_ms == desk.now_ms + limits.AWAY_MS


def test_K_who_goes_away_while_the_clock_was_wrong_for_a_while_has_his_full_time() -> None:
    desk = playing()
    last_ms = desk.wait(20).now_ms
    desk.wait(-3_600)
    down(desk, 0)
    desk.wait(3_660)
    (record, _) = desk.put(desk.envelope(m.Tick(last_ms=last_ms), system="timer"))
    assert event(record, "match.resumed").away[0].until_ms == desk.now_ms + limits.AWAY_MS


@pytest.mark.parametrize(("over_s", "left_s"), [(0, 10), (10, 10), (10.001, 60)])
def test_K_a_clock_that_is_a_little_overdue_has_ten_seconds(over_s: float, left_s: int) -> None:
    desk = playing()
    down(desk, 0)
    last_ms = desk.wait(60 + over_s).now_ms
    desk.wait(600)
    (record, _) = desk.put(desk.envelope(m.Tick(last_ms=last_ms), system="timer"))
    assert event(record, "match.resumed").away[0].until_ms == desk.now_ms + left_s * 1000


def test_K_a_tick_close_to_the_last_changes_nothing() -> None:
    desk = playing().wait(1.9)
    (answer,) = desk.put(desk.envelope(m.Tick(last_ms=desk.now_ms - 1_900), system="timer"))
    assert not answer.resumed
    assert answer.live == 1


def test_S_the_step_clock_runs_on_while_a_line_is_lost() -> None:
    desk = playing()
    down(desk, desk.on_turn())
    assert names(desk.wait(15).due())[0] == "step.timed_out"


@pytest.mark.parametrize(("seconds", "kept"), [(59.0, True), (59.9, True), (60.1, False)])
def test_C21_the_seat_is_kept_if_the_return_is_logged_before_the_deadline(
    seconds: float, kept: bool
) -> None:
    desk = playing(step_seconds=30)
    down(desk, 0)
    desk.wait(30).due()
    desk.wait(seconds - 30).due()
    assert desk.state.sitters[desk.state.chair(player(0))].bot is not kept
    back = up(desk, 0, 77)
    assert event(back, "player.present").returned is not kept
    assert not desk.state.sitters[desk.state.chair(player(0))].bot


def test_S_gaps_are_not_added_up() -> None:
    desk = playing()
    down(desk, 0)
    desk.wait(50).due()
    up(desk, 0, 70)
    desk.send(m.LineDown(player_id=player(0), line=line(70)), system="gateway")
    desk.wait(50).due()
    assert not desk.state.sitters[desk.state.chair(player(0))].bot


def test_S_only_the_line_that_holds_the_seat_can_empty_it() -> None:
    desk = playing()
    up(desk, 0, 70)
    assert down(desk, 0).reason is Reason.STALE_LINE
    assert desk.state.sitters[desk.state.chair(player(0))].line == line(70)


def test_S_a_lost_gateway_empties_its_own_seats_and_no_other() -> None:
    desk = playing()
    desk.send(m.LineUp(player_id=player(1), line=line(5, gateway_n=1)), system="gateway")
    lost = m.GatewayLost(gateway=gateway(0))
    (record,) = desk.put(desk.envelope(lost, system="timer"))
    assert names(record) == ["player.away"]
    assert event(record, "player.away").player_id == player(0)
    assert desk.put(desk.envelope(lost, system="timer")) == []


def test_S_no_bot_acts_after_the_return_of_its_player() -> None:
    desk = playing()
    who = desk.on_turn()
    down(desk, who)
    while not desk.state.sitters[desk.state.chair(player(who))].bot:
        desk.wait(15).due()
    while desk.on_turn() != who:
        desk.wait(15).due()
    step = desk.state.step
    up(desk, who, 88)
    refused = desk.send(RollDie(number=""), system="bots", step=step)
    assert refused.reason is Reason.SEAT_NOT_BOT


def test_S_a_player_whose_seat_a_bot_plays_must_take_it_again_first() -> None:
    desk = playing()
    who = desk.on_turn()
    desk.send(m.LeaveTable(), who=who)
    refused = desk.send(RollDie(number="1"), who=who, step=desk.state.step)
    assert refused.reason is Reason.NOT_SEATED


def test_B_a_bot_plays_only_the_seat_that_is_its_own() -> None:
    desk = playing()
    refused = desk.send(RollDie(number=""), system="bots", step=desk.state.step)
    assert refused.reason is Reason.SEAT_NOT_BOT


def test_T_a_match_that_stood_still_is_stopped_by_the_house_and_not_before() -> None:
    desk = playing()
    stop = m.StopMatch(reason="stood_still")
    desk.wait(limits.STILL_MS / 1000)
    assert desk.send(stop, system="timer").reason is Reason.NO_CAUSE
    desk.put(desk.envelope(m.Tick(last_ms=1), system="timer"))  # a resume is no move
    record = desk.wait(0.001).send(stop, system="timer")
    assert names(record) == ["match.stopped"]
    assert len(event(record, "match.stopped").secret) == 64
    assert desk.join(0).reason is Reason.UNKNOWN_MATCH


def test_T_a_match_is_not_stopped_for_its_length_while_it_is_short() -> None:
    refused = playing().send(m.StopMatch(reason="too_long"), system="timer")
    assert refused.reason is Reason.NO_CAUSE


def test_several_clocks_that_ended_fire_in_the_order_of_their_ends_in_one_record() -> None:
    desk = playing(step_seconds=30)
    turn = desk.on_turn()
    down(desk, turn)
    desk.wait(20)
    down(desk, 1 - turn)
    record = desk.wait(65).due()
    assert names(record)[0] == "step.timed_out"  # 30 s
    kinds = [n for n in names(record) if n in ("step.timed_out", "player.left")]
    assert kinds == ["step.timed_out", "player.left", "player.left"]  # 30, 60 and 80 s
    assert [e.player_id for e in record.events if e.type == "player.left"] == [
        player(turn),
        player(1 - turn),
    ]
