"""The Carrom board: every number of the game once, with its rule (`rules.md` K1 to K8).

Lengths are whole micrometres from the board's centre, x to the right and y away from the south
player. Discs have ids: 0 the striker, 1 the queen, 2 to 19 the coins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Literal

Place = tuple[int, int, int]
"""A disc that is on the board: its id, x and y."""
Places = tuple[Place, ...]
"""All that are on the board, ascending by id."""

# ---- rule K1: what there is to play with

HALF_UM: Final = 370_000  # from the centre to a cushion
POCKET_RADIUS_UM: Final = 22_250
POCKET_UM: Final = HALF_UM - POCKET_RADIUS_UM  # |x| and |y| of a pocket's centre
COIN_RADIUS_UM: Final = 15_900  # the queen's too
COIN_MG: Final = 5_500
STRIKER_RADIUS_UM: Final = 20_650
STRIKER_MG: Final = 15_000
LINE_Y_UM: Final = -252_600  # where the striker's centre stands, in the shooter's frame ..
LINE_HALF_UM: Final = 219_100  # .. and how far from the middle at the most
MOON_UM: Final = (185_750, 211_150)  # rule K7: between them it lies on the red of a base circle

STRIKER: Final = 0
QUEEN: Final = 1
FIRST_COIN: Final = 2
DISCS: Final = 20
COINS_EACH: Final = 9

WHITE: Final = 0
BLACK: Final = 1
COLOURS: Final = (WHITE, BLACK)
COLOUR_NAMES: Final[tuple[Literal["white", "black"], ...]] = ("white", "black")

# ---- rule K2: the opening layout, in the breaker's frame

_RACK_UM: Final = (
    (0, 0),
    (0, 31801),
    (-27540, 15900),
    (-27540, -15901),
    (0, -31801),
    (27540, -15901),
    (27540, 15900),
    (0, 63602),
    (-27540, 47702),
    (-55081, 31801),
    (-55081, 0),
    (-55081, -31801),
    (-27540, -47702),
    (0, -63602),
    (27540, -47702),
    (55081, -31801),
    (55081, 0),
    (55081, 31801),
    (27540, 47702),
)
RACK: Final[Places] = tuple((disc, x, y) for disc, (x, y) in enumerate(_RACK_UM, QUEEN))

_RING: Final = FIRST_COIN + 6  # the first coin of the outer ring
WHITES: Final = (3, 5, 7, *range(_RING, DISCS, 2))
BLACKS: Final = (2, 4, 6, *range(_RING + 1, DISCS, 2))
COINS: Final = (WHITES, BLACKS)
"""The coins' ids by colour, ascending."""
LEFT_OUT: Final[Mapping[int, tuple[int, ...]]] = MappingProxyType(
    {COINS_EACH: (), 6: (8, 11, 12, 15, 16, 19)}
)
"""Rule K7: the coins that are not played with, by how many each colour has."""

# ---- rule K3: how discs move, and how far anybody may go (`physics`)

FRICTION_PERCENT: Final = 12
FRICTIONS_PERCENT: Final[Mapping[str, int]] = MappingProxyType(  # rule K7: `board_speed`
    {"normal": FRICTION_PERCENT, "slow": 16, "fast": 9}
)
GRAVITY_UM_S2: Final = 9_806_650
DISC_BOUNCE_PERCENT: Final = 90  # of the speed at which two discs meet, they part with
CUSHION_BOUNCE_PERCENT: Final = 75
BOUNCE_LEAST_PERCENT: Final = 50  # below it impacts may pile up without end
SPEED_UM_S: Final = (1, 6_000_000)  # rule K8: of a shot in play, least and most
SPEED_LIMIT_UM_S: Final = 8_000_000  # what the physics is sound for
DIRECTION_LIMIT: Final = 1_000_000  # so that dx*dx + dy*dy is exact in a double

