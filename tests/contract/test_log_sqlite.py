from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from sahrat.log import sqlite_file
from sahrat.log.port import (
    AppendFailed,
    Bookmark,
    Bounds,
    Claim,
    Log,
    LogFault,
    OutOfRange,
    Stored,
)
from sahrat.log.sqlite import SqliteLog
from sahrat.log.sqlite_file import FILE, OFFSETS, read_records
from sahrat.log.sqlite_reader import SqliteReader
from sahrat.messages.topics import Topic
from tests.contract.log_contract import (
    EVENTS,
    INTENTS,
    PATIENCE_S,
    PULSE,
    TOPICS,
    Again,
    LogContract,
    drafts,
    read_all,
    values,
)
from tests.contract.log_group_contract import GroupContract, idle, member, until


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "house" / "log"


@pytest.fixture
async def log(folder: Path) -> AsyncIterator[Log]:
    log = SqliteLog(folder, wanted=TOPICS)
    await log.start()
    yield log
    await log.close()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class TestSqliteLog(LogContract, GroupContract):
    @pytest.fixture
    def again(self, folder: Path) -> Again:
        async def reopen(old: Log) -> Log:
            await old.close()
            log = SqliteLog(folder, wanted=TOPICS)
            await log.start()
            return log

        return reopen


async def test_a_second_house_on_the_same_folder_is_refused(log: Log, folder: Path) -> None:
    await log.append(INTENTS, 0, drafts("a"))
    with pytest.raises(LogFault, match=rf"^another house already runs on {folder}$"):
        await SqliteLog(folder, wanted=TOPICS).start()
    await log.append(INTENTS, 0, drafts("b"))


async def test_readers_in_other_processes_see_what_is_written(log: Log, folder: Path) -> None:
    audit = SqliteReader(folder, wanted=TOPICS)
    await audit.start()
    reader = audit.reader(EVENTS, 1, 0)
    for turn in range(20):
        await log.append(EVENTS, 1, drafts(f"{turn}a", f"{turn}b"))
        assert values(await read_all(reader, 2)) == [f"{turn}a", f"{turn}b"]
    assert await audit.bounds(EVENTS, 1) == Bounds(0, 40)
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(OutOfRange):
            await audit.reader(EVENTS, 1, 41).read()
    with pytest.raises(ValueError, match="no partition 4"):
        audit.reader(EVENTS, 4, 0)
    assert audit.healthy() is None
    await audit.close()
    assert audit.healthy() == "the log is closed"
    with pytest.raises(LogFault, match="closed"):
        await reader.read()


async def test_readers_work_while_no_house_runs_and_change_nothing(folder: Path) -> None:
    log = SqliteLog(folder, wanted=TOPICS)
    await log.start()
    await log.append(EVENTS, 1, drafts("a", "b"))

    async def serve(claim: Claim) -> None:
        await claim.bookmark(Bookmark(7, "seven"))
        await idle(claim)

    async with member(log, serve):
        for _ in range(100):
            if len(await log.bookmarks("rules", INTENTS)) == INTENTS.partitions:
                break
            await asyncio.sleep(0.02)
    await log.close()
    before = contents(folder)
    assert sorted(before) == ["lock", FILE]
    audit = SqliteReader(folder, wanted=TOPICS)
    await audit.start()
    reader = audit.reader(EVENTS, 1, 0)
    assert values(await read_all(reader, 2)) == ["a", "b"]
    assert (await audit.bookmarks("rules", INTENTS))[3] == Bookmark(7, "seven")
    assert contents(folder) == before
    log = SqliteLog(folder, wanted=TOPICS)  # and goes on when one is started
    await log.start()
    await log.append(EVENTS, 1, drafts("c"))
    assert values(await read_all(reader, 1)) == ["c"]
    await log.close()
    log = SqliteLog(folder, wanted=TOPICS)
    await log.start()
    await log.append(EVENTS, 1, drafts("d"))
    assert values(await read_all(reader, 1)) == ["d"]
    await audit.close()
    await log.close()


async def test_there_is_nothing_to_read_without_a_log(tmp_path: Path) -> None:
    with pytest.raises(LogFault, match="there is no log"):
        await SqliteReader(tmp_path).start()
    assert contents(tmp_path) == {}


async def test_old_records_of_a_topic_with_retention_go(folder: Path) -> None:
    now_ms = 1_000_000_000_000
    log = SqliteLog(folder, now_ms=lambda: now_ms, wanted=TOPICS)
    await log.start()
    for _ in range(100):
        await log.append(PULSE, 0, drafts("beat"))
        await log.append(EVENTS, 0, drafts("kept"))
        now_ms += 60_000
    bounds = await log.bounds(PULSE, 0)
    assert bounds == Bounds(39, 100)  # an hour and the minute in which it was last looked
    assert await log.bounds(EVENTS, 0) == Bounds(0, 100)
    with pytest.raises(OutOfRange):
        await log.reader(PULSE, 0, 38).read()
    now_ms += 10 * 3_600_000
    await log.append(PULSE, 0, drafts("beat"))
    await until(lambda: log.healthy() is None)
    assert (await log.append(PULSE, 0, drafts("beat")))[0].offset == 101
    assert await log.bounds(PULSE, 0) == Bounds(100, 102)
    await log.close()


