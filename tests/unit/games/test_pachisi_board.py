"""The Pachisi board against rule P1, counted once more on the drawn cells."""

from __future__ import annotations

import itertools

import pytest

from sahrat.games.pachisi import board
from tests.property.pachisi_oracle_moves import CASTLES, CELLS, PRIVATE

WAYS = list(range(1, 84))


def test_p1_every_square_is_drawn_where_the_page_says() -> None:
    for (seat, progress), cell in CELLS.items():
        assert board.cell(seat, progress) == cell


def test_p1_there_are_so_many_squares() -> None:
    cells = {board.cell(seat, p) for seat in range(4) for p in WAYS}
    shared = {board.cell(seat, p) for seat in range(4) for p in range(8, 77)}
    assert (len(cells), len(shared), len(cells - shared)) == (96, 68, 28)
    assert cells - shared == PRIVATE


def test_p1_who_shares_a_square_shares_its_number() -> None:
    for one, other in itertools.combinations(range(4), 2):
        for a, b in itertools.product(WAYS, WAYS):
            number = board.SQUARES[one][a]
            same = number != board.NOWHERE and number == board.SQUARES[other][b]
            assert same == (board.cell(one, a) == board.cell(other, b))


def test_p1_the_way_goes_on_square_by_square_and_over_four_corners() -> None:
    diagonal = []
    for seat in range(4):
        for p in WAYS[:-1]:
            (x, y), (to_x, to_y) = board.cell(seat, p), board.cell(seat, p + 1)
            assert max(abs(to_x - x), abs(to_y - y)) == 1
            if x != to_x and y != to_y:
                diagonal.append((seat, p))
    assert diagonal == [(seat, p) for seat in range(4) for p in (16, 33, 50, 67)]


def test_p1_twelve_castles_are_where_they_are_drawn() -> None:
    on = {p for p in range(8, 77) if board.SQUARES[0][p] in board.CASTLES}
    assert on == {8, 12, 21, 25, 29, 38, 42, 46, 55, 59, 63, 72, 76}
    assert {board.cell(0, p) for p in on} == CASTLES


def test_p1_whoever_is_25_from_home_stands_on_a_tip() -> None:
    assert {board.SQUARES[seat][84 - 25] for seat in range(4)} == {0, 17, 34, 51}


def test_p1_a_piece_coming_home_passes_where_it_went_out() -> None:
    for p in range(1, 8):
        assert board.cell(2, p) == board.cell(2, 84 - p)


@pytest.mark.parametrize("progress", [-1, 0, 84, 85])
def test_what_is_not_on_the_way_has_no_cell(progress: int) -> None:
    with pytest.raises(ValueError, match="not on the path"):
        board.cell(0, progress)
