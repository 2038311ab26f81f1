"""The journal on a real database: rows and place are one, and are what the topic alone makes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from psycopg import sql
from typing_extensions import override

from sahrat.log.memory import MemoryLog
from sahrat.log.port import LogFault
from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.messages.codec import FromTheFuture
from sahrat.messages.stored import Draft
from sahrat.storage.reads import Reads
from services.projection.both import Projections
from services.projection.host import JournalProjection
from services.projection.journal_follower import JournalTables
from services.projection.journal_store import PostgresJournal
from services.projection.models import JournalTurn, Overtaken
from services.projection.rebuild import rebuild
from services.projection.rows import Place
from tests.integration.projecting import PATIENCE_S, caught_up, equals_a_rebuild, execute, rows
from tests.unit.ledger.desk import Desk, player
from tests.unit.projection.journals import KEY, drafts, stored, story
from tests.unit.projection.stories import many

P = 3


@pytest.fixture(scope="module")
def desk() -> Desk:
    return story()


async def journal_of(records: Sequence[Draft]) -> MemoryLog:
    log = MemoryLog()
    await log.start()
    await log.append(topics.WALLET_JOURNAL, 0, records)
    return log


@asynccontextmanager
async def working(log: MemoryLog, dsn: str) -> AsyncIterator[Projections]:
    projections, stop = Projections(log, dsn), asyncio.Event()
    task = asyncio.create_task(projections.run(stop))
    try:
        yield projections
    finally:
        stop.set()
        async with asyncio.timeout(PATIENCE_S):
            await task


async def taken(log: MemoryLog, dsn: str) -> None:
    """Wait until all that the journal holds now is in the tables."""
    await caught_up(log, dsn)
    end = (await log.bounds(topics.WALLET_JOURNAL, 0)).end
    async with asyncio.timeout(PATIENCE_S):
        while await _place(dsn) < end:
            await asyncio.sleep(0.05)


async def _place(dsn: str) -> int:
    name = topics.WALLET_JOURNAL.name
    query = "select next_offset from projection_progress where topic = %s"
    ((at,),) = await rows(dsn, query, name)
    return int(at)


async def test_all_tables_equal_what_the_topics_alone_make(desk: Desk, postgres: str) -> None:
    matches = many(P, 4)
    log = await journal_of(drafts(desk, snapshot_every=150)[:200])
    await log.append(topics.EVENTS, P, matches.drafts)
    async with working(log, postgres) as projections:
        await taken(log, postgres)
        await log.append(topics.WALLET_JOURNAL, 0, drafts(desk, snapshot_every=150)[200:])
        await taken(log, postgres)
        assert projections.health() is None
    counts = await equals_a_rebuild(log, postgres)
    state = desk.book.state
    assert counts["journal_entries"] == state.entry
    assert counts["accounts"] == len(state.balances)
    assert counts["matches"] == 4
    assert min(counts[name] for name in ("postings", "holds", "wallet_changes")) > 300


async def test_the_laws_hold_in_the_tables(desk: Desk, postgres: str) -> None:
    """Sums by SQL, from postings, accounts, holds and histories, say the same."""
    log = await journal_of(drafts(desk))
    async with working(log, postgres):
        await taken(log, postgres)
    state = desk.book.state
    told = dict(await rows(postgres, "select account, coins from accounts"))
    assert told == state.balances
    assert await rows(postgres, "select sum(coins) from accounts") == [(0,)]
    moved = await rows(
        postgres,
        "select account, sum(coins)::bigint from ("
        "select destination as account, coins from postings "
        "union all select source, -coins from postings) as moved group by account "
        "having sum(coins) <> 0",
    )
    assert dict(moved) == {name: coins for name, coins in told.items() if coins}
    open_holds = await rows(
        postgres,
        "select player_id, sum(amount_coins)::bigint from holds where outcome is null group by 1",
    )
    held = await rows(
        postgres,
        "select substr(account, 8), held_coins from accounts where held_coins > 0",
    )
    assert dict(open_holds) == dict(held)
    last = await rows(
        postgres,
        "select distinct on (player_id) 'player:' || player_id, available_coins, held_coins "
        "from wallet_changes order by player_id, entry desc",
    )
    now = await rows(
        postgres,
        "select account, coins, held_coins from accounts where starts_with(account, 'player:')",
    )
    assert sorted(last) == sorted(now)


async def test_a_player_reads_his_own_history_page_by_page(desk: Desk, postgres: str) -> None:
    log = await journal_of(drafts(desk))
    async with working(log, postgres):
        await taken(log, postgres)
    reads = Reads(postgres)
    await reads.open()
    whole = await reads.wallet(player(1), 100)
    pages, before = [], None
    while page := await reads.wallet(player(1), 7, before):
        pages += page
        before = page[-1].entry
    assert pages[:100] == whole
    assert [change.entry for change in pages] == sorted(
        (change.entry for change in pages), reverse=True
    )
    newest, state = pages[0], desk.book.state
    assert (newest.available, newest.held) == (
        state.available(player(1)),
        sum(state.held(player(1)).values()),
    )
    assert pages[-1].id == f"welcome:{player(1)}"
    assert pages[-1].cause == {"kind": "welcome"}
    assert await reads.wallet("' or true --", 100) == []
    assert await reads.wallet(player(77), 100) == []
    plan = await rows(
        postgres,
        "explain select * from wallet_changes join journal_entries using (entry) "
        "where player_id = 'x' and entry < 9 order by entry desc limit 5",
    )
    assert any("wallet_changes_pkey" in line for (line,) in plan)
    await reads.close()


async def test_a_damaged_journal_stops_its_own_rows_and_no_others(
    desk: Desk, postgres: str
) -> None:
    records, matches = drafts(desk), many(P, 3)
    log = await journal_of([*records[:40], *records[41:]])
    async with working(log, postgres) as projections:
        await log.append(topics.EVENTS, P, matches.drafts)
        await caught_up(log, postgres)
        async with asyncio.timeout(PATIENCE_S):
            while "damaged: entry 42" not in (projections.health() or ""):
                await asyncio.sleep(0.05)
    assert await rows(postgres, "select count(*) from matches") == [(3,)]
    assert await rows(postgres, "select count(*) from journal_entries") == [(0,)]


async def test_another_journal_is_not_gone_on_with(desk: Desk, postgres: str) -> None:
    log = await journal_of(drafts(desk)[:100])
    async with working(log, postgres):
        await taken(log, postgres)
    for other in (drafts(story(2))[:100], drafts(desk)[:50]):
        with pytest.raises(LogFault, match="another log"):
            await JournalProjection(await journal_of(other), PostgresJournal(postgres)).run(
                asyncio.Event()
            )


async def test_an_entry_from_the_future_ends_the_projection(desk: Desk, postgres: str) -> None:
    newer = Draft(KEY, desk.values[0].replace(b'"v":1', b'"v":2'))
    with pytest.raises(FromTheFuture):
        await JournalProjection(await journal_of([newer]), PostgresJournal(postgres)).run(
            asyncio.Event()
        )


async def test_of_two_projections_one_loses_before_it_has_written(
    desk: Desk, postgres: str
) -> None:
    models = PostgresJournal(postgres)
    await models.open()
    records = stored(drafts(desk))
    place = await models.place(0)
    one, other = JournalTables(models, place), JournalTables(models, place)
    await one.take(records[:10])
    with pytest.raises(Overtaken):
        await other.take(records[:20])
    await one.take(records[10:20])
    assert await rows(postgres, "select count(*) from journal_entries") == [(20,)]
    await models.close()


class Failing(PostgresJournal):
    """Dies when all is written, before it counts."""

    @override
    @asynccontextmanager
    async def turn(self, place: Place) -> AsyncIterator[JournalTurn]:
        async with super().turn(place) as turn:
            yield turn
            raise RuntimeError("killed")


async def test_F04_a_batch_counts_whole_or_not_at_all(desk: Desk, postgres: str) -> None:
    models = Failing(postgres)
    await models.open()
    tables = JournalTables(models, await models.place(0))
    with pytest.raises(RuntimeError, match="killed"):
        await tables.take(stored(drafts(desk))[:10])
    for table in ("journal_entries", "postings", "accounts", "holds", "wallet_changes"):
        query = sql.SQL("select count(*) from {}").format(sql.Identifier(table))
        assert await rows(postgres, query.as_string()) == [(0,)]
    assert await _place(postgres) == 0
    await models.close()


async def test_F26_a_rebuild_makes_the_journals_tables_anew(desk: Desk, postgres: str) -> None:
    log = await journal_of(drafts(desk))
    async with working(log, postgres):
        await taken(log, postgres)
        await execute(postgres, "update live.accounts set coins = coins + 1 where coins > 0")
        made = await rebuild(log, postgres)
        assert made.journal.high == desk.book.state.entry
        told = dict(await rows(postgres, "select account, coins from accounts"))
        assert told == desk.book.state.balances
        extra = Desk(book=desk.book, now_ms=desk.now_ms, sent=list(desk.sent), causes=desk.causes)
        extra.grant(1, 5, 9_999)
        await log.append(topics.WALLET_JOURNAL, 0, [Draft(KEY, extra.values[-1])])
        await taken(log, postgres)  # the projection goes on in the new tables
    (grant,) = await rows(
        postgres,
        "select kind, cause ->> 'operator' from journal_entries order by entry desc limit 1",
    )
    assert grant == ("grant", "salim")
    entry = w.JOURNAL.decode(extra.values[-1])
    assert isinstance(entry, w.JournalEntry)
    assert await rows(postgres, "select max(entry) from journal_entries") == [(entry.entry,)]
