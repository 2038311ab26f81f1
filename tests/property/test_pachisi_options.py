"""Every value of every option of Pachisi, and every two together: such matches end, or such a table
is refused when it is opened.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import jsonschema
import pytest
from pydantic import ValidationError

from sahrat.games.pachisi import PACHISI
from sahrat.games.pachisi.options import PachisiOptions
from tests.property.option_tables import Values
from tests.property.pachisi_compare import compare
from tests.property.pachisi_play import STEPS_BOUND, as_bots, at_random, options_of, play
from tests.property.pachisi_tables import TABLES

TIMES: Final = 50
SHARES: Final = 8
COVERING: Final = TABLES.covering
MIXED: Final = list(TABLES.dealt(TIMES, seed=1, others=COVERING))


def test_each_value_is_played_fifty_times() -> None:
    seen = Counter(item for table in [*MIXED, *COVERING] for item in table.items())
    for name, values in TABLES.board.items():
        for value in values:
            assert seen[name, value] >= TIMES, (name, value)


@pytest.mark.parametrize("share", range(SHARES))
def test_matches_of_all_values_mixed_end(share: int) -> None:
    """Some are played by bots alone, and some have leavers."""
    for number in range(share, len(MIXED), SHARES):
        who = as_bots if number % 8 == 0 else at_random
        play(options_of(MIXED[number]), number, who, leaving=0.004 * (number % 4 > 0))


@pytest.mark.parametrize("number", range(len(COVERING)))
def test_every_two_values_together_are_what_the_oracle_says(number: int) -> None:
    values = {name: value for name, value in COVERING[number].items() if name in TABLES.board}
    leaving = 0.001 * (number % 2)
    played = compare(values, number, leaving=leaving, wild=0.02, steps=STEPS_BOUND)
    assert PACHISI.awaited(played.state) is None


_SIDES: Final = "teams: two sides need 4 players"
_COLOURS: Final = "two_colours: there are two for each of 2 players"
_TOP: Final = "six_up: it needs 7 cowries"
_UNCOUNTED: Final = (
    "recapture_void: a capture can only be taken away where capture_before_home counts them"
)
_NO_PARTNER: Final = "finished_partner: without teams nobody has a partner"
_LOCKED: Final = (
    "last_square: with pyada_only, and no pyada of its own, a piece on the last square could never "
    "come home, so that a match would have no end"
)
FORBIDDEN: Final = {
    frozenset({("teams", "on"), ("players", 2)}): _SIDES,
    frozenset({("teams", "on"), ("players", 3)}): _SIDES,
    frozenset({("teams", "on"), ("two_colours", "on")}): _SIDES,
    frozenset({("two_colours", "on"), ("players", 3)}): _COLOURS,
    frozenset({("two_colours", "on"), ("players", 4)}): _COLOURS,
    frozenset({("six_up", 35), ("cowries", 6)}): _TOP,
    frozenset({("recapture_void", "first"), ("capture_before_home", "off")}): _UNCOUNTED,
    frozenset({("recapture_void", "any"), ("capture_before_home", "off")}): _UNCOUNTED,
    frozenset({("finished_partner", "plays_partner"), ("teams", "off")}): _NO_PARTNER,
    frozenset({("finished_partner", "plays_partner"), ("players", 2)}): _NO_PARTNER,
    frozenset({("finished_partner", "plays_partner"), ("players", 3)}): _NO_PARTNER,
    frozenset({("finished_partner", "plays_partner"), ("two_colours", "on")}): _NO_PARTNER,
    frozenset({("last_square", "pyada_only"), ("pyada", "off")}): _LOCKED,
    frozenset({("last_square", "pyada_only"), ("pyada_unit", "joined")}): _LOCKED,
}


def test_every_two_values_are_played_together_or_refused_with_the_reason() -> None:
    played = {
        frozenset({one, other})
        for row in COVERING
        for one in row.items()
        for other in row.items()
        if one != other
    }
    refused = [pair for pair in TABLES.pairs() if pair not in played]
    assert set(refused) == set(FORBIDDEN)
    for pair in refused:
        with pytest.raises(ValidationError) as wrong:
            PachisiOptions.model_validate(dict(pair))
        (problem,) = wrong.value.errors()
        assert str(problem["ctx"]["error"]) == FORBIDDEN[pair]


def test_p5_24_throws_that_can_be_cancelled_wait_for_the_turn_s_end() -> None:
    for said in ({}, {"timing": "each_throw"}, {"timing": "turn_end"}):
        assert options_of({"cancel_three": "on", **said}).timing == "turn_end"
    whole = PachisiOptions.model_validate_json(b'{"cancel_three":"on"}')
    assert whole.timing == "turn_end"
    assert PachisiOptions.model_validate(whole.model_dump()) == whole


def test_p5_29_only_the_first_place_is_no_prize_for_the_second() -> None:
    for players, teams in ((2, "off"), (3, "off"), (4, "off"), (4, "on")):
        for finish in ("places", "first_only"):
            options = options_of({"players": players, "teams": teams, "finish": finish})
            assert PACHISI.refused(options, entry_coins=0) == ""
            refused = PACHISI.refused(options, entry_coins=10)
            single = players > 2 and teams == "off"
            assert bool(refused) == (finish == "first_only" and single)
            assert not refused or refused.startswith("finish: ")


def test_the_published_schema_takes_and_refuses_what_the_model_does() -> None:
    judge = jsonschema.Draft202012Validator(PachisiOptions.model_json_schema())
    tables: list[Values] = [dict(pair) for pair in TABLES.pairs()]
    tables += [*COVERING, {}, {"dice": 2}, {"teams": True}, {"players": 5}]
    tables += [dict(preset) for preset in PachisiOptions.presets.values()]
    for table in tables:
        try:
            PachisiOptions.model_validate(table)
        except ValidationError:
            assert not judge.is_valid(table), table
        else:
            assert judge.is_valid(table), table


def test_the_published_schema_has_each_option_with_its_rule_and_its_default_first() -> None:
    shown: dict[str, Any] = PachisiOptions.model_json_schema()["properties"]
    assert list(shown) == list(TABLES.all)
    for name, option in shown.items():
        assert option["default"] == option["enum"][0] == TABLES.all[name][0]
    numbers = [option["description"] for name, option in shown.items() if name in TABLES.board]
    assert numbers == [f"rule P5.{number}" for number in range(1, len(TABLES.board) + 1)]


def test_presets_are_tables_that_can_be_opened() -> None:
    assert list(PachisiOptions.presets) == ["six", "seven"]
    assert PachisiOptions.model_json_schema()["presets"] == PachisiOptions.presets
    assert options_of(PachisiOptions.presets["six"]) == PachisiOptions()
    seven = options_of(PachisiOptions.presets["seven"])
    assert seven.model_dump(exclude_defaults=True) == {
        "cowries": 7,
        "timing": "turn_end",
        "grace_use": "must_enter",
        "cancel_three": "on",
        "pyada": "on",
    }
