"""What those cost who do nothing: open tables beside the ones that play, and many who look on."""

from __future__ import annotations

import time
from typing import Final

from sahrat.runtime import settings as names
from tests.bench.ask import Ask
from tests.bench.counts import Counted
from tests.bench.places import SERVERS, House, LogKind, house, site
from tests.bench.play import Setting, driven, wrong
from tests.bench.processes import Failed, Helper
from tests.bench.report import Report, Row
from tests.bench.usage import by_role, spent

OPEN: Final = "open"
SPECTATORS: Final = "spectators"
LIMIT_S: Final = 180.0
RATE: Final = 100  # actions a second at the tables that play
SETTLE_S: Final = 6.0  # after so many have come: until all has been said of it


def opened(ask: Ask, log: LogKind, report: Report) -> None:
    """Measure an action at a fixed pace by how many tables are open besides. Raises Failed."""
    first: Counted | None = None
    for count in ask.open:
        figure = f"{OPEN} {count:,}"
        with site(log, ask.folder, database=True) as here:
            here.keys = {**here.keys, names.WELCOME: "1"}  # coins for the tables that wait
            with house(here) as running:
                with (
                    _crowd(running, tables=count),
                    driven(running, Setting(ask.tables[0]), ask.drivers, rate=RATE) as drivers,
                ):
                    time.sleep(max(ask.warm_s, SETTLE_S))
                    counted = Counted.over(drivers, running.roles, ask.seconds)
                report.problems += [f"{figure} {log}: {what}" for what in wrong(running, counted)]
        base = first = first or counted
        note = f"{RATE}/s at {ask.tables[0]} tables; floor: {ask.open[0]:,} open"
        cpu = "CPU an action: server"
        report.add(
            Row(figure, log, cpu, counted.server_us, "us", base.server_us, note),
            Row(figure, log, "p50", counted.spread.p50, "ms", base.spread.p50),
            Row(figure, log, "p99", counted.spread.p99, "ms", base.spread.p99),
        )


def watched(ask: Ask, log: LogKind, report: Report) -> None:
    """Measure many who look on at one table: what they cost while nobody acts, and what the players
    of all tables notice of them. Raises Failed.
    """
    figure = f"{SPECTATORS} {ask.spectators:,}"
    with site(log, ask.folder, database=True) as here, house(here) as running:
        calm_us = _still(running, ask.seconds)
        with driven(running, Setting(ask.tables[0]), ask.drivers, rate=RATE) as drivers:
            match_id = drivers[0].said["match_id"]
            time.sleep(ask.warm_s)
            alone = Counted.over(drivers, running.roles, ask.seconds)
            with _crowd(running, watch=match_id, sockets=ask.spectators):
                time.sleep(SETTLE_S)
                beside = Counted.over(drivers, running.roles, ask.seconds)
        with (
            driven(running, Setting(1), 1, limit=1) as drivers,
            _crowd(running, watch=drivers[0].said["match_id"], sockets=ask.spectators),
        ):
            time.sleep(SETTLE_S)
            still_us = _still(running, ask.seconds)
        report.problems += [f"{figure} {log}: {what}" for what in wrong(running, beside)]
    note = f"at one of {ask.tables[0]} tables that play {RATE}/s; floor: nobody looks on"
    report.add(
        Row(figure, log, "of a core, idle", (still_us - calm_us) / 1e4, "%", None, "no act at all"),
        Row(figure, log, "p50", beside.spread.p50, "ms", alone.spread.p50, note),
        Row(figure, log, "p99", beside.spread.p99, "ms", alone.spread.p99),
    )


def _still(running: House, seconds: float) -> float:
    """Return the us of CPU a second that the house uses while nobody acts."""
    before = by_role(running.roles())
    time.sleep(seconds)
    used = spent(before, by_role(running.roles()))
    return sum(cpu_s for role, cpu_s in used.items() if role not in SERVERS) * 1e6 / seconds


def _crowd(running: House, **what: object) -> Helper:
    """Let a crowd come; it leaves when the helper ends. Raises Failed."""
    address = running.folder.address()
    if address is None:
        raise Failed("the house is gone")
    helper = Helper("crowd", {"url": address.urls[0], **what})
    try:
        helper.hear(LIMIT_S)
    except BaseException:
        helper.end()
        raise
    return helper
