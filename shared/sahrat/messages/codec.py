"""Bytes to messages and back.

A message is encoded once, by the part that writes it; every reader hands those very bytes on.

Bytes that can't be decoded are one of two things, and the difference decides who must act. What a
newer writer would write (`FromTheFuture`) stops the reader until it is upgraded; anything else
(`Poison`) is put aside, and the stream goes on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Generic, TypeVar

import orjson
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from sahrat.messages.base import DETAIL_CHARS, INT_LIMIT
from sahrat.messages.words import say_where

T = TypeVar("T")
_WORD: Final = re.compile(r"[a-z][a-z0-9_./-]{0,39}")
"""What fields, types and enum values of ours look like; other text was never a name of a newer
version."""
_VERSION_FIELD: Final = "v"
FAULTS: Final = 500
"""So many are looked at, of one message. A record full of faults, as large as a topic takes, has a
million: to list them would take seconds and hundreds of megabytes, and nobody reads them.
"""


class Poison(Exception):
    """Bytes that are no message. `reason` is a short name, `detail` says where."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail[:DETAIL_CHARS]


class FromTheFuture(Poison):
    """A sound message of a version, type, field or value that this code does not know."""


class Codec(Generic[T]):
    """Encode and decode one kind of message."""

    def __init__(self, kind: Any, most_bytes: int | None = None) -> None:
        """Take a model, or a union of models; and how long one may be, where what is larger is none
        of ours. Without that it may be as long as a topic takes.
        """
        self._adapter: TypeAdapter[T] = TypeAdapter(kind)
        self._most_bytes = most_bytes

    def decode(self, value: bytes) -> T:
        """Return the message.

        Raises:
            FromTheFuture: All that is wrong with it is what this code does not know: an extra
                field, a type or an enum value, each well formed; or a higher `v`, which may
                change everything else.
            Poison: It is not a message of this kind: no JSON, a wrong type, out of bounds; too
                large; or so much is wrong with it that nobody looks at what.
        """
        if self._most_bytes is not None and len(value) > self._most_bytes:
            raise Poison("too-large", f"{len(value)} bytes, of {self._most_bytes} at most")
        try:
            return self._adapter.validate_json(value)
        except ValidationError as error:
            raise _fault(error) from None

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of what this codec takes."""
        return self._adapter.json_schema(mode="validation")


def encode(message: BaseModel) -> bytes:
    """Return the message's bytes: UTF-8 JSON without spaces, fields in the model's order.

    A copy of what the library returns, which holds on to the four kilobytes that it was written
    into: the log keeps thousands of records at hand, and a match its last ones.
    """
    return bytes(memoryview(orjson.dumps(message, default=_fields)))


def _fields(value: object) -> dict[str, Any]:
    """Return a model's fields as it holds them: in the order of definition, however it was made.
    Five times as fast as dumping the model first, and no message serialises a field otherwise.
    """
    if isinstance(value, BaseModel):
        return value.__dict__
    raise TypeError(f"{type(value).__name__} has no place in a message")


def _fault(error: ValidationError) -> Poison:
    if error.error_count() > FAULTS:
        return Poison("too-many-faults", f"over {FAULTS} faults")
    return _poison(error.errors(include_url=False))


def _poison(problems: Sequence[ErrorDetails]) -> Poison:
    first = problems[0]
    detail = "".join(c if c.isprintable() else "?" for c in say_where(first))
    own = [problem for problem in problems if not _follows(problem)]
    if any(_is_newer_version(problem) for problem in own) or all(map(_is_unknown, own)):
        return FromTheFuture("unknown", detail)
    return Poison(first["type"].replace("_", "-"), detail)


def _follows(problem: ErrorDetails) -> bool:
    """Tell whether a list only counts as too short because its items, reported too, are wrong."""
    return problem["type"] == "too_short" and (
        len(problem["input"]) >= problem["ctx"]["min_length"]
    )


def _is_newer_version(problem: ErrorDetails) -> bool:
    return (
        problem["loc"][-1:] == (_VERSION_FIELD,)
        and problem["type"] in {"less_than_equal", "literal_error"}
        and _is_count(problem["input"])
        and problem["input"] > 1
    )


def _is_unknown(problem: ErrorDetails) -> bool:
    """Tell whether a newer version of us might have written this."""
    found = problem["input"]
    match problem["type"]:
        case "extra_forbidden":
            return _is_word(problem["loc"][-1])
        case "union_tag_invalid":
            return _is_word(found.get(problem["ctx"]["discriminator"].strip("'")))
        case "enum" | "literal_error":
            if problem["ctx"]["expected"].startswith("'"):
                return _is_word(found)
            return _is_count(found) and problem["loc"][-1:] != (_VERSION_FIELD,)
        case _:
            return False


def _is_word(value: object) -> bool:
    return isinstance(value, str) and _WORD.fullmatch(value) is not None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < INT_LIMIT