async def test_a_whole_topic_that_was_trimmed_is_refused(folder: Path) -> None:
    log = SqliteLog(folder, wanted=TOPICS)
    await log.start()
    await log.append(EVENTS, 2, drafts(*"abc"))
    await log.close()
    with sqlite3.connect(folder / FILE) as db:
        (number,) = db.execute(
            "select number from partitions where topic = ? and partition = 2", [EVENTS.name]
        ).fetchone()
        db.execute("delete from records where id = ?", [number * OFFSETS])
    db.close()
    for refused in (SqliteLog(folder, wanted=TOPICS), SqliteReader(folder, wanted=TOPICS)):
        with pytest.raises(LogFault, match=rf"{EVENTS.name}\[2\] lacks records from 0 to 0"):
            await refused.start()


async def test_another_number_of_partitions_is_refused(folder: Path) -> None:
    log = SqliteLog(folder, wanted=[Topic("a", 3)])
    await log.start()
    await log.close()
    with pytest.raises(LogFault, match="a has 3 partitions instead of 4"):
        await SqliteLog(folder, wanted=[Topic("a", 4)]).start()


async def test_a_topic_added_later_is_made(folder: Path) -> None:
    log = SqliteLog(folder, wanted=TOPICS[:1])
    await log.start()
    await log.append(TOPICS[0], 0, drafts("a"))
    await log.close()
    log = SqliteLog(folder, wanted=TOPICS)
    await log.start()
    assert await log.bounds(TOPICS[0], 0) == Bounds(0, 1)
    await log.append(EVENTS, 0, drafts("b"))
    await log.close()


async def test_another_format_is_refused(folder: Path) -> None:
    log = SqliteLog(folder, wanted=TOPICS)
    await log.start()
    await log.close()
    with sqlite3.connect(folder / FILE) as db:
        db.execute("pragma user_version = 2")
    db.close()
    with pytest.raises(LogFault, match="has format 2, this program reads format 1"):
        await SqliteLog(folder, wanted=TOPICS).start()


async def test_who_reads_the_same_at_once_has_it_read_once(
    log: Log, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them that is cancelled takes it from nobody, and a failed read is tried again."""
    await log.append(EVENTS, 1, drafts(*map(str, range(5))))
    await log.close()
    log = SqliteLog(folder, wanted=TOPICS)
    await log.start()
    reads: list[int] = []

    def counting(*args: Any) -> Sequence[Stored]:
        reads.append(args[3])
        if len(reads) == 1:
            raise sqlite3.OperationalError("disk I/O error")
        return read_records(*args)

    monkeypatch.setattr("sahrat.log.sqlite.read_records", counting)
    with pytest.raises(LogFault, match="disk I/O error"):
        await log.reader(EVENTS, 1, 0).read(3)
    asked = [asyncio.create_task(log.reader(EVENTS, 1, 0).read(3)) for _ in range(4)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    asked[0].cancel()
    found = await asyncio.gather(*asked[1:])
    assert [values(each) for each in found] == [["0", "1", "2"]] * 3
    assert reads == [0, 0]
    await log.close()


async def test_F18_a_full_disk_leaves_whole_appends_and_the_log_goes_on_when_there_is_room(
    log: Log, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await log.close()
    open_file = sqlite_file.open_file

    def small(file: Path, *, mode: str) -> sqlite3.Connection:
        db = open_file(file, mode=mode)
        db.execute("pragma max_page_count = 60")  # SQLite then fails as it does on a full disk
        return db

    with monkeypatch.context() as disk:
        disk.setattr("sahrat.log.sqlite.open_file", small)
        full = SqliteLog(folder, wanted=TOPICS)
        await full.start()
        stored, why = 0, ""
        while not why and stored < 10_000:
            try:
                await full.append(EVENTS, 1, drafts(*(f"{stored + n:0800}" for n in range(10))))
                stored += 10
            except AppendFailed as fault:
                why = str(fault)
        assert "full" in why
        assert full.healthy() is not None
        with pytest.raises(AppendFailed):  # nothing comes behind what is not there
            await full.append(EVENTS, 1, drafts("x"))
        await full.close()
    again = SqliteLog(folder, wanted=TOPICS)
    await again.start()
    assert stored > 0
    assert await again.bounds(EVENTS, 1) == Bounds(0, stored)
    await again.append(EVENTS, 1, drafts("there is room again"))
    found = values(await read_all(again.reader(EVENTS, 1, 0), stored + 1))
    assert found == [*(f"{n:0800}" for n in range(stored)), "there is room again"]
    await again.close()
