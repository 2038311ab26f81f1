"""Every value of every option of Carrom, and every two together: such matches end as a second
reading of the rules says, or such a table is refused when it is opened.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import jsonschema
import pytest
from pydantic import ValidationError

from sahrat.games.carrom.options import CarromOptions
from tests.property.carrom_tables import TABLES, compare
from tests.property.option_tables import Pair, Values

TIMES: Final = 50
SHARES: Final = 8
COVERING: Final = TABLES.covering
MIXED: Final = [
    *TABLES.dealt(TIMES, seed=1, others=COVERING),
    *TABLES.dealt(TIMES // 3, seed=2, players=2, mode="colours", match="one_board"),
    *TABLES.dealt(TIMES // 3, seed=3, players="2v2", mode="colours", match="one_board"),
]


def test_each_value_is_played_fifty_times() -> None:
    seen = Counter(item for table in [*MIXED, *COVERING] for item in table.items())
    for name, values in TABLES.board.items():
        for value in values:
            assert seen[name, value] >= TIMES, (name, value)


@pytest.mark.parametrize("share", range(SHARES))
def test_K8_matches_of_all_values_mixed_are_what_the_referee_says(share: int) -> None:
    for number in range(share, len(MIXED), SHARES):
        compare(MIXED[number], number)


@pytest.mark.parametrize("number", range(len(COVERING)))
def test_K8_every_two_values_together_are_what_the_referee_says(number: int) -> None:
    compare(COVERING[number], 1_000 + number)


def test_K8_the_usual_table_is_what_the_referee_says() -> None:
    for seed in range(30):
        compare({"players": (2, "2v2")[seed % 2]}, 2_000 + seed)


_ALONE: Final = "players: there are two colours; three or four play for points (mode)"
_NO_PARTNER: Final = "mode: for points everybody plays alone, not with a partner"
_ONE_BOARD: Final = "match: for points a match is one board"
FORBIDDEN: Final[dict[Pair, str]] = {
    frozenset({("players", 3), ("mode", "colours")}): _ALONE,
    frozenset({("players", 4), ("mode", "colours")}): _ALONE,
    frozenset({("players", "2v2"), ("mode", "points")}): _NO_PARTNER,
    **{
        frozenset({one, ("match", match)}): why
        for match in ("best_of_3", "25_points", "29_points")
        for one, why in (
            (("mode", "points"), _ONE_BOARD),
            (("players", 3), _ALONE),
            (("players", 4), _ALONE),
        )
    },
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
            CarromOptions.model_validate(dict(pair))
        (problem,) = wrong.value.errors()
        assert str(problem["ctx"]["error"]) == FORBIDDEN[pair]


def test_the_published_schema_takes_and_refuses_what_the_model_does() -> None:
    judge = jsonschema.Draft202012Validator(CarromOptions.model_json_schema())
    tables: list[Values] = [dict(pair) for pair in TABLES.pairs()]
    tables += [*COVERING, {}, {"mode": "teams"}, {"players": 5}, {"players": "2"}]
    for table in tables:
        try:
            CarromOptions.model_validate(table)
        except ValidationError:
            assert not judge.is_valid(table), table
        else:
            assert judge.is_valid(table), table


def test_the_published_schema_has_each_option_with_its_default_first() -> None:
    shown: dict[str, Any] = CarromOptions.model_json_schema()["properties"]
    assert list(shown) == list(TABLES.all)
    for name, option in shown.items():
        assert option["default"] == option.get("enum", [option.get("const")])[0]
        assert option["default"] == TABLES.all[name][0]
