"""`sahrat verify`, `export` and `replay`: exit codes, and what is said of whatever was changed."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner, Result

from sahrat.log.port import Draft
from sahrat.log.sqlite import SqliteLog
from sahrat.match.match import digest_of
from sahrat.messages import topics
from sahrat.messages.topics import partition_of
from services.house.cli import sahrat
from services.house.folder import Folder
from tests.unit.match.desk import RULES, Desk
from tests.unit.test_verify import first_with, rechained, whole_match

FOUND_BY_SECRET = "secret"


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    return whole_match().values


@pytest.fixture
def verify(tmp_path: Path) -> Callable[..., Result]:
    """Write records into a file and verify that."""

    def run(records: list[bytes] | bytes, *options: str) -> Result:
        path = tmp_path / "match.jsonl"
        data = records if isinstance(records, bytes) else b"".join(r + b"\n" for r in records)
        path.write_bytes(data)
        return command("verify", str(path), *options)

    return run


def command(*arguments: str) -> Result:
    return CliRunner().invoke(sahrat, [*arguments], standalone_mode=False)


def code(result: Result) -> int:
    """The process's exit code, as `main` makes it."""
    if result.exception is not None:
        return int(getattr(result.exception, "exit_code", 99))
    return int(result.return_value or 0)


def test_an_honest_match_fits_and_is_summed_up(
    verify: Callable[..., Result], lines: list[bytes]
) -> None:
    result = verify(lines)
    assert code(result) == 0
    assert f"digest   {digest_of(lines[-1])}" in result.output
    assert "players  p" in result.output
    assert f"rules    {RULES}" in result.output
    assert f"records  {len(lines)}" in result.output
    assert re.search(r"rolls    \d+ computed again", result.output)
    assert "1. p" in result.output
    *_, fits, uncovered = result.output.splitlines()
    assert fits.startswith("fits:")
    assert "nothing covers it but what a phone saw" in uncovered
    result = verify(lines, "--head", digest_of(lines[-1]).upper())
    assert code(result) == 0
    assert result.output.splitlines()[-1] == fits


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_a_file_with_other_line_ends_fits_as_well(
    verify: Callable[..., Result], lines: list[bytes], end: bytes, last: bool
) -> None:
    assert code(verify(end.join(lines) + end * last)) == 0


def test_one_changed_character_in_any_record_with_a_successor_is_named(
    verify: Callable[..., Result], lines: list[bytes]
) -> None:
    rng = random.Random(7)
    for number in [*range(1, 12), *rng.sample(range(12, len(lines)), 25), len(lines) - 1]:
        value = lines[number - 1]
        at = rng.randrange(len(value))
        new = rng.choice([c for c in b"\n\r\t 019azAZ{}\"'" if c != value[at]])
        changed = value[:at] + bytes([new]) + value[at + 1 :]
        result = verify([*lines[: number - 1], changed, *lines[number:]])
        assert code(result) == 1, (number, at, new)
        problem = result.output.splitlines()[-1]
        assert re.search(rf"\brecord {number}\b", problem), (number, at, new, problem)


def test_a_change_in_the_last_record_is_found_by_the_secret_the_places_or_the_head(
    verify: Callable[..., Result], lines: list[bytes]
) -> None:
    head = digest_of(lines[-1])
    value = lines[-1]

    def changed(old: bytes, new: bytes) -> list[bytes]:
        assert old in value
        return [*lines[:-1], value.replace(old, new)]

    secret = re.search(rb'"secret":"(.)', value)
    assert secret is not None
    other = b"1" if secret[1] == b"0" else b"0"
    result = verify(changed(secret[0], secret[0][:-1] + other))
    assert code(result) == 1
    assert FOUND_BY_SECRET in result.output
    assert code(verify(changed(b'"place":1', b'"place":3'))) == 1
    intent = re.search(rb'"intent_id":"(.)', value)
    assert intent is not None
    other = b"1" if intent[1] == b"0" else b"0"
    unseen = changed(intent[0], intent[0][:-1] + other)  # no rule and no secret depends on it
    assert code(verify(unseen)) == 0
    result = verify(unseen, "--head", head)
    assert code(result) == 1
    assert f"record {len(lines)}" in result.output