STEPS_A_SECOND: Final = 256
STEPS_LIMIT: Final = 20_000
IMPACTS_THAT_BOUNCE: Final = 2_000  # in one step; those after it take all speed of the approach
IMPACTS_LIMIT: Final = 4_000  # in one step; then all stop
TOUCH_NM: Final = 1  # discs as near as that touch: what they do is decided by their speeds
APPROACH_UM_S: Final = 1  # slower than that touching discs do not approach

# ---- rule K4: seats

SOUTH, EAST, NORTH, WEST = range(4)
SEATS: Final = 4
SEATS_BY_PLAYERS: Final[Mapping[int | str, tuple[int, ...]]] = MappingProxyType(
    {
        2: (SOUTH, NORTH),
        "2v2": (SOUTH, EAST, NORTH, WEST),
        3: (SOUTH, EAST, NORTH),
        4: (SOUTH, EAST, NORTH, WEST),
    }
)

# ---- rule K7: what is played for

POINTS: Final[Mapping[str, tuple[int, int, int]]] = MappingProxyType(  # black, white, queen
    {"5_10_50": (5, 10, 50), "5_10_25": (5, 10, 25), "1_1_3": (1, 1, 3), "10_20_50": (10, 20, 50)}
)
SCORES: Final[Mapping[str, int]] = MappingProxyType(  # that win a match of several boards
    {"best_of_3": 2, "25_points": 25, "29_points": 29}
)
QUEEN_POINTS: Final[Mapping[str, int]] = MappingProxyType({"25_points": 3, "29_points": 5})
QUEEN_UNTIL: Final[Mapping[str, int | None]] = MappingProxyType(  # with that score she brings none
    {"25_points": 22, "29_points": None}
)
BOARDS: Final = 8  # then the higher score has won

# ---- rule K5, K8: what goes back, and what is played for an absent player

SPOT_RING_UM: Final = 7_950  # from one ring of spots to the next
SPOT_DIRECTIONS: Final = (
    (0, 1_000_000),
    (258_819, 965_926),
    (500_000, 866_025),
    (707_107, 707_107),
    (866_025, 500_000),
    (965_926, 258_819),
)
"""Unit vectors in millionths, clockwise by 15 degrees; the other quarters are these turned."""
WEAK_GRID_UM: Final = 1_000
WEAK_SPEED_UM_S: Final = 2_400_000


def turned(places: Iterable[Place], quarters: int) -> Places:
    """Return places turned clockwise about the centre: into a seat's frame by its number of
    quarters (south 0, east 1, north 2, west 3), and back by the rest of four.
    """
    found = tuple(places)
    for _ in range(quarters % 4):
        found = tuple((disc, y, -x) for disc, x, y in found)
    return found


# ---- the numbers fit each other

assert DISCS == FIRST_COIN + 2 * COINS_EACH == len(RACK) + 1
assert sorted((*WHITES, *BLACKS)) == list(range(FIRST_COIN, DISCS))
assert len(WHITES) == len(BLACKS) == COINS_EACH
assert all(
    len([coin for coin in coins if coin not in left]) == each
    for each, left in LEFT_OUT.items()
    for coins in COINS
)
assert all(
    (x - left) ** 2 + (y - up) ** 2 >= (2 * COIN_RADIUS_UM) ** 2
    for number, (_, x, y) in enumerate(RACK)
    for _, left, up in RACK[:number]
)
assert LINE_HALF_UM + STRIKER_RADIUS_UM < HALF_UM
assert MOON_UM[0] < MOON_UM[1] < LINE_HALF_UM
assert HALF_UM + LINE_Y_UM > STRIKER_RADIUS_UM
assert SPEED_UM_S[1] <= SPEED_LIMIT_UM_S
assert LINE_HALF_UM + HALF_UM <= DIRECTION_LIMIT  # a weak shot may aim at any coin
assert BOUNCE_LEAST_PERCENT <= CUSHION_BOUNCE_PERCENT <= DISC_BOUNCE_PERCENT
