"""What analysts read: views of matches that are over, by a role that can do nothing else."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any, Final

import orjson
import psycopg
import pytest
from psycopg import conninfo

from sahrat.log.memory import MemoryLog
from sahrat.messages import topics
from sahrat.messages.stored import Draft
from sahrat.storage.analysts import CONNECTIONS, ROLE, admit, end_overlong
from sahrat.storage.migrate import migrate
from sahrat.storage.pool import connect
from services.projection.rebuild import rebuild
from services.projection.watch import Watch
from tests.integration.projecting import execute, rows
from tests.unit.projection.stories import Story, everything

SAMPLES: Final = Path(__file__).parents[2] / "schemas" / "samples" / "matches"
WHOLE: Final = [path.read_bytes().splitlines() for path in sorted(SAMPLES.iterdir())]
"""Matches of every game, as they were stored."""


async def stored(*matches: list[bytes]) -> MemoryLog:
    """A log with these matches."""
    log = MemoryLog()
    await log.start()
    for lines in matches:
        key = str(orjson.loads(lines[0])["match_id"])
        drafts = [Draft(key.encode(), line) for line in lines]
        await log.append(topics.EVENTS, topics.partition_of(key), drafts)
    return log


def events(*kinds: str) -> list[dict[str, Any]]:
    """Every event of these types in the sample matches, with its match."""
    return [
        {**event, "match_id": record["match_id"]}
        for lines in WHOLE
        for record in map(orjson.loads, lines)
        for event in record["events"]
        if event["type"] in kinds
    ]


async def views(dsn: str) -> list[str]:
    found = await rows(
        dsn, "select viewname::text from pg_views where schemaname = 'live' order by 1"
    )
    return [name for (name,) in found]


def as_analyst(dsn: str, options: str = "") -> str:
    return conninfo.make_conninfo(dsn, user=ROLE, options=options)


@pytest.fixture(scope="module")
def story() -> Story:
    return everything(3)


# ---- the views


async def test_each_view_says_what_the_records_say(postgres: str) -> None:
    """Counted again from the stored lines, without a line of the project's code."""
    await rebuild(await stored(*WHOLE), postgres)

    async def counted(query: str) -> Counter[tuple[Any, ...]]:
        return Counter(await rows(postgres, query))

    rolled = events("ludo.rolled", "ludo.start_rolled")
    thrown = events("pachisi.thrown", "pachisi.start_thrown")
    assert await counted("select match_id, roll, seat, outcome, value from rolls") == Counter(
        [(e["match_id"], e["index"], e["seat"], e["value"], e["value"]) for e in rolled]
        + [(e["match_id"], e["index"], e["seat"], e["mouths"], e["value"]) for e in thrown]
    )
    captured = events("ludo.pawn_captured", "pachisi.captured")
    assert await counted("select match_id, captor_seat, victim_seat, start from captures") == (
        Counter((e["match_id"], e["captor"], e["seat"], e["start"]) for e in captured)
    )
    shot = events("carrom.striker_shot")
    assert await counted(
        "select match_id, shot, seat, x_um, dx, dy, speed_um_s from shots where shot_by <> 'nobody'"
    ) == Counter(
        (e["match_id"], e["index"], e["seat"], e["x"], e["dx"], e["dy"], e["speed"]) for e in shot
    )
    assert await rows(
        postgres,
        "select sum(pocketed)::int, count(*) filter (where striker_fell), "
        "count(*) filter (where foul) from shots",
    ) == [
        (
            sum(disc != 0 for e in events("carrom.discs_rested") for disc in e["pocketed"]),
            sum(0 in e["pocketed"] for e in events("carrom.discs_rested")),
            sum(e["foul"] for e in events("carrom.shot_judged")),
        )
    ]
    assert await counted("select match_id, step, seat from steps") == Counter(
        (e["match_id"], e["step"], e["seat"]) for e in events("step.opened")
    )
    over = events("step.timed_out")
    assert await counted("select match_id, step, seat from steps where ended_by = 'clock'") == (
        Counter((e["match_id"], e["step"], e["seat"]) for e in over)
    )
    assert await counted("select match_id, option, value from match_options") == Counter(
        (e["match_id"], name, str(value))
        for e in events("table.opened")
        for name, value in e["options"].items()
    )
    assert await rows(postgres, "select count(*) from ended_matches") == [(len(WHOLE),)]


