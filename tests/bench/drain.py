"""Records through the workers as fast as they take them: rules, replay, projection."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import uvloop

from sahrat.messages.topics import MATCH_PARTITIONS
from tests.bench import floors, prepared, stories
from tests.bench.ask import Ask
from tests.bench.places import DATABASE, LogKind, Site, site
from tests.bench.processes import Failed, Helper
from tests.bench.report import Report, Row
from tests.bench.usage import by_role, spent

DRAIN: Final = "drain"
REPLAY: Final = "replay"
PROJECTION: Final = "projection"
REBUILD: Final = "rebuild"
LIMIT_S: Final = 600.0
REBUILD_LIMIT_S: Final = 3_600.0


def drain(ask: Ask, log: LogKind, report: Report) -> None:
    """Measure how fast rules judges what waits for it, then how fast others fold what came of it.

    Raises:
        Failed: It could not be measured.
    """
    counts = ask.rules if log == "kafka" else (1,)
    for processes in counts:
        with site(log, ask.folder) as here:
            told = _story(ask.records, here)
            total = sum(len(partition.intents) for partition in told)
            uvloop.run(prepared.fill(prepared.open_log(**prepared.where(here)), told, judged=False))
            floor = floors.drained(here, total)
            report.add(*_judged(here, total, processes, floor.echoed))
            if processes == counts[-1]:
                report.add(*_replayed(here, floor.read))


def _judged(here: Site, total: int, processes: int, floor: float) -> list[Row]:
    """Let rules workers judge all intents that stand in the log. Raises Failed."""
    works = [{"work": "drain", "records": total}] * processes
    count, seconds, cpu_us = _together(here, works, begin=False)
    if count != total:
        raise Failed(f"rules wrote {count} records for {total} intents")
    what = "judged by rules" + (f", {processes} processes" if processes > 1 else "")
    return [
        Row(DRAIN, here.log, what, count / seconds, "/s", floor, f"{total:,} intents"),
        Row(DRAIN, here.log, f"CPU a record: {processes}", cpu_us, "us"),
    ]


def _replayed(here: Site, floor: float) -> list[Row]:
    """Let processes fold all records that stand in the log. Raises Failed."""
    rows = []
    for processes in (1, 2):
        shares = [[*range(n, MATCH_PARTITIONS, processes)] for n in range(processes)]
        work = [{"work": "fold", "partitions": share} for share in shares]
        count, seconds, cpu_us = _together(here, work, begin=True)
        what = f"folded, {processes} process{'es' * (processes > 1)}"
        read = floor if processes == 1 else None
        rows += [
            Row(REPLAY, here.log, what, count / seconds, "/s", read),
            Row(REPLAY, here.log, f"CPU a record: {processes}", cpu_us, "us"),
        ]
    return rows


def projection(ask: Ask, log: LogKind, report: Report) -> None:
    """Measure how fast the read models take records. Raises Failed."""
    with site(log, ask.folder, database=True) as here:
        assert here.postgres is not None
        total = _judged_before(ask.records, here)
        with Helper("floor_postgres", {"dsn": here.postgres.dsn, "records": total}) as helper:
            floor = total / helper.hear(LIMIT_S)["seconds"]
        work = {"work": "project", "dsn": here.postgres.dsn, "records": total}
        with Helper("worker", {**work, **prepared.where(here)}, here.keys) as helper:
            helper.hear(LIMIT_S)
            before = by_role(here.servers())
            said = helper.hear(LIMIT_S)
            used = spent(before, by_role(here.servers()))
    count = said["count"]
    note = f"{total:,} records; the floor is COPY of them into one table"
    rate = count / (said["end_s"] - said["begin_s"])
    report.add(
        Row(PROJECTION, log, "records", rate, "/s", floor, note),
        Row(PROJECTION, log, "CPU a record: projection", said["cpu_s"] * 1e6 / count, "us"),
        Row(PROJECTION, log, "CPU a record: postgres", used[DATABASE] * 1e6 / count, "us"),
    )


def rebuild(ask: Ask, log: LogKind, report: Report) -> None:
    """Measure how fast the read models are made anew. Raises Failed."""
    with site(log, ask.folder, database=True) as here:
        assert here.postgres is not None
        total = _judged_before(ask.rebuilt, here)
        work = {"work": "rebuild", "dsn": here.postgres.dsn}
        before = by_role(here.servers())
        with Helper("worker", {**work, **prepared.where(here)}) as helper:
            said = helper.hear(REBUILD_LIMIT_S)
        used = spent(before, by_role(here.servers()))
    if said["count"] != total:
        raise Failed(f"{said['count']} of {total} records were taken")
    seconds = said["end_s"] - said["begin_s"]
    report.add(
        Row(REBUILD, log, "records", total / seconds, "/s", None, f"{total:,} records"),
        Row(REBUILD, log, "1,000,000 at this rate", seconds * 1e6 / total, "s"),
        Row(REBUILD, log, "CPU a record: rebuild", said["cpu_s"] * 1e6 / total, "us"),
        Row(REBUILD, log, "CPU a record: postgres", used[DATABASE] * 1e6 / total, "us"),
    )


def _judged_before(records: int, here: Site) -> int:
    """Store a story with all that came of it; return how many records that are."""
    told = _story(records, here)
    uvloop.run(prepared.fill(prepared.open_log(**prepared.where(here)), told, judged=True))
    return sum(len(partition.events) for partition in told)


def _story(records: int, here: Site) -> list[stories.Told]:
    told = stories.partitions(prepared.keys_of(here), time.time_ns() // 1_000_000)
    matches = records // stories.MATCH_RECORDS
    stories.tell(told, matches, stories.MATCH_RECORDS - stories.ENTRY)
    return told


def _together(
    here: Site, works: Sequence[Mapping[str, Any]], *, begin: bool
) -> tuple[int, float, float]:
    """Let workers do their works side by side.

    Args:
        here: Whose log it is.
        works: One for each worker.
        begin: Whether each says when it is ready and waits for a word.

    Returns:
        Records, the seconds from the first's begin to the last's end, and us of CPU a record.
    """
    with contextlib.ExitStack() as stack:
        helpers = [
            stack.enter_context(Helper("worker", {**work, **prepared.where(here)}, here.keys))
            for work in works
        ]
        if begin:
            for helper in helpers:
                helper.hear()
            for helper in helpers:
                helper.tell("begin")
        said = [helper.hear(LIMIT_S) for helper in helpers]
        count = sum(one["count"] for one in said)
        seconds = max(one["end_s"] for one in said) - min(one["begin_s"] for one in said)
        return count, seconds, sum(one["cpu_s"] for one in said) * 1e6 / count
