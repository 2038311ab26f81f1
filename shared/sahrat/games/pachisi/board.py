"""The Pachisi board and its cowries: every number of the game once, with its rule (`rules.md` P1 to
P8).

A piece's place is its progress along its own path: 0 in the Charkoni, 1..7 going out through the
own middle column, 8 the own tip, 9..75 round the board, 76 the own tip again, 77..83 coming home
through the own column, 84 home. Shared squares have numbers too, 0..67 counter-clockwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

PIECES: Final = 4  # rule P3
SEATS: Final = 4  # rule P1: south, east, north, west
SEATS_BY_PLAYERS: Final[Mapping[int, tuple[int, ...]]] = MappingProxyType(
    {2: (0, 2), 3: (0, 1, 2), 4: (0, 1, 2, 3)}
)  # rule P3: two sit opposite
SIDES: Final = ((0, 2), (1, 3))  # rules P5.5, P5.6: partners, and colours of one player, opposite
START_ROUNDS: Final = 20  # rule P6: who still shares the highest throw then starts by seat
THROWS_STOP: Final = 100  # rule P6: with so many parts of throws open nobody throws on
OPEN_LIMIT: Final = THROWS_STOP + 2  # a throw adds up to three

SQUARES_IN_ALL: Final = 96  # rule P1: four arms of three columns with eight squares
TRACK: Final = 68  # rule P1: shared squares
ARM: Final = 17  # rule P1: shared squares from one tip to the next
CASTLE_OFFSETS: Final = (0, 4, 13)  # rule P1: from a tip; itself, and both 4th squares from a tip

CHARKONI: Final = 0  # rule P1: not entered yet, or captured
ENTRY: Final = 1  # rule P4.2: where a grace brings a piece
TIP: Final = 8  # rule P1: the own tip, going out
RETURN: Final = 76  # rule P1: the same square, coming home
LAST: Final = 83  # rule P4.10: no throw is a one, so a piece here can't go home by its value
HOME: Final = 84  # rule P1
LAP: Final = RETURN - TIP  # rules P5.21, P5.28: what a piece goes round once more

NOWHERE: Final = -1
SQUARES: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(
        (progress - TIP + ARM * seat) % TRACK if TIP <= progress <= RETURN else NOWHERE
        for progress in range(HOME + 1)
    )
    for seat in range(SEATS)
)
"""The shared square by seat and progress; `NOWHERE` in the Charkoni and in the column, which are
private."""
CASTLES: Final = frozenset(
    ARM * arm + offset for arm in range(SEATS) for offset in CASTLE_OFFSETS
)  # rule P1

# ---- cowries (rule P2): what so many mouths up are worth, from none on

THROWS: Final[Mapping[tuple[int, str], tuple[int, ...]]] = MappingProxyType(
    {
        (6, "standard"): (25, 10, 2, 3, 4, 5, 6),
        (7, "standard"): (7, 10, 2, 3, 4, 25, 30, 14),
        (6, "murray"): (6, 10, 2, 3, 4, 25, 12),
        (7, "murray"): (6, 10, 2, 3, 4, 25, 30, 12),
    }
)
TOP: Final = 30  # rule P5.3: what `six_up` replaces
TOPS: Final = (30, 35)
PLAIN_THROWS: Final = frozenset({2, 3, 4, 5})  # rule P2: after these nobody throws again
GATE_THROWS: Final = frozenset({2, 3, 4})  # rule P5.10
ENTERING: Final[Mapping[str, frozenset[int]]] = MappingProxyType(
    {
        "6_10_25": frozenset({6, 10, 25}),
        "10_25": frozenset({10, 25}),
        "10_25_30": frozenset({10, 25, *TOPS}),
    }
)  # rule P5.13
TABLE_ENTERING: Final[Mapping[tuple[int, str], str]] = MappingProxyType(
    {
        (6, "standard"): "6_10_25",
        (7, "standard"): "10_25_30",
        (6, "murray"): "10_25_30",
        (7, "murray"): "10_25_30",
    }
)  # rule P2
NEED_A_PIECE: Final = frozenset({7, 14})  # rule P5.15
HIGH: Final = frozenset({10, 25, *TOPS})  # rules P5.24, P5.26
Run = Literal["", "high", "seven", "fourteen"]
RUNS: Final[Mapping[int, Run]] = MappingProxyType(
    {10: "high", 25: "high", 30: "high", 35: "high", 7: "seven", 14: "fourteen"}
)  # rule P5.24: throws that a third one of their kind makes void
RUN_LIMIT: Final = 3  # rule P5.24
PYADA: Final = 1  # rule P5.26
STEPS_LIMIT: Final = max(TOPS) + PYADA  # the most that one throw can move

# ---- drawing (rule P1): 19 x 19, x east and y north from the middle of the Charkoni

REACH: Final = 9
_CORNERS: Final = (
    (0, -2),
    (0, -9),
    (1, -9),
    (1, -2),
    (2, -1),
    (9, -1),
    (9, 1),
    (2, 1),
    (1, 2),
    (1, 9),
    (-1, 9),
    (-1, 2),
    (-2, 1),
    (-9, 1),
    (-9, -1),
    (-2, -1),
    (-1, -2),
    (-1, -9),
    (0, -9),
    (0, -2),
)
"""Where the south player's path turns, from square 1 to square 83."""


def _south_path() -> tuple[tuple[int, int], ...]:
    path = [_CORNERS[0]]
    for x_to, y_to in _CORNERS[1:]:
        while path[-1] != (x_to, y_to):
            x, y = path[-1]
            path.append((x + _sign(x_to - x), y + _sign(y_to - y)))
    return tuple(path)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _turned(cell: tuple[int, int], quarters: int) -> tuple[int, int]:
    for _ in range(quarters):
        cell = -cell[1], cell[0]
    return cell


_PATHS: Final = tuple(tuple(_turned(cell, seat) for cell in _south_path()) for seat in range(SEATS))


def cell(seat: int, progress: int) -> tuple[int, int]:
    """Return (x, y) of a place on a seat's path, progress 1..83; the Charkoni is in the middle.

    Raises:
        ValueError: The progress is not on the path.
    """
    if not ENTRY <= progress <= LAST:
        raise ValueError(f"progress {progress} is not on the path")
    return _PATHS[seat][progress - ENTRY]


# ---- the numbers fit each other

assert TRACK == SEATS * ARM == LAP
assert HOME - RETURN == TIP == LAST - RETURN + 1  # out and home through the same squares
assert len(CASTLES) == SEATS * len(CASTLE_OFFSETS)
assert all(len(path) == LAST for path in _PATHS)
assert all(path[:TIP] == path[RETURN - 1 :][::-1] for path in _PATHS)
assert max(max(abs(x), abs(y)) for path in _PATHS for x, y in path) == REACH
assert len({cell for path in _PATHS for cell in path}) == SQUARES_IN_ALL
assert len({(SQUARES[s][p], cell(s, p)) for s in range(SEATS) for p in range(TIP, RETURN + 1)}) == (
    TRACK
)  # one shared square is one cell, whoever stands there
assert all(len(values) == cowries + 1 for (cowries, _), values in THROWS.items())
assert all(1 not in values for values in THROWS.values())
assert all(value in RUNS for value in HIGH)
assert not PLAIN_THROWS & (HIGH | NEED_A_PIECE)
assert sorted(seat for side in SIDES for seat in side) == list(range(SEATS))
assert all(seats == tuple(sorted(set(seats))) for seats in SEATS_BY_PLAYERS.values())