async def test_thinking_is_from_append_time_to_append_time(postgres: str) -> None:
    """The time between the record that opened a player's step and the record by which he ended it;
    steps that the clock or a bot ended, or in which the house stood still, are no thinking.
    """
    await rebuild(await stored(*WHOLE), postgres)
    expected: Counter[tuple[str, int, int]] = Counter()
    for lines in WHOLE:
        opened: tuple[int, int] | None = None
        for record in map(orjson.loads, lines):
            kinds = {event["type"]: event for event in record["events"]}
            if "match.resumed" in kinds:
                opened = None
            if "step.opened" in kinds or record is lines[-1] or "match.ended" in kinds:
                player = record["caused_by"]["sender"].startswith("player:")
                if opened is not None and player and "player.left" not in kinds:
                    expected[record["match_id"], opened[0], record["at_ms"] - opened[1]] += 1
                step = kinds.get("step.opened")
                opened = None if step is None else (step["step"], record["at_ms"])
    found = await rows(postgres, "select match_id, step, thinking_ms from thinking_times")
    assert Counter(found) == expected
    assert sum(expected.values()) > 500


async def test_T20_a_match_that_is_on_is_in_no_view(story: Story, postgres: str) -> None:
    """Also not by an error: a reader's condition is not tried on its rows."""
    values = [value for value in story.values if story.desks[0].match_id.encode() in value]
    assert b"match.ended" in values[-1]
    log = await stored(values[:-1])
    await rebuild(log, postgres)
    assert await rows(postgres, "select count(*) > 50 from records") == [(True,)]
    found = {view: await rows(postgres, f"table {view}") for view in await views(postgres)}
    del found["asked_days"]
    assert len(found.pop("log_positions")) == 13
    assert found.pop("recent_days") == [(None, None)]
    assert {view for view, some in found.items() if some} == set()
    dsn = as_analyst(postgres)
    with psycopg.connect(dsn, autocommit=True) as connection:
        for leak in (
            "select 1 from rolls where number::int = 0",
            "select 1 from captures where victim_id::int = 0",
            "select 1 from steps where game::int = 0",
            "select 1 from ended_matches where commitment::int = 0",
        ):
            told = connection.execute(leak.encode())
            assert told.fetchall() == []
    await log.append(topics.EVENTS, 3, [Draft(story.desks[0].match_id.encode(), values[-1])])
    await rebuild(log, postgres)
    assert await rows(postgres, "select count(*) > 50 from rolls") == [(True,)]


async def test_a_rebuild_makes_the_same_views(story: Story, postgres: str) -> None:
    log = await stored(*WHOLE[:6])
    await log.append(topics.EVENTS, 3, story.drafts)

    async def everything_said() -> dict[str, Counter[tuple[Any, ...]]]:
        with psycopg.connect(as_analyst(postgres), autocommit=True) as connection:
            return {
                view: Counter(connection.execute(f"table {view}".encode()).fetchall())
                for view in await views(postgres)
            }

    await rebuild(log, postgres)
    before = await everything_said()
    assert (await rebuild(log, postgres)).left == ""
    assert await everything_said() == before
    assert [view for view, said in before.items() if not said] == [
        "coin_flows", "coin_funnels", "coin_loops", "collusion_pairs", "reward_farmers",
    ]  # fmt: skip
    stands = dict(
        await rows(
            postgres, "select topic_partition, next_offset from log_positions where topic = %s",
            topics.EVENTS.name,
        )
    )  # fmt: skip
    for partition in range(topics.EVENTS.partitions):
        assert stands[partition] == (await log.bounds(topics.EVENTS, partition)).end


async def test_every_view_and_every_column_is_documented(postgres: str) -> None:
    async with await connect(postgres, name="test") as connection:
        await migrate(connection, "live")
    bare = await rows(
        postgres,
        "select relname || coalesce('.' || attname, '') from pg_class "
        "join pg_attribute on attrelid = pg_class.oid and attnum > 0 "
        "where relnamespace = 'live'::regnamespace and relkind = 'v' "
        "and (obj_description(pg_class.oid) is null "
        "or col_description(pg_class.oid, attnum) is null)",
    )
    assert bare == []
    assert len(await views(postgres)) == 18


async def test_nobodys_name_secret_or_line_is_shown(story: Story, postgres: str) -> None:
    """What a player calls himself, and which gateway his line is of, is in no view; what was secret
    of the dice is public by now.
    """
    await rebuild(await stored(*WHOLE), postgres)
    for view in await views(postgres):
        said = str(await rows(postgres, f"table {view}"))
        assert "'p0'" not in said
        assert "8000-000000001388" not in said


# ---- the role


