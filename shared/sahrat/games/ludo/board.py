"""The Ludo board: every number of the game once, with its rule (`rules.md` L1 to L6).

A pawn's place is its progress: -1 in the base, 0 on the own start, 0..50 on the shared track,
51..55 in the own home column, 56 home. Shared squares have numbers too, 0..51 clockwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

FACES: Final = 6  # rule L2: one die
AGAIN_ROLL: Final = 6  # rule L2.6: what brings another roll by itself
ENTRY_ROLLS: Final[Mapping[str | int, frozenset[int]]] = MappingProxyType(
    {6: frozenset({6}), "6_or_1": frozenset({1, 6}), "any": frozenset(range(1, FACES + 1))}
)  # rule L5 `entry_roll`: what brings a pawn out of the base

PAWNS: Final = 4  # rule L1
SEATS: Final = 4  # rule L1: red, green, yellow, blue
SEATS_BY_PLAYERS: Final[Mapping[int, tuple[int, ...]]] = MappingProxyType(
    {2: (0, 2), 3: (0, 1, 2), 4: (0, 1, 2, 3)}
)  # rule L5 `players`: two sit opposite
SIDES: Final = ((0, 2), (1, 3))  # rule L5 `teams`: partners sit opposite
START_ROUNDS: Final = 20  # rule L6: who still shares the highest roll then starts by seat

TRACK: Final = 52  # rule L1: shared squares
ARM: Final = 13  # rule L1: shared squares from one start to the next
STAR: Final = 8  # rule L1: a star lies this far after each start

BASE: Final = -1  # rule L1
START: Final = 0  # rule L1: where a pawn enters
LAST_SHARED: Final = 50  # rule L1: the tip; relative 51 is never used by its own colour
COLUMN: Final = 5  # rule L1: squares of a home column
HOME: Final = 56  # rule L1
LAP: Final = LAST_SHARED + 1  # rule L5 `capture_before_home`: from the tip round to the own start
STACK: Final = 2  # rule L5 `block`, `stack_capture`: so many pawns of one colour hold together

STARTS: Final = tuple(seat * ARM for seat in range(SEATS))
STARS: Final = tuple(start + STAR for start in STARTS)
SAFE: Final[Mapping[str, frozenset[int]]] = MappingProxyType(
    {
        "starts+stars": frozenset({*STARTS, *STARS}),
        "starts": frozenset(STARTS),
        "stars": frozenset(STARS),
        "none": frozenset(),
    }
)  # rule L5 `safe`

NOWHERE: Final = -1
SQUARES: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(
        (start + progress) % TRACK if progress <= LAST_SHARED else NOWHERE
        for progress in range(HOME + 1)
    )
    for start in STARTS
)
"""The shared square by seat and progress 0..56; `NOWHERE` in the column and at home, which are
private. A base has no entry: -1 is not a place on the track."""

# ---- drawing (rule L1): 15 rows and columns, (0, 0) top left, red's base there

GRID: Final = 15
_CORNERS: Final = (
    (6, 1),
    (6, 5),
    (5, 6),
    (0, 6),
    (0, 8),
    (5, 8),
    (6, 9),
    (6, 14),
    (8, 14),
    (8, 9),
    (9, 8),
    (14, 8),
    (14, 6),
    (9, 6),
    (8, 5),
    (8, 0),
    (7, 0),
    (7, 6),
)
"""Where red's path turns; between two of them it runs straight, or steps over a corner."""
_BASE_CELLS: Final = ((1, 1), (1, 4), (4, 1), (4, 4))


def _red_path() -> tuple[tuple[int, int], ...]:
    path = [_CORNERS[0]]
    for corner in _CORNERS[1:]:
        while path[-1] != corner:
            row, column = path[-1]
            path.append((row + _sign(corner[0] - row), column + _sign(corner[1] - column)))
    return tuple(path)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _turned(cell: tuple[int, int], quarters: int) -> tuple[int, int]:
    for _ in range(quarters):
        cell = cell[1], GRID - 1 - cell[0]
    return cell


_PATHS: Final = tuple(tuple(_turned(cell, seat) for cell in _red_path()) for seat in range(SEATS))


def cell(seat: int, progress: int) -> tuple[int, int]:
    """Return (row, column) of a place on a seat's path, progress 0..56.

    Raises:
        ValueError: The progress is not on the path; for a pawn in the base see `base_cell`.
    """
    if not START <= progress <= HOME:
        raise ValueError(f"progress {progress} is not on the path")
    return _PATHS[seat][progress]


def base_cell(seat: int, pawn: int) -> tuple[int, int]:
    """Return (row, column) of a pawn's own place in its base."""
    return _turned(_BASE_CELLS[pawn], seat)


# ---- the numbers fit each other

assert TRACK == SEATS * ARM
assert LAST_SHARED + 1 + COLUMN == HOME
assert LAST_SHARED == TRACK - 2  # one square behind the own start stays unused
assert START == BASE + 1
assert all(square < TRACK for squares in SAFE.values() for square in squares)
assert 0 < STAR < ARM
assert all(AGAIN_ROLL in rolls for rolls in ENTRY_ROLLS.values())
assert AGAIN_ROLL <= FACES
assert sorted(seat for side in SIDES for seat in side) == list(range(SEATS))
assert all(len(path) == HOME + 1 == len(set(path)) for path in _PATHS)
assert all(
    _PATHS[0][square] == _PATHS[seat][(square - start) % TRACK]
    for seat, start in enumerate(STARTS)
    for square in range(LAST_SHARED + 1)
    if (square - start) % TRACK <= LAST_SHARED
)  # one shared square is one cell, whoever stands there
assert all(seats == tuple(sorted(set(seats))) for seats in SEATS_BY_PLAYERS.values())
