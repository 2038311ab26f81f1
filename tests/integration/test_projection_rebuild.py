"""A rebuild: new read models beside the old ones, swapped in one moment, with work going on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import psycopg
import pytest

from sahrat.log.memory import MemoryLog
from sahrat.messages import topics
from sahrat.messages.codec import FromTheFuture
from sahrat.messages.stored import Draft
from sahrat.storage.compare import compare
from sahrat.storage.migrate import migrate
from sahrat.storage.pool import connect
from sahrat.storage.reads import Reads
from services.projection import host
from services.projection import rebuild as rebuilding
from services.projection.core import matches as core
from services.projection.follower import Follower
from services.projection.rebuild import Progress, RebuildError, build, rebuild
from services.projection.rows import Writes
from services.projection.store import PostgresModels
from tests.integration.projecting import (
    caught_up,
    equals_a_rebuild,
    everything_in,
    execute,
    filled,
    projecting,
    rows,
)
from tests.unit.projection.stories import Story, everything, many

P = 3


@pytest.fixture(scope="module")
def story() -> Story:
    return everything(P)


async def schemas(dsn: str) -> list[str]:
    found = await rows(
        dsn,
        "select nspname::text from pg_namespace "
        "where nspname = 'live' or nspname ~ '^(old|rebuild)_' order by 1",
    )
    return [schema for (schema,) in found]


async def test_F26_a_lost_database_is_made_anew_from_the_topics(
    story: Story, postgres: str
) -> None:
    told: list[Progress] = []
    log = await filled({P: story.drafts, 8: many(8, 3).drafts})
    done = await rebuild(log, postgres, told.append)
    total = sum([(await log.bounds(topics.EVENTS, p)).end for p in (P, 8)])
    assert (done.records, done.left) == (total, "")
    assert {p: done.places[p].next_offset for p in (P, 8)} == {
        p: (await log.bounds(topics.EVENTS, p)).end for p in (P, 8)
    }
    assert [progress.percent for progress in told] == sorted(p.percent for p in told)
    assert told[-1] == Progress(total, total)
    assert told[-1].percent == 100
    assert await schemas(postgres) == ["live"]
    await equals_a_rebuild(log, postgres)


async def test_an_empty_log_makes_empty_tables(postgres: str) -> None:
    log = await filled({})
    told: list[Progress] = []
    assert (await rebuild(log, postgres, told.append)).records == 0
    assert told[-1].percent == 100
    assert await rows(postgres, "select count(*) from matches") == [(0,)]


async def test_what_was_wrong_in_the_tables_is_right_again(story: Story, postgres: str) -> None:
    log = await filled({P: story.drafts})
    async with projecting(log, postgres):
        await caught_up(log, postgres)
    await execute(postgres, "update matches set phase = 'playing', ended_at = null, secret = null")
    await execute(postgres, "delete from records where seq % 2 = 0")
    await rebuild(log, postgres)
    await equals_a_rebuild(log, postgres)
    async with projecting(log, postgres):
        await caught_up(log, postgres)


async def test_tables_of_another_log_are_replaced(story: Story, postgres: str) -> None:
    """They claim to be further than this log goes; that must not be waited for."""
    other = await filled({P: story.drafts, 4: many(4, 2).drafts})
    async with projecting(other, postgres):
        await caught_up(other, postgres)
    log = await filled({P: story.drafts[:70]})
    async with asyncio.timeout(60):
        await rebuild(log, postgres)
    await equals_a_rebuild(log, postgres)


async def feed(log: MemoryLog, drafts: list[Draft], enough: asyncio.Event) -> None:
    """Write on, a little at a time, until it is enough; then all the rest."""
    at = 0
    while at < len(drafts) and not enough.is_set():
        await log.append(topics.EVENTS, P, drafts[at : at + 3])
        at += 3
        await asyncio.sleep(0.02)
    await log.append(topics.EVENTS, P, drafts[at:])


async def test_a_rebuild_while_the_projection_works_loses_and_repeats_nothing(
    story: Story, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several swaps under a projection in full swing, with readers who never see a match go back
    or half of it.
    """
    monkeypatch.setattr(host, "PAUSE_S", 0.0)
    monkeypatch.setattr(host, "FIRST_RETRY_S", 0.01)
    log = await filled({P: story.drafts[:500]})
    async with projecting(log, postgres):
        await caught_up(log, postgres)
        enough = asyncio.Event()
        feeding = asyncio.create_task(feed(log, story.drafts[500:], enough))
        watching = asyncio.create_task(watch(postgres, story))
        for _ in range(3):
            await rebuild(log, postgres)
        enough.set()
        await feeding
        await caught_up(log, postgres)
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
    assert await schemas(postgres) == ["live"]
    await equals_a_rebuild(log, postgres)


