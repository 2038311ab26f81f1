"""Bytes to messages and back.

A message is encoded once, by the part that writes it; every reader hands those very bytes on.
"""

from __future__ import annotations

from typing import Any, Final, Generic, TypeVar

import orjson
from pydantic import BaseModel, TypeAdapter, ValidationError

T = TypeVar("T")
_FUTURE: Final = frozenset({"extra_forbidden", "union_tag_invalid", "literal_error", "enum"})


class Poison(Exception):
    """Bytes that are no message. `reason` is a short name, `detail` says where."""

    def __init__(self, reason: str, detail: str) -> None:
        """Keep what a dead letter needs."""
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail[:200]


class FromTheFuture(Poison):
    """A sound message of a version, type or field that this code does not know."""


class Codec(Generic[T]):
    """Encode and decode one kind of message."""

    def __init__(self, kind: Any) -> None:
        """Take a model, or a union of models."""
        self._adapter: TypeAdapter[T] = TypeAdapter(kind)

    def decode(self, value: bytes) -> T:
        """Return the message.

        Raises:
            FromTheFuture: It is well formed, but newer than this code.
            Poison: It is not a message of this kind.
        """
        try:
            return self._adapter.validate_json(value)
        except ValidationError as error:
            raise _poison(error) from None

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of what this codec takes."""
        return self._adapter.json_schema(mode="validation")


def encode(message: BaseModel) -> bytes:
    """Return the message's bytes: UTF-8 JSON without spaces, fields in the model's order."""
    return orjson.dumps(message.model_dump(mode="python"))


def _poison(error: ValidationError) -> Poison:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    first = problems[0]
    where = ".".join(str(part) for part in first["loc"])
    detail = "".join(c if c.isprintable() else "?" for c in f"{where}: {first['msg']}")
    if all(problem["type"] in _FUTURE for problem in problems):
        return FromTheFuture("unknown", detail)
    return Poison(first["type"].replace("_", "-"), detail)
