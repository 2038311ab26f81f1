"""The verifier of stored logs finds what it is for: each fault is planted alone, and named."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from hashlib import sha256
from typing import Any, Final

import orjson
import pytest
import structlog

from sahrat.match.state import Phase
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.stored import Stored
from sahrat.messages.topics import Topic
from services.house.simulation.loop import run
from tests.chaos.chains import Chains, Story
from tests.chaos.clocks import Outage
from tests.chaos.raw import Line, Log, Tables
from tests.chaos.verifier import verify
from tests.house.house import House
from tests.unit.match.desk import START_MS, player

A: Final = player(1)
B: Final = player(2)
KILLED_S: Final = 40.0
DOWN_S: Final = 6.0


async def _story() -> Log:
    """Two who sleep: their steps run out. Rules is killed and is back six seconds later. One is
    away for a minute, and comes back from his bot; then both leave, and bots play to the end.
    """
    with structlog.testing.capture_logs() as logged:
        async with House(logged=logged) as house:
            gateway = await house.gateway()
            await house.ready()
            match_id = await gateway.table(A, B)
            lonely = await gateway.open(A, players=2, fill_seconds=5)
            await asyncio.sleep(KILLED_S - house.loop.time())
            await house.kill("rules")
            await asyncio.sleep(DOWN_S)
            house.start("rules")
            await asyncio.sleep(5)
            await gateway.lose(match_id, B)
            await asyncio.sleep(75)
            await gateway.join(match_id, B)
            await house.settle()
            for table, player_id in ((match_id, B), (match_id, A), (lonely, A)):
                await gateway.send(table, m.LeaveTable(), player_id=player_id)
                await house.settle()
            tables = (match_id, lonely)
            await house.until(
                lambda: all(house.match(table).known.phase is Phase.ENDED for table in tables)
            )
            return Log(*[_lines(house, topic) for topic in topics.MATCH_TOPICS])


def _lines(house: House, topic: Topic) -> list[Line]:
    def line(stored: Stored) -> Line:
        return Line(stored.partition, stored.offset, stored.at_ms, stored.key, stored.value)

    partitions = range(topic.partitions)
    return [line(stored) for number in partitions for stored in house.topic(topic, number)]


@cache
def sound() -> Log:
    return run(_story())


def stories(log: Log) -> list[Story]:
    chains = Chains()
    chains.take(log.events)
    return list(chains.stories.values())


def tables_of(log: Log) -> Tables:
    """What a projection makes of a log."""
    found = stories(log)
    return Tables(
        records={
            (story.match_id, seq): (line.partition, line.offset, line.value)
            for story in found
            for seq, line in enumerate(story.lines, start=1)
        },
        matches={
            story.match_id: (story.end, len(story.lines), story.digests[-1]) for story in found
        },
        standings={
            (story.match_id, place["seat"]): place["place"]
            for story in found
            for event in story.records[-1]["events"]
            for place in event.get("places", ())
        },
        parked={},
        ends={line.partition: line.offset + 1 for line in log.events},
    )


def kinds(log: Log, tables: Tables | None = None, **more: Any) -> set[str]:
    return {finding.kind for finding in verify(log, tables, **more).findings}


def with_event(kind: str, number: int = 0) -> tuple[int, Line]:
    """The stored record that has an event of a type, by its place among all; the n-th such."""
    found = [
        (index, line)
        for index, line in enumerate(sound().events)
        if f'"type":"{kind}"'.encode() in line.value
    ]
    return found[number]


def without(index: int) -> Log:
    return replace(sound(), events=[*sound().events[:index], *sound().events[index + 1 :]])


def put(index: int, line: Line) -> Log:
    """Store one more record, at a place among all."""
    return replace(sound(), events=[*sound().events[:index], line, *sound().events[index:]])


def forged(index: int, change: Callable[[dict[str, Any]], Any]) -> Log:
    """Change one record, and make all digests of its match fit again."""
    events = list(sound().events)
    wanted, prev = events[index].key, ""
    for at, line in enumerate(events):
        if line.key != wanted:
            continue
        record = line.decoded()
        if at == index:
            change(record)
        if prev:
            record["prev"] = prev
        value = line.value if not prev and at != index else orjson.dumps(record)
        events[at] = replace(line, value=value)
        prev = sha256(value).hexdigest()
    return replace(sound(), events=events)


def shifted(offset_of: tuple[int, Line], by_ms: int) -> Log:
    """Let a record's cause have been stored at another time, in both topics."""
    index, line = offset_of
    cause = line.decoded()["caused_by"]

    def change(record: dict[str, Any]) -> None:
        record["caused_by"]["at_ms"] += by_ms
        record["at_ms"] += by_ms
        for event in record["events"]:
            if event["type"] == "step.opened":
                event["deadline_ms"] += by_ms

    intents = [
        replace(intent, at_ms=intent.at_ms + by_ms)
        if (intent.partition, intent.offset) == (cause["partition"], cause["offset"])
        else intent
        for intent in sound().intents
    ]
    return replace(forged(index, change), intents=intents)