async def watch(dsn: str, story: Story) -> None:
    """Read again and again, by one connection that knows its statements, what must never shrink."""
    reads = Reads(dsn)
    await reads.open()
    heads: dict[str, int] = {}
    count = 0
    try:
        while True:
            for desk in story.desks[:3]:
                found = await reads.match(desk.match_id)
                assert found is not None
                assert found.seq >= heads.get(desk.match_id, 0)
                heads[desk.match_id] = found.seq
                stored = [value async for value in reads.records(desk.match_id)]
                assert len(stored) >= found.seq
                count += 1
    finally:
        assert count > 10
        await reads.close()


async def waiting_for_a_lock(dsn: str) -> None:
    """Wait until somebody does."""
    async with asyncio.timeout(60):
        while not await rows(dsn, "select 1 from pg_locks where not granted"):
            await asyncio.sleep(0.01)


async def test_the_swap_waits_for_the_batch_that_is_being_written(
    story: Story, postgres: str
) -> None:
    """Or its fence would be in the old tables and its rows in the new ones."""
    log = await filled({P: story.drafts[:300]})
    await build(log, postgres, "live")
    await log.append(topics.EVENTS, P, story.drafts[300:])
    models = PostgresModels(postgres)
    await models.open()
    place = await models.place(P)
    batch = (await everything_in(log, P))[300:400]
    async with models.turn(place) as turn:
        swapping = asyncio.create_task(rebuild(log, postgres))
        await waiting_for_a_lock(postgres)
        reads = core.decode(batch)
        views, parked = await turn.views(core.named(reads))
        assert not swapping.done()
        await turn.write(core.fold(place, reads, core.Known(views, parked, {})))
    await swapping
    assert (await models.place(P)).next_offset == len(story.drafts)
    await models.close()
    await equals_a_rebuild(log, postgres)


async def test_what_came_and_was_shown_while_the_swap_waited_is_shown_after_it(
    story: Story, postgres: str
) -> None:
    """The log's end had been looked up before the wait: a match went back by some records."""
    log = await filled({P: story.drafts[:300]})
    await build(log, postgres, "live")
    models = PostgresModels(postgres)
    await models.open()
    place = await models.place(P)
    async with models.turn(place) as turn:
        swapping = asyncio.create_task(rebuild(log, postgres))
        await waiting_for_a_lock(postgres)
        await log.append(topics.EVENTS, P, story.drafts[300:400])
        reads = core.decode((await everything_in(log, P))[300:])
        views, parked = await turn.views(core.named(reads))
        await turn.write(core.fold(place, reads, core.Known(views, parked, {})))
    await swapping
    await models.close()
    assert await rows(postgres, "select count(*) from records") == [(400,)]


async def test_a_batch_that_comes_during_the_swap_finds_the_new_tables(
    story: Story, postgres: str
) -> None:
    log = await filled({P: story.drafts[:300]})
    await build(log, postgres, "live")
    models = PostgresModels(postgres)
    await models.open()
    follower = Follower(models, await models.place(P))
    late: list[asyncio.Task[Writes]] = []
    async with await connect(postgres, name="test") as holder:
        # Stands where the rebuild will want to be, so that the batch is in line behind it.
        async with holder.transaction():
            await holder.execute("lock table projection_progress in row share mode")
            swapping = asyncio.create_task(rebuild(log, postgres))
            await waiting_for_a_lock(postgres)
            await log.append(topics.EVENTS, P, story.drafts[300:400])
            late.append(asyncio.create_task(follower.take((await everything_in(log, P))[300:])))
            await asyncio.sleep(0.3)
            assert not late[0].done()
        await swapping
    await late[0]
    await models.close()
    assert await rows(postgres, "select count(*) from records") == [(400,)]
    await equals_a_rebuild(log, postgres)