def test_D_a_changed_roll_is_named_though_all_digests_fit(
    verify: Callable[..., Result], lines: list[bytes]
) -> None:
    number, index = first_with(lines, "ludo.rolled", after=20)
    roll = orjson.loads(lines[number - 1])["events"][index]

    def change(n: int, record: Any) -> None:
        if n == number:
            record["events"][index]["value"] = roll["value"] % 6 + 1

    result = verify(rechained(lines, change))
    assert code(result) == 1
    assert f"record {number}: roll {roll['index']} of seat {roll['seat']}" in result.output


def test_L2_an_illegal_move_is_named_though_all_digests_fit(
    verify: Callable[..., Result], lines: list[bytes]
) -> None:
    number, index = first_with(lines, "ludo.pawn_moved", after=20)

    def change(n: int, record: Any) -> None:
        if n == number:
            event = record["events"][index]
            event["pawn"] = (event["pawn"] + 1) % 4

    result = verify(rechained(lines, change))
    assert code(result) == 1
    assert f"record {number}" in result.output.splitlines()[-1]
    assert "ludo.pawn_moved" in result.output.splitlines()[-1]


def test_L2_a_wrong_place_is_named_though_all_digests_fit(
    verify: Callable[..., Result], lines: list[bytes]
) -> None:
    def change(n: int, record: Any) -> None:
        for event in record["events"]:
            if event["type"] == "match.ended":
                event["places"][0]["seat"], event["places"][1]["seat"] = 2, 0
                event["places"].sort(key=lambda place: -place["place"])

    result = verify(rechained(lines, change))
    assert code(result) == 1
    assert f"record {len(lines)} " in result.output.splitlines()[-1]


@pytest.mark.parametrize(
    "content", [b"", b"hello\n", b"\xff\xfe\x00{", b"{}\n[]\n", b'{"v":1}\n', b"\n\n"]
)
@pytest.mark.parametrize("name", ["verify", "replay"])
def test_a_file_without_records_is_told_in_one_line_and_is_not_a_match_that_does_not_fit(
    tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(content)
    result = command(name, str(path))
    assert code(result) == 2
    assert result.output == ""
    assert "\n" not in str(result.exception)


@pytest.mark.parametrize("at", [0, 1, 40, -1])
def test_a_line_that_is_no_record_is_named_by_its_number(
    tmp_path: Path, lines: list[bytes], at: int
) -> None:
    at %= len(lines) + 1
    path = tmp_path / "match.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in (*lines[:at], b"foo", *lines[at:])))
    result = command("verify", str(path))
    assert (code(result), result.output) == (2, "")
    assert f"line {at + 1} is no record of a match" in str(getattr(result.exception, "message", ""))


def test_M6_the_coins_are_told_with_the_places(verify: Callable[..., Result]) -> None:
    desk = Desk().coin_table(0, 1, 2, entry=100)
    desk.leave(1)
    desk.leave(0)
    result = verify(desk.values)
    assert code(result) == 0
    (coins,) = [line for line in result.output.splitlines() if line.startswith("coins ")]
    assert "the pot of 300 coins is shared out: p2 (" in coins
    assert coins.endswith(") has 270; the fee is 30")

    def change(n: int, record: Any) -> None:
        for event in record["events"] if n == len(desk.values) else ():
            if event["type"] == "entries.settled":
                event["fee_coins"] += 1

    wrong = verify(rechained(desk.values, change))
    assert code(wrong) == 1
    problem = wrong.output.splitlines()[-1]
    assert 'prizes=[{"seat":' in problem
    assert "'" not in problem.replace("can't", "")


def test_a_byte_order_mark_does_not_fit_and_the_match_can_be_told_all_the_same(
    tmp_path: Path, lines: list[bytes]
) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b"".join(line + b"\n" for line in lines))
    result = command("verify", str(path))
    assert code(result) == 1
    assert "byte order mark" in result.output.splitlines()[-1]
    assert "a free table of Ludo" in command("replay", str(path)).output.splitlines()[0]


def test_a_file_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    for name in (str(tmp_path), str(tmp_path / "none")):
        result = command("verify", name)
        assert code(result) == 2
        assert name in str(getattr(result.exception, "message", ""))


@pytest.mark.parametrize("head", ["", "abc", "g" * 64, "0" * 63, "0" * 65])
def test_a_head_that_is_no_digest_is_a_wrong_option(
    verify: Callable[..., Result], lines: list[bytes], head: str
) -> None:
    assert code(verify(lines, "--head", head)) == 2


