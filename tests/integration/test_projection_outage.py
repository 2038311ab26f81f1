"""The database is away, slow or killed: play does not notice, and the projection catches up."""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
import tempfile
import time
from asyncio.subprocess import DEVNULL
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import structlog
from typing_extensions import override

from sahrat.log.memory import MemoryLog
from sahrat.messages import topics
from sahrat.messages.stored import Draft
from sahrat.storage import pool
from sahrat.storage.reads import Reads, ReadsAway
from services.house.local.postgres import LocalPostgres
from services.projection import host
from services.projection.rows import Place
from services.projection.store import PostgresModels
from tests.integration.projecting import (
    caught_up,
    equals_a_rebuild,
    execute,
    filled,
    projecting,
    rows,
)
from tests.unit.projection.stories import Story, everything

pytestmark = [pytest.mark.postgres, pytest.mark.slow]

P: Final = 3
AWAY_S: Final = float(os.environ.get("SAHRAT_TEST_AWAY_S", "20"))
STUCK_S: Final = 30.0
BACK_S: Final = 60.0  # within this after its return all is projected (C49)


@pytest.fixture(scope="module")
def story() -> Story:
    return everything(P)


@pytest.fixture
def server() -> Iterator[LocalPostgres]:
    """A server of this test's own, to be ended as it likes."""
    with tempfile.TemporaryDirectory(prefix="sahrat-away-", ignore_cleanup_errors=True) as folder:
        server = LocalPostgres(Path(folder) / "postgres")
        server.start()
        try:
            yield server
        finally:
            server.stop()


async def feed(log: MemoryLog, story: Story, first: int, seconds: float) -> int:
    """Write the story on, at an even pace, for so long; return where it stands."""
    left = len(story.drafts) - first
    began = time.monotonic()
    written = 0
    while (gone := time.monotonic() - began) < seconds:
        due = first + int(left * gone / seconds)
        if due > first + written:
            # Bounded, so that a writer who waits for the database fails here: it comes back later.
            async with asyncio.timeout(STUCK_S):
                await log.append(topics.EVENTS, P, story.drafts[first + written : due])
            written = due - first
        await asyncio.sleep(0.05)
    return first + written


@pytest.mark.parametrize("how", ["stopped", "killed"])
async def test_C49_F08_after_a_database_that_was_away_all_is_projected_without_a_restart(
    story: Story, server: LocalPostgres, how: str
) -> None:
    log = await filled({P: story.drafts[:300]})
    reads = Reads(server.dsn)
    await reads.open()
    desk = story.desks[0]
    async with projecting(log, server.dsn) as projection:
        await caught_up(log, server.dsn)
        assert await reads.match(desk.match_id) is not None
        since = time.monotonic()
        await asyncio.to_thread(server.stop if how == "stopped" else server.kill)
        at = await feed(log, story, 300, host.RED_S / 2)
        short = time.monotonic() - since < host.RED_S  # not where all goes by fits and starts
        assert not short or projection.health() is None, "a short absence is nobody's alarm"
        await feed(log, story.cut(at + 100), at, host.RED_S / 2 + 2)
        red = projection.health()
        assert red is not None
        assert red.startswith("the database does not take the rows: ")
        with pytest.raises(ReadsAway):
            await reads.match(desk.match_id)
        await asyncio.sleep(max(0.0, AWAY_S - host.RED_S - 2))
        await asyncio.to_thread(server.start)
        took = await caught_up(log, server.dsn, BACK_S)
        sys.stdout.write(f"away {AWAY_S:.0f} s ({how}): caught up {took:.1f} s after its return\n")
        assert projection.health() is None
        found = await reads.match(desk.match_id)
        assert found is not None
        await log.append(topics.EVENTS, P, story.drafts[at + 100 :])
        await caught_up(log, server.dsn, 10)
    await reads.close()
    await equals_a_rebuild(log, server.dsn)


class Asked(PostgresModels):
    """Counts how often each partition asks where it stands."""

    def __init__(self, dsn: str) -> None:
        super().__init__(dsn)
        self.times: Counter[int] = Counter()

    @override
    async def place(self, partition: int) -> Place:
        self.times[partition] += 1
        return await super().place(partition)


