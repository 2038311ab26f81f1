"""Rows for people and for programs."""

from __future__ import annotations

import orjson
import pytest

from tests.bench.report import Report, Row, number, table


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.123, "0.12"), (9.99, "9.99"), (12.34, "12.3"), (123.4, "123"), (12_345.6, "12,346")],
)
def test_numbers_have_as_many_digits_as_count(value: float, expected: str) -> None:
    assert number(value) == expected


def test_a_ratio_is_the_value_by_its_floor() -> None:
    assert Row("drain", "kafka", "judged", 50.0, "/s", 200.0).ratio == 0.25
    assert Row("drain", "kafka", "judged", 50.0, "/s").ratio is None


def test_columns_stand_below_each_other() -> None:
    lines = table(
        [
            Row("drain", "kafka", "judged by rules", 12_345.0, "/s", 20_000.0, "60 intents"),
            Row("restart", "embedded", "house", 1.5, "s"),
        ]
    ).splitlines()
    assert lines[1] == "drain    kafka     judged by rules  12,345  /s  20,000   0.62  60 intents"
    assert lines[2] == "restart  embedded  house              1.50  s"


def test_the_file_has_rows_with_ratios_and_what_went_wrong() -> None:
    report = Report({"machine": {"cores": 2}}, problems=["2 refused: late"])
    report.add(Row("drain", "kafka", "judged", 50.0, "/s", 200.0))
    assert orjson.loads(report.dump()) == {
        "machine": {"cores": 2},
        "rows": [
            {
                "figure": "drain",
                "log": "kafka",
                "name": "judged",
                "value": 50.0,
                "unit": "/s",
                "floor": 200.0,
                "note": "",
                "ratio": 0.25,
            }
        ],
        "problems": ["2 refused: late"],
    }
