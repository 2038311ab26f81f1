"""Which match needs something, when, and at what cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, cast

import pytest
from msgspec.structs import replace

from sahrat.match import limits
from sahrat.match.match import Match
from sahrat.match.state import Phase, State
from services.timer.core.ticks import Now
from services.timer.core.watch import FAULTS, Watch, Watches
from tests.unit.match.desk import START_MS, Desk

SECOND = 1_000


@dataclass
class Looked:
    """A match that counts how often somebody looks at its state."""

    match_id: str
    state: State
    seq: int = 1
    moved_ms: int = START_MS
    looks: list[int] = field(default_factory=list)

    @property
    def known(self) -> State:
        self.looks.append(1)
        return self.state


def a_state(step_ms: int = 15_000) -> State:
    desk = Desk()
    desk.table_of(0, 1)
    state: State = replace(desk.state, step_ms=START_MS + step_ms)
    return state


def matches(count: int, state: State) -> list[Any]:
    return [Looked(f"m{n}", state) for n in range(count)]


def ready(watches: Watches, at_ms: int, room: int = 999) -> list[tuple[str, str]]:
    """What is to be done so long after the start, in both times."""
    found = watches.ready(START_MS + at_ms, at_ms, room)
    return [(watch.match.match_id, want) for watch, want in found]


def the_watch(watches: Watches) -> Watch:
    watch = watches.get("m0")
    assert watch is not None
    return watch


def watching(*all_of_them: Any) -> Watches:
    watches = Watches()
    for match in all_of_them:
        watches.look(cast("Match", match), 0)
    return watches


def test_a_match_is_due_at_its_earliest_deadline_and_named_once() -> None:
    watches = watching(*matches(1, a_state()))
    assert ready(watches, 14_999) == []
    assert watches.wake_ms(Now(START_MS + 14_000, 14_000)) == 15_000
    assert ready(watches, 15_000) == [("m0", "due")]
    assert ready(watches, 15_000) == []


def test_the_earliest_come_first_and_no_more_than_there_is_room_for() -> None:
    state = a_state()
    both = [replace(state, step_ms=START_MS + ms) for ms in (3_000, 1_000, 2_000)]
    watches = watching(*(Looked(f"m{n}", one) for n, one in enumerate(both)))
    assert ready(watches, 9_000, room=2) == [("m1", "due"), ("m2", "due")]
    assert ready(watches, 9_000, room=0) == []
    assert ready(watches, 9_000, room=2) == [("m0", "due")]


def test_ten_thousand_matches_that_wait_cost_nothing() -> None:
    all_of_them = matches(10_000, a_state())
    watches = watching(*all_of_them)
    for match in all_of_them:
        match.looks.clear()
    for at_ms in range(0, 15_000, 10):
        assert ready(watches, at_ms) == []
        assert watches.wake_ms(Now(START_MS + at_ms, at_ms)) == 15_000
    assert not any(match.looks for match in all_of_them)


def test_a_match_has_one_place_however_often_it_moves() -> None:
    (match,) = matches(1, a_state())
    watches = watching(match)
    for second in range(1, 600):
        match.state = replace(match.state, step_ms=START_MS + 15_000 + second * SECOND)
        watches.look(cast("Match", match), second * SECOND)
        assert ready(watches, second * SECOND) == []
        assert len(watches._queue) == 1
    assert ready(watches, 599 * SECOND + 15_000) == [("m0", "due")]


def test_a_deadline_that_comes_nearer_is_met() -> None:
    (match,) = matches(1, a_state(15_000))
    watches = watching(match)
    match.state = replace(match.state, step_ms=START_MS + 2_000)
    watches.look(cast("Match", match), 1)
    assert ready(watches, 2_000) == [("m0", "due")]
    watches.settled(the_watch(watches))
    assert ready(watches, 15_000) == [("m0", "due")]


def test_after_a_refusal_it_is_tried_again_after_a_pause_that_grows() -> None:
    watches = watching(*matches(1, a_state(0)))
    times: list[int] = []
    at_ms = 0
    while len(times) < 6:
        if ready(watches, at_ms):
            times.append(at_ms)
            watches.refused(the_watch(watches), at_ms, hope=True)
        at_ms += 1
    pauses = [after - before for before, after in pairwise(times)]
    assert pauses == [250, 500, 1_000, 1_000, 1_000]


def test_where_there_is_no_hope_the_pause_grows_to_a_minute() -> None:
    watches = watching(*matches(1, a_state(0)))
    watch = the_watch(watches)
    for _ in range(20):
        watches.refused(watch, 0, hope=False)
    assert watch.pause_mono_ms == 60_000


def test_three_faults_in_a_row_ask_for_a_stop_at_once() -> None:
    (match,) = matches(1, a_state(0))
    watches = watching(match)
    watch = the_watch(watches)
    for turn in range(FAULTS):
        assert ready(watches, 10_000 * turn) == [("m0", "due")]
        watches.failed(watch, 10_000 * turn)
    assert ready(watches, 10_000 * (FAULTS - 1)) == [("m0", "fault")]
    match.moved_ms += 1
    watches.look(cast("Match", match), 50_000)
    watches.settled(watch)
    assert ready(watches, 50_000) == [("m0", "due")]


def test_presence_alone_does_not_forget_faults() -> None:
    (match,) = matches(1, a_state(0))
    watches = watching(match)
    watches.failed(the_watch(watches), 0)
    match.seq += 1
    assert watches.look(cast("Match", match), 5).faults == 1


def test_what_stood_still_is_stopped_and_not_due() -> None:
    watches = watching(*matches(1, a_state(limits.STILL_MS)))
    assert ready(watches, limits.STILL_MS - 1) == []
    assert ready(watches, limits.STILL_MS + 1) == [("m0", "stood_still")]
    watches.settled(the_watch(watches))
    assert ready(watches, limits.STILL_MS + 9_000) == [("m0", "stood_still")]


def test_an_open_table_may_stand_still() -> None:
    state = replace(a_state(limits.STILL_MS + 9_000), phase=Phase.OPEN)
    watches = watching(*matches(1, state))
    assert ready(watches, limits.STILL_MS + 8_999) == []
    assert ready(watches, limits.STILL_MS + 9_000) == [("m0", "due")]


def test_a_clock_set_forward_alone_is_no_standstill() -> None:
    (match,) = matches(1, a_state(2 * limits.STILL_MS))
    watches = watching(match)
    hour_ms = 2 * limits.STILL_MS - 1
    assert watches.ready(START_MS + hour_ms, 5_000, 9) == []
    wake = watches.wake_ms(Now(START_MS + hour_ms, 5_000))
    assert wake == 5_001  # the step's deadline, by the new clock
    found = watches.ready(START_MS + hour_ms + 1, 5_001, 9)
    assert [want for _, want in found] == ["due"]


@pytest.mark.parametrize(
    ("began_ms", "jump_ms", "want"),
    [
        pytest.param(limits.STILL_MS + 1, 0, "stood_still", id="it was long ago at the start"),
        pytest.param(limits.STILL_MS - 5_000, 5_001, "stood_still", id="it is since then"),
        pytest.param(5_000, limits.STILL_MS, None, id="the clock was set forward since then"),
    ],
)
def test_a_match_known_from_the_log_alone(began_ms: int, jump_ms: int, want: str | None) -> None:
    """Its last move was before the start: how long ago, the log said then."""
    (match,) = matches(1, a_state(9 * limits.STILL_MS))
    watches = Watches()
    watches.look(cast("Match", match), None)
    found = watches.ready(START_MS + began_ms, 0, 9)
    if want is None or jump_ms:
        assert found == []
        mono_ms = jump_ms if want else 1_000
        found = watches.ready(START_MS + began_ms + jump_ms, mono_ms, 9)
    assert [found_want for _, found_want in found] == ([want] if want else [])


def test_too_many_records_ask_for_a_stop_before_any_deadline() -> None:
    (match,) = matches(1, a_state())
    watches = watching(match)
    match.seq = limits.RECORDS
    watches.look(cast("Match", match), 0)
    assert ready(watches, 0) == [("m0", "too_long")]


def test_a_match_that_is_dropped_is_named_no_more() -> None:
    watches = watching(*matches(2, a_state(0)))
    assert watches.drop("m0") is not None
    assert watches.drop("m0") is None
    assert ready(watches, 0) == [("m1", "due")]