async def test_what_is_wrong_with_the_database_is_logged_once_and_not_by_each_partition() -> None:
    log = await filled({})
    nowhere = "host=127.0.0.1 port=1 user=u password=pa55word dbname=d"
    models = Asked(nowhere)
    with structlog.testing.capture_logs() as logged:
        async with projecting(log, nowhere, models), asyncio.timeout(120):
            while sum(times > 1 for times in models.times.values()) < topics.EVENTS.partitions:
                await asyncio.sleep(0.1)
    said = [one["detail"] for one in logged if one["event"] == "the database does not take rows"]
    assert said
    assert len(said) == len({*said}) < topics.EVENTS.partitions


async def test_F26_a_database_that_comes_back_empty_is_filled_again(
    story: Story, server: LocalPostgres
) -> None:
    log = await filled({P: story.drafts})
    async with projecting(log, server.dsn) as projection:
        await caught_up(log, server.dsn)
        await execute(server.dsn, "drop schema live cascade")
        await log.append(topics.EVENTS, P, [Draft(b"", b"")])
        await caught_up(log, server.dsn)
        assert projection.health() is None
    await equals_a_rebuild(log, server.dsn)


async def test_F20_a_locked_table_holds_up_the_projection_and_nothing_else(
    story: Story, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "LOCK_MS", 1000)
    log = await filled({P: story.drafts[:300]})
    async with projecting(log, postgres) as projection:
        await caught_up(log, postgres)
        async with (
            await pool.connect(postgres, name="test") as connection,
            connection.transaction(),
        ):
            await connection.execute("lock table records in access exclusive mode")
            at = await feed(log, story, 300, 6)
            assert await rows(postgres, "select max(seq) > 1 from matches") == [(True,)]
        await log.append(topics.EVENTS, P, story.drafts[at:])
        await caught_up(log, postgres)
        assert projection.health() is None
    await equals_a_rebuild(log, postgres)


async def test_stopping_does_not_wait_for_a_database_that_is_away(story: Story) -> None:
    log = await filled({P: story.drafts[:10]})
    nowhere = "host=127.0.0.1 port=1 user=nobody dbname=nothing"
    async with projecting(log, nowhere):
        await asyncio.sleep(1)
        began = time.monotonic()
    assert time.monotonic() - began < pool.WAIT_S + 2


# Projects a stored story until it is ended from outside; tells each batch.
CHILD: Final = """
import asyncio, pickle, sys
from pathlib import Path
from services.projection import host
from services.projection.host import Projection
from services.projection.store import PostgresModels
from tests.integration.projecting import filled
host.BATCH, host.PAUSE_S = 20, 0.0
async def work():
    log = await filled({3: pickle.loads(Path(sys.argv[2]).read_bytes())})
    await Projection(log, PostgresModels(sys.argv[1])).run(asyncio.Event())
asyncio.run(work())
"""


async def test_F04_kill_9_at_any_moment_leaves_rows_that_equal_a_rebuild(
    story: Story, postgres: str, tmp_path: Path
) -> None:
    stored = tmp_path / "story"
    stored.write_bytes(pickle.dumps(story.drafts))
    log = await filled({P: story.drafts})
    kills = 0
    before = -1
    while True:
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-c", CHILD, postgres, str(stored), stdout=DEVNULL, stderr=DEVNULL
        )
        try:
            offset = await moved(postgres, before + 350, len(story.drafts))
        finally:
            child.kill()
            await child.wait()
        if offset == len(story.drafts):
            break
        kills += 1
        before = offset
    assert kills >= 4
    await equals_a_rebuild(log, postgres)


async def moved(dsn: str, beyond: int, end: int) -> int:
    """Return the place of the partition once it is beyond an offset, or at the end."""
    async with asyncio.timeout(60):
        while True:
            try:
                found = await rows(
                    dsn, "select next_offset from projection_progress where topic_partition = %s", P
                )
            except pool.AWAY:
                found = []
            if found and (found[0][0] > beyond or found[0][0] == end):
                return int(found[0][0])
            await asyncio.sleep(0.003)
