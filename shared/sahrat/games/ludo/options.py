"""The options of a Ludo table (`rules.md` L5). The first value listed of each is its default.

Every option is a field of its own; a table that does not name it has the default.
"""

from __future__ import annotations

from typing import Literal

from sahrat.games.game import TableOptions


class LudoOptions(TableOptions):
    """What differs from table to table."""

    players: Literal[2, 4, 3] = 2  # rule L5
