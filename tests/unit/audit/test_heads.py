"""The heads of a day: which matches ended on it, by what digest, and what shows a later change."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from hashlib import sha256
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.codec import FromTheFuture
from sahrat.messages.envelope import GENESIS
from sahrat.messages.stored import Stored
from services.audit import heads as reading
from services.audit.core.heads import Found, Head, Heads, NoList, compare, parse
from services.house.simulation.loop import run
from services.house.simulation.partitions import FEW, partitions
from tests.unit.audit.forge import Forge, sit
from tests.unit.audit.story import Copy, story
from tests.unit.ledger.desk import player
from tests.unit.match.desk import START_MS

DAY: Final = date(1970, 1, 1) + timedelta(days=START_MS // topics.DAY_MS)
NEXT: Final = DAY + timedelta(days=1)
MIDNIGHT_MS: Final = (START_MS // topics.DAY_MS + 1) * topics.DAY_MS
EVENTS: Final = topics.EVENTS.name
ENDS: Final = ("match.ended", "match.stopped", "table.closed")
CLOSED: Final = m.TableClosed(why="idle", secret="5" * 64)
A, B = player(0), player(1)


def find(copy: Copy, *days: date, wanted: Sequence[str] = ()) -> Found:
    async def read() -> Found:
        log = await copy.open()
        try:
            return await reading.find(log, days, wanted)
        finally:
            await log.close()

    with partitions(copy.parts):
        return run(read())


def heads(copy: Copy, day: date = DAY) -> Heads:
    return find(copy, day).heads(day)


def changes(listed: Heads, copy: Copy) -> dict[str, str]:
    """What a later audit says of matches, by id."""
    wanted = [head.match_id for head in listed.heads]
    found = find(copy, listed.day, wanted=wanted)
    return {change.match_id: change.what for change in compare(listed, found)}


def oracle(copy: Copy, day: date) -> list[Head]:
    """The same the long way: all records of a match at hand, and each taken once."""
    by_match: dict[bytes, list[Stored]] = {}
    for (topic, _), stored in copy.records.items():
        for one in stored if topic == EVENTS else ():
            by_match.setdefault(one.key, []).append(one)
    return sorted(
        head
        for key, stored in by_match.items()
        for head, at_ms in _walk(key.decode(), stored)
        if date(1970, 1, 1) + timedelta(milliseconds=at_ms) == day
    )


def _walk(match_id: str, stored: Sequence[Stored]) -> Iterator[tuple[Head, int]]:
    chain: list[bytes] = []
    for one in stored:
        if one.value in chain:
            continue
        record = json.loads(one.value)
        digest = sha256(chain[-1]).hexdigest() if chain else GENESIS
        if record["prev"] != digest or record["seq"] != len(chain) + 1:
            yield Head(match_id, len(chain), digest, whole=False), one.at_ms
            return
        chain.append(one.value)
        if record["events"][-1]["type"] in ENDS:
            yield Head(match_id, len(chain), sha256(one.value).hexdigest()), one.at_ms
            return


# ---- what a day has


def test_the_heads_of_played_matches() -> None:
    copy = story()
    listed = heads(copy)
    assert [*listed.heads] == oracle(copy, DAY)
    ended = {copy.named[name] for name in copy.named if name not in ("on", "open")}
    assert {head.match_id for head in listed.heads} == ended
    assert listed.damaged == []
    assert changes(listed, copy) == {}


def test_anybody_computes_the_digest_with_what_every_machine_has() -> None:
    assert shutil.which("sha256sum"), "of the coreutils"
    listed = heads(story())
    text = b"".join(listed.lines())
    command = ["sh", "-c", "tail -n +2 | sha256sum"]
    done = subprocess.run(command, input=text, capture_output=True, check=True)
    assert done.stdout.split()[0].decode() == listed.digest()
    assert text.splitlines()[0].decode() == f"digest {listed.digest()}"
    assert parse(text.splitlines(keepends=True)).heads == listed


def test_a_day_on_which_nothing_ended() -> None:
    listed = heads(story(), NEXT)
    assert listed.heads == ()
    text = f"day {NEXT}\nmatches 0\ndamaged 0\n".encode()
    assert listed.digest() == sha256(text).hexdigest()
    assert heads(Copy({})).heads == ()


@pytest.mark.parametrize(("at_ms", "day"), [(MIDNIGHT_MS - 1, DAY), (MIDNIGHT_MS, NEXT)])
def test_the_day_is_that_of_the_logs_time_of_the_last_record(at_ms: int, day: date) -> None:
    forge = Forge()
    match_id = forge.open(1, A)
    forge.now_ms = at_ms
    forge.record(match_id, CLOSED)
    assert [head.match_id for head in heads(forge.copy, day).heads] == [match_id]
    assert heads(forge.copy, DAY if day == NEXT else NEXT).heads == ()


def test_a_day_is_over_when_the_log_has_come_past_it() -> None:
    margin_ms = reading.CLOCKS_MS
    assert not reading.is_over(DAY, MIDNIGHT_MS + margin_ms - 1)
    assert reading.is_over(DAY, MIDNIGHT_MS + margin_ms)
    assert not reading.is_over(NEXT, MIDNIGHT_MS + margin_ms)


def test_the_logs_time_is_that_of_its_latest_record() -> None:
    forge = Forge()
    forge.record(forge.open(1, A), CLOSED)
    forge.now_ms = MIDNIGHT_MS + 5
    forge.put((topics.INTENTS.name, 2), b"@2", b"{}")

    async def ask(copy: Copy) -> int:
        log = await copy.open()
        return await reading.log_time(log)

    with partitions(FEW):
        assert run(ask(forge.copy)) == MIDNIGHT_MS + 5
        assert run(ask(Copy({}))) == 0


# ---- what is changed later


def test_T23_a_record_that_was_changed_with_all_digests_made_to_fit() -> None:
    copy = story()
    listed, match_id = heads(copy), copy.named["played"]

    def change(records: list[dict[str, Any]]) -> None:
        records[1]["at_ms"] += 1

    assert changes(listed, copy.rewrite(match_id, change)) == {match_id: "rewritten"}


@pytest.mark.parametrize("which", [0, 1, -2, -1])
def test_T23_a_record_that_was_changed_where_it_stands(which: int) -> None:
    copy = story()
    listed, match_id = heads(copy), copy.named["played"]
    changed = alter(copy, match_id, lambda values: _exchange(values, which, b'"v":1', b'"v": 1'))
    assert changes(listed, changed) == {match_id: "rewritten"}
    assert [*heads(changed).heads] == oracle(changed, DAY)


@pytest.mark.parametrize("cut", [slice(0, None), slice(-1, None)], ids=["whole", "end"])
def test_T23_a_match_that_was_taken_out(cut: slice) -> None:
    copy = story()
    listed, match_id = heads(copy), copy.named["played"]
    changed = alter(copy, match_id, lambda values: _without(values, cut))
    assert changes(listed, changed) == {match_id: "lost"}


@pytest.mark.parametrize("cut", [slice(0, 1), slice(1, 2)], ids=["first", "second"])
def test_T23_a_record_that_was_taken_out_leaves_a_damaged_match(cut: slice) -> None:
    copy = story()
    listed, match_id = heads(copy), copy.named["played"]
    changed = alter(copy, match_id, lambda values: _without(values, cut))
    assert changes(listed, changed) == {match_id: "rewritten"}
    (damaged,) = heads(changed).damaged
    assert (damaged.match_id, damaged.records) == (match_id, cut.start)


def test_T23_a_match_that_was_added() -> None:
    forge = Forge()
    forge.record(forge.open(1, A), CLOSED)
    listed = heads(forge.copy)
    added = forge.open(2, B)
    forge.record(added, CLOSED)
    assert changes(listed, forge.copy) == {added: "added"}


def test_a_match_that_the_log_has_on_another_day_now() -> None:
    copy = story()
    listed, match_id = heads(copy), copy.named["played"]
    for stored in copy.records.values():
        stored[:] = [
            replace(one, at_ms=MIDNIGHT_MS + 7) if one.key == match_id.encode() else one
            for one in stored
        ]
    assert changes(listed, copy) == {match_id: "moved"}


def test_what_is_written_behind_an_end_on_its_day() -> None:
    forge = Forge()
    match_id = forge.open(1, A)
    forge.record(match_id, CLOSED)
    listed = heads(forge.copy)
    forge.record(match_id, sit(B))
    assert heads(forge.copy).heads == (replace(listed.heads[0], whole=False),)
    assert changes(listed, forge.copy) == {match_id: "rewritten"}


def test_a_damaged_match_is_listed_by_what_is_sound_of_it_and_stays_so() -> None:
    forge = Forge()
    match_id = forge.open(1, A)
    (place,) = (place for place in forge.copy.records if place[0] == EVENTS)
    forge.put(place, match_id.encode(), b"{}")
    forge.record(match_id, sit(B))
    forge.record(match_id, CLOSED)
    digest = sha256(forge.copy.records[place][0].value).hexdigest()
    listed = heads(forge.copy)
    assert listed.heads == (Head(match_id, 1, digest, whole=False),)
    assert changes(listed, forge.copy) == {}


def test_what_is_no_match_is_counted_and_named() -> None:
    forge = Forge()
    forge.record(forge.open(1, A), CLOSED)
    listed = heads(forge.copy)
    forge.put((EVENTS, 2), b"nobody", b"{}")
    forge.put((EVENTS, 1), b"nobody", b"no json")
    found = find(forge.copy, DAY)
    assert found.heads(DAY) == listed
    assert found.strangers == 2
    assert found.stranger.startswith(f"{EVENTS}/1 at ")


def test_a_record_of_a_newer_house_ends_it() -> None:
    copy = story()
    match_id = copy.named["played"]
    newer = alter(copy, match_id, lambda values: _exchange(values, -1, b'"v":1', b'"v":2'))
    with pytest.raises(FromTheFuture, match=EVENTS):
        heads(newer)


def alter(copy: Copy, match_id: str, change: Callable[[list[bytes]], list[bytes | None]]) -> Copy:
    """Change a match's values where they stand; None: there is nothing any more."""
    copy = copy.copy()
    with partitions(copy.parts):
        place = (EVENTS, topics.partition_of(match_id))
    mine = [one for one in copy.records[place] if one.key == match_id.encode()]
    new = dict(zip((one.offset for one in mine), change([o.value for o in mine]), strict=True))
    kept = [(one, new.get(one.offset, one.value)) for one in copy.records[place]]
    copy.records[place] = [
        replace(one, offset=offset, value=value)
        for offset, (one, value) in enumerate(
            (one, value) for one, value in kept if value is not None
        )
    ]
    return copy


