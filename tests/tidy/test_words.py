"""What no file of the project may say.

The words are put together here from parts, so that this file is held to the same rule.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

import pytest

from tests.tidy import tree

UNFINISHED: Final = {
    "a note instead of work": r"\b(?:{})\b".format("|".join(("TO" + "DO", "FIX" + "ME", "X" * 3))),
    "a part left out": "NotImplemented" + "Error",
    "a test left out": r"pytest\.mark\." + "(?:skip|xfail)",
}
SILENCED: Final = {
    "a silenced type": r"#\s*type:\s*" + "ignore",
    "lint silenced without its code and a reason": (
        r"#\s*no" + r"qa\b(?!: [A-Z]+\d+(?:, ?[A-Z]+\d+)*  # \S)"
    ),
}
PLACES: Final = {
    "a path of one machine": r"(?<![\w.$}/-])/(?:work|root|home|Users|mnt)/\w",
    "a path out of the project": r"\.\./" + "shared",
}
REGISTRIES: Final = {
    "a registry's address": r"https?://[\w.-]*(?:{})".format(
        "|".join(
            re.escape(host)
            for host in (
                "pypi" + ".org",
                "python" + "hosted.org",
                "registry.npm" + "js.org",
                "registry." + "yarnpkg.com",
                "repo.maven." + "apache.org",
                "repo1." + "maven.org",
                "deb." + "debian.org",
            )
        )
    ),
    "a choice of registry": r"--(?:extra-)?" + r"index-url|--find-" + r"links[ =]\S*/",
}
# How a change came about belongs in its commit; the tree speaks of the product.
MAKING: Final = {
    "how it was made": r"(?i)\b(?:{})\b".format(
        "|".join(
            (
                "as (?:instructed|requested) by",
                "co-auth" + "ored-by",
                "language " + "model",
                "my (?:task|brief|instructions)",
                "the (?:task|brief|prompt) (?:says|asks|wants)",
                "work" + "place",
            )
        )
    )
}


def _said(text: str, forbidden: Mapping[str, str]) -> Iterator[str]:
    for what, pattern in forbidden.items():
        for match in re.finditer(pattern, text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{line}: {what}: {match.group()!r}"


@pytest.mark.parametrize(
    ("suffixes", "forbidden"),
    [
        pytest.param((".py", ".pyi", ".js", ".css", ".html", ".sql"), UNFINISHED, id="unfinished"),
        pytest.param((".py", ".pyi"), SILENCED, id="silenced"),
        pytest.param((), PLACES, id="places"),
        pytest.param((), REGISTRIES, id="registries"),
        pytest.param((), MAKING, id="making"),
    ],
)
def test_no_file_says(suffixes: tuple[str, ...], forbidden: Mapping[str, str]) -> None:
    found = [
        f"{name}:{said}" for name, text in tree.texts(*suffixes) for said in _said(text, forbidden)
    ]
    assert not found, "\n".join(found)
