"""Whether atheris is there, and what it watches. Nothing of ours is imported here: what is to be
watched must be imported for the first time while `instrumented` is at work.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
from collections.abc import Iterator
from typing import Final

LIBRARY: Final = "atheris"
CODE: Final = ("sahrat", "services", "json", "jwt")
"""Whose reached lines count. What pydantic does is out of reach: it is no Python."""


def available() -> bool:
    """Return whether atheris is installed."""
    return importlib.util.find_spec(LIBRARY) is not None


@contextlib.contextmanager
def instrumented() -> Iterator[None]:
    """Watch what is imported within; nothing, where atheris is not installed."""
    if not available():
        yield
        return
    library = importlib.import_module(LIBRARY)
    with (
        contextlib.redirect_stderr(io.StringIO()),  # it names every module
        library.instrument_imports(include=[*CODE]),
    ):
        yield
