"""Whole matches as they were once stored: what was right under its rules is right for ever."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from sahrat import verify
from sahrat.games import schemas

FOLDER: Final = Path(__file__).parents[2] / "schemas" / schemas.SAMPLES / "matches"
MATCHES: Final = sorted(path.name for path in FOLDER.iterdir())


@pytest.mark.parametrize("name", MATCHES)
def test_a_stored_match_verifies_byte_for_byte(name: str) -> None:
    """Every record is judged again by the rules that it names, and encoded as it was stored."""
    lines = (FOLDER / name).read_bytes().splitlines()
    report = verify.verify(lines)
    assert report.problem == ""
    assert report.secret
    assert report.rules.replace("/", "-") == name.rpartition("-")[0]
    assert report.records == len(lines)


def test_there_are_matches_of_every_version_that_was_ever_played() -> None:
    assert {name.rpartition("-")[0] for name in MATCHES} >= {
        "ludo-1",
        "ludo-2",
        "pachisi-1",
        "carrom-1",
    }
