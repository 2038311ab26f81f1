"""Rule D, checked from the records alone: what was changed is found, and named."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from sahrat import verify
from sahrat.match.match import digest_of
from sahrat.messages import match as m
from tests.unit.match.desk import Desk, line, player
from tests.unit.rules.test_core import play


def whole_match(players: int = 2) -> Desk:
    """A match with everything in it: time-outs, a lost line, a leaver, bots, a resume."""
    desk = Desk(n=players)
    desk.table_of(*range(players))
    play(desk, seed=5, steps=20)
    desk.send(m.LineDown(player_id=player(0), line=line(0)), system="gateway")
    desk.wait(20).due()
    desk.put(desk.envelope(m.Tick(last_ms=desk.now_ms - 9_000), system="timer"))
    desk.send(m.LineUp(player_id=player(0), line=line(50)), system="gateway")
    desk.send(m.LeaveTable(), who=1)
    while desk.on_turn() == 1:
        bot = desk.match.game.bot(desk.state.board, "")
        desk.send(bot, system="bots", step=desk.state.step)
    desk.join(1, line_n=60)
    desk.put(desk.envelope(m.GatewayLost(gateway=line(0).gateway), system="timer"))
    for who in range(players):
        desk.send(m.LineUp(player_id=player(who), line=line(70 + who)), system="gateway")
    play(desk, seed=6, steps=5000)
    assert not desk.match.live
    return desk


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    return whole_match().values


def rechained(lines: list[bytes], change: Callable[[int, Any], None]) -> list[bytes]:
    """Change records, and make all digests fit again."""
    prev, out = "0" * 64, []
    for number, value in enumerate(lines, 1):
        record = orjson.loads(value)
        change(number, record)
        record["prev"] = prev
        out.append(orjson.dumps(record))
        prev = digest_of(out[-1])
    return out


def first_with(lines: list[bytes], kind: str, after: int = 0) -> tuple[int, int]:
    """Return (record number, index of the event) of the first event of a kind."""
    for number, value in enumerate(lines, 1):
        for index, event in enumerate(orjson.loads(value)["events"]):
            if event["type"] == kind and number > after:
                return number, index
    raise LookupError(kind)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_an_honest_match_fits(players: int) -> None:
    desk = whole_match(players)
    report = verify.verify(desk.values)
    assert report.problem == ""
    assert report.secret
    assert report.digest == desk.match.digest
    assert report.end == "match.ended"
    assert len(report.places) == players
    rolls = sum(e.type == "ludo.rolled" for r in desk.records for e in r.events)
    assert len(report.draws) == rolls > 20


def test_digests_alone_can_be_checked_while_a_match_is_on(lines: list[bytes]) -> None:
    report = verify.verify(lines[:-1])
    assert (report.problem, report.secret, report.end) == ("", False, "")


def test_one_changed_character_in_any_record_is_found_and_named(lines: list[bytes]) -> None:
    rng = random.Random(1)
    for number, value in enumerate(lines[:-1], 1):
        at = rng.randrange(len(value))
        changed = bytes([value[at] ^ 1])
        mutated = [*lines[: number - 1], value[:at] + changed + value[at + 1 :], *lines[number:]]
        assert re.search(rf"\brecord {number}\b", verify.verify(mutated).problem), (number, at)


def test_every_changed_character_of_the_last_record_is_found(lines: list[bytes]) -> None:
    value = lines[-1]
    head = digest_of(value)
    for at in range(len(value)):
        mutated = [*lines[:-1], value[:at] + bytes([value[at] ^ 1]) + value[at + 1 :]]
        assert verify.verify(mutated, head).problem, at
    secret = value.index(b'"secret":"') + 10
    mutated = [*lines[:-1], value[:secret] + bytes([value[secret] ^ 1]) + value[secret + 1 :]]
    assert "secret" in verify.verify(mutated).problem


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda r: r[1:], "record 1 is missing"),
        (lambda r: r[3:], "records 1 to 3 are missing"),
        (lambda r: [*r[:9], *r[10:]], "record 10 is missing"),
        (lambda r: [*r[:-2], r[-1]], "is missing"),
        (lambda r: [*r[:9], *r[14:]], "records 10 to 14 are missing"),
        (lambda r: [*r[:10], *r[9:]], "record 10 is there twice"),
        (lambda r: [*r, r[-1]], "is there twice"),
        (lambda r: [*r[:20], r[3], *r[20:]], "record 4 is there twice"),
        (lambda r: [*r[:9], r[10], r[9], *r[11:]], "record 1[01] "),
        (lambda r: [*r[:9], *r[12:15], *r[9:12], *r[15:]], "record 13 stands where record 10 is"),
        (lambda r: [*r[:9], b"", *r[9:]], "a blank line stands where record 10 is due"),
        (lambda r: [*r, b""], "a blank line stands"),
        (lambda r: [b"\xef\xbb\xbf" + r[0], *r[1:]], "byte order mark"),
    ],
)
def test_a_dropped_doubled_or_moved_record_is_named(
    lines: list[bytes], change: Callable[[list[bytes]], list[bytes]], told: str
) -> None:
    assert re.search(told, verify.verify(change(lines)).problem)


def test_a_record_with_another_number_was_changed_and_is_not_missing(lines: list[bytes]) -> None:
    for number in (8, 12):
        changed = lines[9].replace(b'"seq":10,', b'"seq":%d,' % number)
        problem = verify.verify([*lines[:9], changed, *lines[10:]]).problem
        assert problem == "record 10 was changed: record 11 names another digest"


def test_an_end_that_is_missing_is_found_by_the_head(lines: list[bytes]) -> None:
    assert verify.verify(lines[:-1], digest_of(lines[-1])).problem


def test_which_match_it_is_is_said_though_the_digests_do_not_fit(lines: list[bytes]) -> None:
    honest = verify.verify(lines)
    broken = verify.verify([*lines[:9], *lines[10:]])
    assert broken.problem
    assert (broken.match_id, broken.rules) == (honest.match_id, honest.rules) != ("", "")


def test_a_changed_roll_is_named_though_all_digests_fit(lines: list[bytes]) -> None:
    number, index = first_with(lines, "ludo.rolled", after=10)
    roll = orjson.loads(lines[number - 1])["events"][index]

    def change(n: int, record: Any) -> None:
        if n == number:
            record["events"][index]["value"] = roll["value"] % 6 + 1

    problem = verify.verify(rechained(lines, change)).problem
    assert f"record {number}: roll {roll['index']} " in problem


def test_changed_numbers_of_rolls_or_seats_are_found(lines: list[bytes]) -> None:
    def roll(n: int, record: Any) -> None:
        for event in record["events"]:  # all: another number gives the same face once in six
            if event["type"] == "ludo.rolled":
                event["number"] = "12345"

    def seat(n: int, record: Any) -> None:
        for event in record["events"]:
            if event["type"] == "seat.taken":
                event["seat_number"] = "99"

    assert verify.verify(rechained(lines, roll)).problem
    assert verify.verify(rechained(lines, seat)).problem


def test_an_illegal_move_is_named_though_all_digests_fit(lines: list[bytes]) -> None:
    number, index = first_with(lines, "ludo.pawn_moved")

    def change(n: int, record: Any) -> None:
        if n == number:
            record["events"][index]["progress"] += 1

    problem = verify.verify(rechained(lines, change)).problem
    assert f"record {number} " in problem
    assert "ludo.pawn_moved" in problem


def test_a_wrong_place_is_named_though_all_digests_fit(lines: list[bytes]) -> None:
    def change(n: int, record: Any) -> None:
        for event in record["events"]:
            if event["type"] == "match.ended":
                first, second = event["places"]
                first["seat"], second["seat"] = second["seat"], first["seat"]

    problem = verify.verify(rechained(lines, change)).problem
    assert f"record {len(lines)} " in problem
    assert "match.ended" in problem


def test_a_deal_and_a_time_that_do_not_fit_are_named(lines: list[bytes]) -> None:
    def deal(n: int, record: Any) -> None:
        for event in record["events"]:
            if event["type"] == "match.started":
                event["dealt"].reverse()

    def early(n: int, record: Any) -> None:
        if any(event["type"] == "step.timed_out" for event in record["events"]):
            record["at_ms"] -= 14_000
            record["caused_by"]["at_ms"] -= 14_000

    assert "dealt otherwise" in verify.verify(rechained(lines, deal)).problem
    assert verify.verify(rechained(lines, early)).problem


@pytest.mark.parametrize("junk", [[], [b""], [b"hello"], [b"\xff\xfe", b"{}"]])
def test_what_is_no_match_at_all_is_said_to_be_none(junk: list[bytes]) -> None:
    with pytest.raises(verify.NotRecords):
        verify.verify(junk)


def test_a_secret_of_another_match_is_found(lines: list[bytes]) -> None:
    def change(n: int, record: Any) -> None:
        for event in record["events"]:
            if event["type"] == "match.ended":
                event["secret"] = "ab" * 32

    assert "commits" in verify.verify(rechained(lines, change)).problem
