"""Phones that play over WebSocket: as fast as the house lets them, and at a fixed pace."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from services.house.hands import HANDS
from tests.bench import floors
from tests.bench.ask import Ask
from tests.bench.counts import Counted
from tests.bench.places import House, LogKind, Site, house, site
from tests.bench.processes import Failed, Helper
from tests.bench.report import Report, Row

SATURATED = "saturated"
PACED = "paced"
LUDO: Final = "ludo"
MIXED: Final = "mixed"
GAMES: Final[Mapping[str, tuple[str, ...]]] = {LUDO: (LUDO,), MIXED: (*HANDS,)}
"""What may be asked for: one game, or each in turn at a third of the tables."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How a house is played at.

    Attributes:
        tables: Of two phones each.
        games: What is played at them in turn.
        rules: How many rules workers judge it, on Kafka.
    """

    tables: int
    games: tuple[str, ...] = (LUDO,)
    rules: int = 1

    @property
    def options(self) -> tuple[str, ...]:
        """Options of `sahrat run`."""
        return () if self.rules == 1 else ("--workers", f"rules={self.rules}")

    def __str__(self) -> str:
        """Return it in a few words."""
        what = MIXED if len(self.games) > 1 else self.games[0]
        return f"{self.tables} {what}" + (f", {self.rules} rules" if self.rules > 1 else "")


def settings(ask: Ask, log: LogKind) -> list[Setting]:
    """Return all that was asked for: in the embedded house one process is all workers."""
    return [
        Setting(tables, GAMES[games], rules)
        for games in ask.games
        for tables in ask.tables
        for rules in (ask.rules if log == "kafka" else (1,))
    ]


def saturated(ask: Ask, log: LogKind, report: Report) -> None:
    """Measure how many actions a second the house takes, and what each costs. Raises Failed."""
    for setting in settings(ask, log):
        figure = f"{SATURATED} {setting}"
        with site(log, ask.folder, database=True) as here:
            floor = floors.played(here, callers=setting.tables, rate=0, seconds=ask.seconds)
            counted = _play(ask, here, report, figure, setting, rate=0)
        spread = counted.spread
        report.add(
            Row(figure, log, "durable actions", counted.rate, "/s", floor.rate),
            Row(figure, log, "per server CPU second", 1e6 / counted.server_us, "/CPU s"),
            Row(figure, log, "to the other phone, p50", spread.p50, "ms", floor.spread.p50),
            Row(figure, log, "to the other phone, p99", spread.p99, "ms", floor.spread.p99),
            *cpu_rows(figure, log, counted),
        )


def paced(ask: Ask, log: LogKind, report: Report) -> None:
    """Measure how long an action takes to the other phone at a fixed pace. Raises Failed."""
    setting = Setting(ask.tables[0])
    for rate in ask.rates:
        figure = f"{PACED} {rate}/s"
        with site(log, ask.folder, database=True) as here:
            floor = floors.played(here, callers=setting.tables, rate=rate, seconds=ask.seconds)
            counted = _play(ask, here, report, figure, setting, rate=rate)
        done = f"{counted.rate:.0f}/s of {rate}/s came, {counted.spread.count} actions"
        report.add(
            Row(figure, log, "to the other phone, p50", counted.spread.p50, "ms", floor.spread.p50),
            Row(
                figure, log, "to the other phone, p99", counted.spread.p99, "ms", floor.spread.p99,
                done,
            ),
            Row(figure, log, "to the other phone, worst", counted.spread.worst, "ms"),
            *cpu_rows(figure, log, counted),
        )  # fmt: skip


def _play(
    ask: Ask, here: Site, report: Report, figure: str, setting: Setting, *, rate: int
) -> Counted:
    with house(here, setting.options) as running:
        with driven(running, setting, ask.drivers, rate=rate) as drivers:
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
    running: House, setting: Setting, processes: int, *, rate: float = 0, limit: int = 0
) -> Iterator[Sequence[Helper]]:
    """Let phones play at a house, in so many processes, until the end. Raises Failed.

    Args:
        running: The house.
        setting: What is played there.
        processes: That the tables are spread over.
        rate: Actions a second over all tables; 0: as many as the house takes.
        limit: After so many actions a table holds still; 0: never.
    """
    address = running.folder.address()
    if address is None:
        raise Failed("the house is gone")
    tables = setting.tables
    shares = [tables // processes + (number < tables % processes) for number in range(processes)]
    with contextlib.ExitStack() as stack:
        drivers = [
            stack.enter_context(
                Helper(
                    "driver",
                    {
                        "url": address.urls[number % len(address.urls)],
                        "tables": share,
                        "games": setting.games,
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


def cpu_rows(figure: str, log: LogKind, counted: Counted) -> Iterator[Row]:
    """Yield what an action costs, by role, and the sum without the driver."""
    for role, cpu_us in counted.cpu_us.items():
        yield Row(figure, log, f"CPU an action: {role}", cpu_us, "us")
    yield Row(figure, log, "CPU an action: server", counted.server_us, "us", None, "all but driver")
