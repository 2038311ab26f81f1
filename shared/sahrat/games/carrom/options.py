"""The options of a Carrom table (`rules.md` K7). The first value listed of each is its default.

Every option is a field of its own; a table that does not name it has the default. They stand in the
match's first event, and in the state: what an option changes is read off there.
"""

from __future__ import annotations

from typing import Any, Final, Literal, Self

from pydantic import ConfigDict, model_validator

from sahrat.games.forms import having
from sahrat.games.game import LimitedOptions

ALONE: Final = (3, 4)  # players that can only play everybody for himself
PARTNERS: Final = "2v2"
_SCHEMA: Final[dict[str, Any]] = {
    "allOf": [
        {"if": having(players=ALONE), "then": having(mode="points")},
        {"not": having(mode="points", players=PARTNERS)},
        {"not": having(mode="points", match=("best_of_3", "25_points", "29_points"))},
    ],
}
"""What `CarromOptions._fitting` says, for whoever fills in a form."""


class CarromOptions(LimitedOptions):
    """What differs from table to table."""

    model_config = ConfigDict(json_schema_extra=_SCHEMA)

    players: Literal[2, "2v2", 3, 4] = 2  # rules K4, K7
    mode: Literal["colours", "points"] = "colours"  # rule K7
    point_values: Literal["5_10_50", "5_10_25", "1_1_3", "10_20_50"] = "5_10_50"  # rule K7
    match: Literal["one_board", "best_of_3", "25_points", "29_points"] = "one_board"  # rule K7
    step_seconds: Literal[15, 10, 20, 30] = 15  # rule K7
    missed_limit: Literal["none", 3] = "none"  # rule K7
    queen: Literal["on", "off"] = "on"  # rule K7
    queen_after_first: Literal["on", "off"] = "on"  # rule K7
    coins_each: Literal[9, 6] = 9  # rule K7
    same_shot_cover: Literal["counts", "does_not_count"] = "counts"  # rule K7
    early_queen_turn: Literal["pass", "again"] = "pass"  # rule K7
    first_with_queen: Literal["covered", "must_cover", "returns"] = "covered"  # rule K7
    opponent_coin: Literal["stays_pass", "stays_fine", "returns"] = "stays_pass"  # rule K7
    striker_penalty: Literal[1, 0, 2] = 1  # rule K7
    striker_debt: Literal["none", "carried"] = "none"  # rule K7
    striker_with_own: Literal["pass", "keeps_turn"] = "pass"  # rule K7
    striker_with_opponent: Literal["returns", "stays"] = "returns"  # rule K7
    last_coin_early: Literal["return_foul", "lose_board"] = "return_foul"  # rule K7
    aim_guide: Literal["short", "none", "long"] = "short"  # rule K7
    back_shot: Literal["off", "on"] = "off"  # rule K7
    board_speed: Literal["normal", "slow", "fast"] = "normal"  # rule K7
    cut_moon: Literal["allowed", "forbidden"] = "allowed"  # rule K7
    break_tries: Literal[1, 3] = 1  # rule K7
    bot_level: Literal["normal", "easy", "hard"] = "normal"  # rule K8
    physics_version: Literal[1] = 1  # rule K3

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        """Refuse what does not go together."""
        points = self.mode == "points"
        if self.players in ALONE and not points:
            raise ValueError("players: there are two colours; three or four play for points (mode)")
        if points and self.players == PARTNERS:
            raise ValueError("mode: for points everybody plays alone, not with a partner")
        if points and self.match != "one_board":
            raise ValueError("match: for points a match is one board")
        return self
