"""The projection on a real database: rows and place are one, whatever comes in between."""

from __future__ import annotations

import asyncio
import base64
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import psycopg
import pytest
from psycopg import sql
from typing_extensions import override

from sahrat import dice
from sahrat.games import wire
from sahrat.log.memory import MemoryLog
from sahrat.log.port import LogFault
from sahrat.messages import topics
from sahrat.messages.codec import FromTheFuture, encode
from sahrat.messages.stored import Draft
from sahrat.storage.compare import compare
from services.projection import host
from services.projection.models import Overtaken, Turn
from services.projection.rebuild import build
from services.projection.rows import Place
from services.projection.store import PostgresModels
from services.rules.host import Rules
from tests.integration.projecting import (
    caught_up,
    ends,
    equals_a_rebuild,
    everything_in,
    execute,
    filled,
    projecting,
    rows,
    twin,
)
from tests.unit.match.desk import MASTER, FixedKeys
from tests.unit.projection.stories import Story, everything, many

P = 3


@pytest.fixture(scope="module")
def story() -> Story:
    return everything(P)


async def test_what_the_rules_worker_writes_is_projected_byte_for_byte(
    story: Story, postgres: str
) -> None:
    """A small set of matches through the real workers: intents in, rows out."""
    clock = iter([stored.at_ms for stored in story.intents])
    times: list[int] = [0]
    log = MemoryLog(now_ms=lambda: times[0])
    await log.start()
    stop = asyncio.Event()
    rules = asyncio.create_task(Rules(log, FixedKeys()).run(stop))
    for stored in story.intents[:600]:
        times[0] = next(clock)
        await log.append(topics.INTENTS, P, [Draft(stored.key, stored.value)])
    expected = [
        value
        for record, value in zip(story.records, story.values, strict=True)
        if record.caused_by.offset < 600
    ]
    async with asyncio.timeout(60):
        while (await log.bounds(topics.EVENTS, P)).end < len(expected):
            await asyncio.sleep(0.01)
    async with projecting(log, postgres) as projection:
        await caught_up(log, postgres)
        assert projection.health() is None
    stop.set()
    await rules
    found = await rows(postgres, "select value from records order by topic_offset")
    assert [bytes(value) for (value,) in found] == expected
    assert (await equals_a_rebuild(log, postgres))["matches"] > 3


async def test_all_tables_equal_what_the_topics_alone_make(story: Story, postgres: str) -> None:
    other = many(7, 6)
    log = await filled({P: story.drafts, 7: other.drafts})
    async with projecting(log, postgres):
        await caught_up(log, postgres)
    counts = await equals_a_rebuild(log, postgres)
    assert counts["records"] == len(story.values) + len(other.values)
    assert counts["matches"] == len(story.desks) + len(other.desks)
    assert counts["match_standings"] > 12
    assert counts["player_matches"] > 12


async def test_C25_no_table_holds_a_secret_before_the_end(postgres: str) -> None:
    story = many(P, 20, steps=400)
    secrets = [
        dice.match_secret(MASTER, desk.match_id).reveal() for desk in story.desks if desk.match.live
    ]
    assert len(secrets) >= 15
    log = await filled({P: story.drafts})
    async with projecting(log, postgres):
        await caught_up(log, postgres)
    dump: list[str] = []
    tables = await rows(postgres, "select tablename::text from pg_tables where schemaname = 'live'")
    for (table,) in tables:
        query = sql.SQL("select t::text from live.{} as t").format(sql.Identifier(table))
        found = await rows(postgres, query.as_string())
        dump += [row for (row,) in found]
    dump += [
        bytes(value).decode() for (value,) in await rows(postgres, "select value from records")
    ]
    text = "\n".join(dump)
    assert len(text) > 100_000
    for secret in secrets:
        raw = bytes.fromhex(secret)
        for form in (
            secret,
            secret.upper(),
            base64.b64encode(raw).decode(),
            base64.urlsafe_b64encode(raw).decode(),
            str(int(secret, 16)),
        ):
            assert form not in text


# ---- deaths and rivals


class Dying(PostgresModels):
    """Read models whose process dies at a batch: before its commit, or right after it."""

    def __init__(self, dsn: str, batch: int, *, committed: bool) -> None:
        super().__init__(dsn)
        self._batches = batch
        self._committed = committed

    @override
    @asynccontextmanager
    async def turn(self, place: Place) -> AsyncIterator[Turn]:
        self._batches -= 1
        async with super().turn(place) as turn:
            yield turn
            if self._batches == 0 and not self._committed:
                raise SystemError("killed before the commit")
        if self._batches == 0:
            raise SystemError("killed after the commit")


