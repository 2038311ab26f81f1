"""What was lost: looked for in topics and tables, once everybody has gone home."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import orjson
import psycopg
from aiokafka.errors import KafkaError

from sahrat.log.kafka import KafkaLog
from sahrat.runtime import settings as names
from tests.chaos.chains import Finding
from tests.chaos.commands import ran, stopped
from tests.chaos.driver import Driver
from tests.chaos.house import Struck
from tests.chaos.nemesis import Hit, Nemesis
from tests.chaos.raw import EVENTS, JOURNAL, projected, stored, unfinished
from tests.chaos.schedule import C49_S, DATABASE
from tests.integration.projecting import beside_a_rebuild

HOME_S: Final = 240.0  # until all matches are over once everybody has got up
SETTLED_S: Final = 120.0  # until nothing is held any more, and all is in the read models
LOOK_S: Final = 0.2
SEEN: Final = "seen.jsonl"
OUTAGES: Final = "outages.jsonl"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found, and how much there was to find something in, by name."""

    findings: list[Finding] = field(default_factory=list)
    figures: dict[str, int] = field(default_factory=dict)


async def judge(struck: Struck, driver: Driver, nemesis: Nemesis, folder: Path) -> Verdict:
    """End all play and the house, and look through what is left.

    Args:
        struck: The house.
        driver: Who played there.
        nemesis: What it has been through.
        folder: For the files that the verifier is given.
    """
    verdict = Verdict()
    found = verdict.findings
    found += _not_recovered(nemesis)
    try:
        async with asyncio.timeout(HOME_S):
            await driver.finish()
    except TimeoutError:
        waiting = [guest for guest in driver.guests if not guest.table.end]
        found += [Finding("unfinished", guest.match_id, "a phone waits") for guest in waiting]
    found += [Finding("phone", "", problem) for problem in driver.problems()]
    await driver.close()
    await _settle(struck, found)
    code = await stopped(struck.house)
    if code:
        found.append(Finding("house", "", f"it ended with {code}: {struck.house.said()}"))
    await _verify(struck, driver, nemesis.hits, folder, verdict)
    await _audit(struck, verdict)
    await _rebuild(struck, verdict)
    verdict.figures.update(
        seen=sum(1 for _ in driver.seen()),
        phones=len({guest.phone for guest in driver.guests}),
        blows=sum(len(hit.step.blows) for hit in nemesis.hits),
    )
    return verdict


def _not_recovered(nemesis: Nemesis) -> Iterator[Finding]:
    for problem in nemesis.problems:
        yield Finding("stuck", "", problem)
    for hit in nemesis.hits:
        if hit.back_s is None:
            yield Finding(
                "stuck", str(hit.step), f"not in order again after {nemesis.limit_s:.0f} s"
            )
        long = any(b.part == DATABASE and b.lasts_s >= C49_S for b in hit.step.blows)
        if long and not hit.kept:
            yield Finding("stuck", str(hit.step), "the projection needed a new start (C49)")


async def _settle(struck: Struck, found: list[Finding]) -> None:
    """Wait until all that was stored is in the read models, and nothing is open there."""
    dsn, deadline_s = struck.database.dsn, time.monotonic() + SETTLED_S
    wanted = taken = still = -1
    while time.monotonic() < deadline_s:
        try:
            wanted = await stored(struck.broker.address)
            taken = await asyncio.to_thread(projected, dsn, (EVENTS, JOURNAL))
            still = await asyncio.to_thread(unfinished, dsn)
        except (psycopg.Error, KafkaError, OSError):
            still = -1
        if taken >= wanted and not still:
            return
        await asyncio.sleep(LOOK_S)
    if taken < wanted:
        found.append(Finding("lag", "", f"{taken} of {wanted} records are in the read models"))
    if still:
        found.append(Finding("unfinished", "", f"{still} matches or holds are open"))


async def _verify(
    struck: Struck, driver: Driver, hits: Sequence[Hit], folder: Path, verdict: Verdict
) -> None:
    """Let the verifier, a program of its own, look through topics and tables."""
    outages = [outage for hit in hits for outage in hit.outages]
    _write(folder / SEEN, [list(seen) for seen in driver.seen()])
    _write(folder / OUTAGES, [[outage.part, outage.from_ms, outage.to_ms] for outage in outages])
    code, out, said = await ran(
        "tests.chaos.verifier",
        *("--kafka", struck.broker.address, "--postgres", struck.database.dsn, "--json"),
        *("--seen", str(folder / SEEN), "--outages", str(folder / OUTAGES)),
    )
    if not out:
        verdict.findings.append(Finding("verifier", "", f"it ended with {code}: {said[-500:]}"))
        return
    report = orjson.loads(out)
    verdict.findings.extend(Finding(**finding) for finding in report["findings"])
    verdict.figures.update(report["figures"])


def _write(file: Path, rows: Sequence[Sequence[object]]) -> None:
    file.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))


async def _audit(struck: Struck, verdict: Verdict) -> None:
    """Let `sahrat audit` work out every coin, and compare what PostgreSQL shows of them."""
    where = {names.KAFKA: struck.broker.address, names.POSTGRES: struck.database.dsn}
    told = ("audit", "--data", str(struck.house.data), "--log", "kafka", "--postgres", "--json")
    code, out, said = await ran("services.house", *told, **where)
    report = orjson.loads(out) if out else {}
    if not report.get("balanced"):
        what = f"{report.get('law', f'exit {code}')}: {report.get('what') or said[-500:]}"
        verdict.findings.append(Finding("coins", f"entry {report.get('entry')}", what))
        return
    for held, what in ((report["holds"], "holds are open"), (report["pending"], "are unpaid")):
        if held:
            verdict.findings.append(Finding("coins", "", f"{held} {what}"))
    verdict.figures.update({name: report[name] for name in ("entries", "settled", "refunded")})


async def _rebuild(struck: Struck, verdict: Verdict) -> None:
    """Compare the read models with ones that are made anew."""
    log = KafkaLog(struck.broker.address, make=False, name="chaos")
    await log.start()
    comparison = await beside_a_rebuild(log, struck.database.dsn)
    await log.close()
    for odd in comparison.differences:
        where = f"{odd.table} in {odd.schema}"
        verdict.findings.append(Finding("rebuild", where, odd.row or "the whole table"))
    verdict.figures["rows"] = sum(comparison.rows.values())