# ---- what is sound


def test_a_sound_log_passes_and_says_how_much_was_in_it() -> None:
    log = sound()
    report = verify(log, tables_of(log), outages=[_outage()])
    assert list(report.findings) == []
    figures = dict(report.figures)
    assert figures["matches"] == figures["ended"] == 2
    assert figures["timeouts"] >= 5
    assert figures["resumes"] == 2
    assert figures["returns"] == 1
    assert figures["latest_ms"] <= 1_000
    assert figures["repeats"] == figures["unanswered"] == 0


def _outage(part: str = "rules", longer_ms: int = 0) -> Outage:
    from_ms = START_MS + int(KILLED_S * 1000)
    return Outage(part, from_ms - longer_ms, from_ms + int(DOWN_S * 1000))


def test_a_repeated_record_passes_and_is_counted() -> None:
    index, line = with_event("step.timed_out")
    log = put(index + 1, line)
    assert kinds(log) == set()
    assert verify(log).figures["repeats"] == 1


# ---- what is not


def test_a_fork_is_named() -> None:
    index, line = with_event("step.timed_out")
    other = orjson.dumps(line.decoded() | {"at_ms": 1})
    assert kinds(put(index + 1, replace(line, value=other))) == {"fork"}


def test_a_gap_is_named() -> None:
    assert "gap" in kinds(without(with_event("step.timed_out")[0]))


def test_a_broken_chain_is_named() -> None:
    index, line = with_event("step.timed_out", 1)
    value = line.value.replace(b'"prev":"', b'"prev":"0', 1)
    events = [*sound().events[:index], replace(line, value=value), *sound().events[index + 1 :]]
    assert "chain" in kinds(replace(sound(), events=events))


def test_a_missing_end_is_named() -> None:
    index, _ = with_event("match.ended")
    assert kinds(without(index)) == {"unfinished"}


def test_a_record_that_a_phone_saw_and_nobody_has_is_named() -> None:
    story = stories(sound())[0]
    last = len(story.digests)
    assert kinds(sound(), seen=[(story.match_id, last, story.digests[-1])]) == set()
    assert kinds(sound(), seen=[(story.match_id, last + 1, story.digests[-1])]) == {"missing"}
    assert kinds(sound(), seen=[(story.match_id, last, story.digests[0])]) == {"missing"}
    assert kinds(sound(), seen=[(A, 1, story.digests[0])]) == {"missing"}


def test_an_early_timeout_is_named() -> None:
    assert kinds(shifted(with_event("step.timed_out"), -3)) == {"early"}


def test_an_early_bot_for_one_who_is_away_is_named() -> None:
    left = next(
        (index, line) for index, line in enumerate(sound().events) if b'"why":"away"' in line.value
    )
    assert kinds(shifted(left, -30)) == {"early"}


def test_a_step_that_ran_out_twice_is_named() -> None:
    def change(record: dict[str, Any]) -> None:
        first = next(e for e in record["events"] if e["type"] == "step.timed_out")
        record["events"].insert(0, first)

    assert "twice" in kinds(forged(with_event("step.timed_out")[0], change))


def test_a_timeout_after_a_tick_that_nobody_answered_is_named() -> None:
    line = with_event("step.timed_out")[1]
    cause = line.decoded()["caused_by"]
    answers = [
        answer
        for answer in sound().answers
        if answer.partition != line.partition
        or not (cause["at_ms"] - 2_600 < answer.at_ms < cause["at_ms"])
    ]
    assert "down" in kinds(replace(sound(), answers=answers))


