"""Write what a record may look like for the Verify page, as a module of JavaScript.

    python -m services.gateway.forms services/gateway/static/verify/forms.js

Made from the messages themselves, so that the page takes a record for written by the house exactly
where the house would have written it so: the fields in their order, each within its bounds.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sahrat.games import GAMES, wire
from sahrat.games.schemas import type_name
from sahrat.messages.base import INT_LIMIT
from sahrat.messages.envelope import RECORD_BYTES
from sahrat.messages.topics import MATCH_PARTITIONS

_NUMBER_64: Final = "{0,19})"  # how the patterns of a player's numbers bound their digits
_HEAD: Final = """\
// @ts-check
/**
 * What a match's records may look like. Made by `make schemas` from the messages; see `form.js`.
 */

/** @typedef {import("./form.js").Form} Form */

"""


def text() -> str:
    """Return the module."""
    schema = wire.RECORDS.json_schema()
    forms = {"Record": _form(schema)}
    forms |= {name: _form(part) for name, part in sorted(schema["$defs"].items())}
    listed = {
        game.rules: {"game": game.name, "events": [type_name(kind) for kind in game.events]}
        for game in GAMES.values()
    }
    return "".join(
        (
            _HEAD,
            "/** By name; `Record` is the whole. @type {Record<string, Form>} */\n",
            _table("FORMS", forms),
            "\n/** What there is of each game, by its rules version. */\n",
            "/** @type {Record<string, {game: string, events: string[]}>} */\n",
            _table("GAMES", listed),
            "\n/** So long a record may be. */\n",
            f"export const RECORD_BYTES = {RECORD_BYTES};\n",
            "\n/** Over so many partitions of the log matches are spread. */\n",
            f"export const PARTITIONS = {MATCH_PARTITIONS};\n",
        )
    )


def _table(name: str, entries: Mapping[str, Any]) -> str:
    lines = "".join(f"  {_json(key)}: {_json(value)},\n" for key, value in entries.items())
    return f"export const {name} = {{\n{lines}}};\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _form(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema in few words: what pydantic says of these messages, and nothing else.

    Raises:
        ValueError: It says something that the page's reader does not know.
    """
    match schema:
        case {"$ref": ref}:
            return {"as": _named(ref)}
        case {"const": value}:
            return {"one_of": [value]}
        case {"enum": values}:
            return {"one_of": values}
        case {"anyOf": parts}:
            return {"any": [_form(part) for part in parts]}
        case {"discriminator": {"mapping": parts}}:
            return {"by_type": {kind: _named(ref) for kind, ref in parts.items()}}
        case {"type": "object", "properties": fields}:
            return {"fields": {name: _form(field) for name, field in fields.items()}}
        case {"type": "object", "patternProperties": values, "maxProperties": most}:
            ((pattern, value),) = values.items()
            return {"names": pattern, "values": _form(value), "most": most}
        case {"type": "array", "items": items, "maxItems": most}:
            return {"list": _form(items), "least": schema.get("minItems", 0), "most": most}
        case {"type": "string", "pattern": pattern}:
            bits = {"bits": 64} if _NUMBER_64 in pattern else {}
            return {"text": pattern, "most": schema.get("maxLength", RECORD_BYTES), **bits}
        case {"type": "integer", "minimum": least}:
            beyond = schema.get("exclusiveMaximum", INT_LIMIT)
            return {"least": least, "most": schema.get("maximum", beyond - 1)}
        case {"type": "boolean"}:
            return {"one_of": [False, True]}
        case {"type": "null"}:
            return {"one_of": [None]}
        case _:
            raise ValueError(f"no form for {schema}")


def _named(ref: str) -> str:
    return ref.rpartition("/")[2]


def main(arguments: Sequence[str]) -> int:
    """Write the file that the command line names."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m services.gateway.forms FILE\n")
        return 2
    Path(arguments[0]).write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
