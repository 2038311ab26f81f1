"""People who do nothing: `python -m tests.bench.crowd JOB`.

The job is `{"url":.., "tables":N}` or `{"url":.., "watch":MATCH_ID, "sockets":N}`. Either so many
coin tables are opened, at which somebody waits for others, or so many sockets look on at one match.
It says `there` once all are, stays until its standard input ends, and then says how many records it
was shown.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
import orjson
import uuid_utils
import uvloop

from tests.bench.driver import new_token
from tests.bench.frames import Frames
from tests.bench.processes import job, say, words
from tests.bench.tables import OPTIONS

EACH_TABLES: Final = 50  # that one player's line may see at once
EACH_SOCKETS: Final = 8  # that one player may have
ENTRY: Final = 10  # coins: no bot takes a seat there, and none is held before all are
AT_ONCE: Final = 10
LIMIT_S: Final = 120.0
LOOK_S: Final = 0.05


class Idle:
    """One socket, and what it has heard.

    Attributes:
        records: How many came.
        heard: Messages that are no records, by type.
        refused: Why something was not granted.
    """

    def __init__(self, token: str) -> None:
        self.records = 0
        self.heard: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self._token = token
        self._frames: Frames | None = None

    async def connect(self, url: str) -> None:
        """Come in. Raises OSError."""
        where = urlsplit(url)
        assert where.hostname is not None
        assert where.port is not None
        _, self._frames = await asyncio.get_running_loop().create_connection(
            lambda: Frames(where.netloc, self._take, self._lost), where.hostname, where.port
        )
        await self._frames.opened
        self.say(type="sign_in", token=self._token)

    def say(self, **message: Any) -> None:
        """Send a message."""
        assert self._frames is not None
        self._frames.send(orjson.dumps(message))

    def close(self) -> None:
        """Leave."""
        if self._frames is not None:
            self._frames.close()

    def _take(self, data: bytes) -> None:
        message = orjson.loads(data)
        kind = message.get("type")
        if kind is None:
            self.records += 1
        elif kind == "refused":
            self.refused[message["reason"]] += 1
        else:
            self.heard[kind] += 1

    def _lost(self, why: str) -> None:
        self.refused[why] += 1


async def main(url: str, tables: int = 0, watch: str = "", sockets: int = 0) -> None:
    """Do the job."""
    lines = sockets or -(-tables // EACH_TABLES)
    async with aiohttp.ClientSession() as http:
        people = -(-lines // EACH_SOCKETS) if watch else lines
        tokens = [await new_token(http, url, f"c{number}") for number in range(people)]
    crowd = [Idle(tokens[number % people]) for number in range(lines)]
    for idle in crowd:
        await idle.connect(url)
    for number, idle in enumerate(crowd):
        if watch:
            idle.say(type="watch", match_id=watch, seq=0)
        for _ in range(len(range(number, tables, lines))):
            wish = {"type": "open", "game": "ludo", "options": OPTIONS, "entry_coins": ENTRY}
            idle.say(**wish, intent_id=str(uuid_utils.uuid7()), seat_number="1")
        await asyncio.sleep(0)
    kind, count = ("watching", sockets) if watch else ("accepted", tables)
    try:
        async with asyncio.timeout(LIMIT_S):
            while sum(idle.heard[kind] for idle in crowd) < count:
                await asyncio.sleep(LOOK_S)
    except TimeoutError:
        refused = sum((idle.refused for idle in crowd), Counter[str]())
        came = sum(idle.heard[kind] for idle in crowd)
        say(failed=f"{came} of {count} came; refused: {dict(refused)}")
        return
    say(event="there")
    async for _ in words():
        say(records=sum(idle.records for idle in crowd))
    for idle in crowd:
        idle.close()


if __name__ == "__main__":
    uvloop.run(main(**job()))
