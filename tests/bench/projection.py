"""Measure the projection alone: `python -m tests.bench.projection DSN`.

Prints, for several sizes of a batch, how many records a second one partition is projected with and
this process's CPU time for each; the database's own is the server's to tell. The tables go into
schemas of their own, which are dropped.
"""

from __future__ import annotations

import sys
import time
from typing import Final

import uvloop

from sahrat.storage.pool import connect
from services.projection.follower import Follower
from services.projection.store import PostgresModels
from tests.unit.projection.stories import many

PARTITION: Final = 3
MATCHES: Final = 60
SIZES: Final = (1, 10, 30, 100, 500, 2_000)
LEAST_BATCHES: Final = 8


async def measure(dsn: str) -> None:
    story = many(PARTITION, MATCHES)
    stored = story.stored
    size_of = sum(map(len, story.values)) / len(stored)
    print(f"{len(stored):,} records of {MATCHES} matches, {size_of:.0f} bytes each")
    for size in SIZES:
        schema = f"bench_{size}"
        models = PostgresModels(dsn, schema=schema, name="sahrat-bench")
        await models.open()
        follower = Follower(models, await models.place(PARTITION))
        count = min(len(stored), max(1_000, LEAST_BATCHES * size))
        wall, cpu = time.perf_counter(), time.process_time()
        for at in range(0, count, size):
            await follower.take(stored[at : min(at + size, count)])
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(
            f"batches of {size:5}: {count / wall:7,.0f} records/s, "
            f"{cpu / count * 1e6:6.0f} us CPU each, {wall / count * size * 1e3:7.1f} ms a batch"
        )
        await models.close()
        async with await connect(dsn, name="sahrat-bench") as connection:
            await connection.execute(f"drop schema {schema} cascade".encode())


if __name__ == "__main__":
    uvloop.run(measure(sys.argv[1]))
