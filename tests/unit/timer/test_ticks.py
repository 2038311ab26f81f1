"""The tick that goes round, and what follows from it for the clocks (rule K)."""

from __future__ import annotations

import pytest

from sahrat.messages.envelope import TickAnswered
from services.timer.core.ticks import Now, Pulses, Ticks, last_of
from tests.unit.match.desk import START_MS, uuid7


def an_id(n: int) -> str:
    return uuid7(START_MS, n)


def answer(
    n: int, at_ms: int, *, offset: int = 0, resumed: bool = False, live: int = 0
) -> TickAnswered:
    """The answer to tick `n`, stored at `at_ms` after the start."""
    return TickAnswered(
        intent_id=an_id(n),
        sent_by=an_id(0),
        offset=offset,
        tick_ms=START_MS + at_ms,
        resumed=resumed,
        live=live,
    )


@pytest.fixture
def pulses() -> Pulses:
    pulses = Pulses(0)
    pulses.heard("g", 0)
    return pulses


# ---- what an answer makes of `last`


@pytest.mark.parametrize(
    ("resumed", "live", "late_ms", "own_time"),
    [
        pytest.param(False, 9_999, 1_000, True, id="no resume: the tick's own time"),
        pytest.param(True, 0, 2_000, False, id="a resume: behind it all was alive up to now"),
        pytest.param(True, 0, 2_001, True, id="rules was down before it judged the resume"),
        pytest.param(True, 10_000, 26_000, False, id="ten thousand matches take their time"),
        pytest.param(True, 10_000, 26_001, True, id="but no longer than that"),
        pytest.param(True, 10_000, -1, True, id="the broker's clock was set back meanwhile"),
    ],
)
def test_last(resumed: bool, live: int, late_ms: int, own_time: bool) -> None:
    tick = answer(1, 0, resumed=resumed, live=live)
    answered_ms = START_MS + late_ms
    assert last_of(tick, answered_ms) == (START_MS if own_time else answered_ms)


def test_last_is_of_the_newest_tick_whatever_is_answered_again() -> None:
    ticks = Ticks()
    assert ticks.last_ms == 0
    ticks.found(answer(1, 500, offset=7), START_MS + 500)
    ticks.answered(answer(2, 1000, offset=9), START_MS + 1000, 0)
    ticks.answered(answer(1, 500, offset=7, resumed=True), START_MS + 99_000, 0)
    ticks.answered(answer(3, 700, offset=8), START_MS + 99_000, 0)
    assert ticks.last_ms == START_MS + 1000


# ---- what a tick names


def _answered_once() -> Ticks:
    ticks = Ticks()
    ticks.answered(answer(1, 0), START_MS, 1_000)
    return ticks


def test_a_clock_that_was_set_back_hides_no_standstill() -> None:
    """K.4: rules sees but append times, and by these it may be as if nothing had happened."""
    ticks = _answered_once()
    ticks.look(Now(START_MS + 1_900, 2_900))
    assert ticks.named(Now(START_MS + 1_900, 2_900)) == START_MS
    ticks.look(Now(START_MS - 5_000, 11_000))  # ten seconds later, and set back by fifteen
    for hidden_ms in (-3_000, -2_000, 0, 2_000):
        assert ticks.named(Now(START_MS + hidden_ms, 16_000)) == 0
    for plain_ms in (-3_001, 2_001, 60_000):  # the tick tells, and what clocks had left is known
        assert ticks.named(Now(START_MS + plain_ms, 16_000)) == START_MS
    ticks.answered(answer(2, 1_000, offset=1, resumed=True), START_MS + 1_000, 16_010)
    assert ticks.named(Now(START_MS + 1_500, 16_500)) == START_MS + 1_000


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(Now(START_MS + 2_001, 1_000), id="by the log"),
        pytest.param(Now(START_MS - 2_001, 1_000), id="by the log, set back"),
        pytest.param(Now(None, 3_001), id="by this process"),
        pytest.param(Now(START_MS, 3_001), id="by this process alone"),
    ],
)
def test_either_time_tells_of_a_standstill(now: Now) -> None:
    ticks = _answered_once()
    ticks.look(now)
    assert ticks.named(Now(START_MS, 9_000)) == 0


