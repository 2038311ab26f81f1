"""Rule K.5: who misses too many steps in a row counts as away, however good his line is."""

from __future__ import annotations

from typing import Any

import pytest

from sahrat import verify
from sahrat.match import view
from sahrat.messages import match as m
from sahrat.messages.envelope import Record
from sahrat.messages.reasons import Reason
from tests.unit.match.desk import Desk, event, names, player, refold
from tests.unit.match.loaded import loaded, put_pawns, roll


def table(limit: object = 3, *, coin: bool = False, players: int = 2, n: int = 0) -> Desk:
    desk = loaded(n)
    who = range(players)
    if coin:
        desk.coin_table(*who, missed_limit=limit)
    else:
        desk.table_of(*who, missed_limit=limit)
    return desk


def miss(desk: Desk, who: int) -> Record[Any]:
    """Let a player's step pass by; the die shows a one, with which nothing can be moved."""
    assert desk.on_turn() == who
    record: Record[Any] = desk.wait(15).due()
    assert event(record, "step.timed_out").seat == desk.seat_of(who)
    return record


def missed(desk: Desk, who: int) -> int:
    return int(desk.state.sitters[desk.state.chair(player(who))].missed)


@pytest.mark.parametrize("limit", [3, 5])
def test_a_bot_takes_over_after_so_many_steps_and_goes_when_the_player_asks(limit: int) -> None:
    desk = table(limit)
    for number in range(1, limit):
        assert "player.left" not in names(miss(desk, 0))
        assert missed(desk, 0) == number
        roll(desk, 1)
    record = miss(desk, 0)
    assert names(record) == [
        "step.timed_out",
        "ludo.rolled",
        "ludo.turn_passed",
        "step.opened",
        "player.left",
    ]
    gone = event(record, "player.left")
    assert (gone.player_id, gone.why, gone.bot, gone.kept) == (player(0), "missed", True, False)
    roll(desk, 1)
    bot = desk.match.game.bot(desk.state.board, "")
    assert isinstance(desk.send(bot, system="bots", step=desk.state.step), Record)
    # His line was never lost, so that it says nothing: he has to ask.
    assert desk.up(0, 80).reason is Reason.NOT_SEATED
    assert desk.leave(0).reason is Reason.NOT_SEATED
    back = event(desk.join(0, line_n=81), "player.present")
    assert back.returned
    assert missed(desk, 0) == 0
    roll(desk, 1)
    for _ in range(limit - 1):
        assert "player.left" not in names(miss(desk, 0))
        roll(desk, 1)


def test_a_step_that_he_plays_begins_the_count_anew() -> None:
    desk = table(3)
    for _ in range(3):
        for number in (1, 2):
            miss(desk, 0)
            assert missed(desk, 0) == number
            roll(desk, 1)
        roll(desk, 1)
        assert missed(desk, 0) == 0
        roll(desk, 1)
    assert not any("player.left" in names(record) for record in desk.records)


def test_each_player_s_steps_count_for_himself() -> None:
    desk = table(3)
    for number in (1, 2):
        for who in (0, 1):
            miss(desk, who)
        assert (missed(desk, 0), missed(desk, 1)) == (number, number)
    for who in (0, 1):
        assert event(miss(desk, who), "player.left").player_id == player(who)


@pytest.mark.parametrize("limit", ["none"])
def test_without_a_limit_nobody_is_ever_put_out(limit: str) -> None:
    desk = table(limit)
    for _ in range(8):
        miss(desk, 0)
        assert missed(desk, 0) == 0
        roll(desk, 1)


def test_steps_that_a_bot_misses_never_count() -> None:
    desk = table(3)
    desk.leave(0)
    for _ in range(6):
        desk.wait(15).due()
        roll(desk, 1)
    assert missed(desk, 0) == 0
    assert sum("player.left" in names(record) for record in desk.records) == 1


def test_no_step_is_missed_while_the_house_stands_still_but_its_line_does_not_matter() -> None:
    desk = table(3)
    miss(desk, 0)
    roll(desk, 1)
    desk.down(0)
    last_ms = desk.now_ms
    desk.wait(600)
    late = desk.send(m.Due(last_ms=last_ms), system="timer")
    assert late.reason is Reason.LATE
    desk.put(desk.envelope(m.Tick(last_ms=last_ms), system="timer"))
    assert missed(desk, 0) == 1
    miss(desk, 0)
    roll(desk, 1)
    assert event(miss(desk, 0), "player.left").why == "missed", "before his 60 s are over"


def test_at_a_coin_table_he_has_left_for_good() -> None:
    desk = table(3, coin=True, players=3)
    for _ in range(2):
        miss(desk, 0)
        roll(desk, 1)
        roll(desk, 1)
    record = miss(desk, 0)
    assert names(record)[-2:] == ["player.left", "ludo.seat_left"]
    gone = event(record, "player.left")
    assert (gone.why, gone.bot, gone.kept) == ("missed", False, False)
    assert desk.join(0).reason is Reason.NOT_SEATED
    assert desk.on_turn() == 1
    state = view.view(desk.match.game, desk.state)
    assert [sitter.forfeited for sitter in state.sitters] == [True, False, False]


def test_at_a_coin_table_of_two_the_other_wins_with_the_last_missed_step() -> None:
    desk = table(3, coin=True)
    for _ in range(2):
        miss(desk, 0)
        roll(desk, 1)
    record = miss(desk, 0)
    settled = event(record, "entries.settled")
    assert [(prize.player_id, prize.coins) for prize in settled.prizes] == [(player(1), 180)]
    assert names(record)[-1] == "match.ended"


def test_a_seat_that_finishes_by_its_last_missed_step_has_its_place() -> None:
    desk = table(3, coin=True, players=3)
    for _ in range(2):
        miss(desk, 0)
        roll(desk, 1)
        roll(desk, 1)
    put_pawns(desk, 0, 56, 56, 56, 55)
    record = miss(desk, 0)
    assert "ludo.seat_finished" in names(record)
    assert "player.left" not in names(record)


@pytest.mark.parametrize("coin", [False, True])
def test_the_records_alone_say_all_of_it(coin: bool) -> None:
    """They verify, and every reader folds the same."""
    desk = Desk(n=3)
    if coin:
        desk.coin_table(0, 1, 2, missed_limit=3)
    else:
        desk.table_of(0, 1, 2, missed_limit=3)
    while desk.match.live and not any("player.left" in names(r) for r in desk.records):
        desk.wait(15).due()
    other = refold(desk, desk.values).get(desk.match_id)
    assert other is not None
    assert other.state == desk.state
    while desk.match.live:
        if desk.state.sitters[desk.state.chair_of_seat(desk.state.step_seat)].bot:
            bot = desk.match.game.bot(desk.state.board, "")
            desk.wait(1).send(bot, system="bots", step=desk.state.step)
        else:
            desk.wait(15).due()
    assert verify.verify(desk.values).problem == ""
