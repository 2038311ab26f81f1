"""Which value of `players` seats so many at a table, by the game and its other options."""

from __future__ import annotations

from typing import Any

import pytest

from services.house.table import players_of


@pytest.mark.parametrize(
    ("game", "size", "options", "players"),
    [
        ("ludo", 3, {}, 3),
        ("pachisi", 4, {"teams": "on"}, 4),
        ("carrom", 2, {}, 2),
        ("carrom", 4, {}, "2v2"),
        ("carrom", 4, {"mode": "points"}, 4),
        ("carrom", 3, {"mode": "points"}, 3),
        pytest.param("carrom", 3, {}, 3, id="refused-by-the-game"),
        pytest.param("carrom", 5, {}, 5, id="too-many"),
        pytest.param("carrom", 4, {"mode": "teams"}, 4, id="no-such-mode"),
        pytest.param("chess", 2, {}, 2, id="no-such-game"),
    ],
)
def test_K4_so_many_seats(game: str, size: int, options: dict[str, Any], players: object) -> None:
    assert players_of(game, size, options) == players
