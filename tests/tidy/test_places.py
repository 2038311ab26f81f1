"""Everything has its place: nobody's note or result is left on top."""

from typing import Final

from tests.tidy import tree

TOP: Final = {
    ".ci",
    ".gitignore",
    ".pre-commit-config.yaml",
    "Makefile",
    "README.md",
    "deploy",
    "pyproject.toml",
    "schemas",
    "services",
    "shared",
    "tests",
    "typings",
}


def test_nothing_else_lies_on_top() -> None:
    assert {path.relative_to(tree.ROOT).parts[0] for path in tree.files()} <= TOP
