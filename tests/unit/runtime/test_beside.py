"""Tasks that share the end of the one that made them."""

from __future__ import annotations

import asyncio

import pytest

from sahrat.runtime.beside import Beside
from services.house.simulation.loop import run


async def forever(told: list[str], name: str) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        told.append(name)


async def fail_after(seconds: float) -> None:
    await asyncio.sleep(seconds)
    raise LookupError("gone")


def test_what_ends_one_of_them_is_raised_and_ends_the_others_in_order() -> None:
    told: list[str] = []

    async def main() -> float:
        async with Beside() as beside:
            for name in "abc":
                beside.start(forever(told, name))
            beside.start(fail_after(2))
            while True:
                await beside.rest(None)

    with pytest.raises(LookupError, match="gone"):
        run(main())
    assert told == ["a", "b", "c"]


def test_one_that_returns_is_a_fault() -> None:
    async def main() -> None:
        async with Beside() as beside:
            beside.start(asyncio.sleep(1))
            await beside.rest(None)

    with pytest.raises(RuntimeError, match="by itself"):
        run(main())


def test_a_rest_ends_when_woken_or_when_it_is_over() -> None:
    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        times: list[float] = []
        async with Beside() as beside:
            beside.wake()
            await beside.rest(5)  # woken before it began
            times.append(loop.time())
            await beside.rest(5)
            times.append(loop.time())
            loop.call_later(1, beside.wake)
            await beside.rest(5)
            times.append(loop.time())
            await beside.rest(0)
            times.append(loop.time())
        return times

    assert run(main()) == [0, 5, 6, 6]


def test_a_cancelled_rest_ends_everything() -> None:
    told: list[str] = []

    async def work() -> None:
        async with Beside() as beside:
            beside.start(forever(told, "a"))
            await beside.rest(1)

    async def main() -> None:
        task = asyncio.create_task(work())
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
    assert told == ["a"]
