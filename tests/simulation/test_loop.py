"""The virtual loop itself."""

from __future__ import annotations

import asyncio

import pytest

from services.house.simulation import loop as loops
from services.house.simulation.loop import Stuck, run


def test_a_sleep_takes_its_time_and_costs_none() -> None:
    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        times = [loop.time()]
        for seconds in (0.5, 3_600, 0):
            await asyncio.sleep(seconds)
            times.append(loop.time())
        return times

    assert run(main()) == [0, 0.5, 3600.5, 3600.5]


def test_what_is_ready_runs_in_order_before_time_moves_on() -> None:
    told: list[str] = []

    async def tell(name: str, seconds: float) -> None:
        for turn in range(3):
            told.append(f"{name}{turn}")
            await asyncio.sleep(seconds)

    async def main() -> None:
        await asyncio.gather(tell("a", 0), tell("b", 1), tell("c", 0))

    run(main())
    assert told == ["a0", "b0", "c0", "a1", "c1", "a2", "c2", "b1", "b2"]


def test_a_program_that_waits_for_ever_is_found() -> None:
    with pytest.raises(Stuck, match="no timer"):
        run(asyncio.Event().wait())


def test_a_program_that_never_waits_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "SPINS", 1_000)

    async def main() -> None:
        while True:
            await asyncio.sleep(0)

    with pytest.raises(Stuck, match="never waits"):
        run(main())


def test_what_nobody_heard_is_raised() -> None:
    async def fail() -> None:
        raise LookupError("unheard")

    async def main() -> None:
        task = asyncio.create_task(fail())
        await asyncio.sleep(1)
        del task
        await asyncio.sleep(1)

    with pytest.raises(LookupError, match="unheard"):
        run(main())
