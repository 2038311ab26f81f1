"""Keeps a phone connected: a line, and after it is lost another one."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final

import orjson

from services.house.line import AWAY
from services.house.network import Account, Backoff, Line, Network, NoAccount

SILENCE_S: Final = 15.0  # a gateway pings every 5 s: one that says nothing for so long is gone
LOOK_S: Final = 2.0
NOT_SIGNED_IN: Final = 4401
FINE: Final = frozenset({1000, 1001, 1006, 1013, NOT_SIGNED_IN, 4408, 4413})
"""Close codes after which a phone just comes back: the house stops, or lost sight of it."""


class Reach:
    """One phone's connection to the house, whatever becomes of it.

    Args:
        network: Where the house is.
        account: Who signs in.
        backoff: Pauses between two attempts.
        take: Given each message that comes.

    Attributes:
        lines: How many connections there have been.
        closed: Why the house closed some, by WebSocket code.
        problems: What a phone does not expect, in words.
    """

    def __init__(
        self,
        network: Network,
        account: Account,
        backoff: Backoff,
        take: Callable[[bytes], Awaitable[None]],
    ) -> None:
        self.lines = 0
        self.closed: Counter[int] = Counter()
        self.problems: list[str] = []
        self._network = network
        self._account = account
        self._backoff = backoff
        self._take = take
        self._line: Line | None = None
        self._listening: asyncio.Task[None] | None = None
        self._unheard: list[Line] = []
        self._heard_s = 0.0
        self._away_until_s = 0.0

    async def keep(self) -> None:
        """Have a line, and get another one whenever it is lost, until cancelled."""
        loop = asyncio.get_running_loop()
        try:
            while True:
                await asyncio.sleep(max(0.0, self._away_until_s - loop.time()))
                line = self._network.line()
                self._listening = asyncio.create_task(self._listen(line))
                await asyncio.wait((self._listening,))
                if not self._listening.cancelled():
                    self._listening.result()  # what was heard could not be understood: our fault
                if self._line is line:
                    self._line = None
                if line not in self._unheard:
                    await line.close()
                if not await self._may_come_back(line.close_code):
                    return
                if self._away_until_s <= loop.time():
                    await asyncio.sleep(self._backoff.take())
        finally:
            if self._listening is not None:
                self._listening.cancel()
                await asyncio.gather(self._listening, return_exceptions=True)
            for left in (self._line, *self._unheard):
                if left is not None:
                    await left.close()

    async def send(self, data: bytes) -> None:
        """Send a message, if there is a line; whoever waits for an answer sends it again."""
        if self._line is not None:
            try:
                await self._line.send(data)
            except AWAY:
                return  # who listens finds out

    async def lose(self, away_s: float, *, silently: bool) -> None:
        """Have no line for a while.

        Args:
            away_s: For how long.
            silently: Nothing tells the gateway, as when a phone is out of reach: it only hears no
                more. Otherwise the connection breaks.
        """
        self._away_until_s = asyncio.get_running_loop().time() + away_s
        line, self._line = self._line, None
        if line is None or self._listening is None:
            return
        if silently:
            self._unheard.append(line)
            self._listening.cancel()  # so that nobody answers pings
        else:
            await line.cut()

    async def watch_silence(self) -> None:
        """Leave a line on which nothing comes any more, not even pings, until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(max(LOOK_S, self._heard_s + SILENCE_S - loop.time()))
            if self._line is not None and loop.time() - self._heard_s > SILENCE_S:
                await self._line.cut()

    async def _listen(self, line: Line) -> None:
        """Connect, sign in, and hand on what comes until the line is lost."""
        loop = asyncio.get_running_loop()
        try:
            await line.open()
            self._heard_s = loop.time()
            self._line = line
            self.lines += 1
            await line.send(orjson.dumps({"type": "sign_in", "token": self._account.token}))
            while (data := await line.receive()) is not None:
                self._heard_s = loop.time()
                if data:
                    self._backoff.reset()
                    await self._take(data)
        except AWAY:
            return

    async def _may_come_back(self, code: int | None) -> bool:
        if code is None:
            return True
        self.closed[code] += 1
        if code not in FINE:
            self.problems.append(f"the house closed the line with {code}")
        if code != NOT_SIGNED_IN:
            return True
        try:
            await self._account.renew()
        except NoAccount as refused:
            self.problems.append(f"no new token: {refused}")
            return False
        except AWAY:
            return True  # the old one is refused again, and this is tried again
        return True
