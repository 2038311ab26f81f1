"""Processes of an older version of this program, which know no game's newest rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from sahrat import games
from sahrat.games.game import Game

OLD: Final[ContextVar[bool]] = ContextVar("old", default=False)
"""Whether the process that a task belongs to is of the older version."""


@contextmanager
def versions() -> Iterator[None]:
    """Let each process know the rules that its version knows, for a while."""
    find, current = games.find, games.current
    several = Counter(game.name for game in games.GAMES.values())
    newest = {game.rules for game in games.GAMES.values() if current(game.name) is game}
    unknown = {rules for rules in newest if several[rules.partition("/")[0]] > 1}
    older = {game.name: game for game in games.GAMES.values() if game.rules not in unknown}

    def find_here(rules: str) -> Game | None:
        return None if OLD.get() and rules in unknown else find(rules)

    def current_here(name: str) -> Game | None:
        return older.get(name) if OLD.get() else current(name)

    vars(games).update(find=find_here, current=current_here)
    try:
        yield
    finally:
        vars(games).update(find=find, current=current)