@pytest.mark.parametrize("committed", [False, True], ids=["before-commit", "after-commit"])
async def test_F04_a_projection_that_dies_goes_on_where_its_rows_end(
    story: Story, postgres: str, monkeypatch: pytest.MonkeyPatch, committed: bool
) -> None:
    monkeypatch.setattr(host, "BATCH", 100)
    monkeypatch.setattr(host, "PAUSE_S", 0.0)
    log = await filled({P: story.drafts})
    for batch in (1, 2, 3, 5):
        with pytest.raises(SystemError, match="killed"):
            await ends(log, postgres, Dying(postgres, batch, committed=committed))
    async with projecting(log, postgres):
        await caught_up(log, postgres)
    await equals_a_rebuild(log, postgres)


class Counting(PostgresModels):
    """Read models that are now fast and now slow, and count the batches that they committed and
    those with which they came too late.
    """

    def __init__(self, dsn: str, seed: int) -> None:
        super().__init__(dsn)
        self._rng = random.Random(seed)
        self.committed = 0
        self.overtaken = 0

    @override
    @asynccontextmanager
    async def turn(self, place: Place) -> AsyncIterator[Turn]:
        await asyncio.sleep(self._rng.choice([0, 0, 0.1]))
        try:
            async with super().turn(place) as turn:
                yield turn
        except Overtaken:
            self.overtaken += 1
            raise
        self.committed += 1