FORBIDDEN: Final = (
    "insert into live.match_standings values ('x', 0, 1)",
    "update live.matches set game = 'x'",
    "delete from live.records",
    "truncate live.records",
    "update live.ended_matches set game = 'x'",
    "insert into live.log_positions values ('x', 0, 0)",
    "delete from live.recent_days",
    "select * from live.records",
    "select nickname from live.match_seats",
    "select * from live.accounts",
    "select * from live.projection_progress",
    "select * from live.schema_migrations",
    "select * from hidden.keys",
    "create table mine (a int)",
    "create table live.mine (a int)",
    "create table public.mine (a int)",
    "create temporary table mine (a int)",
    "create view public.mine as select 1",
    "create schema mine",
    "create function public.mine() returns int language sql as 'select 1'",
    "create role mine",
    "create extension pg_trgm",
    "copy live.ended_matches to '/tmp/x'",
    "copy (select 1) to program 'true'",
    "copy live.log_positions from program 'true'",
    "select pg_read_file('PG_VERSION')",
    "select pg_ls_dir('.')",
    "select * from pg_authid",
    "select lo_create(0)",
    "select lo_from_bytea(0, 'x')",
    "select pg_advisory_lock(1)",
    "select pg_notify('x', 'x')",
    "select pg_logical_emit_message(false, 'x', 'x')",
    "set role sahrat",
    "set session authorization sahrat",
    "set temp_file_limit = -1",
    "alter role sahrat_analyst superuser",
    "alter role sahrat_analyst connection limit 100",
    "alter schema live rename to dead",
    "drop view live.rolls",
    "lock table live.records",
    "comment on view live.rolls is 'x'",
    "refresh materialized view live.rolls",
    "select pg_terminate_backend(pid) from pg_stat_activity where usename <> current_user",
)


@pytest.mark.parametrize("read_only", [True, False], ids=["as-set", "unset"])
async def test_T09_the_role_can_write_nothing(postgres: str, read_only: bool) -> None:
    """By its rights, so also where a session has unset what is only a setting."""
    await rebuild(await stored(WHOLE[0]), postgres)
    await execute(postgres, "create schema hidden; create table hidden.keys (a int)")
    with psycopg.connect(as_analyst(postgres), autocommit=True) as connection:
        if not read_only:
            connection.execute("set default_transaction_read_only = off")
        assert connection.execute("select count(*) from ended_matches").fetchall() == [(1,)]
        for statement in FORBIDDEN:
            with pytest.raises(psycopg.Error):
                connection.execute(statement.encode())


async def test_the_role_is_stopped_after_its_time(postgres: str) -> None:
    async with await connect(postgres, name="test") as connection:
        await migrate(connection, "live")
        assert await admit(connection, "live") == []
        set_for_it = await rows(postgres, "select rolconfig from pg_roles where rolname = %s", ROLE)
        assert "statement_timeout=60000" in set_for_it[0][0]
    short = as_analyst(postgres, options="-c statement_timeout=100")
    with (
        psycopg.connect(short, autocommit=True) as connection_short,
        pytest.raises(psycopg.errors.QueryCanceled),
    ):
        connection_short.execute("select count(*) from generate_series(1, 10000000000)")


async def test_who_unsets_the_limit_is_ended_all_the_same(postgres: str) -> None:
    async with await connect(postgres, name="test") as connection:
        await migrate(connection, "live")
        await admit(connection, "live")
        assert await end_overlong(connection) == 0
    stop = asyncio.Event()
    watching = asyncio.create_task(Watch(postgres, limit_ms=200, every_s=0.05).run(stop))
    endless = as_analyst(postgres, options="-c statement_timeout=0")
    async with asyncio.timeout(60):
        async with await psycopg.AsyncConnection.connect(endless, autocommit=True) as analyst:
            with pytest.raises(psycopg.errors.AdminShutdown):
                await analyst.execute("select pg_sleep(3600)")
        stop.set()
        await watching


async def test_the_role_has_few_connections(postgres: str) -> None:
    async with await connect(postgres, name="test") as connection:
        await migrate(connection, "live")
        await admit(connection, "live")
    open_ones = [psycopg.connect(as_analyst(postgres)) for _ in range(CONNECTIONS)]
    try:
        with pytest.raises(psycopg.OperationalError, match="too many connections"):
            psycopg.connect(as_analyst(postgres))
    finally:
        for one in open_ones:
            one.close()


async def test_a_house_that_may_not_make_roles_goes_on_and_says_so(postgres: str) -> None:
    """Somebody else's server: the house's own user there owns its database, and no more."""
    name = conninfo.conninfo_to_dict(postgres)["dbname"]
    user = f"house_{name}"
    await execute(postgres, f"create role {user} login password 'x'")
    try:
        await execute(postgres, f"grant create on database {name} to {user}")
        poor = conninfo.make_conninfo(postgres, user=user, password="x")
        async with await connect(poor, name="test") as connection:
            await migrate(connection, "live")
            refused = await admit(connection, "live")
            assert await admit(connection, "live") == refused
        assert "keep it from making temporary tables" in refused
        assert "keep it from functions that write or lock" in refused
    finally:
        await execute(postgres, f"drop owned by {user}; drop role {user}")
