"""The board is that of rule L1, and the same for everyone."""

from __future__ import annotations

import pytest

from sahrat.games.ludo import board
from tests.unit.games.ludo_table import BLUE, FOUR, RED, YELLOW, Match, kinds, position, progress_on

SAFE = [0, 8, 13, 21, 26, 34, 39, 47]
PAIRS = [(mover, other) for mover in FOUR for other in FOUR if mover != other]


def _between(first: tuple[int, int], last: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the cells of a straight line, both ends included."""
    rows, columns = last[0] - first[0], last[1] - first[1]
    steps = max(abs(rows), abs(columns))
    return [
        (first[0] + rows * step // (steps or 1), first[1] + columns * step // (steps or 1))
        for step in range(steps + 1)
    ]


def test_l1_numbers() -> None:
    assert sorted(board.SAFE["starts+stars"]) == SAFE
    assert sorted(board.SAFE["starts"]) == [0, 13, 26, 39]
    assert sorted(board.SAFE["stars"]) == [8, 21, 34, 47]
    assert sorted(board.SAFE["none"]) == []
    assert board.STARTS == (0, 13, 26, 39)
    assert board.HOME - board.START == 56
    assert [board.SQUARES[RED][progress] for progress in (0, 50, 51, 56)] == [0, 50, -1, -1]
    assert [board.SQUARES[BLUE][progress] for progress in (0, 12, 13, 50)] == [39, 51, 0, 37]


def test_l1_red_path_on_the_grid() -> None:
    lines = [
        ((6, 1), (6, 5)),
        ((5, 6), (0, 6)),
        ((0, 7), (0, 7)),
        ((0, 8), (5, 8)),
        ((6, 9), (6, 14)),
        ((7, 14), (7, 14)),
        ((8, 14), (8, 9)),
        ((9, 8), (14, 8)),
        ((14, 7), (14, 7)),
        ((14, 6), (9, 6)),
        ((8, 5), (8, 0)),
        ((7, 0), (7, 0)),
        ((7, 1), (7, 5)),
        ((7, 6), (7, 6)),
    ]
    cells = [cell for line in lines for cell in _between(*line)]
    assert cells == [board.cell(RED, progress) for progress in range(board.HOME + 1)]


@pytest.mark.parametrize("seat", FOUR)
def test_l1_paths_are_quarter_turns_of_each_other(seat: int) -> None:
    for progress in range(board.HOME + 1):
        row, column = board.cell(RED, progress)
        for _ in range(seat):
            row, column = column, 14 - row
        assert board.cell(seat, progress) == (row, column)


def test_l1_a_shared_square_is_one_cell_and_private_ones_never_meet() -> None:
    shared: dict[int, set[tuple[int, int]]] = {}
    private: list[tuple[int, int]] = []
    for seat in FOUR:
        for progress in range(board.HOME + 1):
            square = board.SQUARES[seat][progress]
            if square == board.NOWHERE:
                private.append(board.cell(seat, progress))
            else:
                shared.setdefault(square, set()).add(board.cell(seat, progress))
    assert sorted(shared) == list(range(52))
    assert all(len(cells) == 1 for cells in shared.values())
    every = [cell for cells in shared.values() for cell in cells] + private
    assert len(every) == len(set(every)) == 52 + 4 * 6


def test_l1_bases_are_in_the_corners_beside_their_starts() -> None:
    for seat in FOUR:
        cells = {board.base_cell(seat, pawn) for pawn in range(board.PAWNS)}
        assert len(cells) == 4
        start = board.cell(seat, board.START)
        nearest = min(
            FOUR,
            key=lambda other: sum(
                abs(row - start[0]) + abs(column - start[1])
                for row, column in (board.base_cell(other, pawn) for pawn in range(board.PAWNS))
            ),
        )
        assert nearest == seat


@pytest.mark.parametrize("progress", [-1, 57])
def test_only_the_path_has_cells(progress: int) -> None:
    with pytest.raises(ValueError, match="path"):
        board.cell(RED, progress)


# ---- C02: the safe set, by landing on every square


@pytest.mark.parametrize(("mover", "other"), PAIRS)
def test_c02_each_shared_square_is_safe_or_captures(mover: int, other: int) -> None:
    for square in range(board.TRACK):
        own, theirs = progress_on(mover, square), progress_on(other, square)
        if not (1 <= own <= board.LAST_SHARED and theirs <= board.LAST_SHARED):
            continue  # not on both routes, or a start that is entered and not landed on
        match = Match(
            position(
                {mover: (own - 1, -1, -1, -1), other: (theirs, -1, -1, -1)}, seats=FOUR, turn=mover
            )
        )
        events = kinds(match.rolls(1))
        if square in SAFE:
            assert events == ["rolled", "pawn_moved", "turn_passed"], square
            assert match.state.pawns[other][0] == theirs
        else:
            assert events == ["rolled", "pawn_moved", "pawn_captured", "rolls_again"], square
            assert match.state.pawns[other] == (-1, -1, -1, -1)


@pytest.mark.parametrize("mover", FOUR)
def test_c02_entering_an_occupied_start_captures_nobody(mover: int) -> None:
    for other in FOUR:
        if other != mover:
            theirs = progress_on(other, board.STARTS[mover])
            match = Match(position({other: (theirs,) * 4}, seats=FOUR, turn=mover))
            assert kinds(match.rolls(6)) == ["rolled", "pawn_moved", "rolls_again"]
            assert match.state.pawns[other] == (theirs,) * 4


def test_c02_all_starts_and_stars_are_safe_with_two_players_too() -> None:
    for square in SAFE:
        own, theirs = progress_on(RED, square), progress_on(YELLOW, square)
        if own >= 1 and theirs <= board.LAST_SHARED:
            match = Match(position({RED: (own - 1, -1, -1, -1), YELLOW: (theirs, -1, -1, -1)}))
            assert "pawn_captured" not in kinds(match.rolls(1))
