"""Plays all phones of the bench, many in one process: `python -m tests.bench.driver JOB`.

The job is `{"url":.., "tables":N, "games":[..], "first":N, "rate":R, "limit":N}`: how many tables,
what is played at them in turn, the number of the first, actions a second over all of them (0: as
many as the house takes), and after how many actions a table holds still (0: never). It says
`playing` once all tables do, and which match is on at the first. Then `begin` and `end` on its
standard input frame what is counted, and after `end` it says what that was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
import uvloop

from tests.bench.frames import Frames
from tests.bench.processes import job, say, words
from tests.bench.tables import Phone, Table, Tally, now_us

GUESTS_AT_ONCE: Final = 10
START_S: Final = 90.0
BUSY_S: Final = 0.5
LOOK_S: Final = 0.05


class Driver:
    """The tables of one process."""

    def __init__(
        self,
        url: str,
        tables: int,
        games: Sequence[str],
        first: int = 0,
        rate: float = 0.0,
        limit: int = 0,
    ) -> None:
        loop = asyncio.get_running_loop()
        self._url = url
        self._rate = rate
        self._limit = limit
        self._tally = Tally()
        on_turn = self._pay if rate else self._at_once
        self._tables = [
            Table(n, games[n % len(games)], self._tally, loop.call_later, on_turn)
            for n in range(first, first + tables)
        ]
        self._phones = [phone for table in self._tables for phone in table.phones]
        self._debts: dict[Table, list[int]] = {}
        self._skipped = 0

    async def run(self) -> None:
        """Play until nobody wants to know any more."""
        await self._become_guests()
        for phone in self._phones:
            await self._connect(phone)
        for table in self._tables:
            table.open()
        async with asyncio.timeout(START_S):
            while not all(table.playing for table in self._tables):
                await asyncio.sleep(LOOK_S)
        say(event="playing", match_id=self._tables[0].match_id)
        pacing = asyncio.create_task(self._pace()) if self._rate else None
        await self._answer()
        if pacing is not None:
            pacing.cancel()
        for phone in self._phones:
            if phone.frames is not None:
                phone.frames.close()

    # ---- when somebody acts

    def _at_once(self, table: Table) -> None:
        if not self._limit or table.acts < self._limit:
            table.act(now_us())

    def _pay(self, table: Table) -> None:
        """Let a table act that was not ready when it should have been."""
        debts = self._debts.get(table)
        if debts:
            table.act(debts.pop(0))

    async def _pace(self) -> None:
        """Let one table after the other act, at the rate, ready or not."""
        begin_s, number = asyncio.get_running_loop().time(), 0
        while True:
            number += 1
            wait_s = begin_s + number / self._rate - asyncio.get_running_loop().time()
            await asyncio.sleep(max(0.0, wait_s))
            table = self._tables[number % len(self._tables)]
            if not table.playing:
                self._skipped += 1  # between two matches nobody is on turn
            elif table.ready:
                table.act(now_us())
            else:
                self._debts.setdefault(table, []).append(now_us())

    # ---- beginning

    async def _become_guests(self) -> None:
        gate = asyncio.Semaphore(GUESTS_AT_ONCE)
        async with aiohttp.ClientSession() as http:

            async def become(number: int, phone: Phone) -> None:
                async with gate:
                    phone.token = await new_token(http, self._url, f"p{number}")

            await asyncio.gather(*(become(*each) for each in enumerate(self._phones)))

    async def _connect(self, phone: Phone) -> None:
        where = urlsplit(self._url)
        assert where.hostname is not None
        assert where.port is not None
        _, frames = await asyncio.get_running_loop().create_connection(
            lambda: Frames(where.netloc, phone.take, phone.lost), where.hostname, where.port
        )
        await frames.opened
        phone.frames = frames
        phone.say(type="sign_in", token=phone.token)

    # ---- counting

    async def _answer(self) -> None:
        """Do what the words on standard input say, until that ends."""
        begin_us = now_us()
        async for word in words():
            if word == b"begin":
                self._clear()
                begin_us = now_us()
            elif word == b"end":
                say(**self._counted(now_us() - begin_us))
            elif word == b"held":
                while any(table.acts < self._limit for table in self._tables):
                    await asyncio.sleep(LOOK_S)
                say(event="held")

    def _clear(self) -> None:
        self._tally.times_us.clear()
        self._tally.refusals.clear()
        self._tally.matches = self._skipped = 0

    def _counted(self, took_us: int) -> dict[str, Any]:
        tally = self._tally
        return {
            "took_us": took_us,
            "times_us": tally.times_us,
            "matches": tally.matches,
            "skipped": self._skipped,
            "idle": sum(not table.playing for table in self._tables),
            "refusals": tally.refusals,
            "problems": tally.problems,
        }


async def new_token(http: aiohttp.ClientSession, url: str, nickname: str) -> str:
    """Become a guest of the house at `url`, and return his token."""
    while True:
        async with http.post(f"{url}/api/guests", json={"nickname": nickname}) as answer:
            if answer.status == HTTPStatus.CREATED:
                token: str = (await answer.json())["token"]
                return token
            if answer.status != HTTPStatus.TOO_MANY_REQUESTS:
                answer.raise_for_status()
        await asyncio.sleep(BUSY_S)


async def main() -> None:
    """Do the job."""
    await Driver(**job()).run()


if __name__ == "__main__":
    uvloop.run(main())