def _exchange(values: list[bytes], which: int, old: bytes, new: bytes) -> list[bytes | None]:
    values[which] = values[which].replace(old, new, 1)
    return [*values]


def _without(values: list[bytes], cut: slice) -> list[bytes | None]:
    gone = range(len(values))[cut]
    return [None if at in gone else value for at, value in enumerate(values)]


# ---- any log

KINDS: Final = ("sit", "sit", "close", "again", "drop", "later")
STEPS: Final = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 5)), max_size=40)


@given(STEPS)
def test_any_log_has_the_heads_that_the_long_way_finds(steps: list[tuple[str, int]]) -> None:
    """Whatever is repeated, however it is mixed, and where records are missing."""
    forge, numbers = Forge(routed=False), itertools.count()
    matches = [forge.open(next(numbers), A) for _ in range(6)]
    for what, n in steps:
        match what:
            case "sit":
                forge.record(matches[n], sit(B))
            case "close":
                forge.record(matches[n], CLOSED)
                matches[n] = forge.open(next(numbers), A)
            case "again":  # an owner that died writes its last records once more
                for place in [place for place in forge.copy.records if place[0] == EVENTS]:
                    for one in forge.copy.records[place][-n:] if n else ():
                        forge.put(place, one.key, one.value)
            case "drop":  # a record that was not stored
                forge.record(matches[n], sit(B))
                with partitions(FEW):
                    forge.copy.records[EVENTS, topics.partition_of(matches[n])].pop()
            case _:
                forge.now_ms += topics.DAY_MS // 3
    for days in range(3):
        day = DAY + timedelta(days=days)
        listed = heads(forge.copy, day)
        assert [*listed.heads] == oracle(forge.copy, day)
        assert changes(listed, forge.copy) == {}


