"""What must hold after any run of a house, whatever happened to it. Reads the log alone."""

from __future__ import annotations

from typing import Final

from sahrat.match import clock
from sahrat.match.state import Phase
from sahrat.messages import topics
from services.house.simulation.clocks import misfires
from tests.house.house import House

LATE_S: Final = 1.0  # a clock that ran out fires so soon at the most, while all is alive


def audit(house: House) -> None:
    """Check every record of the log, each match's clocks, and that nothing is overdue.

    Records fold (none is parked), repeated ones are byte for byte the same (rules, or `fold` would
    raise). No step ran out before its full time, none twice, none while a part was missing (rule
    K.4); nobody lost his seat before he was away for 60 s in which all was there (rule S).
    """
    true_s = house.store.true_s
    for match_id, records in house.all_records().items():
        if match_id == house.damaged:
            continue
        wrong = misfires(
            records,
            lambda cause: true_s[topics.INTENTS.name, cause.partition, cause.offset],
            house.attendance.standstills(),
        )
        assert wrong == []
        _check_overdue(house, match_id)


def resumes(house: House, partition: int) -> list[int]:
    """Return the ticks (offsets) that were resumes, each once, but for the partition's first one:
    there was none before it.
    """
    found = {
        answer.offset: None
        for answer in house.answers(partition)
        if answer.type == "ticked" and answer.resumed
    }
    return list(found)[1:]


def _check_overdue(house: House, match_id: str) -> None:
    match = house.match(match_id)
    whole = not house.attendance.missing and not any(
        outage.end_s > house.loop.time() - 4 for outage in house.attendance.outages
    )
    if not match.live or not whole:
        return
    deadline = clock.earliest(match.known)
    if match.known.phase is Phase.PLAYING:
        assert deadline is not None, f"{match_id}: no clock runs"
    late_ms = house.now_ms() - (house.now_ms() if deadline is None else deadline.at_ms)
    assert late_ms <= LATE_S * 1000, f"{match_id}: {deadline} is {late_ms} ms overdue"
