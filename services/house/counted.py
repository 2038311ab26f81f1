"""Numbers of things, in words."""

from __future__ import annotations


def counted(number: int, one: str, several: str | None = None) -> str:
    """Return `1 match`, `2 matches`. The second form is the first with an s if none is given."""
    return f"{number} {one if number == 1 else several or one + 's'}"
