"""The time of a record, which decides on what day something is earned."""

from dataclasses import replace
from typing import Any

import pytest

from sahrat.messages.topics import EVENTS
from services.audit.core.shares import DAY_MS
from tests.unit.audit.forge import Forge, earned, ended, fault
from tests.unit.ledger.desk import player
from tests.unit.match.desk import START_MS


def test_M2_nobody_says_himself_on_what_day_he_earns() -> None:
    """Thirty matches stored within a second that claim three days: 600 coins instead of 200."""
    forge = Forge()
    for n in range(30):
        match_id = forge.free(30 + n, player(0), "")
        forge.now_ms += (n // 10) * DAY_MS
        forge.record(match_id, earned((0, player(0), 20)), ended((0, 1), (1, 2)))
        forge.now_ms -= (n // 10) * DAY_MS
    for place, records in forge.copy.records.items():
        if place[0] == EVENTS.name:
            records[:] = [replace(stored, at_ms=START_MS) for stored in records]
    found = fault(forge)
    assert (found.law, found.what.split(",")[0]) == (
        "W8",
        f"its cause is of {START_MS + DAY_MS} ms",
    )


@pytest.mark.parametrize("by_ms", [-1, 1, DAY_MS])
def test_W8_a_record_has_the_time_of_its_cause(by_ms: int) -> None:
    forge = Forge()
    match_id = forge.free(1, player(0), "")
    forge.record(match_id, earned((0, player(0), 20)), ended((0, 1), (1, 2)))
    assert forge.copy.audit().earned_coins == 20

    def change(records: list[dict[str, Any]]) -> None:
        records[-1]["at_ms"] += by_ms

    found = forge.copy.rewrite(match_id, change).fault()
    assert (found.law, found.place.match_id) == ("W8", match_id)
