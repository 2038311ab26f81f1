"""The topics and the socket, as an AsyncAPI 3.0 document made from the code that has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sahrat.log.follow import RULES
from sahrat.log.journal import LEDGER
from sahrat.log.kafka_topics import settings_of
from sahrat.messages import topics
from sahrat.messages.base import Message
from services.bots import host as bots
from services.gateway.messages import CLIENT_TYPES, SERVER_TYPES
from services.gateway.schemas import type_name
from services.gateway.session import Closing
from services.gateway.web import PLAY
from services.projection import host as projection
from services.timer import host as timer
from services.wallet import answerer, router

ASYNCAPI: Final = "3.0.0"
DIALECT: Final = "application/schema+json;version=draft-2020-12"
KAFKA_BINDING: Final = "0.5.0"
SOCKET_BINDING: Final = "0.1.0"

_UUID: Final = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_ONE: Final = f"^{_UUID}$"
_ONE_OR_ALL: Final = f"^(?:{_UUID}|@[0-9]+)$"


@dataclass(frozen=True, slots=True)
class Stream:
    """What stands in a topic.

    Attributes:
        message: The schema of its values, by its name in `schemas/`.
        says: What it is.
        key: What the key is, and a pattern of it.
        writers, readers: The parts of the house that append to it, and that take it.
    """

    topic: topics.Topic
    message: str
    says: str
    key: tuple[str, str]
    writers: tuple[str, ...]
    readers: tuple[str, ...]


_LEDGER: Final = ("The ledger.", "^main$")
STREAMS: Final = (
    Stream(
        topics.INTENTS,
        "intent",
        "What somebody wants: players through a gateway, bots, the timer, the wallet's answers, "
        "operators. One partition's order decides every race. Rules deletes what is older than a "
        "day once it is judged.",
        (
            "The match; or, of an intent for a whole partition, @ and its number.",
            _ONE_OR_ALL,
        ),
        ("gateway", "timer", "bots", "wallet"),
        ("rules", "timer", "audit"),
    ),
    Stream(
        topics.EVENTS,
        "record",
        "What happened: one record for each accepted intent, chained by digests. The truth.",
        ("The match.", _ONE),
        ("rules",),
        ("rules", "gateway", "timer", "bots", "wallet", "projection", "audit"),
    ),
    Stream(
        topics.REFUSALS,
        "answer",
        "What became of intents that made no record, and of ticks.",
        ("The match; or @ and the number of the partition.", _ONE_OR_ALL),
        ("rules",),
        ("gateway", "timer"),
    ),
    Stream(
        topics.PULSE,
        "pulse",
        "A heartbeat of each gateway, one a second.",
        ("The gateway.", _ONE),
        ("gateway",),
        ("timer",),
    ),
    Stream(
        topics.WALLET_COMMANDS,
        "command",
        "What the ledger is asked: by records of matches, by operators, by welcomes.",
        _LEDGER,
        ("wallet", "gateway"),
        ("wallet", "audit"),
    ),
    Stream(
        topics.WALLET_JOURNAL,
        "journal",
        "What became of each command: numbered entries of balanced postings, chained by digests, "
        "and now and then a snapshot.",
        _LEDGER,
        ("wallet",),
        ("gateway", "wallet", "projection", "audit"),
    ),
    Stream(
        topics.DEAD_LETTERS,
        "dead-letter",
        "Records that a reader could not read, kept for people.",
        ("That of the record; its first kilobyte.", ""),
        ("rules", "timer", "wallet", "projection"),
        (),
    ),
)
GROUPS: Final[Mapping[tuple[str, str], str]] = {
    ("rules", topics.INTENTS.name): RULES,
    ("timer", topics.EVENTS.name): timer.GROUP,
    ("bots", topics.EVENTS.name): bots.GROUP,
    ("wallet", topics.EVENTS.name): router.GROUP,
    ("wallet", topics.WALLET_COMMANDS.name): LEDGER,
    ("wallet", topics.WALLET_JOURNAL.name): answerer.GROUP,
    ("projection", topics.EVENTS.name): projection.GROUP,
    ("projection", topics.WALLET_JOURNAL.name): projection.JOURNAL_GROUP,
}
"""The consumer group of a part in a topic; who is not here reads all of it by himself."""
SOCKET: Final = "play"


def document(version: str) -> dict[str, Any]:
    """Return the document of a version of the house. References are relative to `schemas/`."""
    return {
        "asyncapi": ASYNCAPI,
        "info": {
            "title": "Sahrat's topics and its socket",
            "version": version,
            "description": (
                "What the parts of a house say to each other through Kafka, and a gateway to "
                "phones. An operation is that of the part which its tag names; on the socket, the "
                "gateway's. In words: README.md and services/gateway/PROTOCOL.md. What is asked "
                "for over HTTP is in openapi.json."
            ),
        },
        "defaultContentType": "application/json",
        "servers": {
            "broker": _server("kafka", "127.0.0.1:9092"),
            "gateway": _server("ws", "127.0.0.1:8000"),
        },
        "channels": {**{_name(s): _channel(s) for s in STREAMS}, SOCKET: _socket()},
        "operations": dict(_operations()),
        "components": {"messages": dict(_messages())},
    }


def _server(protocol: str, address: str) -> dict[str, Any]:
    return {
        "host": "{address}",
        "protocol": protocol,
        "variables": {"address": {"default": address}},
    }


def _name(stream: Stream) -> str:
    """Return the name of a topic's channel: `match-intents`."""
    return "-".join(stream.topic.name.split(".")[1:-1])


