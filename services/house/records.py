"""A match's records as a command meets them: in a file that somebody kept, or in a source.

In a file each record is one line. What a program or a mail does to the ends of lines is the file's,
not the records': one line break at the very end, CR before every line break of the file. Neither
can be part of a record, which is JSON on one line. A CR that stands before some line breaks only, a
byte order mark at the start, or anything else that was added, is a changed record.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import orjson

from sahrat.match import limits
from sahrat.messages.envelope import RECORD_BYTES
from sahrat.verify import is_record
from services.house.problem import Problem
from services.house.source import MATCH_ID, Where, open_source, sound_match_id

STDIN: Final = "-"
FILE_BYTES: Final = (limits.RECORDS + 1) * (RECORD_BYTES + 2)  # no match is longer
_BEGINNING: Final = b'{"v":'
_CONTINUES: Final = b'"prev":"'


def split(data: bytes) -> list[bytes]:
    """Return the records of a file, each exactly as it was stored if nothing was changed.

    A line that has neither the beginning of a record nor the digest that each has is what a line
    break inside the record before it cut off: it stays part of that one, which then does not fit
    and is the one that is named.
    """
    breaks = data.count(b"\n")
    end = b"\r\n" if breaks and data.count(b"\r\n") == breaks else b"\n"
    records: list[list[bytes]] = []
    for line in data.removesuffix(end).split(end):
        begins = line.startswith(_BEGINNING) or _BEGINNING.startswith(line)
        if records and not begins and _CONTINUES not in line:
            records[-1].append(line)  # joined once: a file may have a million such lines
        else:
            records.append([line])
    return [end.join(lines) for lines in records]


def is_file(name: str) -> bool:
    """Return whether a command's argument is a file's name, or `-`, and no match's id."""
    return name == STDIN or MATCH_ID.fullmatch(name.strip().lower()) is None or Path(name).exists()


def read_file(name: str) -> list[bytes]:
    """Return the records of a file, or of standard input for `-`.

    Raises:
        Problem: It can't be read, is empty, is too large to be a match, or has no record in it.
    """
    try:
        if name == STDIN:
            data = sys.stdin.buffer.read(FILE_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(FILE_BYTES + 1)
    except OSError as fault:
        hint = "" if Path(name).exists() else "; it is no match's id either"
        raise Problem(f"{name}: {fault.strerror}{hint}") from None
    if not data.strip():
        raise Problem(f"{name} is empty: `sahrat export MATCH_ID > FILE` writes a match's records")
    if len(data) > FILE_BYTES:
        raise Problem(f"{name} is larger than any match")
    records = split(data)
    if not any(map(is_record, records)):
        raise Problem(f"{name}: no line is a record of a match")
    return records


def check_lines(name: str, records: Sequence[bytes]) -> None:
    """Make sure that a file has nothing but records. What may be one that was changed is let
    through: blank lines, and what a line break inside a record cut off.

    Raises:
        Problem: A line of it is something else.
    """
    number = 1
    for record in records:
        whole, _, after = record.partition(b"\n")
        if not (is_record(whole) or _BEGINNING.startswith(whole[: len(_BEGINNING)])):
            raise Problem(f"{name}: line {number} is no record of a match: take it out")
        if after.strip() and _is_json(whole):
            raise Problem(f"{name}: line {number + 1} is no record of a match: take it out")
        number += 1 + record.count(b"\n")


def _is_json(data: bytes) -> bool:
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    return True


async def read_match(where: Where, match_id: str) -> list[bytes]:
    """Return a match's records from where they are kept.

    Raises:
        Problem: It is no match's id, or no such match is there.
    """
    match_id = sound_match_id(match_id)
    place = where.place()
    async with open_source(place) as source:
        records = [*await source.records(match_id)]
    if not records:
        raise Problem(f"no match {match_id} in {place}: is the id right, and the house?")
    return records


async def read(where: Where, name: str) -> list[bytes]:
    """Return the records that a command's argument names: a file's, or a match's.

    Args:
        where: Where matches are kept; looked at for a match only.
        name: A file, `-`, or a match's id.

    Raises:
        Problem: They can't be read.
    """
    return read_file(name) if is_file(name) else await read_match(where, name)