# ---- lists


def test_a_line_that_was_changed_no_longer_fits_the_digest() -> None:
    lines = [*heads(story()).lines()]
    for number in range(1, len(lines)):
        line = lines[number]
        digit = re.search(rb"[0-9]", line)
        assert digit
        at = digit.start()
        changed = line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :]
        try:
            listed = parse([*lines[:number], changed, *lines[number + 1 :]])
        except NoList:
            continue
        assert "it was changed: its lines come to" in listed.problem
    listed = parse(lines[:-1])
    assert "it was changed" in listed.problem
    assert parse(lines).problem == ""


def test_a_list_whose_digest_was_made_to_fit_but_not_its_order_or_counts() -> None:
    lines = [*heads(story()).lines()]
    for rest in (
        [*lines[1:4], lines[5], lines[4], *lines[6:]],
        [*lines[1:4], lines[4], *lines[4:]],
        [lines[1], b"matches 1\n", *lines[3:]],
    ):
        digest = sha256(b"".join(rest)).hexdigest()
        listed = parse([f"digest {digest}\n".encode(), *rest])
        assert listed.problem.startswith("it is not as `sahrat heads` writes it")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([], "line 1 is not `digest`"),
        (["no list\n"], "line 1 is not `digest`"),
        ([f"digest {GENESIS}\n"], "line 2 is not `day`"),
        ([f"digest {GENESIS}\n", "day 2026-11-3\n"], "line 2 is not `day`"),
        ([f"digest {GENESIS}\n", "day 2026-02-30\n", "matches 0\n", "damaged 0\n"], "2026-02-30"),
        ([f"digest {GENESIS}\n", "day 2026-11-30\n", "damaged 0\n"], "line 3 is not `matches`"),
        (
            [f"digest {GENESIS}\n", "day 2026-11-30\n", "matches 0\n", "damaged 0\n", "x\n"],
            "line 5 is not a match's id",
        ),
        (
            [f"digest {GENESIS}\n", "day 2026-11-30\n", "matches 0\n", "damaged 0"],
            "line 4 is not `damaged`",
        ),
    ],
)
def test_what_is_no_list(lines: list[str], told: str) -> None:
    with pytest.raises(NoList, match=told):
        parse(line.encode() for line in lines)