@pytest.mark.parametrize("moment", ["first", "last"])
async def test_a_rebuild_that_dies_leaves_the_old_tables_and_the_next_one_clears_away(
    story: Story, postgres: str, moment: str
) -> None:
    log = await filled({P: story.drafts})
    async with projecting(log, postgres):
        await caught_up(log, postgres)
    before = await rows(postgres, "select oid from pg_class where relname = 'matches'")

    def die(progress: Progress) -> None:
        if moment == "first" or progress.percent == 100:
            raise SystemError("killed")

    with pytest.raises(SystemError, match="killed"):
        await rebuild(log, postgres, die)
    assert await schemas(postgres) == ["live", "rebuild_1"]
    assert set(before) < set(
        await rows(postgres, "select oid from pg_class where relname = 'matches'")
    )
    await execute(postgres, "alter schema rebuild_1 rename to old_7")
    assert (await rebuild(log, postgres)).left == ""
    assert await schemas(postgres) == ["live"]
    await equals_a_rebuild(log, postgres)


async def test_a_newer_record_ends_it_and_the_old_tables_stay(story: Story, postgres: str) -> None:
    log = await filled({P: story.drafts[:100]})
    await rebuild(log, postgres)
    newer = story.values[100].replace(b'"v":1', b'"v":2', 1)
    await log.append(topics.EVENTS, P, [Draft(story.drafts[100].key, newer)])
    with pytest.raises(FromTheFuture):
        await rebuild(log, postgres)
    assert await rows(postgres, "select count(*) from records") == [(100,)]


async def test_only_one_rebuild_at_a_time(story: Story, postgres: str) -> None:
    log = await filled({P: story.drafts[:10]})
    async with await connect(postgres, name="another") as other:
        await other.execute("select pg_advisory_lock(%s)", (rebuilding.LOCK,))
        with pytest.raises(RebuildError, match="another rebuild"):
            await rebuild(log, postgres)
        assert await schemas(postgres) == []
    assert (await rebuild(log, postgres)).records == 10


async def test_the_tables_of_a_newer_version_are_not_replaced(story: Story, postgres: str) -> None:
    log = await filled({P: story.drafts[:10]})
    await rebuild(log, postgres)
    await execute(
        postgres,
        "insert into schema_migrations (number, name, sha256) values (99, '0099_x.sql', 'f')",
    )
    with pytest.raises(RebuildError, match=r"0099_x\.sql"):
        await rebuild(log, postgres)
    assert "live" in await schemas(postgres)


async def test_what_others_made_of_the_old_tables_is_not_dropped_in_silence(
    story: Story, postgres: str
) -> None:
    log = await filled({P: story.drafts[:10]})
    await rebuild(log, postgres)
    await execute(postgres, "create view public.mine as select * from live.matches")
    done = await rebuild(log, postgres)
    assert "mine" in done.left
    assert await rows(postgres, "select count(*) from public.mine") == [(4,)]
    assert (await schemas(postgres))[0] == "live"
    again = await rebuild(log, postgres)
    assert again.left == ""
    assert len(await schemas(postgres)) == 2
    await equals_a_rebuild(log, postgres)


@contextlib.asynccontextmanager
async def reading(dsn: str, statement: str) -> AsyncIterator[psycopg.AsyncCursor[object]]:
    """A reader in the middle of a transaction."""
    async with await connect(dsn, name="reader") as connection, connection.transaction():
        yield await connection.execute(statement.encode())


async def test_a_reader_in_the_middle_keeps_what_he_reads(
    story: Story, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuilding, "DROP_TRIES", 1)
    log = await filled({P: story.drafts[:10]})
    await rebuild(log, postgres)
    async with reading(postgres, "select match_id from matches") as cursor:
        done = await rebuild(log, postgres)
        assert done.left == "old_1 stays until the next rebuild: it is still being read"
        assert len(await cursor.fetchall()) == 4
    await rebuild(log, postgres)
    assert await schemas(postgres) == ["live"]


async def test_a_migration_that_comes_meanwhile_is_not_lost(story: Story, postgres: str) -> None:
    """Making tables and swapping them hold the same lock: one comes after the other."""
    log = await filled({P: story.drafts[:50]})
    async with await connect(postgres, name="test") as connection:
        results = await asyncio.gather(rebuild(log, postgres), migrate(connection, "live"))
    assert results[0].records == 50
    assert await schemas(postgres) == ["live"]
    await build(log, postgres, "expected")
    assert (await compare(postgres, "live", "expected")).equal
