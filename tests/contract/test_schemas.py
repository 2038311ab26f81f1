"""Schemas, samples and code say the same, and what was written once can be read for ever."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import jsonschema
import orjson
import pytest
from pydantic import BaseModel

from sahrat.games import schemas, wire
from sahrat.messages.base import Message
from sahrat.messages.codec import encode
from sahrat.messages.envelope import IntentEnvelope, Record
from sahrat.messages.wallet import WalletCommand

FOLDER: Final = Path(__file__).parents[2] / "schemas"
SAMPLES: Final = FOLDER / schemas.SAMPLES
OLDER: Final = frozenset({"record/player.left.json"})
"""Shapes that this program reads and writes no more: with fields that came later, it writes more.
Its own one has a sample of another name.
"""


def _samples() -> list[str]:
    return sorted(path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*.json"))


def _read(sample: str) -> tuple[bytes, Any]:
    """Return a sample's bytes as its topic has them, and the message that they are."""
    whole = (SAMPLES / sample).read_bytes()
    assert whole.endswith(b"}\n")
    value = whole[:-1]
    return value, schemas.TOPICS[sample.partition("/")[0]].decode(value)


def _types(message: BaseModel) -> Iterator[str]:
    match message:
        case IntentEnvelope():
            yield message.intent.type
        case Record():
            yield from (event.type for event in message.events)
        case WalletCommand():
            yield message.command.type
        case _:
            yield str(getattr(message, "type", type(message).__name__))


def test_the_schemas_are_those_of_the_code() -> None:
    """If this fails, run `make schemas` and say in schemas/CHANGELOG.md what changed."""
    assert schemas.written(FOLDER) == sorted(schemas.schemas())
    for path, text in schemas.schemas().items():
        assert (FOLDER / path).read_text(encoding="utf-8") == text, path


@pytest.mark.parametrize("sample", _samples())
def test_a_sample_decodes_and_is_encoded_as_it_was(sample: str) -> None:
    value, message = _read(sample)
    assert orjson.dumps(message.model_dump()) == encode(message)
    if sample in OLDER:
        assert encode(message) != value
        assert schemas.TOPICS[sample.partition("/")[0]].decode(encode(message)) == message
    else:
        assert encode(message) == value


@pytest.mark.parametrize("sample", _samples())
def test_a_sample_fits_its_schema(sample: str) -> None:
    value, _ = _read(sample)
    schema = json.loads((FOLDER / f"{sample.partition('/')[0]}.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(value), schema)


def test_every_type_has_a_sample() -> None:
    seen = {kind for sample in _samples() for kind in _types(_read(sample)[1])}
    kinds: list[type[Message]] = [*wire.INTENT_TYPES, *wire.EVENT_TYPES, *schemas.ANSWER_TYPES]
    kinds += [*schemas.COMMAND_TYPES, *schemas.JOURNAL_TYPES]
    assert seen >= {schemas.type_name(kind) for kind in kinds} | {"Pulse", "DeadLetter"}


def test_every_cause_of_a_command_has_a_sample() -> None:
    commands = [_read(sample)[1] for sample in _samples() if sample.startswith("command/")]
    assert {command.cause.kind for command in commands} == {"match", "operator", "welcome"}


def test_a_decoded_envelope_holds_the_concrete_classes() -> None:
    for sample in _samples():
        _, message = _read(sample)
        if isinstance(message, IntentEnvelope):
            assert type(message.intent) in wire.INTENT_TYPES
        if isinstance(message, Record):
            assert {type(event) for event in message.events} <= set(wire.EVENT_TYPES)


def test_every_message_type_has_its_own_name() -> None:
    kinds = (*wire.INTENT_TYPES, *wire.EVENT_TYPES)
    assert len({schemas.type_name(kind) for kind in kinds}) == len(kinds)


def test_writing_again_changes_nothing_and_keeps_old_samples(tmp_path: Path) -> None:
    schemas.write(tmp_path)
    kept = tmp_path / schemas.SAMPLES / "pulse" / "pulse.json"
    kept.write_bytes(b"an older shape\n")
    (tmp_path / "messages" / "gone.json").write_text("{}")
    schemas.write(tmp_path)
    assert kept.read_bytes() == b"an older shape\n"
    assert schemas.written(tmp_path) == sorted(schemas.schemas())


@pytest.mark.parametrize("seed", ["0", "1"])
def test_every_process_writes_the_same(tmp_path: Path, seed: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "sahrat.games.schemas", str(tmp_path)],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C"},
    )
    for path, text in schemas.schemas().items():
        assert (tmp_path / path).read_text(encoding="utf-8") == text


def test_the_command_wants_a_folder() -> None:
    assert schemas.main([]) == 2
