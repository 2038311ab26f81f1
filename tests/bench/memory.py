"""What each open table costs in memory, all processes together."""

from __future__ import annotations

from typing import Final

from tests.bench.ask import Ask
from tests.bench.places import SERVERS, LogKind, house, site
from tests.bench.play import Setting, driven
from tests.bench.report import Report, Row
from tests.bench.usage import Usage, by_role

MEMORY: Final = "memory"
FEW: Final = 150  # with so many the log's newest records fill what memory it gives to them
MANY: Final = 450
ACTIONS: Final = (
    90  # of each table: what a phone may have missed is at hand in full, none has ended
)
LIMIT_S: Final = 600.0


def memory(ask: Ask, log: LogKind, report: Report) -> None:
    """Measure resident memory with few tables and with many. Raises Failed."""
    few, many = _used(ask, log, FEW), _used(ask, log, MANY)
    note = f"{FEW} tables to {MANY}, after {ACTIONS} actions of each"
    slopes = {
        role: (used.rss_kb - few[role].rss_kb) / (MANY - FEW)
        for role, used in many.items()
        if role not in SERVERS
    }
    for role, slope in slopes.items():
        report.add(Row(MEMORY, log, f"an open table: {role}", slope, "kB"))
    report.add(Row(MEMORY, log, "an open table: all", sum(slopes.values()), "kB", None, note))
    for role, used in many.items():
        report.add(Row(MEMORY, log, f"{MANY} tables: {role}", used.rss_kb / 1024, "MB"))


def _used(ask: Ask, log: LogKind, tables: int) -> dict[str, Usage]:
    """Return what each role uses once each table has made its actions."""
    with (
        site(log, ask.folder, database=True) as here,
        house(here) as running,
        driven(running, Setting(tables), ask.drivers, limit=ACTIONS) as drivers,
    ):
        for driver in drivers:
            driver.tell("held")
        for driver in drivers:
            driver.hear(LIMIT_S)
        return by_role(running.roles())