def test_a_timeout_for_a_time_in_which_ticks_were_not_answered_is_named() -> None:
    line = with_event("step.timed_out")[1]
    at_ms = line.decoded()["caused_by"]["at_ms"]
    answers = [
        answer
        for answer in sound().answers
        if answer.partition != line.partition or not at_ms - 9_000 < answer.at_ms < at_ms - 6_000
    ]
    found = verify(replace(sound(), answers=answers)).findings
    assert {finding.kind for finding in found} == {"down"}
    assert any("no tick was answered" in finding.what for finding in found)


@pytest.mark.parametrize("part", ["rules", "timer", "gateway", "broker"])
def test_a_timeout_while_a_part_was_down_is_named(part: str) -> None:
    assert kinds(sound(), outages=[_outage(part, longer_ms=15_000)]) == {"down"}


def test_a_part_counts_as_down_up_to_its_first_sign_of_life() -> None:
    told = replace(_outage(), to_ms=_outage().to_ms + 60_000)
    assert told.narrowed(sound()).to_ms == _outage().to_ms
    assert replace(told, part="projection").narrowed(sound()) == replace(told, part="projection")


@pytest.mark.parametrize("part", ["bots", "projection"])
def test_clocks_run_while_bots_or_read_models_are_away(part: str) -> None:
    assert kinds(sound(), outages=[_outage(part, longer_ms=15_000)]) == set()


def test_a_step_with_more_than_its_time_is_named() -> None:
    def change(record: dict[str, Any]) -> None:
        opened = next(e for e in record["events"] if e["type"] == "step.opened")
        opened["deadline_ms"] += 1

    assert "deadline" in kinds(forged(with_event("step.opened", 2)[0], change))


def test_a_bot_that_acts_for_somebody_who_is_there_is_named() -> None:
    index, line = with_event("ludo.rolled")
    assert line.decoded()["caused_by"]["sender"] == "system:timer"

    def change(record: dict[str, Any]) -> None:
        record["caused_by"]["sender"] = "system:bots"

    assert "stray bot" in kinds(forged(index, change))


def test_a_record_whose_cause_was_never_stored_is_named() -> None:
    cause = with_event("match.started")[1].decoded()["caused_by"]
    intents = [
        intent
        for intent in sound().intents
        if (intent.partition, intent.offset) != (cause["partition"], cause["offset"])
    ]
    assert kinds(replace(sound(), intents=intents)) == {"cause"}


def test_an_intent_with_two_effects_is_named() -> None:
    log = sound()
    index, line = next(
        (index, line)
        for index, line in enumerate(log.events)
        if line.decoded()["caused_by"]["sender"] == "system:bots" and b"match.ended" in line.value
    )
    before = next(
        other.decoded()
        for other in reversed(log.events[:index])
        if other.key == line.key and b"system:bots" in other.value
    )

    def change(record: dict[str, Any]) -> None:
        record["caused_by"]["intent_id"] = before["caused_by"]["intent_id"]

    assert "effect" in kinds(forged(index, change))


# ---- tables


def test_a_missing_row_is_named() -> None:
    tables = tables_of(sound())
    rows = dict(tables.records)
    del rows[next(iter(rows))]
    assert kinds(sound(), replace(tables, records=rows)) == {"rows"}


def test_a_row_of_other_bytes_or_of_no_record_is_named() -> None:
    tables = tables_of(sound())
    key, (partition, offset, value) = next(iter(tables.records.items()))
    other = {**tables.records, key: (partition, offset, value + b" ")}
    assert kinds(sound(), replace(tables, records=other)) == {"rows"}
    more = {**tables.records, (A, 1): (partition, offset, value)}
    assert kinds(sound(), replace(tables, records=more)) == {"rows"}


def test_wrong_standings_are_named() -> None:
    tables = tables_of(sound())
    seats = list(tables.standings)
    swapped = {**tables.standings, seats[0]: 3}
    assert kinds(sound(), replace(tables, standings=swapped)) == {"standings"}
    assert kinds(sound(), replace(tables, standings={})) == {"standings"}


def test_a_projection_that_is_behind_is_named() -> None:
    tables = tables_of(sound())
    ends = {partition: end - 1 for partition, end in tables.ends.items()}
    assert kinds(sound(), replace(tables, ends=ends)) == {"lag"}
