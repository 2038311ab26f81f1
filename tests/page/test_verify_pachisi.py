"""Rule D.7 twice: what the Verify page's check says of matches of Pachisi."""

from __future__ import annotations

from typing import Any, Final

import pytest

from sahrat import verify
from tests.page.test_verify_agrees import agree, checked
from tests.unit.test_verify import first_with, rechained
from tests.unit.test_verify_pachisi import SHORT, played

TABLES: Final[list[dict[str, Any]]] = [
    {"players": 4, "leavers": 3, "entry": 33},
    {"two_colours": "on", "entry": 100},
    {"two_colours": "on", "start": "random"},
    {"start": "first_seat", "cowries": 6},
]


def test_the_page_says_of_matches_what_the_command_does() -> None:
    matches = [
        played(800 + number, **{**SHORT, **table}).values for number, table in enumerate(TABLES)
    ]
    assert agree(matches) == [""] * len(matches)
    for lines, found in zip(matches, checked(matches), strict=True):
        draws = verify.verify(lines).draws
        assert [roll["value"] for roll in found["rolls"]] == [draw.shown for draw in draws]
        assert [roll["seat"] for roll in found["rolls"]] == [draw.seat for draw in draws]


@pytest.mark.parametrize("kind", ["pachisi.thrown", "pachisi.start_thrown"])
def test_a_throw_that_was_changed_is_found_by_both(kind: str) -> None:
    lines = played(810, **SHORT).values
    number, index = first_with(lines, kind)

    def change(at: int, record: Any) -> None:
        if at == number:
            event = record["events"][index]
            event["mouths"] = (event["mouths"] + 1) % 7

    assert agree([rechained(lines, change)]) == ["roll"]
