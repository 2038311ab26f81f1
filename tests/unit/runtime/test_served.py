"""What a worker has taken up is one line, however many partitions they are."""

from __future__ import annotations

import asyncio

import pytest
import structlog
from structlog.testing import capture_logs

from sahrat.runtime import served
from sahrat.runtime.served import Served


async def test_partitions_that_come_together_are_one_line_for_people(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(served, "SETTLED_S", 0.05)
    with capture_logs() as said:
        taken = Served(structlog.get_logger("rules"))
        for partition in (2, 0, 1):
            taken.began(partition, live=partition, offset=7)
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        taken.began(5, live=4)  # later, from another worker that has ended
        await asyncio.sleep(0.1)
        Served(structlog.get_logger("projection"), "projecting").began(3)
        await asyncio.sleep(0.1)
    lines = [line for line in said if line["log_level"] == "info"]
    assert [(line["event"], line["partitions"], line.get("live")) for line in lines] == [
        ("serving", [0, 1, 2], 3),
        ("serving", [5], 4),
        ("projecting", [3], None),
    ]
    details = [line for line in said if line["log_level"] == "debug"]
    assert [(line["partition"], line.get("offset")) for line in details] == [
        (2, 7),
        (0, 7),
        (1, 7),
        (5, None),
        (3, None),
    ]
