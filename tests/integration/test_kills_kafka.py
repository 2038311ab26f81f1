"""F01 F02 F04 F05 F07: each part of a house on Kafka is killed in turn while phones play.

One house for all kills, since its start takes as long as they do. Run with `-s` for the figures.
"""

import asyncio
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest

from services.house.local.errors import LocalError
from services.house.local.jars import kafka_jars
from services.house.local.kafka import java_command
from tests import servers
from tests.chaos.commands import sahrat, started, stopped
from tests.chaos.fleet import Fleet, Guest
from tests.chaos.nemesis import Blow, strike_all
from tests.chaos.raw import projected, read_kafka, read_tables
from tests.chaos.verifier import Report, verify
from tests.integration.running import Running, folder, gone

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

TABLES: Final = 2  # of each kind: with bots; and with one who sleeps
THINK_S: Final = 0.25
DUES_S: Final = 2.0  # rule K: none later than this after a timer's last tick
STEP_S: Final = 8  # of the tables where one sleeps
LAG_S: Final = 60.0
LIMIT_S: Final = 900.0
MATCHES: Final = 4
PLAY: Final = ("--matches", str(MATCHES), "--players", "4", "--bots", "2")


@pytest.fixture(scope="module", autouse=True)
def programs() -> None:
    try:
        java_command()
        kafka_jars()
    except LocalError as fault:
        servers.missing("Kafka", fault)


@pytest.fixture
def data() -> Iterator[Path]:
    with folder() as path:
        yield path
        assert gone(path) == []


async def test_every_part_is_killed_in_turn_while_phones_play(data: Path, postgres: str) -> None:
    options = ("--log", "kafka", "--port", "0", "--bot-pause-ms", "0")
    async with started(data, *options, SAHRAT_POSTGRES=postgres) as house:
        fleet = Fleet(house.url, THINK_S)
        try:
            async with asyncio.timeout(LIMIT_S):
                blows, plays = await _play_through_kills(house, fleet, postgres)
            report = await _verify(house, fleet, blows, postgres)
        finally:
            await fleet.close()
        _tell(fleet, blows, report)
        assert list(report.findings) == []
        assert fleet.problems() == []
        assert report.figures["ended"] == report.figures["matches"] == 2 * TABLES + MATCHES * plays
        assert report.figures["timeouts"] >= 2 * TABLES  # or nothing was shown
        assert report.figures["resumes"] >= 2 * TABLES
        assert await stopped(house) == 0, house.said()


async def _play_through_kills(house: Running, fleet: Fleet, dsn: str) -> tuple[list[Blow], int]:
    """Return what was struck, and how often `sahrat play` ran from its beginning to its end."""
    for _ in range(TABLES):
        await fleet.table({"players": 4, "fill_seconds": 5}, players=2)
    lively = [*fleet.players]
    for _ in range(TABLES):
        await fleet.table({"players": 2, "step_seconds": STEP_S}, players=1, sleepers=1)
    fleet.watch()

    async def recovered(part: str) -> None:
        if part == "projection":
            before = await asyncio.to_thread(projected, dsn)
            while await asyncio.to_thread(projected, dsn) == before:
                await asyncio.sleep(0.1)
        elif part == "timer":  # play goes on without it: wait for the resume of those who wait
            await asyncio.sleep(DUES_S)
            await _all_hear(fleet.sleepers)
        else:
            await _all_hear(lively)

    striking = asyncio.create_task(strike_all(house.data, recovered))
    plays = 0
    while not striking.done():
        code, said = await sahrat("play", "--url", house.url, "--seed", str(plays), *PLAY)
        assert code == 0, said
        plays += 1
    blows = striking.result()
    await _all_time_out(fleet.sleepers)
    await fleet.leave()
    return blows, plays


async def _all_hear(guests: Sequence[Guest]) -> None:
    """Wait until each has seen one more record of its match."""
    seqs = [guest.table.seq for guest in guests]
    for guest, seq in zip(guests, seqs, strict=True):
        await guest.phone.reached(guest.match_id, seq + 1)


async def _all_time_out(guests: Sequence[Guest]) -> None:
    """Wait until the clock has played one more step of each."""
    before = [guest.table.timed_out for guest in guests]
    while any(guest.table.timed_out == n for guest, n in zip(guests, before, strict=True)):
        await asyncio.sleep(0.05)


async def _verify(house: Running, fleet: Fleet, blows: Sequence[Blow], dsn: str) -> Report:
    """Verify what is stored, once the read models have had their time."""
    log = await read_kafka(house.address["kafka"])
    async with asyncio.timeout(LAG_S):
        while await asyncio.to_thread(projected, dsn) < len(log.events):
            await asyncio.sleep(0.1)
    tables = await asyncio.to_thread(read_tables, dsn)
    return verify(log, tables, fleet.seen(), [blow.outage.narrowed(log) for blow in blows])


def _tell(fleet: Fleet, blows: Sequence[Blow], report: Report) -> None:
    """Print for each kill how long phones waited for their next record."""
    asleep = {guest.match_id for guest in fleet.sleepers}  # where it is quiet by itself
    lively = [guest for guest in fleet.players if guest.match_id not in asleep]
    lines = [f"{'killed':12} {'p50':>6} {'max':>6}   s until the next record at a phone"]
    for blow in blows:
        waits = [guest.silence_s(blow.at_s) for guest in lively]
        lines.append(f"{blow.part:12} {statistics.median(waits):6.2f} {max(waits):6.2f}")
    sys.stdout.write("\n" + "\n".join([*lines, str(report), ""]))
