"""All targets, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.fuzz import cases, folds, gateway, parsers, topics
from tests.fuzz.target import Target

_ALL: Final = (
    parsers.SOCKET,
    gateway.GATEWAY,
    parsers.HTTP,
    parsers.TOKEN,
    *topics.CODECS,
    topics.BOOKMARK,
    topics.SNAPSHOT,
    folds.RULES,
    folds.LEDGER,
    folds.BOOK,
    folds.READERS,
    folds.VERIFY,
)
TARGETS: Final[Mapping[str, Target]] = {target.name: target for target in _ALL}


def begins_with(target: Target) -> list[bytes]:
    """Return what every run of a target begins with: sound inputs, and what was found once."""
    return [*target.seeds(), *cases.FOUND.get(target.name, {}).values()]
