"""What a player is told of where his pieces would come to is where they come to (rules L2, P4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sahrat import games
from sahrat.games.game import Game, Way
from sahrat.games.ludo.messages import PawnMoved
from sahrat.games.pachisi.messages import ThrowUsed
from sahrat.match.evolve import fold
from sahrat.match.state import State
from sahrat.messages.base import Message
from tests.property import ludo_tables, pachisi_tables
from tests.property.option_tables import CLOCKS
from tests.unit.match.desk import Desk
from tests.unit.test_verify_options import played as ludo
from tests.unit.test_verify_pachisi import played as pachisi

ROWS = [
    *(("ludo", ludo, row) for row in ludo_tables.TABLES.covering[::7]),
    *(("pachisi", pachisi, row) for row in pachisi_tables.TABLES.covering[::7]),
]


def _chosen(event: Message) -> list[Way]:
    """The way that an event shows a player to have chosen, if he chose a piece alone."""
    match event:
        case PawnMoved(why="chosen", pawn=pawn, progress=progress):
            return [Way(0, pawn, lap=False, progress=progress)]
        case ThrowUsed(how="piece", moves=(moved,)):
            return [Way(event.item, moved.piece, moved.lap, moved.progress)]
        case _:
            return []


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_a_piece_comes_to_where_it_was_told(number: int) -> None:
    name, play, row = ROWS[number]
    game = games.current(name)
    assert game is not None
    desk = _played(play, 700 + number, row)
    state: State | None = None
    seen = 0
    for record in desk.records:
        for event in record.events[:1]:
            for way in _chosen(event):
                assert state is not None
                assert way in _ways(game, state)
                seen += 1
        state = fold(game, state, record.events)
    assert seen > 0
    assert state is not None
    assert game.ways(state.board) == ()  # when it is over nobody chooses


def _played(play: Callable[..., Desk], seed: int, row: dict[str, Any]) -> Desk:
    return play(seed, **{option: value for option, value in row.items() if option not in CLOCKS})


def _ways(game: Game, state: State) -> tuple[Way, ...]:
    """What is told, of which every piece may be chosen as the board has it."""
    ways, board = game.ways(state.board), game.view(state.board)
    if game.name == "ludo":
        movable: Any = getattr(board, "movable", ())
        assert tuple(way.piece for way in ways) == movable
    else:
        choices: Any = getattr(board, "choices", ())
        offered = {(one.item, p, False) for one in choices for p in one.pieces}
        offered |= {(one.item, p, True) for one in choices for p in one.laps}
        assert {(way.item, way.piece, way.lap) for way in ways} == offered
    return ways
