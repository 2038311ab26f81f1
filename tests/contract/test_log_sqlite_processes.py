from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sahrat.log.port import Bounds
from sahrat.log.sqlite import SqliteLog
from sahrat.log.sqlite_reader import SqliteReader
from sahrat.messages.topics import EVENTS
from tests.contract.log_contract import read_all

# Appends for ever to two partitions at once, and says what was acknowledged.
APPENDER = """
import asyncio, sys
from pathlib import Path
from sahrat.log.port import Draft
from sahrat.log.sqlite import SqliteLog
from sahrat.messages.topics import EVENTS

async def append(log, partition):
    for number in range(1_000_000):
        value = f"{number} ".encode() * 40
        (ack,) = await log.append(EVENTS, partition, [Draft(b"m", value)])
        print(partition, ack.offset, number, flush=True)

async def main():
    log = SqliteLog(Path(sys.argv[1]))
    await log.start()
    await asyncio.gather(append(log, 0), append(log, 1))

asyncio.run(main())
"""

# Stands in for a full disk: no file may grow above 256 KiB.
FILLER = """
import asyncio, resource, signal, sys
from pathlib import Path
from sahrat.log.port import AppendFailed, Draft
from sahrat.log.sqlite import SqliteLog
from sahrat.messages.topics import EVENTS

async def main():
    log = SqliteLog(Path(sys.argv[1]))
    await log.start()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (256 * 1024, 256 * 1024))
    stored = 0
    try:
        while True:
            await log.append(EVENTS, 0, [Draft(b"m", b"x" * 10_000)])
            stored += 1
    except AppendFailed as fault:
        print(stored, fault)
    try:
        await log.append(EVENTS, 1, [Draft(b"m", b"small")])
    except AppendFailed:
        print("refused", log.healthy())
    await log.close()

asyncio.run(main())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "log"


def kill_in_mid_append(folder: Path, seconds: float) -> list[tuple[int, ...]]:
    """Return what was acknowledged: (partition, offset, number) each."""
    with subprocess.Popen(
        [sys.executable, "-c", APPENDER, str(folder)], stdout=subprocess.PIPE, text=True
    ) as house:
        assert house.stdout is not None
        told = [house.stdout.readline() for _ in range(30)]
        time.sleep(seconds)
        house.send_signal(signal.SIGKILL)
        told += house.stdout.readlines()
    return [tuple(map(int, line.split())) for line in told if line.endswith("\n")]


@pytest.mark.parametrize("seconds", [0.0, 0.01, 0.1])
async def test_kill_in_mid_append_loses_nothing_acknowledged(folder: Path, seconds: float) -> None:
    acknowledged = await asyncio.to_thread(kill_in_mid_append, folder, seconds)
    assert len(acknowledged) >= 30
    audit, log = SqliteReader(folder), SqliteLog(folder)
    for reopened in (audit, log):  # the first finds a -wal that nobody has folded in
        await reopened.start()
        for partition in (0, 1):
            end = (await reopened.bounds(EVENTS, partition)).end
            found = await read_all(reopened.reader(EVENTS, partition, 0), end)
            numbers = [int(record.value.split()[0]) for record in found]
            assert numbers == list(range(end))
            mine = [(offset, number) for part, offset, number in acknowledged if part == partition]
            assert mine == [(offset, offset) for offset in range(len(mine))]
            assert len(mine) <= end
    await audit.close()
    await log.close()


async def test_a_full_disk_fails_the_append_and_all_that_follow(folder: Path) -> None:
    ran = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", FILLER, str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = ran.stdout.splitlines()
    assert f"the log in {folder} failed: " in first
    assert second.startswith("refused the log in ")
    stored = int(first.split()[0])
    log = SqliteLog(folder)
    await log.start()
    assert stored <= (await log.bounds(EVENTS, 0)).end <= stored + 1
    assert await log.bounds(EVENTS, 1) == Bounds(0, 0)
    await log.close()
