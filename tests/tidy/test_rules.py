"""Every rule that the code names is one of the rules text, which lies beside the code.

A reference reads `rule T`, `rules L2.4, L3` or `rules/ludo L3`: a section's letter and number and,
after a point, the number of an item in its list.
"""

import re
from collections.abc import Iterator
from typing import Final

from tests.tidy import tree

HEADING: Final = re.compile(r"^#+ ([A-Z]{1,2}\d*)\. ", re.MULTILINE)
ITEM: Final = re.compile(r"^(\d+)\. ", re.MULTILINE)
ROW: Final = re.compile(r"^\| ([A-Z]\d+) \|", re.MULTILINE)
_NUMBER: Final = r"[A-Z]{1,2}\d*(?:\.\d+)?(?![\w])"
REFERENCE: Final = re.compile(
    rf"\b[Rr]ules?(?:/\w+(?:\.md)?`?)? ({_NUMBER}(?:(?:, | and | or | to )(?:rule )?{_NUMBER})*)"
)


def _known(text: str) -> Iterator[str]:
    """Yield the numbers of a page: its sections, their numbered items and the rows of tables."""
    yield from ROW.findall(text)
    heads = list(HEADING.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    for head, end in zip(heads, ends, strict=True):
        yield head[1]
        yield from (f"{head[1]}.{item}" for item in ITEM.findall(text, head.end(), end))


def _named(text: str) -> Iterator[tuple[int, str]]:
    """Yield (line, number) of each rule that a text names."""
    for reference in REFERENCE.finditer(text):
        line = text.count("\n", 0, reference.start()) + 1
        for number in re.findall(_NUMBER, reference[1]):
            yield line, number


def test_every_rule_named_exists() -> None:
    known = {
        number
        for name, text in tree.texts(".md")
        if name.startswith("shared/sahrat/")
        for number in _known(text)
    }
    unknown = [
        f"{name}:{line} {number}"
        for name, text in tree.texts(".py", ".sql", ".js")
        if name != "tests/tidy/test_rules.py"
        for line, number in _named(text)
        if number not in known
    ]
    assert not unknown, "rules that no page under shared/sahrat has:\n" + "\n".join(unknown)


def test_references_are_read() -> None:
    text = "# rule T: x\n# rules L2.4, L3 and K; `rules/ludo` L1 (Rule A)"
    assert list(_named(text)) == [(1, "T"), (2, "L2.4"), (2, "L3"), (2, "K"), (2, "L1"), (2, "A")]


def test_numbers_are_read() -> None:
    page = "# Ludo\n## L2. Turn\n1. Roll.\n2. Move.\n## T. Table\n| S1 | any |\n"
    assert list(_known(page)) == ["S1", "L2", "L2.1", "L2.2", "T"]
