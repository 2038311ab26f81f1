"""The options of a Pachisi table (`rules.md` P5). The first value listed of each is its default.

Every option is a field of its own; a table that does not name it has the default. They stand in the
first event of a match, so the model never changes once matches were opened with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from sahrat.games.forms import having
from sahrat.games.game import LimitedOptions, Preset
from sahrat.games.pachisi import board

ON: Final = "on"
PAIRS: Final = 4  # rule P5.5: players that make two sides
BOTH_COLOURS: Final = 2  # rule P5.6: players that have two colours each
WITH_A_SECOND: Final = 3  # rule M.6: from so many players on the second wins coins too
SEVEN: Final = 7

PRESETS: Final[Mapping[str, Preset]] = MappingProxyType(
    {
        "six": MappingProxyType({}),
        "seven": MappingProxyType(
            {
                "cowries": SEVEN,
                "timing": "turn_end",
                "grace_use": "must_enter",
                "seven_needs_piece": ON,
                "cancel_three": ON,
                "pyada": ON,
            }
        ),
    }
)  # rule P5
_SCHEMA: Final[dict[str, Any]] = {
    "presets": {name: dict(preset) for name, preset in PRESETS.items()},
    "allOf": [
        {"if": having(teams=ON), "then": having(players=PAIRS)},
        {
            "if": having(two_colours=ON),
            "then": {"properties": {"players": {"const": BOTH_COLOURS}}},
        },
        {"if": having(six_up=35), "then": having(cowries=SEVEN)},
        {"if": having(recapture_void=("first", "any")), "then": having(capture_before_home=ON)},
        {"if": having(finished_partner="plays_partner"), "then": having(teams=ON)},
        {"if": having(last_square="pyada_only"), "then": having(pyada=ON)},
        {"not": having(last_square="pyada_only", pyada_unit="joined")},
    ],
}
"""What `PachisiOptions._fitting` says, for whoever fills in a form, and the presets."""


class PachisiOptions(LimitedOptions):
    """What differs between tables."""

    model_config = ConfigDict(json_schema_extra=_SCHEMA)
    presets: ClassVar[Mapping[str, Preset]] = PRESETS

    players: Literal[2, 3, 4] = Field(default=2, description="rule P5.1")
    cowries: Literal[6, 7] = Field(default=6, description="rule P5.2")
    six_up: Literal[30, 35] = Field(default=30, description="rule P5.3")
    schedule: Literal["standard", "murray"] = Field(default="standard", description="rule P5.4")
    teams: Literal["off", "on"] = Field(default="off", description="rule P5.5")
    two_colours: Literal["off", "on"] = Field(default="off", description="rule P5.6")
    finished_partner: Literal["skipped", "plays_partner"] = Field(
        default="skipped", description="rule P5.7"
    )
    start: Literal["highest_throw", "first_seat", "random"] = Field(
        default="highest_throw", description="rule P5.8"
    )
    timing: Literal["each_throw", "turn_end"] = Field(default="each_throw", description="rule P5.9")
    opening_gate: Literal["off", "on"] = Field(default="off", description="rule P5.10")
    throw_order: Literal["any", "as_thrown"] = Field(default="any", description="rule P5.11")
    grace_use: Literal["either", "must_enter", "bonus"] = Field(
        default="either", description="rule P5.12"
    )
    enter_on: Literal["table", "6_10_25", "10_25", "10_25_30"] = Field(
        default="table", description="rule P5.13"
    )
    first_piece: Literal["any_throw", "grace_only"] = Field(
        default="any_throw", description="rule P5.14"
    )
    seven_needs_piece: Literal["on", "off"] = Field(default="on", description="rule P5.15")
    may_decline: Literal["on", "off"] = Field(default="on", description="rule P5.16")
    pieces_per_throw: Literal["one", "split", "group"] = Field(
        default="one", description="rule P5.17"
    )
    overshoot_ends_turn: Literal["on", "off"] = Field(default="on", description="rule P5.18")
    own_stacking: Literal["everywhere", "castles_only"] = Field(
        default="everywhere", description="rule P5.19"
    )
    capture_bonus: Literal["on", "off"] = Field(default="on", description="rule P5.20")
    capture_before_home: Literal["off", "on"] = Field(default="off", description="rule P5.21")
    recapture_void: Literal["off", "first", "any"] = Field(default="off", description="rule P5.22")
    last_square: Literal["grace_exits", "no_stop", "pyada_only"] = Field(
        default="grace_exits", description="rule P5.23"
    )
    cancel_three: Literal["off", "on"] = Field(default="off", description="rule P5.24")
    after_cancel: Literal["throw_again", "end_turn"] = Field(
        default="throw_again", description="rule P5.25"
    )
    pyada: Literal["off", "on"] = Field(default="off", description="rule P5.26")
    pyada_unit: Literal["separate", "joined"] = Field(default="separate", description="rule P5.27")
    second_lap: Literal["off", "on"] = Field(default="off", description="rule P5.28")
    finish: Literal["places", "first_only"] = Field(default="places", description="rule P5.29")

    @model_validator(mode="before")
    @classmethod
    def _played_at_the_end(cls, values: object) -> object:
        """Let throws that can still be cancelled wait for the end of the turn (rule P5.24)."""
        if isinstance(values, Mapping) and values.get("cancel_three") == ON:
            return {**values, "timing": "turn_end"}
        return values

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        """Refuse what does not go together, whatever the entry is."""
        if self.teams == ON and self.players != PAIRS:
            raise ValueError(f"teams: two sides need {PAIRS} players")
        if self.two_colours == ON and self.players != BOTH_COLOURS:
            raise ValueError(f"two_colours: there are two for each of {BOTH_COLOURS} players")
        if self.six_up != board.TOP and self.cowries != SEVEN:
            raise ValueError(f"six_up: it needs {SEVEN} cowries")
        if self.recapture_void != "off" and self.capture_before_home != ON:
            raise ValueError(
                "recapture_void: a capture can only be taken away where capture_before_home counts "
                "them"
            )
        if self.finished_partner == "plays_partner" and self.teams != ON:
            raise ValueError("finished_partner: without teams nobody has a partner")
        if self.last_square == "pyada_only" and (self.pyada != ON or self.pyada_unit == "joined"):
            raise ValueError(
                "last_square: with pyada_only, and no pyada of its own, a piece on the last square "
                "could never come home, so that a match would have no end"
            )
        return self


def refused(options: PachisiOptions, entry_coins: int) -> str:
    """Return why there can be no such table; empty if there can. What is wrong at a free table too
    is no `PachisiOptions` in the first place.
    """
    singles = options.players >= WITH_A_SECOND and options.teams != ON
    if options.finish == "first_only" and entry_coins and singles:
        return "finish: a coin table of three or four pays its second place too"
    return ""
