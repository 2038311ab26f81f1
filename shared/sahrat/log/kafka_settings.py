"""Every setting of the Kafka client that matters, with its reason.

The client's own defaults (commit by itself, not idempotent, reset to the newest record) would lose
records here, so nothing is left to them.
"""

from __future__ import annotations

import asyncio
from typing import Final

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from aiokafka.errors import KafkaConnectionError

from sahrat.messages import topics

AWAY_S: Final = 10.0
"""How long the broker may be silent before the process ends, to be started again."""

START_S: Final = 30.0
"""How long a start may take: forty partitions are made, and a broker may be starting as well."""

REQUEST_MS: Final = 5_000
"""One request; half of `AWAY_S`, so that a connection that hangs is replaced once before that."""

BACKOFF_MS: Final = 100  # between tries: a broker that restarts answers again within a second
METADATA_MS: Final = 30_000  # leaders are looked up anew on any error; this is for what has none
IDLE_MS: Final = 540_000  # below the broker's own limit of ten minutes

BATCH_OVERHEAD: Final = 4_096  # a batch's header and a record's own lengths, with room to spare
BATCH_BYTES: Final = topics.RECORD_LIMIT_BYTES + BATCH_OVERHEAD
RECORD_OVERHEAD: Final = 40  # at most, of one record in a batch: its lengths, deltas and headers

FETCH_WAIT_MS: Final = 100
"""How long the broker keeps a fetch that finds nothing. It answers at once when a record comes, but
a partition that is added meanwhile has to wait for the answer, so it is short."""

FETCH_BYTES: Final = 8 * 1024 * 1024  # of one answer; many partitions behind must not fill memory
PARTITION_BYTES: Final = 1024 * 1024  # a larger batch comes all the same, alone

SESSION_MS: Final = 6_000  # the shortest that brokers allow: a killed owner is replaced after it
HEARTBEAT_MS: Final = 500
"""A rebalance waits until every member has heard of it, by its next heartbeat."""

RELEASE_S: Final = 8.0  # a serve that was told to stop has this long before it is cancelled
REBALANCE_MS: Final = 15_000  # longer than any release, or the slow member would be thrown out
JOIN_REQUEST_MS: Final = 20_000  # longer than a rebalance: the join is answered when it is over
POLL_INTERVAL_MS: Final = 300_000  # never near: the member asks once a second
SETTLE_S: Final = 45.0  # a rebalance that takes longer than this is stuck

ANY_BYTES: Final = 1  # a fetch is answered as soon as there is anything


def producer(servers: str, client_id: str, away_s: float) -> AIOKafkaProducer:
    """Return a producer that neither loses nor repeats, nor waits to fill a batch.

    A batch of its whose partition has no leader, as while a broker restarts, fails once it is as
    old as a request may be. So a request may take as long as the broker may be away.
    """
    return AIOKafkaProducer(
        bootstrap_servers=servers,
        client_id=client_id,
        enable_idempotence=True,  # a retry after a lost acknowledgement is stored once
        acks="all",
        linger_ms=0,
        max_batch_size=BATCH_BYTES,
        max_request_size=BATCH_BYTES,
        compression_type=None,
        request_timeout_ms=round(away_s * 1000),
        retry_backoff_ms=BACKOFF_MS,
        metadata_max_age_ms=METADATA_MS,
        connections_max_idle_ms=IDLE_MS,
    )


def reading_consumer(servers: str, client_id: str) -> AIOKafkaConsumer:
    """Return a consumer without a group, whose positions are all set by hand."""
    return AIOKafkaConsumer(
        bootstrap_servers=servers,
        client_id=client_id,
        group_id=None,
        enable_auto_commit=False,
        auto_offset_reset="none",  # a position that is not there is a fault, never a jump
        fetch_max_wait_ms=FETCH_WAIT_MS,
        fetch_min_bytes=ANY_BYTES,
        fetch_max_bytes=FETCH_BYTES,
        max_partition_fetch_bytes=PARTITION_BYTES,
        check_crcs=True,
        isolation_level="read_uncommitted",  # nothing here writes in transactions
        request_timeout_ms=REQUEST_MS,
        retry_backoff_ms=BACKOFF_MS,
        metadata_max_age_ms=METADATA_MS,
        connections_max_idle_ms=IDLE_MS,
    )


def member_consumer(servers: str, client_id: str, group: str) -> AIOKafkaConsumer:
    """Return a consumer that is a member of a group and fetches nothing.

    All partitions are released at every rebalance, whoever gets them, so that nothing is owned
    twice. Sticky assignment would gain nothing by that, and the client keeps its memory in the
    class (aio-libs/aiokafka#1175): two members in one process would take each other's.
    """
    return AIOKafkaConsumer(
        bootstrap_servers=servers,
        client_id=client_id,
        group_id=group,
        enable_auto_commit=False,
        auto_offset_reset="none",
        partition_assignment_strategy=(RoundRobinPartitionAssignor,),
        session_timeout_ms=SESSION_MS,
        heartbeat_interval_ms=HEARTBEAT_MS,
        rebalance_timeout_ms=REBALANCE_MS,
        max_poll_interval_ms=POLL_INTERVAL_MS,
        # It may fetch once between an assignment and its pause, so let that be little.
        fetch_max_wait_ms=FETCH_WAIT_MS,
        fetch_min_bytes=ANY_BYTES,
        fetch_max_bytes=1,
        max_partition_fetch_bytes=1,
        request_timeout_ms=JOIN_REQUEST_MS,
        retry_backoff_ms=BACKOFF_MS,
        metadata_max_age_ms=METADATA_MS,
        connections_max_idle_ms=IDLE_MS,
    )


async def connect(consumer: AIOKafkaConsumer) -> None:
    """Start a consumer, trying again and again; whoever waits for it must count the time."""
    while True:
        try:
            await consumer.start()
        except KafkaConnectionError:
            await asyncio.sleep(BACKOFF_MS / 1000)
        else:
            return


def admin(servers: str, client_id: str) -> AIOKafkaAdminClient:
    """Return a client for topics, bookmarks and deleting records."""
    return AIOKafkaAdminClient(
        bootstrap_servers=servers,
        client_id=client_id,
        request_timeout_ms=REQUEST_MS,
        retry_backoff_ms=BACKOFF_MS,
        metadata_max_age_ms=METADATA_MS,
        connections_max_idle_ms=IDLE_MS,
    )


assert HEARTBEAT_MS * 3 <= SESSION_MS, "two heartbeats may be lost"
assert RELEASE_S * 1000 < REBALANCE_MS < JOIN_REQUEST_MS
assert REQUEST_MS < AWAY_S * 1000
