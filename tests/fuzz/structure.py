"""Hypothesis strategies for messages, by their JSON Schemas; sound ones, or a bit wrong."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

import orjson
from hypothesis import strategies as st

from sahrat.messages.base import PLAIN, type_id
from tests.fuzz.mutate import Mutator
from tests.fuzz.target import MESSAGE_BYTES

_REF: Final = "#/$defs/"
_ITEMS: Final = 6  # of a list without a length; what is longer comes by mutation
_INT: Final = 2**53
# What most fields are made of; letter by letter it takes most of the time.
_IDS: Final = tuple(f"01980f6e-5c00-7b2a-9d3e-4f506172839{digit}" for digit in "0456789abcdef")
_KNOWN: Final[Mapping[str | None, st.SearchStrategy[str]]] = {
    str(type_id.pattern): st.sampled_from(_IDS),
    "^[0-9a-f]{64}$": st.sampled_from(("0" * 64, "c0ffee" * 10 + "cafe")),
    "^(0|[1-9][0-9]{0,19})$": st.integers(0, 2**65).map(str),
    "^[a-z][a-z0-9_./-]{0,39}$": st.sampled_from(("ludo", "ludo/1", "players", "fill_seconds")),
    PLAIN: st.text(st.sampled_from("aZ٣é لاب<'-\x00\u202e\u200b"), max_size=24),
}


def messages(
    schema: Mapping[str, Any], most_bytes: int = MESSAGE_BYTES
) -> st.SearchStrategy[bytes]:
    """Return what makes messages by a schema, of which one in three is changed somewhere."""
    values = _Schema(schema).strategy(schema)
    return st.builds(_written, values, st.integers(0, 2**32), st.just(most_bytes))


def _written(value: Any, number: int, most_bytes: int) -> bytes:
    data = orjson.dumps(value)
    if number % 3:
        return data
    return Mutator(Random(number), most_bytes=most_bytes).mutate(data, data)


class _Schema:
    """As much of JSON Schema as pydantic writes for our messages."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._defs = root.get("$defs", {})
        self._known: dict[str, st.SearchStrategy[Any]] = {}

    def strategy(self, schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
        if "$ref" in schema:
            return self._named(schema["$ref"].removeprefix(_REF))
        for several in ("oneOf", "anyOf"):
            if several in schema:
                return st.one_of([self.strategy(each) for each in schema[several]])
        if "const" in schema:
            return st.just(schema["const"])
        if "enum" in schema:
            return st.sampled_from(schema["enum"])
        match schema.get("type"):
            case "object":
                return self._object(schema)
            case "array":
                return self._array(schema)
            case "string":
                return _text(schema)
            case "integer":
                return st.integers(_least(schema), _most(schema))
            case "boolean":
                return st.booleans()
            case "null":
                return st.none()
            case _:
                return st.none() | st.integers(-3, 3) | st.text(max_size=3)

    def _named(self, name: str) -> st.SearchStrategy[Any]:
        if name not in self._known:
            self._known[name] = st.deferred(lambda: self.strategy(self._defs[name]))
        return self._known[name]

    def _object(self, schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
        fields = schema.get("properties", {})
        needed = schema.get("required", ())
        if not fields and isinstance(schema.get("additionalProperties"), Mapping):
            keys = _text(schema.get("propertyNames", {}))
            values = self.strategy(schema["additionalProperties"])
            return st.dictionaries(keys, values, max_size=_ITEMS)
        return st.fixed_dictionaries(
            {name: self.strategy(fields[name]) for name in fields if name in needed},
            optional={name: self.strategy(fields[name]) for name in fields if name not in needed},
        )

    def _array(self, schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
        if "prefixItems" in schema:
            return st.tuples(*map(self.strategy, schema["prefixItems"])).map(list)
        least = schema.get("minItems", 0)
        most = min(schema.get("maxItems", _ITEMS), max(least, _ITEMS))
        return st.lists(self.strategy(schema.get("items", {})), min_size=least, max_size=most)


def _text(schema: Mapping[str, Any]) -> st.SearchStrategy[str]:
    most = schema.get("maxLength", 1000)
    pattern = schema.get("pattern")
    if pattern in _KNOWN:
        return _KNOWN[pattern]
    if pattern is not None:
        return st.from_regex(pattern).map(lambda text: text[:most])
    return st.text(min_size=schema.get("minLength", 0), max_size=min(most, 30))


def _least(schema: Mapping[str, Any]) -> int:
    return int(schema.get("minimum", schema.get("exclusiveMinimum", -_INT)))


def _most(schema: Mapping[str, Any]) -> int:
    return int(schema.get("maximum", schema.get("exclusiveMaximum", _INT)))
