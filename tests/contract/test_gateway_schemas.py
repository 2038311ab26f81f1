"""The schemas of what phones and the gateway say are those of the code, and its text says them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest

from sahrat.games import wire
from services.gateway import schemas
from services.gateway.core.inbound import Inbound, Unread
from services.gateway.messages import CLIENT, CLIENT_TYPES, SERVER, SERVER_TYPES

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "schemas" / "gateway"
TEXT: Final = (ROOT / "services" / "gateway" / "PROTOCOL.md").read_text(encoding="utf-8")
EXAMPLES: Final = [
    json.loads(line)
    for block in re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    for line in block.splitlines()
]
CLIENT_NAMES: Final = {schemas.type_name(kind) for kind in CLIENT_TYPES}


def _validate(example: dict[str, Any], schema: str) -> None:
    jsonschema.validate(example, json.loads((FOLDER / schema).read_text(encoding="utf-8")))


def _sent(example: dict[str, Any]) -> bool:
    """Whether it is a message of a phone; `lobby` is what both sides say."""
    return example.get("type") in CLIENT_NAMES and "tables" not in example


def test_the_schemas_are_those_of_the_code() -> None:
    """If this fails, run `make schemas` and say in schemas/CHANGELOG.md what changed."""
    written = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.json")}
    assert written == set(schemas.schemas())
    for path, text in schemas.schemas().items():
        assert (FOLDER / path).read_text(encoding="utf-8") == text, path


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: str(e.get("type", "untyped")))
def test_an_example_of_the_text_is_true(example: dict[str, Any]) -> None:
    text = json.dumps(example).encode()
    if _sent(example):
        assert not isinstance(Inbound(CLIENT).read(text), Unread)
        _validate(example, "client.json")
    elif "type" in example:
        SERVER.validate_json(text)
        _validate(example, "server.json")
    elif "prev" in example:
        wire.RECORDS.decode(text)
    else:
        names = [path.name for path in (FOLDER / "http").glob("*.json")]
        fits = []
        for name in names:
            try:
                _validate(example, f"http/{name}")
            except jsonschema.ValidationError:
                continue
            fits.append(name)
        assert fits


def test_every_message_has_an_example() -> None:
    shown = {(_sent(example), example.get("type")) for example in EXAMPLES}
    for kind in CLIENT_TYPES:
        assert (True, schemas.type_name(kind)) in shown
    for kind in SERVER_TYPES:
        assert (False, schemas.type_name(kind)) in shown
    assert (False, None) in shown  # a record
