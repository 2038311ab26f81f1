"""Migrations: numbered, each with its reason, applied once, never changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from sahrat.storage.migrate import Migration, MigrationError, check, migrations
from sahrat.storage.pool import BadDsn, settings

ONE = Migration(1, "0001_a.sql", b"select 1")
TWO = Migration(2, "0002_b.sql", b"select 2")


def test_each_says_in_its_first_lines_what_it_is_for() -> None:
    found = migrations()
    assert [migration.number for migration in found] == list(range(1, len(found) + 1))
    for migration in found:
        first, *rest = migration.text.decode().splitlines()
        assert first.startswith(f"-- {migration.name}: ")
        assert len(first) > len(f"-- {migration.name}: ") + 20, "say why"
        assert all(ord(c) < 128 for c in migration.text.decode())
        assert "live." not in "\n".join(rest), "a migration names no schema"


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ((), "no migrations"),
        (("0001_a.sql", "0003_c.sql"), "0003_c.sql stands where number 2"),
        (("0001_a.sql", "0001_b.sql"), "0001_b.sql stands where number 2"),
        (("0002_b.sql",), "0002_b.sql stands where number 1"),
        (("0001_a.sql", "1_b.sql"), "1_b.sql is no name"),
        (("0001_A.sql",), "0001_A.sql is no name"),
    ],
)
def test_a_number_that_is_missing_or_twice_is_found(
    tmp_path: Path, names: tuple[str, ...], problem: str
) -> None:
    for name in names:
        (tmp_path / name).write_text("select 1")
    with pytest.raises(MigrationError, match=problem):
        migrations(tmp_path)


def test_what_was_applied_is_skipped() -> None:
    assert check([], [ONE, TWO]) == 0
    assert check([(1, ONE.name, ONE.sha256)], [ONE, TWO]) == 1


@pytest.mark.parametrize(
    ("done", "problem"),
    [
        ([(1, "0001_a.sql", "f" * 64)], "0001_a.sql was changed"),
        (
            [
                (1, ONE.name, ONE.sha256),
                (2, TWO.name, TWO.sha256),
                (3, "0003_c.sql", "0" * 64),
            ],
            "the database has 0003_c.sql, which this version does not know",
        ),
        ([(2, TWO.name, TWO.sha256)], "the database has 0002_b.sql"),
    ],
)
def test_a_changed_or_unknown_one_is_refused(
    done: list[tuple[int, str, str]], problem: str
) -> None:
    with pytest.raises(MigrationError, match=problem):
        check(done, [ONE, TWO])


def test_a_connection_keeps_the_options_of_its_dsn_and_has_limits() -> None:
    options = settings("host=h options='-c work_mem=8MB'", name="n", schema="rebuild_1")["options"]
    assert options.startswith("-c work_mem=8MB ")
    assert "-c search_path=rebuild_1" in options
    assert "-c statement_timeout=30000" in options
    assert "-c lock_timeout=5000" in options


@pytest.mark.parametrize(
    "dsn", ["postgres//u:pa55word@h/d", "pa55word", "postgresql://u:pa55word@[::1/d", "a=pa55word"]
)
def test_what_is_no_dsn_is_refused_without_repeating_it(dsn: str) -> None:
    with pytest.raises(BadDsn) as refused:
        settings(dsn, name="n")
    assert "pa55word" not in str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__


@pytest.mark.parametrize("schema", ["", "a b", "a;b", "A", "1a", "a" * 60, "a,b"])
def test_a_schema_has_a_plain_name(schema: str) -> None:
    with pytest.raises(ValueError, match="no name for a schema"):
        settings("", name="n", schema=schema)
