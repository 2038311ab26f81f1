# Stubs of the names that Sahrat uses of aiokafka 0.14, which ships no types.
# Left out on purpose: (de)serializers (the log port hands over and takes bytes), transactions
# (decision: none), SASL and the deprecated `loop`; using one is a type error here.
import ssl
from asyncio import Future
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from types import TracebackType
from typing import Literal, Self, TypeAlias

from aiokafka.abc import ConsumerRebalanceListener as ConsumerRebalanceListener
from aiokafka.client import AIOKafkaClient
from aiokafka.coordinator.assignors.abstract import AbstractPartitionAssignor
from aiokafka.errors import ConsumerStoppedError as ConsumerStoppedError
from aiokafka.errors import IllegalOperation as IllegalOperation
from aiokafka.producer.message_accumulator import BatchBuilder
from aiokafka.structs import ConsumerRecord as ConsumerRecord
from aiokafka.structs import OffsetAndMetadata as OffsetAndMetadata
from aiokafka.structs import OffsetAndTimestamp as OffsetAndTimestamp
from aiokafka.structs import RecordMetadata
from aiokafka.structs import TopicPartition as TopicPartition

__version__: str

_Servers: TypeAlias = str | list[str]
_Compression: TypeAlias = Literal["gzip", "snappy", "lz4", "zstd"]
_Headers: TypeAlias = Sequence[tuple[str, bytes]]
_Security: TypeAlias = Literal["PLAINTEXT", "SSL"]
# A dict by name: the client refuses any other mapping at run time.
_Offsets: TypeAlias = (
    dict[TopicPartition, OffsetAndMetadata]
    | dict[TopicPartition, tuple[int, str]]
    | dict[TopicPartition, int]
)

class AIOKafkaProducer:
    client: AIOKafkaClient
    def __init__(
        self,
        *,
        bootstrap_servers: _Servers = "localhost",
        client_id: str | None = None,
        metadata_max_age_ms: int = 300000,
        request_timeout_ms: int = 40000,
        acks: Literal[0, 1, -1, "all"] = ...,
        compression_type: _Compression | None = None,
        max_batch_size: int = 16384,
        partitioner: Callable[[bytes | None, list[int], list[int]], int] = ...,
        max_request_size: int = 1048576,
        linger_ms: int = 0,
        retry_backoff_ms: int = 100,
        security_protocol: _Security = "PLAINTEXT",
        ssl_context: ssl.SSLContext | None = None,
        connections_max_idle_ms: int | None = 540000,
        enable_idempotence: bool = False,
    ) -> None: ...
    async def start(self) -> None: ...
    async def flush(self) -> None: ...
    async def stop(self) -> None: ...
    async def partitions_for(self, topic: str) -> set[int]: ...
    async def send(
        self,
        topic: str,
        value: bytes | None = None,
        key: bytes | None = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: _Headers | None = None,
    ) -> Future[RecordMetadata]: ...
    async def send_and_wait(
        self,
        topic: str,
        value: bytes | None = None,
        key: bytes | None = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: _Headers | None = None,
    ) -> RecordMetadata: ...
    def create_batch(self) -> BatchBuilder: ...
    async def send_batch(
        self, batch: BatchBuilder, topic: str, *, partition: int
    ) -> Future[RecordMetadata]: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None: ...

class AIOKafkaConsumer:
    def __init__(
        self,
        *topics: str,
        bootstrap_servers: _Servers = "localhost",
        client_id: str = ...,
        group_id: str | None = None,
        group_instance_id: str | None = None,
        fetch_max_wait_ms: int = 500,
        fetch_max_bytes: int = 52428800,
        fetch_min_bytes: int = 1,
        max_partition_fetch_bytes: int = 1048576,
        request_timeout_ms: int = 40000,
        retry_backoff_ms: int = 100,
        auto_offset_reset: Literal["earliest", "latest", "none"] = "latest",
        enable_auto_commit: bool = True,
        auto_commit_interval_ms: int = 5000,
        check_crcs: bool = True,
        metadata_max_age_ms: int = 300000,
        partition_assignment_strategy: Sequence[type[AbstractPartitionAssignor]] = ...,
        max_poll_interval_ms: int = 300000,
        rebalance_timeout_ms: int | None = None,
        session_timeout_ms: int = 10000,
        heartbeat_interval_ms: int = 3000,
        consumer_timeout_ms: int = 200,
        max_poll_records: int | None = None,
        ssl_context: ssl.SSLContext | None = None,
        security_protocol: _Security = "PLAINTEXT",
        exclude_internal_topics: bool = True,
        connections_max_idle_ms: int | None = 540000,
        isolation_level: Literal["read_uncommitted", "read_committed"] = "read_uncommitted",
        client_rack: str | None = None,
    ) -> None: ...
    async def start(self) -> None: ...
    async def stop(self) -> None: ...
    def assign(self, partitions: Collection[TopicPartition]) -> None: ...
    def assignment(self) -> Set[TopicPartition]: ...
    def subscribe(
        self,
        topics: Collection[str] = (),
        pattern: str | None = None,
        listener: ConsumerRebalanceListener | None = None,
    ) -> None: ...
    def subscription(self) -> frozenset[str]: ...
    def unsubscribe(self) -> None: ...
    async def commit(self, offsets: _Offsets | None = None) -> None: ...
    async def committed(self, partition: TopicPartition) -> int | None: ...
    async def topics(self) -> set[str]: ...
    def partitions_for_topic(self, topic: str) -> set[int] | None: ...
    async def position(self, partition: TopicPartition) -> int: ...
    def highwater(self, partition: TopicPartition) -> int | None: ...
    def last_stable_offset(self, partition: TopicPartition) -> int | None: ...
    def last_poll_timestamp(self, partition: TopicPartition) -> int | None: ...
    def seek(self, partition: TopicPartition, offset: int) -> None: ...
    async def seek_to_beginning(self, *partitions: TopicPartition) -> bool: ...
    async def seek_to_end(self, *partitions: TopicPartition) -> bool: ...
    async def seek_to_committed(
        self, *partitions: TopicPartition
    ) -> dict[TopicPartition, int | None]: ...
    async def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]: ...
    async def beginning_offsets(
        self, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, int]: ...
    async def end_offsets(
        self, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, int]: ...
    async def getone(self, *partitions: TopicPartition) -> ConsumerRecord: ...
    async def getmany(
        self,
        *partitions: TopicPartition,
        timeout_ms: int = 0,
        max_records: int | None = None,
    ) -> dict[TopicPartition, list[ConsumerRecord]]: ...
    def pause(self, *partitions: TopicPartition) -> None: ...
    def paused(self) -> Set[TopicPartition]: ...
    def resume(self, *partitions: TopicPartition) -> None: ...
    def __aiter__(self) -> Self: ...
    async def __anext__(self) -> ConsumerRecord: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        tb: TracebackType | None,
    ) -> None: ...
