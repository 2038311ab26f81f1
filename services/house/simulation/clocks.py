"""What every clock of a match must have done, in true time: read off the records alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sahrat.match import limits
from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.envelope import Cause, Record

SLACK_S: Final = 0.002  # stored times are whole milliseconds
NOTICED_S: Final[Mapping[str, float]] = {"broker": 0.5, "rules": 0.5, "timer": 0.0, "gateway": 2.0}
"""So long the house may go on without a part before a tick fails: the next one, and the time for
which a gateway that was heard counts as alive."""


@dataclass(frozen=True)
class Outage:
    """A time, in true seconds, in which the house had none of a part."""

    part: str
    begin_s: float
    end_s: float


class Attendance:
    """Which parts that a step needs were missing, and when.

    Attributes:
        missing: Those that are missing now, and since when.
        outages: Those that were.
    """

    def __init__(self) -> None:
        self.missing: dict[str, float] = {}
        self.outages: list[Outage] = []

    def note(self, present: Mapping[str, bool], now_s: float) -> None:
        """Note who is there."""
        for part, here in present.items():
            if here and part in self.missing:
                self.outages.append(Outage(part, self.missing.pop(part), now_s))
            elif not here:
                self.missing.setdefault(part, now_s)

    def standstills(self) -> list[Outage]:
        """Return the outages in which no clock may have run, from when that could be noticed."""
        found: list[Outage] = []
        for outage in sorted(self.outages, key=lambda outage: outage.begin_s):
            begin_s = outage.begin_s + NOTICED_S[outage.part]
            if outage.end_s - begin_s > limits.ALIVE_MS / 1000:
                found.append(Outage(outage.part, begin_s, outage.end_s))
        return found


@dataclass
class _Clocks:
    """One match's clocks in true time: since when each runs."""

    step_s: float = 0.0
    away_s: dict[str, float] = field(default_factory=dict)
    timed_out: list[int] = field(default_factory=list)
    length_s: int = 15


def misfires(
    records: Iterable[Record[Any]],
    true_s: Callable[[Cause], float],
    standstills: Sequence[Outage],
) -> list[str]:
    """Return what a match's clocks did wrong, in words.

    No step ran out before its full time, none twice, none while a part was missing (rule K.4);
    nobody lost his seat before he was away for 60 s in which all was there (rule S).

    Args:
        records: All of the match, in order.
        true_s: Tells when a cause was appended, in true seconds.
        standstills: In which no clock may have run.
    """
    clocks, found = _Clocks(), list[str]()
    for record in records:
        now_s = true_s(record.caused_by)
        for event in record.events:
            what = _take(clocks, event, now_s, standstills)
            if what:
                found.append(f"{record.match_id} record {record.seq} at {now_s:.3f} s: {what}")
    return found


def _take(clocks: _Clocks, event: Message, now_s: float, standstills: Sequence[Outage]) -> str:
    match event:
        case m.TableOpened():
            clocks.length_s = int(event.options["step_seconds"])
        case m.StepOpened() | m.MatchResumed():
            clocks.step_s = now_s
        case m.StepTimedOut(step=step):
            return _timed_out(clocks, step, now_s, standstills)
        case m.PlayerAway(player_id=player_id):
            clocks.away_s[player_id] = now_s
        case m.PlayerPresent(player_id=player_id):
            clocks.away_s.pop(player_id, None)
        case m.PlayerLeft(player_id=player_id, why="away"):
            since_s = clocks.away_s.pop(player_id)
            gone_s, times = _missing(standstills, since_s, now_s)
            had_s, unfelt_s = now_s - since_s - gone_s, times * limits.ALIVE_MS / 1000
            if had_s < limits.AWAY_MS / 1000 - unfelt_s - SLACK_S:
                return f"{player_id} was away for {had_s:.3f} s only"
        case _:
            pass
    return ""


def _timed_out(clocks: _Clocks, step: int, now_s: float, standstills: Sequence[Outage]) -> str:
    if step in clocks.timed_out:
        return f"step {step} ran out twice"
    clocks.timed_out.append(step)
    if now_s - clocks.step_s < clocks.length_s - SLACK_S:
        return f"step {step} ran out after {now_s - clocks.step_s:.3f} s"
    for gone in standstills:
        ran_s = min(gone.end_s, now_s) - max(gone.begin_s, clocks.step_s)
        if ran_s > limits.ALIVE_MS / 1000 + SLACK_S:
            return f"step {step} ran {ran_s:.3f} s of a time without {gone.part}"
    return ""


def _missing(standstills: Sequence[Outage], since_s: float, until_s: float) -> tuple[float, int]:
    """Return for how long the house stood still in between, and how many times."""
    total_s, covered_s, times = 0.0, since_s, 0
    for outage in standstills:
        begin_s, end_s = max(outage.begin_s, covered_s), min(outage.end_s, until_s)
        if end_s > begin_s:
            total_s += end_s - begin_s
            covered_s = end_s
            times += 1
    return total_s, times
