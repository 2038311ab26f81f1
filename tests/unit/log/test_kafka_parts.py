from __future__ import annotations

import asyncio

import pytest
from aiokafka import OffsetAndMetadata, TopicPartition
from aiokafka.producer.message_accumulator import BatchBuilder

from sahrat.log import kafka
from sahrat.log.kafka import KafkaLog
from sahrat.log.kafka_append import _Call, _fill
from sahrat.log.kafka_settings import BATCH_BYTES, RECORD_OVERHEAD
from sahrat.log.kafka_topics import _configs
from sahrat.log.kafka_watch import RED_SHARE, STALL_S, Watch
from sahrat.log.port import Bookmark, Draft, LogAway, LogFault
from sahrat.messages.topics import EVENTS, INTENTS, RECORD_LIMIT_BYTES, REFUSALS, Topic


def _batch() -> BatchBuilder:
    return BatchBuilder(BATCH_BYTES, 0)


async def _call(*sizes: int, sent: int = 0) -> _Call:
    drafts = [Draft(b"", b"x" * size) for size in sizes]
    total = sum(size + RECORD_OVERHEAD for size in sizes)
    return _Call(drafts, total, asyncio.get_running_loop().create_future(), sent=sent)


HALF = RECORD_LIMIT_BYTES // 2


@pytest.mark.parametrize(
    ("calls", "counts"),
    [
        pytest.param([(10, 10), (10,), (10, 10, 10)], [2, 1, 3], id="all-that-waits"),
        pytest.param([(HALF,), (HALF, HALF)], [1], id="a-call-that-does-not-fit-stays-together"),
        pytest.param([(HALF, HALF, HALF), (10,)], [2], id="too-large-alone-is-split"),
        pytest.param([(RECORD_LIMIT_BYTES,), (10,)], [1, 1], id="greatest"),
        pytest.param([(RECORD_LIMIT_BYTES, 10)], [2], id="greatest-and-one-more"),
        pytest.param([(0,) * 30_000], [26_314], id="many-empty-ones"),
    ],
)
async def test_a_batch_takes_what_fits(calls: list[tuple[int, ...]], counts: list[int]) -> None:
    waiting = [await _call(*sizes) for sizes in calls]
    builder = _batch()
    filled = _fill(builder, waiting)
    assert [(call, count) for call, count in filled] == list(zip(waiting, counts, strict=False))
    assert builder.record_count() == sum(counts)
    assert builder.size() <= BATCH_BYTES


async def test_the_rest_of_a_split_call_goes_on_and_others_may_join_it() -> None:
    split, other = await _call(HALF, HALF, 10, sent=2), await _call(20)
    filled = _fill(_batch(), [split, other])
    assert filled == [(split, 1), (other, 1)]


def wait(watch: Watch, seconds: float) -> None:
    for _ in range(round(seconds / 0.5)):
        watch.add(0.5)


def test_a_silence_is_red_before_it_ends_all() -> None:
    watch, ended = Watch(), []
    watch.at_fault(lambda: ended.append(1))
    silence = watch.silence("asking", 10.0)
    wait(watch, 100.0)  # nobody waits
    assert watch.healthy() is None
    silence.begin()
    wait(watch, 10.0 * RED_SHARE + 0.5)
    assert watch.healthy() == "asking: no answer for 6 s"
    assert watch.fault is None
    silence.end()
    assert watch.healthy() is None
    silence.begin()
    wait(watch, 10.5)
    assert str(watch.fault) == "asking: no answer for 10 s"
    assert ended == [1]
    watch.fail(LogFault("another"))
    assert watch.healthy() == "asking: no answer for 10 s"
    assert ended == [1]


def test_who_comes_after_a_fault_hears_of_it_at_once() -> None:
    watch, ended = Watch(), []
    watch.fail(LogFault("gone"))
    watch.at_fault(lambda: ended.append(1))
    assert ended == [1]


def test_a_process_that_stood_still_has_not_waited() -> None:
    watch = Watch()
    silence = watch.silence("asking", 5.0)
    silence.begin()
    watch.add(3600.0)
    assert watch.fault is None
    assert silence.seconds == STALL_S


@pytest.mark.parametrize("topic", [INTENTS, EVENTS, REFUSALS])
def test_a_cluster_holds_every_record_twice_before_it_is_acknowledged(topic: Topic) -> None:
    configs = _configs(topic, many=True, flush=True)
    assert configs["min.insync.replicas"] == "2"
    assert "flush.messages" not in configs
    assert configs["unclean.leader.election.enable"] == "false"


def test_one_broker_has_on_its_disk_what_is_kept_for_ever() -> None:
    assert _configs(EVENTS, many=False, flush=True)["flush.messages"] == "1"
    assert "flush.messages" not in _configs(EVENTS, many=False, flush=False)
    assert "flush.messages" not in _configs(REFUSALS, many=False, flush=True)
    assert _configs(EVENTS, many=False, flush=True)["retention.ms"] == "-1"
    assert _configs(REFUSALS, many=False, flush=True)["retention.ms"] == "86400000"


class LoadingAdmin:
    """Answers for a group as the real client does: with nothing while the broker loads it."""

    def __init__(self, loads: int) -> None:
        self.loads = loads

    async def list_consumer_group_offsets(
        self, group: str, partitions: list[TopicPartition]
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        self.loads -= 1
        if self.loads >= 0:
            return {}
        none = OffsetAndMetadata(-1, "")
        return {**dict.fromkeys(partitions, none), partitions[3]: OffsetAndMetadata(7, "here")}


async def test_bookmarks_of_a_group_that_the_broker_only_loads_are_not_taken_for_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kafka, "BACKOFF_MS", 1)
    log = KafkaLog("nowhere:1", away_s=0.2)
    log.__dict__["_admin"] = LoadingAdmin(2)
    assert await log.bookmarks("rules", EVENTS) == {3: Bookmark(7, "here")}
    log.__dict__["_admin"] = LoadingAdmin(10**9)
    with pytest.raises(LogAway, match="bookmarks"):
        await log.bookmarks("rules", EVENTS)
