"""Topics that could not keep what they are trusted with are refused, at the start and later."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator

import pytest
from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic, RecordsToDelete
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

from sahrat.log.kafka import KafkaLog
from sahrat.log.kafka_settings import BATCH_BYTES
from sahrat.log.port import AppendFailed, Bounds, LogFault
from tests.contract.log_contract import (
    EVENTS,
    INTENTS,
    LETTERS,
    PATIENCE_S,
    PULSE,
    drafts,
    read_all,
)

WANTED = (INTENTS, EVENTS, PULSE)
SOUND = {
    "message.timestamp.type": "LogAppendTime",
    "cleanup.policy": "delete",
    "retention.ms": "-1",
    "retention.bytes": "-1",
    "max.message.bytes": str(BATCH_BYTES),
}


@pytest.fixture
def prefix() -> str:
    return f"t{uuid.uuid4().hex[:12]}."


@pytest.fixture
async def admin(kafka: str) -> AsyncIterator[AIOKafkaAdminClient]:
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka)
    await admin.start()
    yield admin
    await admin.close()


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("cleanup.policy", "compact"),
        ("cleanup.policy", "compact,delete"),
        ("retention.ms", "604800000"),
        ("retention.bytes", "1000000000"),
        ("message.timestamp.type", "CreateTime"),
        ("max.message.bytes", "1000000"),
        ("unclean.leader.election.enable", "true"),
    ],
)
async def test_a_topic_with_a_setting_that_loses_records_is_refused(
    kafka: str, prefix: str, admin: AIOKafkaAdminClient, setting: str, value: str
) -> None:
    name = prefix + EVENTS.name
    await admin.create_topics(
        [NewTopic(name, EVENTS.partitions, 1, None, {**SOUND, setting: value})]
    )
    with pytest.raises(LogFault, match=rf"^{name} has {setting}={value}, it must be [\w ,-]+$"):
        await KafkaLog(kafka, prefix=prefix, wanted=WANTED).start()


async def test_another_number_of_partitions_is_refused(
    kafka: str, prefix: str, admin: AIOKafkaAdminClient
) -> None:
    name = prefix + EVENTS.name
    await admin.create_topics([NewTopic(name, 5, 1, None, SOUND)])
    with pytest.raises(LogFault, match=rf"^{name} has 5 partitions, it must have 4$"):
        await KafkaLog(kafka, prefix=prefix, wanted=WANTED).start()


async def test_a_topic_that_is_missing_is_made_only_if_asked(kafka: str, prefix: str) -> None:
    with pytest.raises(LogFault, match=rf"{INTENTS.name} does not exist"):
        await KafkaLog(kafka, prefix=prefix, wanted=WANTED, make=False, away_s=20.0).start()


async def test_F25_C44_a_whole_topic_that_was_trimmed_is_refused(
    kafka: str, prefix: str, admin: AIOKafkaAdminClient
) -> None:
    log = KafkaLog(kafka, prefix=prefix, wanted=WANTED)
    await log.start()
    await log.append(EVENTS, 3, drafts(*"abc"))
    await log.append(INTENTS, 3, drafts(*"abc"))
    await log.trim(INTENTS, 3, 2)  # not a whole one
    await log.close()
    place = TopicPartition(prefix + EVENTS.name, 3)
    await admin.delete_records({place: RecordsToDelete(2)})
    with pytest.raises(LogFault, match=rf"{EVENTS.name}\[3\] starts at offset 2: records of"):
        await KafkaLog(kafka, prefix=prefix, wanted=WANTED).start()


async def test_partitions_that_are_added_later_end_everything(
    kafka: str, prefix: str, admin: AIOKafkaAdminClient
) -> None:
    log = KafkaLog(kafka, prefix=prefix, wanted=WANTED)
    await log.start()
    reading = asyncio.create_task(log.reader(INTENTS, 0, 0).read())
    await admin.create_partitions({prefix + EVENTS.name: NewPartitions(5)})
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(LogFault, match="has 5 partitions"):
            await reading
    with pytest.raises(AppendFailed, match="has 5 partitions"):
        await log.append(INTENTS, 0, drafts("a"))
    assert "has 5 partitions" in (log.healthy() or "")
    await log.close()


async def test_F29_C47_a_record_that_the_broker_refuses_is_the_last_that_is_sent(
    kafka: str, prefix: str, admin: AIOKafkaAdminClient
) -> None:
    log = KafkaLog(kafka, prefix=prefix, wanted=WANTED)
    await log.start()
    await log.append(EVENTS, 0, drafts("a"))
    smaller = {**SOUND, "max.message.bytes": "1000"}
    topic = ConfigResource(ConfigResourceType.TOPIC, prefix + EVENTS.name, smaller)
    await admin.alter_configs([topic])
    results = await asyncio.gather(
        log.append(EVENTS, 0, drafts("x" * 5_000)),
        log.append(EVENTS, 0, drafts("waits behind it")),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [AppendFailed, AppendFailed]
    for topic_ in (EVENTS, INTENTS):
        with pytest.raises(AppendFailed, match="TooLarge"):
            await log.append(topic_, 0, drafts("b"))
    await log.close()
    audit = KafkaLog(kafka, prefix=prefix, wanted=(INTENTS,))
    await audit.start()
    assert await audit.bounds(INTENTS, 0) == Bounds(0, 0)
    await audit.close()


async def test_a_broker_that_is_not_there_is_a_fault() -> None:
    log = KafkaLog("127.0.0.1:1", start_s=1.0)
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(LogFault, match=r"127\.0\.0\.1:1"):
            await log.start()
    assert log.healthy() is not None


async def test_foreign_records_without_key_or_value_are_read_as_empty(
    kafka: str, prefix: str
) -> None:
    log = KafkaLog(kafka, prefix=prefix, wanted=(LETTERS,))
    await log.start()
    foreign = AIOKafkaProducer(bootstrap_servers=kafka)
    await foreign.start()
    await foreign.send_and_wait(prefix + LETTERS.name, value=b"v", partition=1)
    await foreign.send_and_wait(prefix + LETTERS.name, key=b"k", partition=1)
    await foreign.stop()
    found = await read_all(log.reader(LETTERS, 1, 0), 2)
    assert [(record.key, record.value) for record in found] == [(b"", b"v"), (b"k", b"")]
    await log.close()
