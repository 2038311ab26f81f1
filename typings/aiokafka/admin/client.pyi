import ssl
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from aiokafka.admin.config_resource import ConfigResource
from aiokafka.admin.new_partitions import NewPartitions
from aiokafka.admin.new_topic import NewTopic
from aiokafka.admin.records_to_delete import RecordsToDelete
from aiokafka.structs import OffsetAndMetadata, TopicPartition

# The client returns what the broker said: a refusal is a code in here and nothing is raised, but
# for create_partitions, delete_records and the calls about groups. `errors.for_code` names a code.
class _CreateTopicsResponse:
    topic_errors: list[tuple[str, int, str | None]]

class _DeleteTopicsResponse:
    topic_error_codes: list[tuple[str, int]]

class _CreatePartitionsResponse:
    topic_errors: list[tuple[str, int, str | None]]

class _DescribeConfigsResponse:
    # (code, message, type, name, entries); an entry is
    # (name, value, read_only, source, is_sensitive, synonyms).
    resources: list[
        tuple[
            int,
            str | None,
            int,
            str,
            list[tuple[str, str | None, bool, int, bool, list[tuple[str, str | None, int]]]],
        ]
    ]

class _AlterConfigsResponse:
    resources: list[tuple[int, str | None, int, str]]

class _PartitionDescription(TypedDict):
    error_code: int
    partition: int
    leader: int
    replicas: list[int]
    isr: list[int]

class _TopicDescription(TypedDict):
    error_code: int
    topic: str
    is_internal: bool
    partitions: list[_PartitionDescription]

class _BrokerDescription(TypedDict):
    node_id: int
    host: str
    port: int
    rack: str | None

class _ClusterDescription(TypedDict):
    brokers: list[_BrokerDescription]
    cluster_id: str
    controller_id: int

class AIOKafkaAdminClient:
    def __init__(
        self,
        *,
        bootstrap_servers: str | list[str] = "localhost",
        client_id: str = ...,
        request_timeout_ms: int = 40000,
        connections_max_idle_ms: int = 540000,
        retry_backoff_ms: int = 100,
        metadata_max_age_ms: int = 300000,
        security_protocol: Literal["PLAINTEXT", "SSL"] = "PLAINTEXT",
        ssl_context: ssl.SSLContext | None = None,
    ) -> None: ...
    async def start(self) -> None: ...
    async def close(self) -> None: ...
    async def create_topics(
        self,
        new_topics: Sequence[NewTopic],
        timeout_ms: int | None = None,
        validate_only: bool = False,
    ) -> _CreateTopicsResponse: ...
    async def delete_topics(
        self, topics: list[str], timeout_ms: int | None = None
    ) -> _DeleteTopicsResponse: ...
    async def list_topics(self) -> list[str]: ...
    async def describe_topics(self, topics: list[str] | None = None) -> list[_TopicDescription]: ...
    async def describe_cluster(self) -> _ClusterDescription: ...
    async def describe_configs(
        self, config_resources: Sequence[ConfigResource], include_synonyms: bool = False
    ) -> list[_DescribeConfigsResponse]: ...
    async def alter_configs(
        self, config_resources: Sequence[ConfigResource]
    ) -> list[_AlterConfigsResponse]: ...
    async def create_partitions(
        self,
        topic_partitions: Mapping[str, NewPartitions],
        timeout_ms: int | None = None,
        validate_only: bool = False,
    ) -> _CreatePartitionsResponse: ...
    async def list_consumer_groups(
        self, broker_ids: list[int] | None = None
    ) -> list[tuple[str, str]]: ...
    async def find_coordinator(self, group_id: str, coordinator_type: int = 0) -> int: ...
    async def list_consumer_group_offsets(
        self,
        group_id: str,
        group_coordinator_id: int | None = None,
        partitions: list[TopicPartition] | None = None,
    ) -> dict[TopicPartition, OffsetAndMetadata]: ...
    async def delete_records(
        self,
        records_to_delete: Mapping[TopicPartition, RecordsToDelete],
        timeout_ms: int | None = None,
    ) -> dict[TopicPartition, int]: ...
