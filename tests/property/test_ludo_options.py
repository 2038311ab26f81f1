"""Every value of every option of Ludo, and every two together: such matches end, or such a table is
refused when it is opened.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import jsonschema
import pytest
from pydantic import ValidationError

from sahrat.games.ludo import LUDO
from sahrat.games.ludo.options import LudoOptions
from tests.property.ludo_play import (
    STEPS_BOUND,
    as_bots,
    at_random,
    compare,
    options_of,
    play,
)
from tests.property.ludo_tables import TABLES
from tests.property.option_tables import Values

TIMES: Final = 50
PLAIN: Final = 6  # of them with all other options at their default, the rest short and mixed
SHORT: Final = "pawns_to_win"
SHARES: Final = 8
COVERING: Final = TABLES.covering
MIXED: Final = list(TABLES.dealt(TIMES - PLAIN, seed=1, pawns_to_win=1))


def _tables(name: str, value: Any) -> list[Values]:
    """Return the tables at which a value is played alone. Where it is the default that is the same
    table for all options, and played fifty times.
    """
    times = TIMES if name == SHORT or value == TABLES.board[name][0] else PLAIN
    others = {"players": 4} if (name, value) == ("teams", "on") else {}
    return [{**others, name: value}] * times


def test_each_value_is_played_fifty_times() -> None:
    seen = Counter(item for table in MIXED for item in table.items())
    for name, values in TABLES.board.items():
        for value in values:
            alone = len(_tables(name, value))
            assert alone + (seen[name, value] if name != SHORT else 0) >= TIMES, (name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [(SHORT, TABLES.board[SHORT][0])]
    + [(name, value) for name, values in TABLES.board.items() for value in values[1:]],
)
def test_matches_of_each_value_end_and_refold(name: str, value: Any) -> None:
    for number, table in enumerate(_tables(name, value)):
        player = as_bots if number % 4 == 0 else at_random
        played = play(options_of(table), f"{name} {value} {number}", player)
        assert played.options.start != "red" or played.first.turn == played.state.seats[0]


@pytest.mark.parametrize("share", range(SHARES))
def test_matches_of_all_values_mixed_end_and_refold(share: int) -> None:
    """Some have leavers."""
    for number in range(share, len(MIXED), SHARES):
        player = as_bots if number % 4 == 0 else at_random
        play(options_of(MIXED[number]), number, player, leaving=0.005 * (number % 2))


@pytest.mark.parametrize("number", range(len(COVERING)))
def test_every_two_values_together_are_what_the_oracle_says(number: int) -> None:
    values = {name: value for name, value in COVERING[number].items() if name in TABLES.board}
    played = compare(values, number, leaving=0.001 * (number % 2), wild=0.02)
    assert played.steps < STEPS_BOUND


FORBIDDEN: Final = {
    frozenset({("teams", "on"), ("players", 2)}): "teams: two sides need 4 players",
    frozenset({("teams", "on"), ("players", 3)}): "teams: two sides need 4 players",
    frozenset({("may_pass", "on"), ("capture_before_home", "on")}): (
        "may_pass: with capture_before_home everybody could wait for ever, so that a match would "
        "have no end"
    ),
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
    assert sorted(map(sorted, refused)) == sorted(map(sorted, FORBIDDEN))
    for pair in refused:
        with pytest.raises(ValidationError) as wrong:
            LudoOptions.model_validate(dict(pair))
        (problem,) = wrong.value.errors()
        assert str(problem["ctx"]["error"]) == FORBIDDEN[pair]


def test_l5_20_only_the_first_place_is_no_prize_for_the_second() -> None:
    for players in (2, 3, 4):
        for finish in ("places", "first_only"):
            options = options_of({"players": players, "finish": finish})
            assert LUDO.refused(options, entry_coins=0) == ""
            refused = LUDO.refused(options, entry_coins=10)
            assert bool(refused) == (finish == "first_only" and players > 2)
            assert not refused or refused.startswith("finish: ")


def test_the_published_schema_takes_and_refuses_what_the_model_does() -> None:
    schema = LudoOptions.model_json_schema()
    judge = jsonschema.Draft202012Validator(schema)
    tables: list[Values] = [dict(pair) for pair in TABLES.pairs()]
    tables += [*COVERING, {}, {"dice": 2}, {"time_match": "off"}, {"teams": True}, {"players": 5}]
    for table in tables:
        try:
            LudoOptions.model_validate(table)
        except ValidationError:
            assert not judge.is_valid(table), table
        else:
            assert judge.is_valid(table), table


def test_the_published_schema_has_each_option_with_its_rule_and_its_default_first() -> None:
    shown: dict[str, Any] = LudoOptions.model_json_schema()["properties"]
    assert list(shown) == list(TABLES.all)
    for name, option in shown.items():
        assert option["default"] == option["enum"][0] == TABLES.all[name][0]
    numbers = [option["description"] for name, option in shown.items() if name in TABLES.board]
    assert numbers == [f"rule L5.{number}" for number in range(1, len(TABLES.board) + 1)]


def test_what_is_not_offered_is_refused() -> None:
    for option in ("dice", "time_match", "golden_dice"):
        with pytest.raises(ValidationError):
            LudoOptions.model_validate({option: 1})
    assert not TABLES.allowed({"players": 1})
