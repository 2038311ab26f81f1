"""The games. Everything here is pure.

A game is added by listing it here: the codecs, schemas and tests are made from the list. A version
stays listed for ever, so that its matches can be replayed; new matches use the newest.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from sahrat.games.carrom import CARROM
from sahrat.games.game import Game
from sahrat.games.ludo import LUDO, LUDO_1
from sahrat.games.pachisi import PACHISI

__all__ = ["GAMES", "Game", "current", "find", "get_ready"]

_LISTED: Final[tuple[Game, ...]] = (LUDO_1, LUDO, PACHISI, CARROM)
"""Of several versions of a game the newest stands last."""

GAMES: Final[Mapping[str, Game]] = MappingProxyType({game.rules: game for game in _LISTED})
"""By name and rules version: `ludo/1`."""
_CURRENT: Final[Mapping[str, Game]] = {game.name: game for game in _LISTED}


def find(rules: str) -> Game | None:
    """Return the game that a record or an opening names; None if this code does not know it."""
    return GAMES.get(rules)


def current(name: str) -> Game | None:
    """Return the version of a game that new matches are opened with."""
    return _CURRENT.get(name)


def get_ready() -> None:
    """Make this process compute what takes long as fast as it can; may take half a minute."""
    for game in GAMES.values():
        if game.heavy is not None:
            game.heavy.get_ready()
