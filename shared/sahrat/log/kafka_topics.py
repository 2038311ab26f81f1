"""Making the topics that are missing, and refusing those that could lose what they must keep."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import structlog
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import TopicAlreadyExistsError, for_code

from sahrat.log.kafka_settings import BATCH_BYTES
from sahrat.log.port import LogAway, LogFault
from sahrat.messages.topics import Topic

LARGEST: Final = "max.message.bytes"
REPLICAS: Final = 3  # on a cluster that has them; two hold a record before it is acknowledged
APPEAR_S: Final = 5.0  # a topic just made is not known everywhere at once
APPEAR_EVERY_S: Final = 0.1

_log = structlog.get_logger("log")


@dataclass(frozen=True, slots=True)
class Found:
    """What the broker says of a topic."""

    partitions: int
    replicas: int  # of the partition that has the fewest
    ready: bool  # every partition has a leader


async def make_topics(
    admin: AIOKafkaAdminClient, prefix: str, wanted: Sequence[Topic], *, flush: bool
) -> None:
    """Make the topics that are missing.

    Args:
        admin: A started client.
        prefix: What topic names begin with.
        wanted: The topics.
        flush: On fewer than three brokers, have every record that is kept for ever on the disk
            before it is acknowledged.

    Raises:
        LogFault: The broker refuses one.
    """
    there = set(await admin.list_topics())
    missing = [topic for topic in wanted if prefix + topic.name not in there]
    if not missing:
        return
    brokers = len((await admin.describe_cluster())["brokers"])
    many = brokers >= REPLICAS
    made = await admin.create_topics(
        [
            NewTopic(
                name=prefix + topic.name,
                num_partitions=topic.partitions,
                replication_factor=REPLICAS if many else 1,
                topic_configs=_configs(topic, many=many, flush=flush),
            )
            for topic in missing
        ]
    )
    for name, code, message, *_ in made.topic_errors:
        if code and code != TopicAlreadyExistsError.errno:
            raise LogFault(f"{name} can't be made: {for_code(code).__name__} {message or ''}")


def _configs(topic: Topic, *, many: bool, flush: bool) -> dict[str, str]:
    configs = settings_of(topic)
    configs["min.insync.replicas"] = str(REPLICAS - 1) if many else "1"
    if not many and flush and topic.retention_ms is None:
        configs["flush.messages"] = "1"
    return configs


def settings_of(topic: Topic) -> dict[str, str]:
    """Return the settings without which the topic would not keep what it is trusted with."""
    return {
        "message.timestamp.type": "LogAppendTime",
        "cleanup.policy": "delete",
        "retention.ms": "-1" if topic.retention_ms is None else str(topic.retention_ms),
        "retention.bytes": "-1",
        LARGEST: str(BATCH_BYTES),
        "unclean.leader.election.enable": "false",
    }


async def check_topics(
    admin: AIOKafkaAdminClient, prefix: str, wanted: Sequence[Topic], *, warn: bool
) -> None:
    """Check partitions and settings of all topics.

    Args:
        admin: A started client.
        prefix: What topic names begin with.
        wanted: The topics.
        warn: Say aloud what a power cut or a lost disk may take.

    Raises:
        LogFault: One is missing or is not as it must be; the message names topic and setting.
    """
    found = await describe(admin, prefix, wanted)
    check_partitions(found, prefix, wanted)
    asked = [ConfigResource(ConfigResourceType.TOPIC, prefix + topic.name) for topic in wanted]
    configs: dict[str, dict[str, str | None]] = {}
    for response in await admin.describe_configs(asked):
        for code, message, _, name, entries in response.resources:
            if code:
                raise LogFault(f"{name} tells no settings: {for_code(code).__name__} {message}")
            configs[name] = {entry[0]: entry[1] for entry in entries}
    for topic in wanted:
        name = prefix + topic.name
        must_be = settings_of(topic)
        least = must_be.pop(LARGEST)
        for setting, value in must_be.items():
            if configs[name].get(setting) != value:
                have = configs[name].get(setting)
                raise LogFault(f"{name} has {setting}={have}, it must be {value}")
        if int(configs[name].get(LARGEST) or 0) < int(least):
            have = configs[name].get(LARGEST)
            raise LogFault(f"{name} has {LARGEST}={have}, it must be at least {least}")
    if not warn:
        return
    risks = [
        _risk(found[prefix + topic.name], configs[prefix + topic.name])
        for topic in wanted
        if topic.retention_ms is None
    ]
    for risk in dict.fromkeys(filter(None, risks)):
        _log.warning(risk, topics=risks.count(risk))


def _risk(found: Found, configs: Mapping[str, str | None]) -> str:
    """Return what a power cut or a lost disk may take, to be said aloud."""
    if found.replicas == 1 and configs.get("flush.messages") != "1":
        return "one replica and no flush: a power cut may lose shown records"
    if found.replicas == 1:
        return "one replica: what its disk loses is lost"
    if configs.get("min.insync.replicas") == "1":
        return "min.insync.replicas=1: a failover may lose shown records"
    return ""


async def describe(
    admin: AIOKafkaAdminClient, prefix: str, wanted: Sequence[Topic]
) -> dict[str, Found]:
    """Return what the broker says of topics, once it knows them all.

    Raises:
        LogFault: It does not after some seconds.
    """
    names = [prefix + topic.name for topic in wanted]
    until = time.monotonic() + APPEAR_S
    while True:
        there = set(await admin.list_topics())  # to describe one that is not there might make it
        missing = [name for name in names if name not in there]
        if not missing:
            found = await glance(admin, names)
            if all(topic.ready for topic in found.values()):
                return found
        if time.monotonic() > until:
            break
        await asyncio.sleep(APPEAR_EVERY_S)
    if missing:
        raise LogFault(f"{missing[0]} does not exist")
    raise LogAway(f"not all partitions of {', '.join(names)} have a leader")


async def glance(admin: AIOKafkaAdminClient, names: Sequence[str]) -> dict[str, Found]:
    """Return what the broker says of topics at this moment."""
    found = {}
    for topic in await admin.describe_topics(list(names)):
        parts = topic["partitions"]
        found[topic["topic"]] = Found(
            partitions=len(parts),
            replicas=min((len(part["replicas"]) for part in parts), default=0),
            ready=not topic["error_code"]
            and all(not part["error_code"] and part["leader"] >= 0 for part in parts),
        )
    return found


def check_partitions(found: Mapping[str, Found], prefix: str, wanted: Sequence[Topic]) -> None:
    """Raise LogFault when a topic has another number of partitions: matches would be misplaced."""
    for topic in wanted:
        count = found[prefix + topic.name].partitions
        if count != topic.partitions:
            raise LogFault(
                f"{prefix}{topic.name} has {count} partitions, it must have {topic.partitions}"
            )
