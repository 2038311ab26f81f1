"""Migrations and reads on a real database."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import psycopg
import pytest

from sahrat.storage import reads as reading
from sahrat.storage.migrate import MigrationError, applied, migrate, migrations
from sahrat.storage.pool import connect
from sahrat.storage.reads import MOST, Reads, ReadsAway
from services.projection.rebuild import build
from tests.integration.projecting import execute, filled, rows
from tests.unit.match.desk import player
from tests.unit.projection.stories import Story, everything, many

P = 3


# ---- migrations


async def test_files_are_applied_once_in_order_and_remembered(postgres: str) -> None:
    files = migrations()
    async with await connect(postgres, name="test") as connection:
        assert await migrate(connection, "live", files[:2]) == [f.name for f in files[:2]]
        assert await migrate(connection, "live") == [f.name for f in files[2:]]
        assert await migrate(connection, "live") == []
        assert await applied(connection) == [(f.number, f.name, f.sha256) for f in files]


async def test_each_schema_has_its_own_tables(postgres: str) -> None:
    async with await connect(postgres, name="test") as connection:
        await migrate(connection, "live")
        assert await migrate(connection, "rebuild_1") == [f.name for f in migrations()]
    tables = await rows(
        postgres,
        "select count(*), count(distinct tablename) from pg_tables "
        "where schemaname in ('live', 'rebuild_1')",
    )
    assert tables[0][0] == 2 * tables[0][1]


async def test_C48_no_table_is_read_by_numbers_that_the_database_gives_out(postgres: str) -> None:
    """Such numbers are taken in one order and seen in another. What there is to read in order has
    its place in the log for a number: nothing can come in before it.
    """
    async with await connect(postgres, name="test") as connection:
        await migrate(connection, "live")
    given_out = "select count(*) from pg_class where relkind = 'S'"  # also for an identity column
    assert await rows(postgres, given_out) == [(0,)]


async def test_a_changed_file_is_refused_and_nothing_is_applied(postgres: str) -> None:
    files = migrations()
    async with await connect(postgres, name="test") as connection:
        await migrate(connection, "live", files[:2])
        changed = [replace(files[0], text=files[0].text + b"\n-- more"), *files[1:]]
        with pytest.raises(MigrationError, match=rf"{files[0].name} was changed"):
            await migrate(connection, "live", changed)
        assert len(await applied(connection)) == 2


async def test_a_wrong_file_leaves_nothing_of_the_others(postgres: str) -> None:
    files = migrations()
    wrong = [*files[:-1], replace(files[-1], text=b"create table a (b int); create tabel c")]
    async with await connect(postgres, name="test") as connection:
        with pytest.raises(psycopg.errors.SyntaxError):
            await migrate(connection, "live", wrong)
    assert await rows(postgres, "select * from pg_namespace where nspname = 'live'") == []


async def test_many_that_start_at_once_do_it_once(postgres: str) -> None:
    connections = [await connect(postgres, name="test") for _ in range(6)]
    done = await asyncio.gather(*(migrate(connection, "live") for connection in connections))
    assert sorted(map(len, done)) == [0, 0, 0, 0, 0, len(migrations())]
    for connection in connections:
        await connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "insert into match_seats values ('m', 4, null, null, '', true, false, now())",
        "insert into match_standings values ('m', 0, 5)",
        "update matches set phase = 'over'",
        "update matches set secret = 'x' where phase = 'open'",
        "update matches set secret = null where phase = 'closed'",
        "update matches set ended_at = now() where phase = 'open'",
        "update projection_progress set next_offset = -1",
    ],
)
async def test_the_tables_refuse_what_can_t_be(story: Story, postgres: str, statement: str) -> None:
    await build(await filled({P: story.drafts[:100]}), postgres, "live")
    with pytest.raises(psycopg.errors.CheckViolation):
        await execute(postgres, statement)


# ---- reads


@pytest.fixture(scope="module")
def story() -> Story:
    return everything(P)


async def test_a_match_is_read_as_it_was_played(story: Story, postgres: str) -> None:
    await build(await filled({P: story.drafts}), postgres, "live")
    reads = Reads(postgres)
    await reads.open()
    for desk in story.desks:
        found = await reads.match(desk.match_id)
        assert found is not None
        mine = [
            (record, value)
            for record, value in zip(story.records, story.values, strict=True)
            if record.match_id == desk.match_id
        ]
        assert [value async for value in reads.records(desk.match_id)] == [v for _, v in mine]
        assert [v async for v in reads.records(desk.match_id, found.seq - 2)] == [
            v for _, v in mine[-2:]
        ]
        first, last = mine[0][0], mine[-1][0]
        opened = first.events[0]
        assert (found.seq, found.opened_ms) == (last.seq, first.at_ms)
        assert (found.options, found.size) == (opened.options, opened.seats)
        assert found.commitment == opened.commitment
        assert found.parked is None
        ended = last.events[-1]
        assert found.secret == getattr(ended, "secret", None)
        assert found.ended_ms == (last.at_ms if found.secret else None)
        places = {place.seat: place.place for place in getattr(ended, "places", ())}
        assert {s.seat: s.place for s in found.seated if s.place is not None} == places
    await reads.close()


async def test_a_long_match_comes_page_by_page(
    story: Story, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await build(await filled({P: story.drafts}), postgres, "live")
    reads = Reads(postgres)
    await reads.open()
    whole = [value async for value in reads.records(story.desks[0].match_id)]
    assert len(whole) > reading.PAGE
    for page in (1, len(whole) - 1, len(whole), len(whole) + 1):
        monkeypatch.setattr(reading, "PAGE", page)
        assert [value async for value in reads.records(story.desks[0].match_id)] == whole
    await reads.close()


async def test_a_history_is_read_newest_first_in_pages(postgres: str) -> None:
    story = many(P, 30, steps=2_000)
    await build(await filled({P: story.drafts}), postgres, "live")
    reads = Reads(postgres)
    await reads.open()
    sat = [
        (event.player_id, record.match_id)
        for record in story.records
        for event in record.events
        if event.type == "seat.taken"
    ]
    assert len(sat) == 60
    for who in range(10):
        mine = [match_id for player_id, match_id in sat if player_id == player(who)]
        whole = await reads.history(player(who))
        assert [played.match_id for played in whole] == sorted(mine, reverse=True)[:20]
        pages = []
        before = None
        while page := await reads.history(player(who), 3, before):
            pages += page
            before = page[-1].match_id
        assert pages[:20] == whole
        for played in whole:
            match = await reads.match(played.match_id)
            assert match is not None
            seat = next(s for s in match.seated if s.player_id == player(who))
            assert (played.seat, played.place) == (seat.seat, seat.place)
            assert played.ended_as_bot == (seat.bot if match.ended_ms else None)
    recent = await reads.recent(5)
    assert [match.match_id for match in recent] == sorted(
        (desk.match_id for desk in story.desks), reverse=True
    )[:5]
    older = await reads.recent(MOST + 50, recent[-1].match_id)
    assert len(older) == 25
    await reads.close()


@pytest.mark.parametrize(
    "asked", ["", "x", "a\x00b", "' or true --", "%s", "0" * 36, "\ud800", "\u0663" * 36]
)
async def test_C35_what_is_no_id_finds_nothing(postgres: str, asked: str) -> None:
    await build(await filled({}), postgres, "live")
    reads = Reads(postgres)
    await reads.open()
    assert await reads.match(asked) is None
    assert await reads.history(asked) == []
    assert [value async for value in reads.records(asked)] == []
    assert await reads.recent(5, asked) == []
    await reads.close()


async def test_without_tables_or_database_reads_say_so(postgres: str) -> None:
    for dsn in (postgres, "host=127.0.0.1 port=1 user=u password=pa55word dbname=d"):
        reads = Reads(dsn)
        await reads.open()
        with pytest.raises(ReadsAway) as away:
            await reads.recent()
        assert "pa55word" not in str(away.value)
        await reads.close()


async def test_a_statement_that_takes_too_long_is_given_up(
    story: Story, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "STATEMENT_MS", 300)
    await build(await filled({P: story.drafts[:20]}), postgres, "live")
    reads = Reads(postgres)
    await reads.open()
    async with await connect(postgres, name="test") as other, other.transaction():
        await other.execute("lock table matches in access exclusive mode")
        with pytest.raises(ReadsAway):
            await reads.match(story.desks[0].match_id)
    assert await reads.match(story.desks[0].match_id) is not None
    await reads.close()