def test_a_match_that_is_not_over_fits_so_far(
    verify: Callable[..., Result], lines: list[bytes]
) -> None:
    result = verify(lines[:-1])
    assert code(result) == 0
    *_, fits, uncovered = result.output.splitlines()
    assert "not over" in fits
    assert "--head" in uncovered
    assert code(verify(lines[:-1], "--head", digest_of(lines[-1]))) == 1


def test_all_of_it_can_be_had_as_json(verify: Callable[..., Result], lines: list[bytes]) -> None:
    found = orjson.loads(verify(lines, "--json", "--rolls").output)
    assert found["fits"]
    assert found["digest"] == digest_of(lines[-1])
    assert all(draw["shown"] == draw["due"] for draw in found["draws"])
    brief = orjson.loads(verify(lines, "--json").output)
    assert brief["draws"] == len(found["draws"]) > 20
    wrong = orjson.loads(verify(lines[1:], "--json").output)
    assert not wrong["fits"]
    assert wrong["problem"]


def test_D_every_roll_can_be_shown(verify: Callable[..., Result], lines: list[bytes]) -> None:
    shown = [line for line in verify(lines, "--rolls").output.splitlines() if " die " in line]
    rolls = sum(e["type"] == "ludo.rolled" for v in lines for e in orjson.loads(v)["events"])
    assert len(shown) == rolls
    assert all(re.search(r"says (\d), is \1$", line) for line in shown)


# ---- from a house's folder


@pytest.fixture
def kept(tmp_path: Path, lines: list[bytes]) -> tuple[str, str]:
    """A folder with the match in its log: (folder, match id)."""
    match_id = str(orjson.loads(lines[0])["match_id"])

    async def fill() -> None:
        log = SqliteLog(Folder(tmp_path).log)
        await log.start()
        drafts = [Draft(match_id.encode(), line) for line in lines]
        partition = partition_of(match_id)
        await log.append(topics.EVENTS, partition, drafts)
        await log.append(topics.EVENTS, partition, drafts[-1:])  # again, by a second owner
        await log.close()

    asyncio.run(fill())
    return str(tmp_path), match_id


def test_an_export_is_the_stored_bytes_one_a_line(
    kept: tuple[str, str], lines: list[bytes]
) -> None:
    data, match_id = kept
    result = command("export", match_id, "--data", data)
    assert code(result) == 0
    assert result.stdout_bytes == b"".join(line + b"\n" for line in lines)
    assert result.stderr == f"{len(lines)} records\n"


def test_a_match_is_verified_and_told_where_it_is_kept(kept: tuple[str, str]) -> None:
    data, match_id = kept
    assert code(command("verify", match_id.upper(), "--data", data)) == 0
    told = command("replay", match_id, "--data", data)
    assert code(told) == 0
    first, *_, last = told.output.splitlines()
    assert first.startswith("    1    0:00.0  a free table of Ludo is opened for 2")
    assert "the match is over: 1. p" in last
    arabic = command("replay", match_id, "--data", data, "--lang", "ar")
    assert "انتهت المباراة" in arabic.output.splitlines()[-1]


@pytest.mark.parametrize("name", ["export", "verify", "replay"])
def test_a_match_that_is_not_there_is_told(kept: tuple[str, str], name: str) -> None:
    data, match_id = kept
    result = command(name, f"{match_id[:-4]}ffff", "--data", data)
    assert code(result) == 2
    assert "no match" in str(getattr(result.exception, "message", ""))
    assert result.output == ""


@pytest.mark.parametrize("name", ["export", "verify", "replay", "rebuild", "play"])
def test_every_command_says_what_to_do_where_no_house_is(tmp_path: Path, name: str) -> None:
    match_id = ["01890a5d-ac96-774b-bcce-b302099a8057"] * (name not in ("rebuild", "play"))
    result = command(name, *match_id, "--data", str(tmp_path))
    assert code(result) == 2
    assert "sahrat run" in str(getattr(result.exception, "message", ""))


def test_T24_a_file_made_to_confuse_is_told_what_is_wrong(verify: Callable[..., Result]) -> None:
    """A record without events has no time, and one nested a thousand deep can't be told."""
    head = (
        b'{"v":1,"seq":1,"at_ms":0,"caused_by":{"at_ms":0},"prev":"' + b"0" * 64 + b'","events":['
    )
    for events in (b"", b"[" * 300 + b"]" * 300, b"[" * 1020 + b"]" * 1020):
        result = verify(head + events + b"]}\n")
        assert code(result) == 1, result.exception
        assert "DOES NOT FIT: record 1 can't be read" in result.output
