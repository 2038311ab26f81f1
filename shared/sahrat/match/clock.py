"""Deadlines: which run, which have passed, what a resume leaves of them (rules K, S, T, B).

All times are append times in milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from sahrat.match import limits
from sahrat.match.state import Phase, State
from sahrat.messages import match as m

Kind = Literal["away", "step", "fill", "idle"]
_ORDER: Final = {"away": 0, "step": 1, "fill": 2, "idle": 3}
_TABLE: Final = 99  # the table's own clocks come after those of its seats


@dataclass(frozen=True, slots=True)
class Deadline:
    """One running clock: when it ends, and whose it is (`chair`: index in `sitters`)."""

    at_ms: int
    kind: Kind
    chair: int = 0


def step_length_ms(state: State) -> int:
    """Return the full time of a step."""
    return state.options.step_seconds * 1000


def fill_length_ms(state: State) -> int:
    """Return how long a free table waits for people."""
    return state.options.fill_seconds * 1000


def alive(last_ms: int, at_ms: int) -> bool:
    """Return whether everything that a step needs was alive up to an append time (rule K)."""
    return abs(at_ms - last_ms) <= limits.ALIVE_MS


def running(state: State) -> Iterator[Deadline]:
    """Yield every clock that runs."""
    if state.step_ms:
        yield Deadline(state.step_ms, "step", state.chair_of_seat(state.step_seat))
    if state.fill_ms:
        yield Deadline(state.fill_ms, "fill", _TABLE)
    if state.idle_ms:
        yield Deadline(state.idle_ms, "idle", _TABLE)
    for chair, sitter in enumerate(state.sitters):
        if sitter.away_ms:
            yield Deadline(sitter.away_ms, "away", chair)


def earliest(state: State) -> Deadline | None:
    """Return the clock that ends first; at the same moment the lower seat's, its away clock
    before its step.
    """
    return min(
        running(state), key=lambda due: (due.at_ms, due.chair, _ORDER[due.kind]), default=None
    )


def resume(state: State, last_ms: int, at_ms: int) -> m.MatchResumed | None:
    """Return the clocks after a time in which the house stood still; None where none runs.

    A step has its full time afresh. Every other clock goes on with what it had left at `last_ms`,
    at least ten seconds, at most its full length. It has its full length where the broker's clock
    was set back behind `last_ms`, or where it seems to have ended long before (it would have been
    due): then it may have been started since, by another clock, and what it had left is not known.
    """

    def rest(deadline_ms: int, length_ms: int) -> int:
        if not deadline_ms:
            return 0
        left = deadline_ms - last_ms
        if at_ms < last_ms or left < -limits.KEEP_MS:
            left = length_ms
        return at_ms + max(limits.KEEP_MS, min(left, length_ms))

    if next(running(state), None) is None:
        return None
    away = tuple(
        m.AwayClock(player_id=sitter.player_id, until_ms=rest(sitter.away_ms, limits.AWAY_MS))
        for sitter in state.sitters
        if sitter.away_ms
    )
    return m.MatchResumed(
        last_ms=last_ms,
        step_ms=at_ms + step_length_ms(state) if state.phase is Phase.PLAYING else 0,
        fill_ms=rest(state.fill_ms, fill_length_ms(state)),
        idle_ms=rest(state.idle_ms, limits.IDLE_MS),
        away=away,
    )
