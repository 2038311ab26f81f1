"""Checks what a house has stored, from its topics and tables alone; shares no code with the house.

    python -m tests.chaos.verifier --kafka HOST:PORT [--postgres DSN]
    python -m tests.chaos.verifier --sqlite FILE

Exit code 0: all is as it must be, and the figures are printed; 1: it is not, and each finding is a
line. `--json` says it as one JSON object. `--seen` names a file with what phones saw, one [match
id, seq, digest] a line; `--outages` one with when parts of the house were down, one [part, from_ms,
to_ms] a line.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from tests.chaos.chains import Chains, Finding, Story, check_causes
from tests.chaos.clocks import Clocks, Outage, overdue, ticks_of
from tests.chaos.raw import Line, Log, Tables, read_kafka, read_sqlite, read_tables

Seen = tuple[str, int, str]
"""A record that a phone saw: match id, seq, and the digest of the bytes that came."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was found; and how much there was to find something in, by name."""

    findings: Sequence[Finding]
    figures: Mapping[str, int]

    def __str__(self) -> str:
        lines = [*map(str, self.findings), " ".join(f"{k}={v}" for k, v in self.figures.items())]
        return "\n".join(lines)


def verify(
    log: Log,
    tables: Tables | None = None,
    seen: Iterable[Seen] = (),
    outages: Sequence[Outage] = (),
) -> Report:
    """Check a log; tables if there are any; what phones saw; and that no step ran out for a time in
    which a part of the house was down for certain (see `Outage.narrowed`).
    """
    chains = Chains()
    chains.take(log.events)
    stories = chains.stories
    intents = {(line.partition, line.offset): line for line in log.intents}
    ticks = ticks_of(log.answers)
    clocks = Clocks(intents, ticks, outages)
    for story in stories.values():
        clocks.take(story)
    findings = [
        *chains.findings,
        *check_causes(stories, intents),
        *_check_ends(stories.values()),
        *clocks.findings,
        *overdue(ticks),
        *_check_seen(stories, seen),
    ]
    if tables is not None:
        findings += _check_rows(stories, tables)
        findings += _check_matches(stories, tables)
        findings += _check_lag(log.events, tables)
    figures = {
        "matches": len(stories),
        "ended": sum(story.end == "ended" for story in stories.values()),
        "records": sum(len(story.records) for story in stories.values()),
        "repeats": sum(story.repeats for story in stories.values()),
        "timeouts": clocks.timeouts,
        "latest_ms": clocks.latest_ms,
        "resumes": clocks.resumes,
        "returns": clocks.returns,
        "unanswered": _unanswered(log),
    }
    return Report(findings, figures)


def _check_ends(stories: Iterable[Story]) -> Iterator[Finding]:
    for story in stories:
        if not story.end and not story.broken:
            yield Finding("unfinished", story.where(len(story.records)), "the match is not over")


def _check_seen(stories: Mapping[str, Story], seen: Iterable[Seen]) -> Iterator[Finding]:
    for match_id, seq, digest in seen:
        story = stories.get(match_id)
        stored = story.digests[seq - 1] if story and 0 < seq <= len(story.digests) else ""
        if stored != digest:
            what = "has other bytes in the log" if stored else "is not in the log"
            yield Finding("missing", f"{match_id} record {seq}", f"a phone saw it, and it {what}")


def _check_rows(stories: Mapping[str, Story], tables: Tables) -> Iterator[Finding]:
    """The read models hold each record as it was first stored, and no others."""
    rows = dict(tables.records)
    for story in stories.values():
        for seq, line in enumerate(story.lines, start=1):
            row = rows.pop((story.match_id, seq), None)
            if row is None:
                yield Finding("rows", story.where(seq), "it has no row")
            elif row != (line.partition, line.offset, line.value):
                yield Finding("rows", story.where(seq), "its row is another one")
    for match_id, seq in rows:
        yield Finding("rows", f"{match_id} record {seq}", "a row without a record")


def _check_matches(stories: Mapping[str, Story], tables: Tables) -> Iterator[Finding]:
    standings = dict(tables.standings)
    for story in stories.values():
        last = len(story.records)
        wanted = (story.end, last, story.digests[-1] if last else "")
        if story.end and tables.matches.get(story.match_id) != wanted:
            found = tables.matches.get(story.match_id)
            yield Finding("rows", story.where(last), f"its match is shown as {found}")
        places = _places(story)
        shown = {seat: standings.pop((story.match_id, seat), None) for seat in range(4)}
        if places != {seat: place for seat, place in shown.items() if place is not None}:
            yield Finding("standings", story.where(last), f"shown as {shown}, are {places}")
    for match_id in {match_id for match_id, _ in standings}:
        yield Finding("standings", match_id, "shown, but there is no such match")
    for match_id, reason in tables.parked.items():
        yield Finding("parked", match_id, reason)


def _places(story: Story) -> dict[int, int]:
    ended = next((e for e in story.records[-1]["events"] if e["type"] == "match.ended"), None)
    return {} if ended is None else {place["seat"]: place["place"] for place in ended["places"]}


def _check_lag(events: Sequence[Line], tables: Tables) -> Iterator[Finding]:
    ends = {line.partition: line.offset + 1 for line in events}
    for partition, end in ends.items():
        place = tables.ends.get(partition, 0)
        if place < end:
            yield Finding("lag", f"events[{partition}]", f"{end - place} records are not projected")


def _unanswered(log: Log) -> int:
    """Count the intents for a match that made no record and got no answer.

    Rules may be killed between a batch's records and its answers, and goes on behind the records;
    whoever still waits then asks again. So there may be some, but not many.
    """
    done = {
        (cause["partition"], cause["offset"])
        for cause in (line.decoded()["caused_by"] for line in log.events)
    } | {(line.partition, line.decoded()["offset"]) for line in log.answers}
    return sum(
        (line.partition, line.offset) not in done
        for line in log.intents
        if not line.key.startswith(b"@")
    )


def main() -> int:
    """Run the program; see the module's text."""
    words = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    source = words.add_mutually_exclusive_group(required=True)
    source.add_argument("--kafka", metavar="HOST:PORT")
    source.add_argument("--sqlite", metavar="FILE", type=Path)
    words.add_argument("--postgres", metavar="DSN")
    words.add_argument("--seen", metavar="FILE", type=Path)
    words.add_argument("--outages", metavar="FILE", type=Path)
    words.add_argument("--json", action="store_true")
    told = words.parse_args()
    log = asyncio.run(read_kafka(told.kafka)) if told.kafka else read_sqlite(told.sqlite)
    tables = read_tables(told.postgres) if told.postgres else None
    seen = [(match_id, seq, digest) for match_id, seq, digest in _lines(told.seen)]
    outages = [Outage(part, from_ms, to_ms) for part, from_ms, to_ms in _lines(told.outages)]
    report = verify(log, tables, seen, [outage.narrowed(log) for outage in outages])
    said = orjson.dumps(report).decode() if told.json else str(report)
    sys.stdout.write(f"{said}\n")
    return 1 if report.findings else 0


def _lines(file: Path | None) -> list[Any]:
    return [] if file is None else [orjson.loads(line) for line in file.read_bytes().splitlines()]


if __name__ == "__main__":
    sys.exit(main())
