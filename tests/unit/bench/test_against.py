"""A run of the bench beside an earlier one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.against import Unreadable, earlier, median, worse
from tests.bench.report import Report, Row


def _rate(value: float, floor: float = 100.0) -> Row:
    return Row("drain", "kafka", "judged", value, "/s", floor)


def _time(value: float) -> Row:
    return Row("paced 100/s", "kafka", "p99", value, "ms", 10.0)


def test_each_row_is_that_of_the_run_whose_ratio_is_in_the_middle() -> None:
    """Not the middle value: a machine that was slow was so for the floor as well."""
    runs = [[_rate(50)], [_rate(90, 300)], [_rate(60)]]
    assert median(runs) == [_rate(50)]
    assert median([[_time(3)], [_time(1)]]) == [_time(1)]


def test_a_rate_that_fell_and_a_time_that_rose_are_worse(tmp_path: Path) -> None:
    before = tmp_path / "bench.json"
    Report({}, [_rate(50), _time(20)]).save(before)
    known = earlier(before)
    assert worse([_rate(43), _time(23)], known) == []
    assert worse([_rate(42, 100)], known) == ["drain kafka, judged: 0.42 of its floor, was 0.50"]
    assert worse([_time(24)], known) == ["paced 100/s kafka, p99: 2.40 of its floor, was 2.00"]
    assert worse([_rate(100), _time(10)], known) == []


def test_what_is_new_or_has_no_floor_is_not_compared(tmp_path: Path) -> None:
    before = tmp_path / "bench.json"
    Report({}, [Row("restart", "kafka", "rules", 1.0, "s")]).save(before)
    known = earlier(before)
    assert worse([Row("restart", "kafka", "rules", 9.0, "s"), _rate(1)], known) == []


@pytest.mark.parametrize("text", ["", "[]", '{"rows":[{}]}', '{"rows":7}'])
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(Unreadable, match=r"other\.json holds no results"):
        earlier(file)
