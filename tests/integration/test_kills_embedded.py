"""F06: a house in one process is killed while phones play, and started again on its folder."""

import asyncio
import sys
import time
from pathlib import Path
from typing import Final

import pytest

from services.house.child import free_port
from services.house.line import Internet
from tests.chaos.clocks import Outage
from tests.chaos.commands import started, stopped
from tests.chaos.fleet import Fleet
from tests.chaos.raw import projected, read_sqlite, read_tables
from tests.chaos.verifier import verify

pytestmark = [pytest.mark.slow]

STEP_S: Final = 8
AWAY_S: Final = 2.5  # rule K: longer than two seconds
LIMIT_S: Final = 180.0
LAG_S: Final = 60.0


async def test_matches_in_play_survive_a_kill_and_a_new_start(data: Path, postgres: str) -> None:
    port = free_port()
    options = ("--port", str(port), "--bot-pause-ms", "0")
    fleet = Fleet(Internet(f"http://127.0.0.1:{port}"), think_s=0.1)
    try:
        async with started(data, *options, SAHRAT_POSTGRES=postgres) as house:
            await fleet.table({"players": 4, "fill_seconds": 5}, players=2)
            await fleet.table({"players": 2, "step_seconds": STEP_S}, players=1, sleepers=1)
            fleet.watch()
            lively, sleeper = fleet.players[0], fleet.sleepers[0]
            async with asyncio.timeout(LIMIT_S):
                await lively.phone.reached(lively.match_id, 40)
            blow_s, from_ms = time.monotonic(), int(time.time() * 1000)
            house.kill()
        await asyncio.sleep(AWAY_S)
        async with started(data, *options, SAHRAT_POSTGRES=postgres) as house:
            outage = Outage("broker", from_ms, int(time.time() * 1000))
            async with asyncio.timeout(LIMIT_S):
                await _go_on(fleet)
                out = sleeper.table.timed_out
                while sleeper.table.timed_out == out:
                    await asyncio.sleep(0.05)
                await fleet.leave()
            log = read_sqlite(data / "log" / "log.sqlite3")
            async with asyncio.timeout(LAG_S):
                while await asyncio.to_thread(projected, postgres) < len(log.events):
                    await asyncio.sleep(0.1)
            assert await stopped(house) == 0, house.said()
    finally:
        await fleet.close()
    report = verify(log, read_tables(postgres), fleet.seen(), [outage.narrowed(log)])
    waits = [guest.silence_s(blow_s) for guest in fleet.players]
    sys.stdout.write(f"\nuntil the next record: {max(waits):.2f} s at most\n{report}\n")
    assert list(report.findings) == []
    assert fleet.problems() == []
    assert report.figures["ended"] == report.figures["matches"] == 2
    assert report.figures["timeouts"] >= 1
    assert report.figures["resumes"] >= 2


async def _go_on(fleet: Fleet) -> None:
    """Wait until every phone has seen something new."""
    before = [guest.table.seq for guest in fleet.guests]
    for guest, seq in zip(fleet.guests, before, strict=True):
        await guest.phone.reached(guest.match_id, seq + 1)
