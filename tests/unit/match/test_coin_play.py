"""Rules S and M at a coin table in play: who leaves, who wins what, what a stop gives back."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any, Final

import pytest

from sahrat.games.ludo.messages import RollDie
from sahrat.match.state import Phase
from sahrat.match.view import snapshot
from sahrat.messages import match as m
from sahrat.messages.reasons import Reason
from tests.unit.match.desk import Desk, event, gateway, line, names, player, refold
from tests.unit.match.loaded import finish, loaded, of, prizes, put_pawns, roll

GREEN: Final = 1


def table(size: int, entry: int = 100, **options: Any) -> Desk:
    return loaded().coin_table(*range(size), entry=entry, **options)


# ---- leaving


def test_C17_who_leaves_on_his_own_turn_does_not_hold_it() -> None:
    desk = table(4)
    put_pawns(desk, GREEN, 3, 9, -1, -1)
    assert names(roll(desk, 4)) == ["ludo.rolled", "step.opened"]  # a choice is open
    record = desk.leave(GREEN)
    assert names(record) == ["player.left", "ludo.seat_left", "ludo.turn_passed", "step.opened"]
    left = event(record, "player.left")
    assert (left.why, left.bot, left.kept) == ("left", False, False)
    assert event(record, "step.opened").seat == 2  # yellow, at once
    assert (desk.state.board.roll, desk.state.board.pawns[GREEN]) == (0, ())
    assert names(roll(desk, 1))[0] == "ludo.rolled"


def test_S3_who_leaves_while_another_is_on_turn_leaves_the_step_as_it_is() -> None:
    desk = table(3)
    step = desk.state.step
    assert names(desk.wait(4).leave(2)) == ["player.left", "ludo.seat_left"]
    assert (desk.state.step, desk.state.step_ms) == (step, desk.now_ms + 11_000)


def test_S3_who_has_left_for_good_is_shown_so_and_never_gets_his_seat_again() -> None:
    desk = table(3)
    desk.leave(1)
    gone = snapshot(desk.match).state.sitters[1]
    assert (gone.left, gone.forfeited, gone.present, gone.bot) == (True, True, False, False)
    assert [s.forfeited for s in snapshot(desk.match).state.sitters] == [False, True, False]
    assert desk.join(1, line_n=50).reason is Reason.NOT_SEATED
    assert desk.up(1, 51).reason is Reason.NOT_SEATED
    assert desk.leave(1).reason is Reason.NOT_SEATED
    roll_it = RollDie(number="1")
    assert desk.send(roll_it, who=1, step=desk.state.step).reason is Reason.NOT_SEATED


def test_S3_60_s_away_is_leaving_for_good() -> None:
    desk = table(3, step_seconds=30)
    desk.down(2)
    desk.wait(30).due()
    record = desk.wait(30).due()
    assert [e.why for e in record.events if e.type == "player.left"] == ["away"]
    assert desk.state.sitters[2].left
    assert not any(sitter.bot for sitter in desk.state.sitters)
    assert desk.up(2, 60).reason is Reason.NOT_SEATED


def test_S1_back_within_60_s_he_goes_on_as_if_nothing_had_been() -> None:
    desk = table(2, step_seconds=30)
    desk.down(0)
    desk.wait(30).due()
    back = desk.wait(29.999).up(0, 50)
    assert not event(back, "player.present").returned
    assert desk.state.phase is Phase.PLAYING


def test_B1_no_bot_may_play_at_a_coin_table() -> None:
    desk = table(2)
    refused = desk.send(RollDie(number=""), system="bots", step=desk.state.step)
    assert refused.reason is Reason.SEAT_NOT_BOT


# ---- prizes


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(("entry", "net"), [(15, 27), (100, 180), (10, 18), (1_000_000, 1_800_000)])
def test_M6_of_two_the_first_takes_the_net(entry: int, net: int, first: int) -> None:
    desk = table(2, entry)
    record = finish(desk, first)
    assert names(record)[-2:] == ["entries.settled", "match.ended"]
    settled = event(record, "entries.settled")
    assert (settled.attempt, settled.pot_coins) == (desk.state.attempt, 2 * entry)
    assert settled.fee_coins == 2 * entry - net
    assert prizes(record) == of({first: net})


@pytest.mark.parametrize(
    ("size", "entry", "fee", "first", "second"),
    [(4, 100, 40, 252, 108), (3, 100, 30, 189, 81), (4, 33, 13, 84, 35), (4, 10, 4, 26, 10)],
)
def test_M6_of_three_and_four_the_second_has_30_percent(
    size: int, entry: int, fee: int, first: int, second: int
) -> None:
    desk = table(size, entry)
    finish(desk, 2)
    record = finish(desk, 0)
    if size == 4:
        record = finish(desk, 3)
    assert prizes(record) == of({2: first, 0: second})
    assert event(record, "entries.settled").fee_coins == fee
    best_first = [prize.player_id for prize in event(record, "entries.settled").prizes]
    assert best_first == [player(2), player(0)]


@pytest.mark.parametrize("leavers", list(permutations(range(4), 3)), ids=str)
def test_M7_of_those_who_leave_none_wins_and_the_last_takes_all(leavers: tuple[int, ...]) -> None:
    desk = table(4)
    for who in leavers[:2]:
        assert "match.ended" not in names(desk.leave(who))
    record = desk.leave(leavers[2])
    (last,) = {0, 1, 2, 3} - {*leavers}
    assert prizes(record) == of({last: 360})
    assert event(record, "entries.settled").pot_coins == 400
    places = {place.seat: place.place for place in event(record, "match.ended").places}
    assert places == {last: 1, leavers[0]: 4, leavers[1]: 3, leavers[2]: 2}
    assert names(record)[0] == "player.left"
    assert names(record)[-2:] == ["entries.settled", "match.ended"]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_M7_of_a_table_whose_others_have_left_one_the_net_is_his(size: int) -> None:
    desk = table(size, 33)
    *_, last = [desk.leave(who) for who in range(size - 1)]
    pot = 33 * size
    assert prizes(last) == of({size - 1: pot - pot // 10})


def _left_then_two_finish(desk: Desk) -> Any:
    desk.leave(3)
    finish(desk, 1)
    return finish(desk, 0)


def _two_left_then_one_finishes(desk: Desk) -> Any:
    desk.leave(3)
    desk.leave(2)
    return finish(desk, 1)


def _one_finishes_then_the_second_to_last_leaves(desk: Desk) -> Any:
    finish(desk, 1)
    desk.leave(3)
    return desk.leave(2)


def _one_finishes_and_leaves(desk: Desk) -> Any:
    finish(desk, 1)
    assert event(desk.leave(1), "player.left").kept
    finish(desk, 0)
    return finish(desk, 2)


def _both_placed_ones_leave(desk: Desk) -> Any:
    finish(desk, 1)
    finish(desk, 0)
    assert event(desk.leave(1), "player.left").kept
    assert event(desk.leave(0), "player.left").kept
    return desk.leave(3)


def _one_finishes_and_the_others_leave(desk: Desk) -> Any:
    finish(desk, 1)
    desk.leave(1)
    desk.leave(3)
    return desk.leave(2)


@pytest.mark.parametrize(
    "story",
    [
        _left_then_two_finish,
        _two_left_then_one_finishes,
        _one_finishes_then_the_second_to_last_leaves,
        _one_finishes_and_leaves,
        _both_placed_ones_leave,
        _one_finishes_and_the_others_leave,
    ],
)
def test_M7_four_seats_pay_70_and_30_whoever_leaves(story: Callable[[Desk], Any]) -> None:
    record = story(table(4))
    assert prizes(record) == of({1: 252, 0: 108})
    assert event(record, "entries.settled").fee_coins == 40


def test_M7_who_left_with_a_place_is_not_shown_as_one_who_lost_his_entry() -> None:
    desk = table(3)
    finish(desk, 1)
    desk.leave(1)
    shown = snapshot(desk.match).state.sitters[1]
    assert (shown.left, shown.forfeited) == (True, False)
    other = refold(desk, desk.values).get(desk.match_id)
    assert other is not None
    assert other.known.sitters[1].kept


def test_S5_who_has_his_place_may_be_away_for_as_long_as_he_likes() -> None:
    desk = table(3)
    finish(desk, 1)
    assert event(desk.down(1), "player.away").until_ms == 0
    for _ in range(6):
        desk.wait(15).due()
    assert not desk.state.sitters[1].left
    assert prizes(finish(desk, 2)) == of({1: 189, 2: 81})


# ---- both away


def _plain(desk: Desk, after_s: float) -> None:
    desk.down(1)
    desk.wait(after_s).down(0)


def _by_gateway(desk: Desk, after_s: float) -> None:
    desk.wait(after_s)
    lost = m.GatewayLost(gateway=gateway(0))
    desk.put(desk.envelope(lost, system="timer"))


@pytest.mark.parametrize("late_s", [0.0, 0.001, 30.0, 1_000.0])
@pytest.mark.parametrize(
    ("go", "after_s", "wins"),
    [(_plain, 0.001, 0), (_plain, 20.0, 0), (_plain, 0.0, 1), (_by_gateway, 0.0, 1)],
    ids=["1 ms later", "20 s later", "the same millisecond", "with their gateway"],
)
def test_S4_of_two_who_run_out_of_away_time_the_earlier_loses_then_the_lower_seat(
    go: Callable[[Desk, float], None], after_s: float, wins: int, late_s: float
) -> None:
    desk = table(2, step_seconds=30)
    go(desk, after_s)
    record = desk.wait(60 + after_s + late_s).due()
    left = [e.player_id for e in record.events if e.type == "player.left"]
    assert left == [player(1 - wins)]  # the other's end does not come any more
    assert prizes(record) == of({wins: 180})
    assert names(record)[-2:] == ["entries.settled", "match.ended"]


def test_S4_of_the_last_two_of_four_the_later_end_is_first() -> None:
    desk = table(4, step_seconds=30)
    desk.leave(3)
    desk.leave(0)
    desk.down(2)
    desk.wait(0.001).down(1)
    record = desk.wait(61).due()
    assert prizes(record) == of({1: 360})
    assert {p.seat: p.place for p in event(record, "match.ended").places}[1] == 1


def test_S4_all_four_away_at_once_leave_from_the_lowest_seat_on() -> None:
    desk = table(4, step_seconds=30)
    _by_gateway(desk, 0)
    record = desk.wait(60).due()
    left = [e.seat for e in record.events if e.type == "player.left"]
    assert left == [0, 1, 2]
    assert prizes(record) == of({3: 360})


def test_K4_after_a_resume_two_absent_ones_end_together_and_the_lower_seat_loses() -> None:
    desk = table(2, step_seconds=30)
    desk.down(1)
    desk.wait(5).down(0)
    desk.wait(54)
    last_ms = desk.now_ms  # one has a second left, the other six: each gets ten
    desk.wait(600).put(desk.envelope(m.Tick(last_ms=last_ms), system="timer"))
    record = desk.wait(10).due()
    assert prizes(record) == of({1: 180})


def test_S3_a_step_that_ended_before_is_played_before_its_player_is_gone() -> None:
    desk = table(3, step_seconds=15)
    desk.down(0)
    record = desk.wait(60).due()
    kinds = [n for n in names(record) if n in ("step.timed_out", "player.left")]
    assert kinds == ["step.timed_out", "player.left"]


# ---- stops


def _before_the_first_roll(desk: Desk) -> None:
    assert desk.state.board.rolls == 0


def _in_mid_game(desk: Desk) -> None:
    for value in (6, 3, 2, 6, 1):
        roll(desk, value)
    desk.leave(2)


def _after_first_place_is_decided(desk: Desk) -> None:
    finish(desk, 1)
    desk.leave(1)
    desk.leave(3)


@pytest.mark.parametrize(
    "moment", [_before_the_first_roll, _in_mid_game, _after_first_place_is_decided]
)
def test_C24_a_stop_gives_every_entry_back_whenever_it_comes(
    moment: Callable[[Desk], None],
) -> None:
    desk = table(4)
    moment(desk)
    record = desk.stop()
    assert names(record) == ["entries.refunded", "match.stopped"]
    refunded = event(record, "entries.refunded")
    assert refunded.players == tuple(player(n) for n in range(4))  # the leavers too
    assert (refunded.entry_coins, refunded.attempt) == (100, desk.state.attempt)
    stopped = event(record, "match.stopped")
    assert (stopped.operator, stopped.detail) == ("amal", "a test")
    assert desk.stop().reason is Reason.UNKNOWN_MATCH  # twice
    assert desk.due().reason is Reason.UNKNOWN_MATCH
    moved = [e for r in desk.records for e in r.events if isinstance(e, m.MOVES_COINS)]
    assert [e.type for e in moved] == ["funding.began", "entries.refunded"]


@pytest.mark.parametrize("reason", ["stood_still", "too_long", "fault"])
def test_M8_the_houses_own_stop_gives_the_entries_back_too(reason: Any) -> None:
    desk = table(2)
    desk.wait(1_801)
    desk.match.seq += 5_000 * (reason == "too_long")
    assert "entries.refunded" in names(desk.send(m.StopMatch(reason=reason), system="timer"))


@pytest.mark.parametrize("first", ["end", "stop"])
def test_F27_of_the_end_and_a_stop_the_first_in_the_log_counts(first: str) -> None:
    desk = table(2)
    if first == "end":
        finish(desk, 0)
        assert desk.stop().reason is Reason.UNKNOWN_MATCH
    else:
        desk.stop()
        refused = desk.send(RollDie(number="1"), who=0, step=desk.state.step)
        assert refused.reason is Reason.UNKNOWN_MATCH


def test_no_line_of_a_gateway_that_died_long_ago_brings_a_leaver_back() -> None:
    desk = table(3)
    desk.leave(0)
    assert desk.put(desk.envelope(m.GatewayLost(gateway=gateway(0)), system="timer"))
    down = m.LineDown(player_id=player(0), line=line(0))
    assert desk.send(down, system="gateway").reason is Reason.STALE_LINE
