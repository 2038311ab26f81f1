"""Shots by chance, the same for the same seed, and what is compared of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from hashlib import sha256
from struct import pack
from typing import Final

from sahrat.games.carrom import board
from sahrat.games.carrom.board import Place, Places
from sahrat.games.carrom.physics import PURE, Engine, Rest, Shot
from sahrat.games.carrom.physics.shots import BOARD, at_rest, placed

REST_UM: Final = 2 * board.COIN_RADIUS_UM
LOWEST_UM_S: Final = 300_000


def shots(count: int, seed: int) -> Iterator[Shot]:
    """Yield shots: one in eight a break, the others at 1 to 19 coins lying anywhere."""
    chance = random.Random(seed)
    for number in range(count):
        coins = board.RACK if number % 8 == 0 else scattered(chance, chance.randint(1, 19))
        yield shot_at(coins, chance)


def shot_at(coins: Places, chance: random.Random) -> Shot:
    """Return a forward shot at these coins, from a free place on the line."""
    while True:
        x = chance.randint(-board.LINE_HALF_UM, board.LINE_HALF_UM)
        if all(
            (x - left) ** 2 + (board.LINE_Y_UM - up) ** 2
            >= (board.STRIKER_RADIUS_UM + board.COIN_RADIUS_UM) ** 2
            for _, left, up in coins
        ):
            break
    return Shot(
        places=((board.STRIKER, x, board.LINE_Y_UM), *coins),
        dx=chance.randint(-500_000, 500_000),
        dy=chance.randint(1, 500_000),
        speed=chance.randint(LOWEST_UM_S, board.SPEED_LIMIT_UM_S),
    )


def scattered(chance: random.Random, count: int) -> Places:
    """Return so many coins, with ids by chance, that neither overlap nor lie in a pocket or on the
    whole of the line.
    """
    found: list[Place] = []
    for disc in sorted(chance.sample(range(board.QUEEN, board.DISCS), count)):
        while True:
            x, y = (chance.randint(-350_000, 350_000) for _ in range(2))
            clear = all((x - a) ** 2 + (y - b) ** 2 >= REST_UM**2 for _, a, b in found)
            if clear and abs(y - board.LINE_Y_UM) > REST_UM and not in_pocket(x, y):
                break
        found.append((disc, x, y))
    return tuple(found)


def in_pocket(x: int, y: int) -> bool:
    """Tell whether a centre is in a pocket's circle."""
    dx, dy = abs(x) - board.POCKET_UM, abs(y) - board.POCKET_UM
    return dx * dx + dy * dy <= board.POCKET_RADIUS_UM**2


def played(shot: Shot, engine: Engine = PURE, discs: int = board.DISCS) -> tuple[Rest, str]:
    """Return what came of a shot, and the SHA-256 over its doubles: every x by id, then every y."""
    ends = placed(shot, engine, discs)
    rest = at_rest(ends, engine.run(ends, BOARD))
    return rest, sha256(pack(f"<{2 * discs}d", *ends.x, *ends.y)).hexdigest()
