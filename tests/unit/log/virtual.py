"""A program on virtual time that tells all that happens in it."""

from __future__ import annotations

import asyncio
import sys

from sahrat.log.memory import MemoryLog
from sahrat.log.port import Bookmark, Claim, Draft, Serve
from sahrat.messages.topics import INTENTS
from services.house.simulation.loop import run


async def story() -> list[str]:
    """Two members come and go while three senders write."""
    loop = asyncio.get_running_loop()
    told: list[str] = []

    def now_ms() -> int:
        return 1_000_000 + round(loop.time() * 1000)

    log = MemoryLog(now_ms=now_ms)
    await log.start()

    def serve_as(name: str) -> Serve:
        async def serve(claim: Claim) -> None:
            told.append(f"{name} gets {claim.partition} at {now_ms()}")
            marks = await log.bookmarks("g", INTENTS)
            reader = claim.reader(INTENTS, marks.get(claim.partition, Bookmark(0)).offset)
            while True:
                for record in await reader.read(3):
                    told.append(f"{name} reads {record} at {now_ms()}")
                    await claim.bookmark(Bookmark(record.offset + 1))

        return serve

    async def be(name: str, first_s: float, last_s: float) -> None:
        stop = asyncio.Event()
        loop.call_later(last_s, stop.set)
        await asyncio.sleep(first_s)
        await log.own("g", INTENTS, serve_as(name), stop)
        told.append(f"{name} left at {now_ms()}")

    async def send(name: str, pause_s: float) -> None:
        for turn in range(30):
            drafts = [Draft(name.encode(), b"%d" % turn)] * 2
            acks = await log.append(INTENTS, turn * len(name) % INTENTS.partitions, drafts)
            told.append(f"{name} has {acks} at {now_ms()}")
            await asyncio.sleep(pause_s)

    senders = [send("s" * count, 0.01 * count) for count in (1, 3, 5)]
    await asyncio.gather(*senders, be("A", 0, 0.9), be("B", 0.3, 2.5))
    await log.close()
    return told


def tell() -> list[str]:
    """Return the story as a new loop tells it."""
    return run(story())


if __name__ == "__main__":
    sys.stdout.write("\n".join(tell()))