def test_a_timer_that_starts_knows_it_by_where_the_answer_stands() -> None:
    """The last tick was answered late, by a clock that had been set back meanwhile."""
    ticks = Ticks()
    ticks.found(answer(1, 0), START_MS - 6_000)
    assert ticks.named(Now(START_MS - 900, 500)) == 0
    assert ticks.named(Now(None, 500)) == 0


# ---- when a tick goes out


def test_the_first_tick_waits_for_a_gateway_and_the_next_for_the_answer() -> None:
    pulses, ticks = Pulses(0), Ticks()
    assert not ticks.may_send(pulses, 5_000)
    assert ticks.wake_ms(pulses, 5_000) is None
    pulses.heard("g", 5_000)
    assert ticks.may_send(pulses, 5_000)
    ticks.sent(an_id(1), 5_000)
    ticks.stored(an_id(1), 4)
    for mono_ms in (5_500, 60_000, 600_000):
        pulses.heard("g", mono_ms)
        assert not ticks.may_send(pulses, mono_ms)
        assert ticks.wake_ms(pulses, mono_ms) is None
    assert ticks.waiting_ms(600_000) == 595_000
    assert ticks.answered(answer(1, 0, offset=4), START_MS, 600_000)
    assert ticks.waiting_ms(600_000) == 0
    assert not ticks.may_send(pulses, 600_499)
    assert ticks.wake_ms(pulses, 600_000) == 600_500
    assert ticks.may_send(pulses, 600_500)


def test_no_tick_when_no_gateway_was_heard_for_two_seconds(pulses: Pulses) -> None:
    ticks = Ticks()
    assert ticks.may_send(pulses, 2_000)
    assert not ticks.may_send(pulses, 2_001)


def test_a_tick_of_another_timer_is_waited_for(pulses: Pulses) -> None:
    ticks = Ticks()
    ticks.adopt(an_id(1), 4, 0)
    assert not ticks.may_send(pulses, 0)
    assert ticks.answered(answer(1, 0, offset=4), START_MS, 0)


def test_an_answer_that_comes_before_the_acknowledgement_counts(pulses: Pulses) -> None:
    ticks = Ticks()
    ticks.sent(an_id(1), 0)
    ticks.judged(9, 0, answers=True)  # nothing is known of where it stands
    assert ticks.answered(answer(1, 0, offset=4), START_MS, 0)
    ticks.stored(an_id(1), 4)
    assert ticks.waiting_ms(100) == 0


def test_an_answer_to_a_later_intent_means_that_there_will_be_none(pulses: Pulses) -> None:
    ticks = Ticks()
    ticks.adopt(an_id(1), 4, 0)
    ticks.judged(3, 0, answers=True)
    ticks.judged(4, 0, answers=False)  # its own records
    assert not ticks.may_send(pulses, 0)
    ticks.judged(5, 0, answers=True)
    assert ticks.may_send(pulses, 0)


def test_records_of_a_later_intent_may_come_before_its_answer(pulses: Pulses) -> None:
    ticks = Ticks()
    ticks.adopt(an_id(1), 4, 0)
    ticks.judged(5, 100, answers=False)
    ticks.judged(6, 1_000, answers=False)
    pulses.heard("g", 2_100)
    assert not ticks.may_send(pulses, 2_099)
    assert ticks.wake_ms(pulses, 2_099) == 2_100
    assert ticks.may_send(pulses, 2_100)


# ---- whether clocks may run out


def test_dues_may_go_out_near_a_tick_that_this_process_saw_answered() -> None:
    ticks = Ticks()
    ticks.found(answer(1, 0, offset=1), START_MS)
    assert not ticks.alive(Now(START_MS + 1, 1))  # before its start: the time now is a guess
    ticks.answered(answer(2, 500, offset=2), START_MS + 500, 500)
    assert not ticks.alive(Now(None, 500))
    assert ticks.alive(Now(START_MS + 2_000, 2_000))
    assert not ticks.alive(Now(START_MS + 2_001, 1_500))
    assert not ticks.alive(Now(START_MS - 1_001, 1_500))  # set back
    assert not ticks.alive(Now(START_MS + 500, 2_001))  # frozen, and reading what is long past


# ---- gateways


def test_a_gateway_heard_long_ago_is_forgotten() -> None:
    pulses = Pulses(0)
    pulses.heard("old", 0)
    pulses.heard("b", 60_000)
    assert pulses.last("old") == 0
    pulses.heard("c", 60_001)
    assert pulses.last("old") is None
    assert pulses.last("b") == 60_000
