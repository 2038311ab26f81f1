"""What a run says is what was measured, and every loss is named."""

from __future__ import annotations

from typing import cast

from services.house.phone import Phone
from tests.chaos.chains import Finding
from tests.chaos.fleet import Guest
from tests.chaos.nemesis import Hit
from tests.chaos.report import PROMISES, faults_table, losses_table, rows
from tests.chaos.schedule import BROKER, C46_S, DATABASE, Blow, Fault, Step
from tests.chaos.verdict import Verdict


def guest(*heard_s: float) -> Guest:
    """One who heard records at these times; none of this looks at his phone."""
    return Guest(cast("Phone", None), "m", list(heard_s))


def hit(blow: Blow, begun_s: float, over_s: float, back_s: float | None, *guests: Guest) -> Hit:
    return Hit(Step(0.0, (blow,)), begun_s, 0, over_s, 0, back_s, guests=guests)


def test_stillness_and_the_time_until_play_goes_on() -> None:
    one = guest(1.0, 9.5, 10.2, 25.0, 25.5, 26.0)  # the record at 10.2 was on its way
    stop = hit(Blow(Fault.STOP, BROKER, 8.0), 10.0, 20.0, 5.0, one)
    (row,) = rows([stop], [], [one])
    assert (row.name, row.struck, row.lasted_s) == ("stop broker", 1, 10.0)
    assert row.still_s == 25.0 - 10.2
    assert row.after_s == [5.0]


def test_C46_counts_until_every_worker_is_well() -> None:
    one = guest(1.0, 75.0, 76.0)
    stop = hit(Blow(Fault.STOP, BROKER, C46_S), 2.0, 70.0, 12.0, one)
    stop.whole = True
    (row,) = rows([stop], [], [one])
    assert (row.name, row.after_s, row.still_s) == ("stop broker (C46)", [12.0], 74.0)


def test_after_a_kill_a_record_that_was_on_its_way_does_not_count() -> None:
    one, other = guest(9.8, 10.3, 17.0, 17.2), guest(9.9, 10.4, 10.9, 11.1)
    kill = hit(Blow(Fault.KILL, "rules-1"), 10.0, 10.0, 7.0, one, other)
    (row,) = rows([kill], [], [one, other])
    assert [round(seconds, 2) for seconds in row.after_s] == [0.9, 7.0]
    assert round(row.still_s, 2) == 6.7


def test_F08_play_s_stillness_is_looked_for_where_nothing_that_it_needs_was_struck() -> None:
    one = guest(0.0, 1.0, 2.0, 3.0, 20.0, 21.0, 22.5, 23.0, 40.0)
    stop = hit(Blow(Fault.STOP, DATABASE, 24.0), 0.5, 24.5, 2.0)
    kill = hit(Blow(Fault.KILL, "rules-1"), 3.5, 4.0, 16.5, one)
    found = {row.name: row for row in rows([stop, kill], [stop], [one])}
    assert found["stop postgres"].still_s == 1.5
    assert found["stop postgres"].after_s == [2.0]
    assert found["kill -9 rules"].still_s == 17.0


def test_several_of_a_kind_are_one_row_and_what_did_not_recover_stands_out() -> None:
    one = guest(1.0, 30.0)
    kills = [hit(Blow(Fault.KILL, f"rules-{n}"), 2.0, 2.0, 28.0, one) for n in (1, 2)]
    lost = hit(Blow(Fault.KILL, DATABASE), 2.0, 3.0, None)
    lines = [*faults_table(rows([*kills, lost], [lost], [one]))]
    assert lines[1].split() == ["kill", "-9", "rules", "2", "0", "29.0", *["28.00"] * 3]
    assert lines[2].split() == ["kill", "-9", "postgres", "1", "1", "0.0", *["inf"] * 3]


def test_every_loss_is_counted_once_and_named() -> None:
    kinds = [kind for _, kinds, _ in PROMISES for kind in kinds]
    assert len(kinds) == len(set(kinds))
    for kind in [*kinds, "something new"]:
        verdict = Verdict([Finding(kind, "here", "this")], {"seen": 7})
        *table, loss = losses_table(verdict)
        assert loss == f"LOST: {kind}: here: this"
        counted = [line for line in table if line[66:72].strip() == "1"]
        assert len(counted) == 1
        assert counted[0].startswith("other faults") == (kind not in kinds)
    table = [*losses_table(Verdict([], {"seen": 7}))]
    assert len(table) == len(PROMISES)
    assert table[0].endswith("0 of 7 seen")
