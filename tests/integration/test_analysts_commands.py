"""`sahrat analyst`, `ask` and `parquet`, on a database that is named and on a house's own."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

from sahrat.log.memory import MemoryLog
from sahrat.storage.analysts import ROLE
from sahrat.storage.pool import connect
from services.house.analysts import questions
from services.house.commands import parquet as parquet_command
from services.house.parquet import Swapped, partial, place, write_day
from services.house.problem import Problem
from services.projection.rebuild import build, rebuild
from tests.integration.command import sahrat
from tests.integration.planted import FIRST_DAY, Planted, capture, roll

DAY = "2025-03-02"  # the planted matches' second one


@pytest.fixture
def database(postgres: str) -> str:
    """Read models with a few matches of three days."""

    async def make() -> None:
        log = MemoryLog()
        await log.start()
        await rebuild(log, postgres)

    asyncio.run(make())
    planted = Planted()
    for day in range(3):
        for number in range(4):
            events = [("player:x", [roll(index, 0, 1 + index % 6)]) for index in range(12)]
            events.append(("player:x", [capture(0, 2)]))
            match_id = planted.match(day, [number, None], [1, 2], records=events)
            planted.pay(match_id, day, "reward", {number: 20})
    planted.write(postgres)
    return postgres


@pytest.fixture
def named(database: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same, named by the settings."""
    monkeypatch.setenv("SAHRAT_POSTGRES", database)
    return database


def query(statement: str) -> list[tuple[Any, ...]]:
    """What DuckDB, which reads files by their names, says to a statement."""
    with duckdb.connect() as duck:
        return duck.execute(statement).fetchall()


@pytest.mark.usefixtures("named")
def test_ask_lists_shows_and_answers() -> None:
    _, listed, _ = sahrat("ask")
    assert [line.split()[0].decode() for line in listed.splitlines()] == list(questions())
    assert sahrat("ask", "dice", "--sql") == (0, questions()["dice"].text, "")
    code, answered, _ = sahrat("ask", "dice", "--csv", "--from", DAY, "--to", DAY)
    first = next(csv.DictReader(io.StringIO(answered.decode())))
    assert (code, first["rolls"], first["chi2"]) == (0, "48", "0.00")
    code, table, said = sahrat("ask", "coins")
    assert (code, said) == (0, "1 row; --sql says how to read it\n")
    assert table.split(b"\n")[1].split() == [b"reward", b"grants", b"player", b"12", b"240"]
    assert sahrat("ask", "farming")[:2] == (0, b"")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ask", "everything"), "is no ready question: coins, collusion, company"),
        (("ask", "dice", "--from", "2025-03-02", "--to", "2025-03-01"), "--from is after --to"),
        (("ask", "dice", "--from", "yesterday"), "yesterday"),
        (("parquet", "2999-01-01", "--to", "out"), "2999-01-01 is not over yet"),
        (("analyst", "--data", "nowhere"), "no log in"),
        (("ask", "dice", "--data", "nowhere"), "no log in"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments: tuple[str, ...], said: str) -> None:
    code, out, problem = sahrat(*arguments)
    assert (code, out, len(problem.splitlines())) == (2, b"", 1)
    assert said in problem


