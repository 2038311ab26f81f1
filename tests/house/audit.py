"""What must hold after any run of a house, whatever happened to it. Reads the log alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from sahrat.match import clock, limits
from sahrat.match.state import Phase
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.envelope import Record
from tests.house.house import House, Outage

SLACK_S: Final = 0.002  # stored times are whole milliseconds
NOTICED_S: Final = {"rules": 0.5, "timer": 0.0, "gateway": 2.0}
"""So long the house may go on without a part before a tick fails: the next one, and the time for
which a gateway that was heard counts as alive."""
LATE_S: Final = 1.0  # a clock that ran out fires so soon at the most, while all is alive


@dataclass
class _Clocks:
    """One match's clocks in true time: since when each runs."""

    step_s: float = 0.0
    away_s: dict[str, float] = field(default_factory=dict)
    timed_out: list[int] = field(default_factory=list)
    length_s: int = 15


def audit(house: House) -> None:
    """Check every record of the log, each match's clocks, and that nothing is overdue.

    Records fold (none is parked), repeated ones are byte for byte the same (rules, or `fold` would
    raise). No step ran out before its full time, none twice, none while a part was missing (rule
    K.4); nobody lost his seat before he was away for 60 s in which all was there (rule S).
    """
    for match_id, records in house.all_records().items():
        if match_id == house.damaged:
            continue
        clocks = _Clocks()
        for record in records:
            for event in record.events:
                _check(house, clocks, record, event)
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


def _check(house: House, clocks: _Clocks, record: Record[Any], event: Any) -> None:
    cause = record.caused_by
    now_s = house.store.true_s[topics.INTENTS.name, cause.partition, cause.offset]
    where = f"{record.match_id} record {record.seq} at {now_s} s"
    match event:
        case m.TableOpened():
            clocks.length_s = int(event.options["step_seconds"])
        case m.StepOpened():
            clocks.step_s = now_s
        case m.MatchResumed():
            clocks.step_s = now_s
        case m.StepTimedOut(step=step):
            assert step not in clocks.timed_out, f"{where}: step {step} ran out twice"
            clocks.timed_out.append(step)
            assert now_s - clocks.step_s >= clocks.length_s - SLACK_S, f"{where}: too early"
            for gone in standstills(house):
                ran_s = min(gone.end_s, now_s) - max(gone.begin_s, clocks.step_s)
                assert ran_s <= limits.ALIVE_MS / 1000, f"{where}: it ran {ran_s} s of {gone}"
        case m.PlayerAway(player_id=player_id):
            clocks.away_s[player_id] = now_s
        case m.PlayerPresent(player_id=player_id):
            clocks.away_s.pop(player_id, None)
        case m.PlayerLeft(player_id=player_id, why="away"):
            since_s = clocks.away_s.pop(player_id)
            gone_s, times = _missing(house, since_s, now_s)
            had_s, unfelt_s = now_s - since_s - gone_s, times * limits.ALIVE_MS / 1000
            least_s = limits.AWAY_MS / 1000 - unfelt_s - SLACK_S
            assert had_s >= least_s, f"{where}: away for {had_s} s only"
        case _:
            pass


def standstills(house: House) -> list[Outage]:
    """Return the outages in which no clock may have run, from when that could be noticed."""
    found: list[Outage] = []
    for outage in sorted(house.outages, key=lambda outage: outage.begin_s):
        begin_s = outage.begin_s + NOTICED_S[outage.part]
        if outage.end_s - begin_s > limits.ALIVE_MS / 1000:
            found.append(Outage(outage.part, begin_s, outage.end_s))
    return found


def _missing(house: House, since_s: float, until_s: float) -> tuple[float, int]:
    """Return for how long the house stood still in between, and how many times."""
    total_s, covered_s, times = 0.0, since_s, 0
    for outage in standstills(house):
        begin_s, end_s = max(outage.begin_s, covered_s), min(outage.end_s, until_s)
        if end_s > begin_s:
            total_s += end_s - begin_s
            covered_s = end_s
            times += 1
    return total_s, times


def _check_overdue(house: House, match_id: str) -> None:
    match = house.match(match_id)
    whole = not house.missing and not any(
        outage.end_s > house.loop.time() - 4 for outage in house.outages
    )
    if not match.live or not whole:
        return
    deadline = clock.earliest(match.known)
    if match.known.phase is Phase.PLAYING:
        assert deadline is not None, f"{match_id}: no clock runs"
    late_ms = house.now_ms() - (house.now_ms() if deadline is None else deadline.at_ms)
    assert late_ms <= LATE_S * 1000, f"{match_id}: {deadline} is {late_ms} ms overdue"
