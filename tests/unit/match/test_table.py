"""Rules T, S, B and D at the table: opening, sitting down, getting up, beginning, closing."""

from __future__ import annotations

import pytest

from sahrat import dice, games
from sahrat.messages import match as m
from sahrat.messages.reasons import Reason
from sahrat.messages.topics import partition_of
from tests.unit.match.desk import MASTER, RULES, Desk, event, line, names, player, refold, uuid7


def test_T_opening_states_everything_before_any_number_is_known() -> None:
    desk = Desk()
    record = desk.open(0, players=2)
    assert names(record) == ["table.opened", "seat.taken"]
    opened = event(record, "table.opened")
    secret = dice.match_secret(MASTER, desk.match_id)
    assert opened.commitment == dice.commitment(secret, desk.match_id)
    assert opened.options == games.GAMES[RULES].options().model_dump()
    assert opened.fill_ms == desk.now_ms + 15_000
    assert (record.seq, record.prev) == (1, "0" * 64)


def test_D_seats_are_dealt_from_the_secret_when_the_last_one_sits_down() -> None:
    desk = Desk()
    desk.open(0, players=4)
    desk.join(1)
    desk.join(2)
    record = desk.join(3)
    assert names(record) == ["seat.taken", "match.started", "step.opened"]
    secret = dice.match_secret(MASTER, desk.match_id)
    dealt = dice.deal(secret, desk.match_id, ("1", "2", "3", "4"))
    assert event(record, "match.started").dealt == dealt
    assert [s.player_id for s in desk.state.sitters] == [player(n) for n in dealt]
    step = event(record, "step.opened")
    assert (step.step, step.seat, step.deadline_ms) == (1, 0, desk.now_ms + 15_000)


def test_T_two_players_sit_opposite() -> None:
    desk = Desk()
    desk.table_of(0, 1)
    assert desk.state.seats == (0, 2)


def test_T_the_last_one_to_get_up_closes_the_table_and_reveals_its_secret() -> None:
    desk = Desk()
    desk.open(0, players=3)
    desk.join(1)
    assert names(desk.send(m.LeaveTable(), who=0)) == ["seat.freed"]
    record = desk.send(m.LeaveTable(), who=1)
    assert names(record) == ["seat.freed", "table.closed"]
    secret = dice.Secret.from_hex(event(record, "table.closed").secret)
    opened = event(desk.records[0], "table.opened")
    assert dice.commitment_holds(secret, desk.match_id, opened.commitment)
    assert desk.join(2).reason is Reason.UNKNOWN_MATCH


def test_T_who_got_up_may_sit_down_again_and_the_deal_counts_the_new_order() -> None:
    desk = Desk()
    desk.open(0, players=2)
    desk.send(m.LineDown(player_id=player(0), line=line(0)), system="gateway")
    desk.join(0, line_n=9)
    assert desk.state.sitters[0].line == line(9)
    desk.wait(1).join(1)
    numbers = tuple(e.seat_number for r in desk.records for e in r.events if e.type == "seat.taken")
    assert numbers == ("1", "2")


def test_B_empty_seats_get_labelled_bots_when_the_fill_clock_ends() -> None:
    desk = Desk()
    desk.open(0, players=4, fill_seconds=5)
    assert desk.wait(4.999).due().reason is Reason.NOT_DUE
    record = desk.wait(0.001).due()
    assert names(record) == ["seat.taken"] * 3 + ["match.started", "step.opened"]
    assert [e.bot for e in record.events[:3]] == [True] * 3
    assert sum(s.bot for s in desk.state.sitters) == 3
    assert [s.number for s in desk.state.sitters if s.bot] == [""] * 3


def test_S_away_for_60_s_before_play_frees_the_seat() -> None:
    desk = Desk()
    desk.open(0, players=3, fill_seconds=60)
    desk.wait(1).join(1)
    desk.send(m.LineDown(player_id=player(1), line=line(1)), system="gateway")
    desk.wait(58).due()
    desk2 = Desk(n=7)
    desk2.open(0, players=3, fill_seconds=60)
    desk2.send(m.LineDown(player_id=player(0), line=line(0)), system="gateway")
    record = desk2.wait(60).due()
    assert names(record)[0] == "seat.freed"
    assert names(record)[-1] == "table.closed"


def test_S_a_free_table_keeps_the_seat_of_one_who_leaves_and_a_bot_plays() -> None:
    desk = Desk()
    desk.table_of(0, 1)
    record = desk.send(m.LeaveTable(), who=1)
    assert names(record) == ["player.left"]
    assert event(record, "player.left").bot
    assert desk.send(m.LeaveTable(), who=1).reason is Reason.NOT_SEATED
    up = m.LineUp(player_id=player(1), line=line(8))
    assert desk.send(up, system="gateway").reason is Reason.NOT_SEATED  # he has to take the seat
    back = desk.join(1, line_n=8)
    assert event(back, "player.present").returned
    assert not any(s.bot for s in desk.state.sitters)


def test_S_nobody_else_gets_the_seat_of_a_running_match() -> None:
    desk = Desk()
    desk.table_of(0, 1)
    assert desk.join(2).reason is Reason.NOT_OPEN
    assert desk.join(1).reason is Reason.ALREADY_SEATED


@pytest.mark.parametrize(
    ("options", "reason"),
    [({"players": 5}, "players"), ({"colour": "red"}, "colour"), ({"players": "2"}, "players")],
)
def test_T_options_are_checked_when_the_table_opens(options: dict[str, int], reason: str) -> None:
    refused = Desk().open(0, **options)
    assert refused.reason is Reason.BAD_OPTIONS
    assert reason in refused.detail


def test_T_an_opening_is_only_taken_in_its_moment() -> None:
    for shift, accepted in ((-601, False), (-600, True), (60, True), (61, False)):
        desk = Desk()
        desk.match_id = uuid7(desk.now_ms + shift * 1000, 1)
        desk.partition = desk.live.partition = partition_of(desk.match_id)
        outcome = desk.open(0)
        assert (getattr(outcome, "seq", None) == 1) is accepted, shift


def test_T_a_refold_of_the_log_gives_the_same_match() -> None:
    desk = Desk()
    desk.table_of(0, 1)
    desk.wait(15).due()
    other = refold(desk, desk.values).get(desk.match_id)
    assert other is not None
    assert other.state == desk.state
    assert other.digest == desk.match.digest