@pytest.mark.parametrize("arguments", [("ask", "dice"), ("analyst",)])
def test_a_database_without_the_views_is_told(
    postgres: str, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv("SAHRAT_POSTGRES", postgres)
    code, _, problem = sahrat(*arguments)
    assert (code, len(problem.splitlines())) == (2, 1)
    assert "the house makes them when it runs" in problem


def test_analyst_says_how_to_connect_and_no_password(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAHRAT_POSTGRES", f"{database} password=hush")
    _, line, _ = sahrat("analyst")
    program, dsn = shlex.split(line.decode())
    assert program == "psql"
    assert "hush" not in dsn
    with psycopg.connect(dsn) as connection:
        assert connection.execute("select current_user::text").fetchone() == (ROLE,)
        assert connection.execute("select count(*) from ended_matches").fetchone() == (12,)


def test_a_day_is_written_whole_with_what_each_column_means(named: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, said, problem = sahrat("parquet", DAY, "--to", str(out))
    assert code == 0, problem
    assert f"{out / DAY}: 4 matches".encode() in said
    assert [path.name for path in out.iterdir()] == [DAY]
    with psycopg.connect(
        named, autocommit=True, options="-c search_path=live -c timezone=UTC"
    ) as connection:
        for path in sorted((out / DAY).iterdir()):
            found = query(f"from '{path}'")
            shown = connection.execute(f"table {path.stem}".encode())
            at = (
                [column.name for column in shown.description or ()].index("day")
                if (path.stem != "log_positions")
                else None
            )
            rows = [row for row in shown if at is None or str(row[at]) == DAY]
            assert sorted(map(str, utc(found))) == sorted(map(str, utc(rows))), path.stem
            assert rows or path.stem in {"match_options", "shots", "steps", "thinking_times"}
    notes = {
        key.decode(): value.decode()
        for _, key, value in query(f"from parquet_kv_metadata('{out / DAY / 'rolls.parquet'}')")
    }
    assert json.loads(notes["columns"])["rolled_at"] == "Append time of the intent."
    assert json.loads(notes["log_positions"])["sahrat.match.events.v1/0"] == 0
    assert len(query(f"from '{out}/*/rolls.parquet'")) == 48


def utc(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [
        tuple(cell.astimezone(UTC) if isinstance(cell, datetime) else cell for cell in row)
        for row in rows
    ]


@pytest.mark.usefixtures("named")
def test_an_empty_day_has_files_without_rows_and_one_that_is_there_stays(tmp_path: Path) -> None:
    day = "2024-01-01"
    rolls = tmp_path / day / "rolls.parquet"
    code, _, said = sahrat("parquet", day, "--to", str(tmp_path))
    assert (code, f"no match ended on {day}" in said) == (0, True)
    assert query(f"from '{rolls}'") == []
    assert len(query(f"describe from '{rolls}'")) == 13
    code, _, said = sahrat("parquet", day, "--to", str(tmp_path))
    assert (code, "--replace writes it anew" in said) == (2, True)
    rolls.write_text("damaged")
    assert sahrat("parquet", day, "--to", str(tmp_path), "--replace")[0] == 0
    assert query(f"from '{rolls}'") == []
    assert [path.name for path in tmp_path.iterdir()] == [day]


def test_a_day_that_fails_half_way_leaves_nothing(named: str, tmp_path: Path) -> None:
    with psycopg.connect(named, autocommit=True) as connection:
        connection.execute(
            "create or replace view live.player_days as select null::text as player_id, "
            "day, matches / 0 as matches, coin_matches "
            "from (select day, 1::bigint as matches, 1::bigint as coin_matches "
            "from live.ended_matches) as broken"
        )
    code, out, problem = sahrat("parquet", DAY, "--to", str(tmp_path))
    assert (code, out) == (1, b"")
    assert problem.splitlines()[-1] == "sahrat: the database: division by zero"
    assert list(tmp_path.iterdir()) == []


async def test_a_rebuild_meanwhile_is_noticed(postgres: str, tmp_path: Path) -> None:
    """The rows of its tables would not be seen by a reader who began before them."""
    log = MemoryLog()
    await log.start()
    await rebuild(log, postgres)
    await build(log, postgres, "other")
    made = partial(tmp_path / "day")

    def swap(done: int, total: int) -> None:
        if done == 1:
            with psycopg.connect(postgres, autocommit=True) as other:
                other.execute("alter schema live rename to gone")
                other.execute("alter schema other rename to live")

    async with await connect(postgres, name="test") as connection:
        with duckdb.connect() as duck, pytest.raises(Swapped):
            await write_day(connection, duck, FIRST_DAY.date(), made, swap)


def test_a_folder_takes_the_place_of_another_in_one_step(tmp_path: Path) -> None:
    to = tmp_path / "day"
    for text in ("old", "new"):
        made = partial(to)
        (made / "file").write_text(text)
        place(made, to, replace=True)
    assert (to / "file").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["day"]


def test_without_duckdb_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(Problem, match=r"this needs DuckDB: pip install '\.\[parquet\]'"):
        parquet_command.command.main([DAY, "--to", "out"], standalone_mode=False)
