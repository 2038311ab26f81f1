"""Rule D.7 twice: what the Verify page's check says of matches of Pachisi for coins."""

from __future__ import annotations

from typing import Any, Final

from sahrat import verify
from tests.page.test_verify_agrees import agree, checked
from tests.unit.test_verify import first_with, rechained
from tests.unit.test_verify_pachisi import SHORT, played

TABLES: Final[list[dict[str, Any]]] = [
    {"players": 3, "leavers": 1, "entry": 33},
    {"two_colours": "on", "entry": 100},
]


def test_the_page_says_of_matches_what_the_command_does() -> None:
    matches = [played(800 + n, **SHORT, **table).values for n, table in enumerate(TABLES)]
    number, index = first_with(matches[1], "pachisi.start_thrown")

    def change(at: int, record: Any) -> None:
        if at == number:
            event = record["events"][index]
            event["mouths"] = (event["mouths"] + 1) % 7

    assert agree([*matches, rechained(matches[1], change)]) == ["", "", "roll"]
    for lines, found in zip(matches, checked(matches), strict=True):
        draws = verify.verify(lines).draws
        assert [(roll["seat"], roll["value"]) for roll in found["rolls"]] == [
            (draw.seat, draw.shown) for draw in draws
        ]