async def test_of_two_projections_on_one_database_each_batch_counts_once(
    story: Story, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A frozen owner that wakes: both are at work on the same partitions, for all of the log."""
    monkeypatch.setattr(host, "BATCH", 37)
    monkeypatch.setattr(host, "PAUSE_S", 0.0)
    monkeypatch.setattr(host, "FIRST_RETRY_S", 0.01)
    log = await filled({P: story.drafts[:900], 5: many(5, 2).drafts})
    other = await twin(log)
    one, two = Counting(postgres, 1), Counting(postgres, 2)
    async with projecting(log, postgres, one), projecting(other, postgres, two):
        await caught_up(log, postgres)
    assert one.committed > 0 < two.committed
    assert one.overtaken + two.overtaken > 0
    await equals_a_rebuild(log, postgres)


async def test_copies_that_owners_wrote_again_change_nothing(story: Story, postgres: str) -> None:
    drafts: list[Draft] = []
    for at in range(0, len(story.drafts), 90):
        drafts += story.drafts[max(0, at - 50) : at + 90]
    log = await filled({P: drafts})
    async with projecting(log, postgres):
        await caught_up(log, postgres)
    found = await rows(postgres, "select value from records order by match_id, seq")
    once = sorted(
        zip(story.records, story.values, strict=True),
        key=lambda pair: (pair[0].match_id, pair[0].seq),
    )
    assert [bytes(value) for (value,) in found] == [value for _, value in once]
    assert await rows(postgres, "select * from parked_matches") == []
    await equals_a_rebuild(log, postgres)


# ---- damage


async def letters(log: MemoryLog) -> list[tuple[int, str]]:
    found = []
    for shelf in range(topics.DEAD_LETTERS.partitions):
        for stored in await everything_in(log, shelf, topics.DEAD_LETTERS):
            letter = wire.DEAD_LETTERS.decode(stored.value)
            assert letter.reader == "projection"
            found.append((letter.offset, letter.reason))
    return found


async def test_a_damaged_match_is_parked_with_its_reason_and_the_others_go_on(
    story: Story, postgres: str
) -> None:
    record = story.records[300]
    drafts = story.drafts
    drafts[300] = Draft(drafts[300].key, encode(record.model_copy(update={"prev": "a" * 64})))
    log = await filled({P: drafts})
    async with projecting(log, postgres):
        await caught_up(log, postgres)
    ((match_id, offset, reason),) = await rows(
        postgres, "select match_id, topic_offset, reason from parked_matches"
    )
    assert (match_id, offset) == (record.match_id, 300)
    assert reason == f"record {record.seq} does not continue record {record.seq - 1}"
    seqs = dict(await rows(postgres, "select match_id, seq from matches"))
    for desk in story.desks:
        whole = [r.seq for r in story.records if r.match_id == desk.match_id][-1]
        assert seqs[desk.match_id] == (record.seq - 1 if desk.match_id == match_id else whole)
    assert await letters(log) == []
    await equals_a_rebuild(log, postgres)


POISON: Sequence[Draft] = (
    Draft(b"no-match", b"{"),
    Draft(b"nul\x00key", b'{"nickname":"ab\x00c"}'),
    Draft(b"", b""),
    Draft(b"\xff\xfe", b"\x00" * 1000),
    Draft(b"large", b"x" * 900_000),
)


async def test_C35_F15_poison_is_put_aside_once_and_its_neighbours_are_projected(
    story: Story, postgres: str
) -> None:
    drafts = story.drafts
    for index, poison in enumerate(POISON):
        drafts.insert(100 * (index + 1), poison)
    nul = story.values[0].replace(b'"p0"', b'"a\\u0000c"')
    assert nul != story.values[0]
    drafts.insert(50, Draft(b"nickname", nul))
    log = await filled({P: drafts})
    async with projecting(log, postgres) as projection:
        await caught_up(log, postgres)
        await log.append(topics.EVENTS, P, [POISON[0]])
        tail = many(P, 1)
        await log.append(topics.EVENTS, P, [Draft(b"", b"")])
        assert await caught_up(log, postgres) < 2
        assert projection.health() is None
    found = await rows(
        postgres, "select topic_offset, reason from unreadable_records order by topic_offset"
    )
    assert len(found) == len(POISON) + 3
    assert sorted(await letters(log)) == found
    assert await rows(postgres, "select count(*) from records") == [(len(story.values),)]
    assert tail.values
    await equals_a_rebuild(log, postgres)


class Failing(PostgresModels):
    """Read models whose first commits come to nothing, as when the connection breaks then."""

    def __init__(self, dsn: str, failures: int) -> None:
        super().__init__(dsn)
        self.failures = failures

    @override
    @asynccontextmanager
    async def turn(self, place: Place) -> AsyncIterator[Turn]:
        async with super().turn(place) as turn:
            yield turn
            if self.failures > 0:
                self.failures -= 1
                raise psycopg.OperationalError("server closed the connection unexpectedly")


async def test_F15_a_batch_that_must_be_tried_again_has_its_dead_letters_once(
    story: Story, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "FIRST_RETRY_S", 0.01)
    drafts = story.drafts[:60]
    drafts[20:20] = POISON[:2]
    log = await filled({P: drafts})
    models = Failing(postgres, 3)
    async with projecting(log, postgres, models):
        await caught_up(log, postgres)
    assert models.failures == 0
    assert sorted(offset for offset, _ in await letters(log)) == [20, 21]
    await equals_a_rebuild(log, postgres)


async def test_F17_a_newer_record_ends_the_worker_and_nothing_of_its_batch_is_written(
    story: Story, postgres: str
) -> None:
    log = await filled({P: story.drafts[:200]})
    async with projecting(log, postgres):
        await caught_up(log, postgres)
    newer = story.values[200].replace(b'"v":1', b'"v":2', 1)
    await log.append(topics.EVENTS, P, [story.drafts[200], Draft(story.drafts[201].key, newer)])
    with pytest.raises(FromTheFuture):
        await ends(log, postgres)
    place = await rows(
        postgres, "select next_offset from projection_progress where topic_partition = %s", P
    )
    assert place == [(200,)]
    assert await rows(postgres, "select count(*) from records") == [(200,)]
    assert await letters(log) == []


@pytest.mark.parametrize("shorter", [True, False], ids=["lost-records", "another-log"])
async def test_read_models_of_another_log_are_not_gone_on_with(
    story: Story, postgres: str, shorter: bool
) -> None:
    log = await filled({P: story.drafts[:100]})
    async with projecting(log, postgres):
        await caught_up(log, postgres)
    other = await filled({P: story.drafts[:50] if shorter else many(P, 3).drafts})
    with pytest.raises(LogFault, match=r"rebuild the read models"):
        await ends(other, postgres)
    assert await rows(postgres, "select count(*) from records") == [(100,)]


async def test_a_time_at_the_end_of_all_numbers_is_kept(story: Story, postgres: str) -> None:
    record = story.records[0].model_copy(update={"at_ms": 2**53 - 1})
    log = await filled({P: [Draft(record.match_id.encode(), encode(record))]})
    async with projecting(log, postgres):
        await caught_up(log, postgres)
    assert await rows(postgres, "select count(*) from matches") == [(1,)]
    await equals_a_rebuild(log, postgres)


async def test_a_stop_in_the_middle_leaves_whole_batches(story: Story, postgres: str) -> None:
    rng = random.Random(5)
    log = await filled({P: story.drafts})
    for _ in range(4):
        async with projecting(log, postgres):
            await asyncio.sleep(rng.random() * 0.4)
    async with projecting(log, postgres):
        await caught_up(log, postgres)
    await equals_a_rebuild(log, postgres)


async def test_a_row_that_differs_is_found(story: Story, postgres: str) -> None:
    """The comparison itself: of any table, on either side."""
    log = await filled({P: story.drafts})
    await build(log, postgres, "live")
    await build(log, postgres, "other")
    assert (await compare(postgres, "live", "other")).equal
    for change in (
        "update other.records set value = value || 'x'::bytea where seq = 9",
        "update other.match_seats set nickname = nickname || ' ' where sitter = 0",
        "delete from live.match_standings where place = 2",
        "update other.matches set options = options || '{\"x\": 1}'",
        "update other.schema_migrations set sha256 = 'x' where number = 1",
        "drop table other.player_matches cascade",
    ):
        before = len((await compare(postgres, "live", "other")).differences)
        await execute(postgres, change)
        assert len((await compare(postgres, "live", "other")).differences) > before
