"""The options of a Ludo table (`rules.md` L5). The first value listed of each is its default.

Every option is a field of its own; a table that does not name it has the default. A rules version
is a model here: its options stand in the first event of its matches, so a model never changes once
matches were opened with it.
"""

from __future__ import annotations

from typing import Literal

from sahrat.games.game import TableOptions


class LudoOptions1(TableOptions):
    """What differs between tables of `ludo/1`."""

    players: Literal[2, 4, 3] = 2  # rule L5


class LudoOptions(LudoOptions1):
    """What differs between tables of `ludo/2`. The rules know these alone: a match of `ludo/1` is
    one in which all the others have their defaults.
    """

    pawns_to_win: Literal[4, 1, 2, 3] = 4  # rule L5
