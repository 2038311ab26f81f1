"""Nothing is so long that it cannot be held in the head."""

import ast
from collections.abc import Iterator
from typing import Final

from tests.tidy import tree

FILE_LINES: Final = 400
FUNCTION_LINES: Final = 70


def test_no_file_is_too_long() -> None:
    long = [
        f"{name}: {len(text.splitlines())} lines"
        for name, text in tree.texts(".py", ".pyi", ".js", ".css", ".sql")
        if len(text.splitlines()) > FILE_LINES
    ]
    assert not long, f"files of over {FILE_LINES} lines: {long}"


def _long_functions(name: str) -> Iterator[str]:
    for node in ast.walk(tree.parsed(name)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield f"{name}:{node.lineno} {node.name}: {lines} lines"


def test_no_function_is_too_long() -> None:
    long = [found for name, _ in tree.texts(".py") for found in _long_functions(name)]
    assert not long, f"functions of over {FUNCTION_LINES} lines: {long}"