def _channel(stream: Stream) -> dict[str, Any]:
    topic = stream.topic
    settings: dict[str, Any] = {
        name: int(value) if value.lstrip("-").isdigit() else value
        for name, value in settings_of(topic).items()
    }
    settings["cleanup.policy"] = [settings["cleanup.policy"]]
    kafka = {
        "topic": topic.name,
        "partitions": topic.partitions,
        "topicConfiguration": settings,
        "bindingVersion": KAFKA_BINDING,
    }
    return {
        "address": topic.name,
        "title": topic.name,
        "summary": stream.says,
        "servers": [{"$ref": "#/servers/broker"}],
        "messages": {stream.message: {"$ref": f"#/components/messages/{stream.message}"}},
        "bindings": {"kafka": kafka},
    }


def _socket() -> dict[str, Any]:
    names = [name for name, _ in (*_spoken("client"), *_spoken("server"))]
    codes = {str(code.value): code.name.lower() for code in Closing}
    return {
        "address": PLAY,
        "title": "A phone's socket",
        "summary": "One text frame a message. The first is the phone's `sign_in`.",
        "servers": [{"$ref": "#/servers/gateway"}],
        "messages": {
            name: {"$ref": f"#/components/messages/{name}"} for name in (*names, "record")
        },
        "bindings": {"ws": {"method": "GET", "bindingVersion": SOCKET_BINDING}},
        "x-close-codes": codes,
    }


def _spoken(side: Literal["client", "server"]) -> Iterator[tuple[str, type[Message]]]:
    """Yield what one side of the socket says, by the name of its message here."""
    for kind in CLIENT_TYPES if side == "client" else SERVER_TYPES:
        yield f"{side}.{type_name(kind)}", kind


def _operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for stream in STREAMS:
        channel, said = _name(stream), [stream.message]
        for part in stream.writers:
            yield f"{part}-sends-{channel}", _operation("send", part, channel, said)
        for part in stream.readers:
            operation = _operation("receive", part, channel, said)
            group = GROUPS.get((part, stream.topic.name))
            if group is not None:
                schema = {"type": "string", "const": group}
                kafka = {"groupId": schema, "bindingVersion": KAFKA_BINDING}
                operation["bindings"] = {"kafka": kafka}
            yield f"{part}-receives-{channel}", operation
    heard = [name for name, _ in _spoken("client")]
    said = [*(name for name, _ in _spoken("server")), "record"]
    yield f"gateway-receives-{SOCKET}", _operation("receive", "gateway", SOCKET, heard)
    yield f"gateway-sends-{SOCKET}", _operation("send", "gateway", SOCKET, said)


def _operation(
    action: Literal["send", "receive"], part: str, channel: str, messages: Sequence[str]
) -> dict[str, Any]:
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{channel}"},
        "tags": [{"name": part}],
        "messages": [{"$ref": f"#/channels/{channel}/messages/{name}"} for name in messages],
    }


def _messages() -> Iterator[tuple[str, dict[str, Any]]]:
    for stream in STREAMS:
        said, pattern = stream.key
        key = {"type": "string", "description": said} | ({"pattern": pattern} if pattern else {})
        message = _message(stream.message, f"./{stream.message}.json", stream.says)
        message["bindings"] = {"kafka": {"key": key, "bindingVersion": KAFKA_BINDING}}
        yield stream.message, message
    for side in ("client", "server"):
        for name, kind in _spoken(side):
            path = f"./gateway/{side}/{type_name(kind)}.json"
            says = (kind.__pydantic_generic_metadata__["origin"] or kind).__doc__ or ""
            yield name, _message(type_name(kind), path, " ".join(says.split()))


def _message(name: str, path: str, says: str) -> dict[str, Any]:
    message: dict[str, Any] = {
        "name": name,
        "payload": {"schemaFormat": DIALECT, "schema": {"$ref": path}},
    }
    return message | ({"summary": says} if says else {})
