"""The options of a Ludo table (`rules.md` L5). The first value listed of each is its default.

Every option is a field of its own; a table that does not name it has the default. A rules version
is a model here: its options stand in the first event of its matches, so a model never changes once
matches were opened with it.
"""

from __future__ import annotations

from typing import Any, Final, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from sahrat.games.forms import having
from sahrat.games.game import LimitedOptions, TableOptions

ON: Final = "on"
PAIRS: Final = 4  # rule L5.19: players that make two sides
WITH_A_SECOND: Final = 3  # rule M.6: from so many players on the second wins coins too


class LudoOptions1(TableOptions):
    """What differs between tables of `ludo/1`."""

    players: Literal[2, 4, 3] = 2  # rule L5.1


UNSAFE_STARTS: Final = ("stars", "none")  # rule L5.10
_SCHEMA: Final[dict[str, Any]] = {
    "allOf": [
        {"if": having(teams=ON), "then": having(players=PAIRS)},
        {"not": having(may_pass=ON, capture_before_home=ON)},
        {"not": having(block="two_block", capture_before_home=ON, safe=UNSAFE_STARTS)},
    ]
}
"""What `LudoOptions._fitting` says, for whoever fills in a form."""


class LudoOptions(LimitedOptions):
    """What differs between tables of `ludo/2`. The rules know these alone: a match of `ludo/1` is
    one in which all the others have their defaults.
    """

    model_config = ConfigDict(json_schema_extra=_SCHEMA)

    players: Literal[2, 4, 3] = Field(default=2, description="rule L5.1")
    entry_roll: Literal[6, "6_or_1", "any"] = Field(default=6, description="rule L5.2")
    six_again: Literal["on", "off"] = Field(default="on", description="rule L5.3")
    three_sixes: Literal["void_third", "rollback_turn", "off"] = Field(
        default="void_third", description="rule L5.4"
    )
    sixes_limit: Literal[3, 2, 4, 5] = Field(default=3, description="rule L5.5")
    capture_again: Literal["on", "off"] = Field(default="on", description="rule L5.6")
    home_again: Literal["on", "off"] = Field(default="on", description="rule L5.7")
    bonus_stack: Literal["one", "add_up"] = Field(default="one", description="rule L5.8")
    six_without_move: Literal["pass", "roll_again"] = Field(default="pass", description="rule L5.9")
    safe: Literal["starts+stars", "starts", "stars", "none"] = Field(
        default="starts+stars", description="rule L5.10"
    )
    block: Literal["off", "two_block"] = Field(default="off", description="rule L5.11")
    stack_capture: Literal["all", "protected"] = Field(default="all", description="rule L5.12")
    home_exact: Literal["exact", "overshoot_ok", "bounce"] = Field(
        default="exact", description="rule L5.13"
    )
    capture_before_home: Literal["off", "on"] = Field(default="off", description="rule L5.14")
    pawns_to_win: Literal[4, 1, 2, 3] = Field(default=4, description="rule L5.15")
    pawns_out: Literal[0, 1, 2, 4] = Field(default=0, description="rule L5.16")
    forced_capture: Literal["off", "on"] = Field(default="off", description="rule L5.17")
    may_pass: Literal["off", "on"] = Field(default="off", description="rule L5.18")
    teams: Literal["off", "on"] = Field(default="off", description="rule L5.19")
    finish: Literal["places", "first_only"] = Field(default="places", description="rule L5.20")
    start: Literal["red", "random", "highest_roll"] = Field(default="red", description="rule L5.21")

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        """Refuse what does not go together, whatever the entry is."""
        if self.teams == ON and self.players != PAIRS:
            raise ValueError(f"teams: two sides need {PAIRS} players")
        if self.may_pass == self.capture_before_home == ON:
            raise ValueError(
                "may_pass: with capture_before_home everybody could wait for ever, so that a "
                "match would have no end"
            )
        if (
            self.block == "two_block"
            and self.capture_before_home == ON
            and self.safe in UNSAFE_STARTS
        ):
            raise ValueError(
                "block: with capture_before_home, and starts that are not safe, a block on a start "
                "could stay for ever, so that a match would have no end"
            )
        return self


def refused(options: LudoOptions1 | LudoOptions, entry_coins: int) -> str:
    """Return why there can be no such table; empty if there can. What is wrong at a free table too
    is no `LudoOptions` in the first place.
    """
    first_only = isinstance(options, LudoOptions) and options.finish == "first_only"
    if first_only and entry_coins and options.players >= WITH_A_SECOND:
        return "finish: a coin table of three or four pays its second place too"
    return ""
