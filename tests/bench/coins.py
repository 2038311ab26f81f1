"""Phones at coin tables, to the end and on to the next match: `python -m tests.bench.coins JOB`.

The job is `{"url":.., "tables":N, "warm_s":S, "seconds":S}`. Each table of two plays one match
after the other for the smallest entry. Of those that end in the time that counts, it says how long
it took from the last roll or move, as it left the phone, until that phone was told of its prize.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final

import uvloop
from typing_extensions import override

from services.house.followed import Followed
from services.house.line import Internet
from services.house.phone import Phone
from services.house.purse import Purse
from tests.bench.processes import job, say

ENTRY: Final = 10
THINK_S: Final = 0.02  # a pace at which nothing queues
LIMIT_S: Final = 30.0
OPTIONS: Final = {"players": 2}


class Timed(Phone):
    """A phone that knows when it acted last."""

    acted_s = 0.0

    @override
    async def _act(self, known: Followed) -> None:
        self.acted_s = time.monotonic()
        await super()._act(known)


class Tables:
    """All tables, and what was measured there."""

    def __init__(self, from_s: float) -> None:
        self.times_us: list[int] = []
        self.matches = 0
        self.problems: list[str] = []
        self._from_s = from_s

    async def play(self, phones: tuple[Timed, Timed]) -> None:
        """Play one match after the other, for ever."""
        first, second = phones
        while True:
            match_id = await first.open("ludo", OPTIONS, ENTRY)
            await second.join(match_id)
            await asyncio.gather(*(phone.over(match_id) for phone in phones))
            winner = max(phones, key=lambda phone: phone.acted_s)  # who comes home first ends it
            paid = await winner.purse.until(_without(match_id), LIMIT_S)
            told_s = time.monotonic()
            if not paid:
                self.problems.append(f"{match_id}: no prize")
            elif told_s >= self._from_s:
                self.matches += 1
                self.times_us.append(int((told_s - winner.acted_s) * 1e6))


def _without(match_id: str) -> Callable[[Purse], bool]:
    return lambda purse: match_id not in purse.held


async def main(url: str, tables: int, warm_s: float, seconds: float) -> None:
    """Do the job."""
    network = Internet(url)
    phones = [Timed(network, f"p{n}", seed=str(n), think_s=THINK_S) for n in range(2 * tables)]
    for phone in phones:
        await phone.start()
        if not await phone.purse.until(lambda purse: purse.can_pay(ENTRY), LIMIT_S):
            say(failed="a phone has no coins")
            return
    held = Tables(time.monotonic() + warm_s)
    playing = [
        asyncio.create_task(held.play((phones[2 * n], phones[2 * n + 1]))) for n in range(tables)
    ]
    await asyncio.wait(playing, timeout=warm_s + seconds, return_when=asyncio.FIRST_EXCEPTION)
    failed = [str(task.exception()) for task in playing if task.done()]
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    found = [problem for phone in phones for problem in phone.problems]
    said: dict[str, Any] = {"problems": [*failed, *held.problems, *found]}
    say(times_us=held.times_us, matches=held.matches, **said)
    for phone in phones:
        await phone.close()


if __name__ == "__main__":
    uvloop.run(main(**job()))
