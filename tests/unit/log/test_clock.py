"""The log's time: the latest stamp seen, not the highest, plus the time since."""

from __future__ import annotations

from sahrat.log.clock import LogClock, whole_ms


def test_the_latest_stamp_counts_and_not_the_highest() -> None:
    now_s = [10.0]
    clock = LogClock(lambda: now_s[0])
    assert [clock.now_ms] == [None]
    clock.saw(5_000)
    now_s[0] += 1.5
    assert clock.now_ms == 6_500
    clock.saw(1_000)  # the broker's clock was set back
    assert clock.now_ms == 1_000
    now_s[0] += 0.0009
    assert clock.now_ms == 1_000  # never ahead of the broker
    now_s[0] += 0.0001
    assert clock.now_ms == 1_001


def test_sums_of_seconds_do_not_fall_short_of_their_millisecond() -> None:
    assert whole_ms(0.1 + 0.2) == 300
    assert whole_ms(1.1 + 2.2) == 3_300
    assert whole_ms(0.2999) == 299
