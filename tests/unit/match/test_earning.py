"""Rule M.2: who plays a free match to its end earns coins, and nobody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from sahrat.games.ludo.messages import RollDie
from sahrat.messages.envelope import Record
from tests.unit.match.desk import Desk, event, names, player
from tests.unit.match.loaded import finish, loaded


def free(size: int) -> Desk:
    desk = loaded()
    desk.table_of(*range(size))
    return desk


def earned(record: Record[Any]) -> list[tuple[str, int]]:
    return [(r.player_id, r.coins) for r in event(record, "coins.earned").rewards]


@pytest.mark.parametrize("first", [0, 1])
def test_M2_first_place_earns_20_and_any_other_5(first: int) -> None:
    record = finish(free(2), first)
    assert names(record)[-2:] == ["coins.earned", "match.ended"]
    assert earned(record) == [(player(first), 20), (player(1 - first), 5)]


def test_M2_all_four_earn_best_place_first() -> None:
    desk = free(4)
    finish(desk, 2)
    finish(desk, 0)
    assert earned(finish(desk, 3)) == [
        (player(2), 20),
        (player(0), 5),
        (player(3), 5),
        (player(1), 5),
    ]


def _leaves(desk: Desk) -> None:
    desk.leave(1)


def _is_away_for_too_long(desk: Desk) -> None:
    desk.down(1)
    desk.wait(60).due()
    assert desk.state.sitters[1].bot


def _finishes_and_leaves(desk: Desk) -> None:
    finish(desk, 1)
    desk.leave(1)


@pytest.mark.parametrize("gone", [_leaves, _is_away_for_too_long, _finishes_and_leaves])
@pytest.mark.parametrize("back", [False, True], ids=["stays away", "is back before the end"])
def test_M2_who_is_gone_at_the_end_earns_nothing(gone: Callable[[Desk], None], back: bool) -> None:
    desk = free(3)
    gone(desk)
    if back:
        desk.join(1, line_n=50)
    record = finish(desk, 0)
    if "match.ended" not in names(record):
        record = finish(desk, 2)
    who = {player_id for player_id, _ in earned(record)}
    assert who == {player(0), player(2)} | ({player(1)} if back else set())


def test_M2_who_has_only_just_lost_his_line_earns() -> None:
    desk = free(2)
    desk.down(1)
    assert len(earned(finish(desk, 0))) == 2


def test_M2_bots_earn_nothing_and_do_not_stand_in_the_way() -> None:
    desk = loaded()
    desk.open(0, players=4, fill_seconds=5)
    desk.wait(5).due()
    desk.send(RollDie(number="1"), who=0, step=desk.state.step)
    for seat in (1, 2):
        _bot_finishes(desk, seat)
    record = finish(desk, 0)
    assert earned(record) == [(player(0), 5)]


def test_M2_a_match_that_bots_alone_ended_says_nothing_of_coins() -> None:
    desk = loaded()
    desk.open(0, players=2, fill_seconds=5)
    desk.wait(5).due()
    desk.leave(0)
    record = _bot_finishes(desk, 1)
    assert names(record)[-1] == "match.ended"
    assert "coins.earned" not in names(record)


def test_M2_a_stopped_match_earns_nothing() -> None:
    assert names(free(2).stop()) == ["match.stopped"]


def _bot_finishes(desk: Desk, chair: int) -> Any:
    state, seat = desk.state, desk.state.seats[chair]
    pawns = (*state.board.pawns[:seat], (56, 56, 56, 55), *state.board.pawns[seat + 1 :])
    board = replace(state.board, pawns=pawns, turn=seat, roll=0, sixes=0)
    desk.match.state = replace(state, board=board, step_seat=seat)
    return desk.send(desk.match.game.bot(board, ""), system="bots", step=desk.state.step)
