"""A loop whose time jumps to the next timer, and a program on it that tells all that happens."""

from __future__ import annotations

import asyncio
import selectors
import sys

from typing_extensions import override

from sahrat.log.memory import MemoryLog
from sahrat.log.port import Bookmark, Claim, Draft, Serve
from sahrat.messages.topics import INTENTS


class _Jump(selectors.SelectSelector):
    now_s = 0.0

    @override
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now_s += timeout or 0.0
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)

    @override
    def time(self) -> float:
        return self._jump.now_s

    def now_ms(self) -> int:
        return 1_000_000 + round(self.time() * 1000)


async def story(loop: VirtualLoop) -> list[str]:
    """Two members come and go while three senders write."""
    told: list[str] = []
    log = MemoryLog(now_ms=loop.now_ms)
    await log.start()

    def serve_as(name: str) -> Serve:
        async def serve(claim: Claim) -> None:
            told.append(f"{name} gets {claim.partition} at {loop.now_ms()}")
            marks = await log.bookmarks("g", INTENTS)
            reader = claim.reader(INTENTS, marks.get(claim.partition, Bookmark(0)).offset)
            while True:
                for record in await reader.read(3):
                    told.append(f"{name} reads {record} at {loop.now_ms()}")
                    await claim.bookmark(Bookmark(record.offset + 1))

        return serve

    async def be(name: str, first_s: float, last_s: float) -> None:
        stop = asyncio.Event()
        loop.call_later(last_s, stop.set)
        await asyncio.sleep(first_s)
        await log.own("g", INTENTS, serve_as(name), stop)
        told.append(f"{name} left at {loop.now_ms()}")

    async def send(name: str, pause_s: float) -> None:
        for turn in range(30):
            drafts = [Draft(name.encode(), b"%d" % turn)] * 2
            acks = await log.append(INTENTS, turn * len(name) % INTENTS.partitions, drafts)
            told.append(f"{name} has {acks} at {loop.now_ms()}")
            await asyncio.sleep(pause_s)

    senders = [send("s" * count, 0.01 * count) for count in (1, 3, 5)]
    await asyncio.gather(*senders, be("A", 0, 0.9), be("B", 0.3, 2.5))
    await log.close()
    return told


def tell() -> list[str]:
    """Return the story as a new loop tells it."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(story(loop))
    finally:
        loop.close()


if __name__ == "__main__":
    sys.stdout.write("\n".join(tell()))
