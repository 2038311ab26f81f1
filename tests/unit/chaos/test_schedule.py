"""What is struck is decided by the seed alone, and is as much of everything as was promised."""

from __future__ import annotations

import pytest

from tests.chaos.proxy import Way
from tests.chaos.schedule import (
    BROKER,
    C46_S,
    C46_TIMES,
    C49_S,
    CATCH_UP_S,
    DATABASE,
    EVERYTHING,
    F20_S,
    FIRST_S,
    PROJECTION,
    Blow,
    Fault,
    Schedule,
    Step,
    role_of,
    schedule,
    shown,
    workers,
)

SEEDS = [str(seed) for seed in range(40)]
KINDS = {*Fault, *Way}


def test_the_same_seed_gives_the_same_schedule_and_another_one_another() -> None:
    assert shown(schedule("a", 10).steps) == shown(schedule("a", 10).steps)
    assert shown(schedule("a", 10).steps) != shown(schedule("b", 10).steps)


@pytest.mark.parametrize("seed", SEEDS)
def test_ten_minutes_have_sixty_faults_and_every_kind_of_them(seed: str) -> None:
    ten = schedule(seed, 10)
    within = [blow for step in ten.play + ten.reads for blow in step.blows]
    assert len(within) >= 60
    assert {blow.fault for blow in within} == KINDS
    last = max(ten.play + ten.reads, key=lambda step: step.at_s)
    assert last.at_s + max(blow.lasts_s for blow in last.blows) <= 600
    assert all(blow.part in (*workers(), "rules", *OTHERS) for blow in within)


OTHERS = (BROKER, DATABASE, EVERYTHING)


@pytest.mark.parametrize("seed", SEEDS)
def test_C49_the_database_is_away_for_five_minutes_and_nothing_else_ends_the_projection(
    seed: str,
) -> None:
    ten = schedule(seed, 10)
    assert ten.reads[0].blows == (Blow(Fault.STOP, DATABASE, C49_S),)
    assert C49_S == 300
    spared = {BROKER, EVERYTHING, PROJECTION}
    for step in ten.play:
        if step.at_s < FIRST_S + C49_S + CATCH_UP_S:
            assert not {role_of(blow.part) for blow in step.blows} & spared
    assert Blow(Fault.LOCK, DATABASE, F20_S) in ten.blows


def test_C46_the_broker_is_stopped_five_times_for_a_minute_when_there_are_ten() -> None:
    assert [step.blows for step in schedule("1", 10).stops] == [
        (Blow(Fault.STOP, BROKER, C46_S),)
    ] * C46_TIMES
    assert (C46_S, C46_TIMES) == (60, 5)
    assert schedule("1", 9.9).stops == ()


@pytest.mark.parametrize("minutes", [0.5, 1, 3])
def test_a_short_one_ends_in_time_too(minutes: float) -> None:
    short = schedule("1", minutes)
    assert short.blows
    assert all(step.at_s < minutes * 60 for step in short.steps)
    assert max(blow.lasts_s for blow in short.blows) < 60


def test_F24_workers_are_replaced_one_after_the_other() -> None:
    steps = schedule("1", 9).play
    first = next(n for n, step in enumerate(steps) if step.blows[0].fault is Fault.REPLACE)
    replaced = [step.blows for step in steps[first : first + len(workers())]]
    assert replaced == [(Blow(Fault.REPLACE, worker),) for worker in workers()]


def test_it_is_written_out_a_step_a_line() -> None:
    both = (Blow(Fault.KILL, "rules-2"), Blow(Way.CUT, "wallet-1", 4.5))
    plan = Schedule((Step(7.5, both),), (Step(1.0, (Blow(Fault.LOCK, DATABASE, 8.0),)),))
    assert [*plan.lines()] == [
        "    1.0 s  reads  lock postgres for 8 s",
        "    7.5 s  play   kill -9 rules-2 + cut wallet-1 for 4.5 s",
    ]
    assert [step.name for step in plan.steps] == ["lock postgres", "two at once"]
