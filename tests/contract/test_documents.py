"""The AsyncAPI and OpenAPI documents: as the code says, sound by their own schemas, and whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from sahrat.games import schemas
from sahrat.log.memory import MemoryLog
from sahrat.messages import topics
from sahrat.messages.topics import Topic
from services.gateway import static_files
from services.gateway.host import Gateway
from services.gateway.web import PLAY
from services.house import asyncapi, documents
from services.house.simulation.machine_log import MachineClaim, MachineLog
from services.house.simulation.run import simulate
from tests.integration.gateway_house import ACCOUNTS
from tests.servers import missing

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "schemas"
ASYNCAPI: Final = ROOT / "tests/page/node_modules/@asyncapi/specs/schemas/3.0.0.json"
MADE: Final = documents.documents()


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_documents_are_those_of_the_code() -> None:
    """If this fails, run `make schemas` and say in schemas/CHANGELOG.md what changed."""
    for name, text in MADE.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, name


def test_the_command_writes_them_and_wants_a_folder(tmp_path: Path) -> None:
    assert documents.main([]) == 2
    assert documents.main([str(tmp_path)]) == 0
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == MADE


# ---- sound


def test_the_one_is_openapi() -> None:
    path = FOLDER / "openapi.json"
    OpenAPIV31SpecValidator(read(path), base_uri=path.as_uri()).validate()


def test_the_other_is_asyncapi() -> None:
    if not ASYNCAPI.exists():
        missing("schema of AsyncAPI", "`npm ci` in tests/page installs it")
    jsonschema.Draft7Validator(read(ASYNCAPI)).validate(read(FOLDER / "asyncapi.json"))


@pytest.mark.parametrize("name", MADE)
def test_whatever_is_referred_to_is_there(name: str) -> None:
    found = [*references(read(FOLDER / name))]
    assert found
    for reference in found:
        file, _, pointer = reference.partition("#")
        target = read(FOLDER / (file or name))
        for part in pointer.split("/")[1:]:
            target = target[part.replace("~1", "/").replace("~0", "~")]
        assert isinstance(target, dict), reference


def references(value: Any) -> Iterator[str]:
    match value:
        case {"$ref": str(reference)}:
            yield reference
        case dict():
            for inner in value.values():
                yield from references(inner)
        case list():
            for inner in value:
                yield from references(inner)
        case _:
            pass


# ---- whole


async def test_every_address_of_the_gateway_is_in_a_document() -> None:
    router = Gateway(MemoryLog(), ACCOUNTS)._web._app.router
    served = {
        (route.method.lower(), route.resource.canonical)
        for route in router.routes()
        if route.resource is not None and route.method != "HEAD"  # which every GET has
    }
    pages = {("get", path) for path in static_files.files()}
    said = {
        (method, path)
        for path, methods in read(FOLDER / "openapi.json")["paths"].items()
        for method in methods
    }
    socket = {("get", PLAY)}
    assert read(FOLDER / "asyncapi.json")["channels"][asyncapi.SOCKET]["address"] == PLAY
    assert served == said | pages | socket


def test_every_topic_is_a_channel_with_its_own_messages() -> None:
    whole = read(FOLDER / "asyncapi.json")
    channels = [one for one in whole["channels"].values() if "kafka" in one["bindings"]]
    said = {one["address"]: one["bindings"]["kafka"] for one in channels}
    assert [*said] == [topic.name for topic in topics.ALL]
    for topic in topics.ALL:
        kafka = said[topic.name]
        retention_ms = -1 if topic.retention_ms is None else topic.retention_ms
        assert (kafka["topic"], kafka["partitions"]) == (topic.name, topic.partitions)
        assert kafka["topicConfiguration"]["retention.ms"] == retention_ms
        assert kafka["topicConfiguration"]["cleanup.policy"] == ["delete"]
        assert kafka["topicConfiguration"]["message.timestamp.type"] == "LogAppendTime"
    payloads = [one["messages"] for one in channels]
    assert sorted(name for one in payloads for name in one) == sorted(schemas.TOPICS)
    for name in schemas.TOPICS:
        schema = whole["components"]["messages"][name]["payload"]["schema"]
        assert schema == {"$ref": f"./{name}.json"}


def test_every_message_of_the_socket_is_said_on_its_side() -> None:
    whole = read(FOLDER / "asyncapi.json")
    sides = {"gateway-receives-play": "client", "gateway-sends-play": "server"}
    for operation, side in sides.items():
        said = [
            one["$ref"].rpartition("/")[2] for one in whole["operations"][operation]["messages"]
        ]
        files = [f"{side}.{path.stem}" for path in (FOLDER / "gateway" / side).glob("*.json")]
        assert sorted(said) == sorted(files + ["record"] * (side == "server"))


def test_who_writes_and_reads_a_topic_is_who_does_it_in_a_house(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a simulated one, whose processes each have their own way to the log."""
    did: set[tuple[str, str, str]] = set()
    append, reader, of_claim = MachineLog.append, MachineLog.reader, MachineClaim.reader

    async def noted_append(self: MachineLog, topic: Topic, *rest: Any) -> Any:
        did.add((self._running.machine.kind, "send", topic.name))
        return await append(self, topic, *rest)

    def noted_reader(self: MachineLog, topic: Topic, *rest: Any) -> Any:
        did.add((self._running.machine.kind, "receive", topic.name))
        return reader(self, topic, *rest)

    def noted_claim(self: MachineClaim, topic: Topic, *rest: Any) -> Any:
        did.add((self._log._running.machine.kind, "receive", topic.name))
        return of_claim(self, topic, *rest)

    monkeypatch.setattr(MachineLog, "append", noted_append)
    monkeypatch.setattr(MachineLog, "reader", noted_reader)
    monkeypatch.setattr(MachineClaim, "reader", noted_claim)
    simulate(1)
    whole = read(FOLDER / "asyncapi.json")
    said = {
        (
            operation["tags"][0]["name"],
            operation["action"],
            whole["channels"][operation["channel"]["$ref"].rpartition("/")[2]]["address"],
        )
        for operation in whole["operations"].values()
    }
    # Nobody need have met what can't be read; audits and phones are no part of this house.
    rare = {one for one in said | did if one[2] in (topics.DEAD_LETTERS.name, PLAY)}
    rare |= {one for one in said if one[0] == "audit"}
    assert did <= said
    assert said - rare <= did
