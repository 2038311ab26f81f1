"""Records in a file: what belongs to the file and what to the records."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from services.house.problem import Problem
from services.house.records import is_file, read_file, split

ONE = b'{"v":1,"seq":1,"prev":"' + b"0" * 64 + b'"}'
TWO = b'{"v":1,"seq":2,"prev":"' + b"1" * 64 + b'"}'
MATCH = "01890a5d-ac96-774b-bcce-b302099a8057"


@pytest.mark.parametrize(
    "data",
    [
        ONE + b"\n" + TWO + b"\n",
        ONE + b"\n" + TWO,
        ONE + b"\r\n" + TWO + b"\r\n",
        ONE + b"\r\n" + TWO,
    ],
    ids=["as exported", "no last line break", "CRLF", "CRLF, no last one"],
)
def test_how_a_file_ends_its_lines_is_no_change_of_a_record(data: bytes) -> None:
    assert split(data) == [ONE, TWO]


@pytest.mark.parametrize(
    ("data", "records"),
    [
        (ONE + b"\r\n" + TWO + b"\n", [ONE + b"\r", TWO]),
        (ONE + b"\n\n" + TWO + b"\n", [ONE, b"", TWO]),
        (ONE + b"\n" + TWO + b"\n\n", [ONE, TWO, b""]),
        (ONE + b"\nhello\n" + TWO, [ONE + b"\nhello", TWO]),
        (ONE + b" \n" + TWO, [ONE + b" ", TWO]),
        (b"\xef\xbb\xbf" + ONE + b"\n" + TWO, [b"\xef\xbb\xbf" + ONE, TWO]),
    ],
    ids=[
        "CR before some line breaks",
        "an empty line",
        "one at the end",
        "a text",
        "a space",
        "a byte order mark",
    ],
)
def test_anything_else_that_was_added_does_not_vanish(data: bytes, records: list[bytes]) -> None:
    assert split(data) == records


def test_T24_a_million_lines_that_are_none_are_put_together_once() -> None:
    """Added to the record one by one they took an hour."""
    lines = b"\nx" * 1_000_000
    assert split(ONE + lines + b"\n" + TWO) == [ONE + lines, TWO]


@pytest.mark.parametrize("at", range(len(ONE)))
def test_a_line_break_put_into_a_record_stays_in_that_record(at: int) -> None:
    """So the record that was changed is named, and not the one after it."""
    changed = ONE[:at] + b"\n" + ONE[at + 1 :]
    records = split(ONE + b"\n" + changed + b"\n" + TWO + b"\n")
    assert records[0] == ONE
    assert records[-1] == TWO


def test_an_argument_is_a_match_only_if_it_looks_like_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert not is_file(MATCH)
    assert not is_file(f" {MATCH.upper()}")
    assert is_file("-")
    assert is_file("match.jsonl")
    Path(MATCH).touch()
    assert is_file(MATCH)


def test_standard_input_is_a_file_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(ONE + b"\n")))
    assert read_file("-") == [ONE]


@pytest.mark.parametrize("content", [None, b"", b"\n", b" \r\n"])
def test_what_is_not_there_or_empty_is_told_in_one_line(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "m.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Problem) as problem:
        read_file(str(path))
    assert problem.value.exit_code == 2
    assert str(path) in problem.value.message
    with pytest.raises(Problem):
        read_file(str(tmp_path))


def test_what_is_larger_than_any_match_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.house.records.FILE_BYTES", len(ONE))
    path = tmp_path / "m.jsonl"
    path.write_bytes(ONE)
    assert read_file(str(path)) == [ONE]
    path.write_bytes(ONE + b"x")
    with pytest.raises(Problem, match="larger than any match"):
        read_file(str(path))
