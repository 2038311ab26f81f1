"""Phones that play over WebSocket: as fast as the house lets them, and at a fixed pace."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence

from tests.bench import floors
from tests.bench.ask import Ask
from tests.bench.counts import Counted
from tests.bench.places import House, LogKind, Site, house, site
from tests.bench.processes import Failed, Helper
from tests.bench.report import Report, Row

SATURATED = "saturated"
PACED = "paced"


def saturated(ask: Ask, log: LogKind, report: Report) -> None:
    """Measure how many actions a second the house takes, and what each costs. Raises Failed."""
    with site(log, ask.folder, database=True) as here:
        floor = floors.played(here, callers=ask.tables, rate=0, seconds=ask.seconds)
        counted = _play(ask, here, report, SATURATED, rate=0)
    where = f"{ask.tables} tables of two"
    report.add(
        Row(SATURATED, log, "durable actions", counted.rate, "/s", floor.rate, where),
        Row(SATURATED, log, "per server CPU second", 1e6 / counted.server_us, "/CPU s"),
        Row(SATURATED, log, "to the other phone, p50", counted.spread.p50, "ms", floor.spread.p50),
        Row(SATURATED, log, "to the other phone, p99", counted.spread.p99, "ms", floor.spread.p99),
        *_cpu(SATURATED, log, counted),
    )


def paced(ask: Ask, log: LogKind, report: Report) -> None:
    """Measure how long an action takes to the other phone at a fixed pace. Raises Failed."""
    for rate in ask.rates:
        figure = f"{PACED} {rate}/s"
        with site(log, ask.folder, database=True) as here:
            floor = floors.played(here, callers=ask.tables, rate=rate, seconds=ask.seconds)
            counted = _play(ask, here, report, figure, rate=rate)
        done = f"{counted.rate:.0f}/s of {rate}/s came, {counted.spread.count} actions"
        report.add(
            Row(figure, log, "to the other phone, p50", counted.spread.p50, "ms", floor.spread.p50),
            Row(
                figure, log, "to the other phone, p99", counted.spread.p99, "ms", floor.spread.p99,
                done,
            ),
            Row(figure, log, "to the other phone, worst", counted.spread.worst, "ms"),
            *_cpu(figure, log, counted),
        )  # fmt: skip


def _play(ask: Ask, here: Site, report: Report, figure: str, *, rate: int) -> Counted:
    with house(here) as running:
        with driven(running, ask.tables, ask.drivers, rate=rate) as drivers:
            time.sleep(ask.warm_s)
            counted = Counted.over(drivers, running.roles, ask.seconds)
        report.problems += [f"{figure} {here.log}: {what}" for what in wrong(running, counted)]
    return counted


def wrong(running: House, counted: Counted) -> list[str]:
    """Return what was not as it should be: such a figure is no good."""
    problems = [f"{count} times {what}" for what, count in counted.said.get("problems", {}).items()]
    problems += [f"{count} refused: {why}" for why, count in counted.said["refusals"].items()]
    return [*problems, *running.complaints()]


@contextlib.contextmanager
def driven(
    running: House, tables: int, processes: int, *, rate: float = 0, limit: int = 0
) -> Iterator[Sequence[Helper]]:
    """Let phones play at a house, in so many processes, until the end. Raises Failed.

    Args:
        running: The house.
        tables: Of two phones each.
        processes: That the tables are spread over.
        rate: Actions a second over all tables; 0: as many as the house takes.
        limit: After so many actions a table holds still; 0: never.
    """
    address = running.folder.address()
    if address is None:
        raise Failed("the house is gone")
    shares = [tables // processes + (number < tables % processes) for number in range(processes)]
    with contextlib.ExitStack() as stack:
        drivers = [
            stack.enter_context(
                Helper(
                    "driver",
                    {
                        "url": address.urls[number % len(address.urls)],
                        "tables": share,
                        "first": sum(shares[:number]),
                        "rate": rate * share / tables,
                        "limit": limit,
                    },
                )
            )
            for number, share in enumerate(shares)
        ]
        for driver in drivers:
            driver.hear()
        yield drivers


def _cpu(figure: str, log: LogKind, counted: Counted) -> Iterator[Row]:
    """Yield what an action costs, by role, and the sum without the driver."""
    for role, cpu_us in counted.cpu_us.items():
        yield Row(figure, log, f"CPU an action: {role}", cpu_us, "us")
    yield Row(figure, log, "CPU an action: server", counted.server_us, "us", None, "all but driver")
