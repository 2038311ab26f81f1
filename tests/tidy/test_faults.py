"""Every fault that must be survived has a row that says where it is shown, and that is there."""

import re
from typing import Final

from tests.tidy import tree

TABLE: Final = tree.ROOT / "tests" / "faults.md"
ROW: Final = re.compile(r"^\| (F\d\d) \| (.+) \| (.+) \| (.+) \| (.*) ?\|$", re.MULTILINE)
FILE: Final = re.compile(r"`([\w/]+\.py)`")
COMMAND: Final = re.compile(r"`make (\w+)")
LAST: Final = 30


def test_each_fault_has_a_row() -> None:
    found = [row[0] for row in ROW.findall(TABLE.read_text(encoding="utf-8"))]
    assert found == [f"F{number:02}" for number in range(1, LAST + 1)]


def test_what_is_named_is_there_and_names_the_fault_or_is_a_command() -> None:
    text = TABLE.read_text(encoding="utf-8")
    files = set(FILE.findall(text))
    missing = [name for name in sorted(files) if not (tree.ROOT / name).is_file()]
    assert missing == []
    makefile = (tree.ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{command}:" in makefile for command in COMMAND.findall(text))


def test_each_row_says_where_it_is_shown() -> None:
    for fault, _, stated, shown, _ in ROW.findall(TABLE.read_text(encoding="utf-8")):
        assert stated.strip(), fault
        assert FILE.search(shown) or COMMAND.search(shown) or "chaos" in shown, fault
