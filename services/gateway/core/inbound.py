"""Bytes from a phone to a message, or to the reason why not.

Checked in the order of `Reason`: size, JSON (with duplicate keys, depth and the number of keys,
which the models never see), type, fields, kinds, bounds. Of several faults the first in that order
is told.

Whoever sends needs no account, so the worst that fits into a message must cost little: everything
here takes a time that grows with the bytes alone, and few faults are listed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Never, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from sahrat.messages.dead import plain
from sahrat.messages.reasons import Reason
from sahrat.messages.words import say_where

T = TypeVar("T")
MESSAGE_BYTES: Final = 4096  # the longest message that is used has a tenth of this
DEPTH: Final = 8  # a move inside an `act` has depth 2
KEYS: Final = 64  # of one object; a table has at most 40 options, each of which may be wrong

# Also takes a string that does not end, and gives nothing back: else every quote in one is tried as
# a beginning, each up to the end of the message.
_STRINGS: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKETS: Final = re.compile(rb"[\[\]{}]")
_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ORDER: Final = {reason: place for place, reason in enumerate(Reason)}
_REASONS: Final = {
    "json_invalid": Reason.BAD_JSON,
    "union_tag_invalid": Reason.UNKNOWN_TYPE,
    "union_tag_not_found": Reason.UNKNOWN_TYPE,
    "extra_forbidden": Reason.UNKNOWN_FIELD,
    "invalid_key": Reason.UNKNOWN_FIELD,
    "missing": Reason.MISSING_FIELD,
}
"""By pydantic's name of the fault. Any other `.._type` is a wrong type, and the rest out of
bounds."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A message that can't be used; the ids that it named, where it named any, so that the answer
    finds the one who waits for it.
    """

    reason: Reason
    detail: str
    intent_id: str | None = None
    match_id: str | None = None


class _OddObject(ValueError):
    """An object names a key twice, so that it depends on the reader which one counts; or it has too
    many.
    """


class Inbound(Generic[T]):
    """Reads one union of messages."""

    def __init__(self, kind: TypeAdapter[T]) -> None:
        """Take what checks a model, or a union of models told by their `type`."""
        self._adapter = kind

    def read(self, data: bytes) -> T | Unread:
        """Return the message, or why it is none."""
        if len(data) > MESSAGE_BYTES:
            return Unread(Reason.TOO_LARGE, f"over {MESSAGE_BYTES} bytes")
        if _too_deep(data):
            return Unread(Reason.BAD_JSON, f"nested more than {DEPTH} deep")
        try:
            found = _DECODER.decode(data.decode())
        except _OddObject as odd:
            return Unread(Reason.BAD_JSON, str(odd))
        except ValueError:
            return Unread(Reason.BAD_JSON, "no JSON text in UTF-8")
        if not isinstance(found, dict):
            return Unread(Reason.WRONG_TYPE, "a message is an object")
        try:
            return self._adapter.validate_json(data)
        except ValidationError as error:
            reason, detail = explain(error.errors(include_url=False, include_input=False))
            return Unread(reason, detail, _id_in(found, "intent_id"), _id_in(found, "match_id"))


def explain(problems: Sequence[ErrorDetails]) -> tuple[Reason, str]:
    """Return the first fault in the order of `Reason`, and where it is, for people."""
    worst = min(problems, key=lambda problem: _ORDER[_reason(problem)])
    return _reason(worst), plain(say_where(worst))


def _reason(problem: ErrorDetails) -> Reason:
    kind = problem["type"]
    if kind in _REASONS:
        return _REASONS[kind]
    return Reason.WRONG_TYPE if kind.endswith("_type") else Reason.OUT_OF_BOUNDS


def _too_deep(data: bytes) -> bool:
    """Count brackets outside strings. Whatever is no JSON may give any answer: it is refused."""
    if data.count(b"{") + data.count(b"[") <= DEPTH:
        return False  # nearly always, and 25 us cheaper
    depth = 0
    for bracket in _BRACKETS.findall(_STRINGS.sub(b"", data)):
        depth += 1 if bracket in b"[{" else -1
        if depth > DEPTH:
            return True
    return False


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > KEYS:
        raise _OddObject(f"more than {KEYS} keys in one object")
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _OddObject("a key stands twice in one object")
    return found


def _no_number(text: str) -> Never:
    raise ValueError(f"{text} is no JSON")


def _id_in(found: dict[str, Any], name: str) -> str | None:
    value = found.get(name)
    return value if isinstance(value, str) and _ID.fullmatch(value) else None


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_each_key_once, parse_constant=_no_number)
