"""A real broker and a real database for tests: the first of three places that has one.

1. An address in the environment (`SAHRAT_TEST_KAFKA`, `SAHRAT_TEST_POSTGRES`).
2. A container, where a Docker engine answers.
3. The recipe that `sahrat run` uses on a machine without either.

Imports are made where a place is tried, so that tests that need no server load none of it.
"""

import contextlib
import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Never

import pytest

KAFKA: Final = "Kafka"
POSTGRES: Final = "PostgreSQL"
KAFKA_VARIABLE: Final = "SAHRAT_TEST_KAFKA"
POSTGRES_VARIABLE: Final = "SAHRAT_TEST_POSTGRES"
KAFKA_IMAGE: Final = "apache/kafka:4.3.1"
POSTGRES_IMAGE: Final = "postgres:18"
CONTAINER_START_S: Final = 120
ENGINE_ANSWER_S: Final = 10
POSTGRES_WORD: Final = "sahrat"


def missing(part: str, why: object) -> Never:
    """End the test for want of a part: where CI is set as a failure, elsewhere as a skip."""
    if os.environ.get("CI"):
        pytest.fail(f"no {part}: {why}", pytrace=False)
    pytest.skip(f"no {part}: {why}")


@contextlib.contextmanager
def kafka() -> Iterator[str]:
    """Run a broker; yield its bootstrap address."""
    if address := os.environ.get(KAFKA_VARIABLE):
        yield address
    elif _engine_answers():
        with _kafka_container() as address:
            yield address
    else:
        with _local(KAFKA) as address:
            yield address


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """Run a database server; yield a dsn whose user may make databases."""
    if dsn := os.environ.get(POSTGRES_VARIABLE):
        yield dsn
    elif _engine_answers():
        with _postgres_container() as dsn:
            yield dsn
    else:
        with _local(POSTGRES) as dsn:
            yield dsn


def _engine_answers() -> bool:
    """Tell whether a Docker engine does; the client alone, as many machines have it, is not one."""
    asked = ["docker", "version", "--format", "{{.Server.Version}}"]
    try:
        answer = subprocess.run(asked, capture_output=True, check=False, timeout=ENGINE_ANSWER_S)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def _kafka_container() -> Iterator[str]:
    from testcontainers.core.container import DockerContainer
    from testcontainers.core.wait_strategies import LogMessageWaitStrategy

    # A broker tells its clients where it is, so its port outside is known before it starts.
    port = _free_port()
    settings = {
        "NODE_ID": "1",
        "PROCESS_ROLES": "broker,controller",
        "CONTROLLER_QUORUM_VOTERS": "1@localhost:9093",
        "CONTROLLER_LISTENER_NAMES": "CONTROLLER",
        "LISTENERS": f"PLAINTEXT://0.0.0.0:{port},CONTROLLER://localhost:9093",
        "ADVERTISED_LISTENERS": f"PLAINTEXT://localhost:{port}",
        "LISTENER_SECURITY_PROTOCOL_MAP": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "OFFSETS_TOPIC_REPLICATION_FACTOR": "1",
        "TRANSACTION_STATE_LOG_REPLICATION_FACTOR": "1",
        "TRANSACTION_STATE_LOG_MIN_ISR": "1",
        "SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR": "1",
        "SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR": "1",
        "GROUP_INITIAL_REBALANCE_DELAY_MS": "0",
        "AUTO_CREATE_TOPICS_ENABLE": "false",
    }
    broker = DockerContainer(KAFKA_IMAGE).with_bind_ports(port, port)
    for name, value in settings.items():
        broker = broker.with_env(f"KAFKA_{name}", value)
    started = LogMessageWaitStrategy("Kafka Server started")
    broker.waiting_for(started.with_startup_timeout(CONTAINER_START_S))
    with broker:
        yield f"{broker.get_container_host_ip()}:{port}"


@contextlib.contextmanager
def _postgres_container() -> Iterator[str]:
    from testcontainers.community.postgres import PostgresContainer

    with PostgresContainer(
        POSTGRES_IMAGE, username="sahrat", password=POSTGRES_WORD, dbname="sahrat", driver=None
    ) as server:
        yield server.get_connection_url()


@contextlib.contextmanager
def _local(part: str) -> Iterator[str]:
    """Run this machine's own Kafka or PostgreSQL; yield its address."""
    try:
        from services.house.local.errors import LocalError
        from services.house.local.kafka import LocalKafka
        from services.house.local.postgres import LocalPostgres
    except ImportError as fault:
        missing(part, fault)
    kinds: dict[str, type[LocalKafka | LocalPostgres]] = {
        KAFKA: LocalKafka,
        POSTGRES: LocalPostgres,
    }
    with _folder(part.lower()) as folder:
        server = kinds[part](folder)
        try:
            address = server.start()
        except LocalError as fault:
            missing(part, fault)
        try:
            yield address
        finally:
            server.stop()


@contextlib.contextmanager
def _folder(part: str) -> Iterator[Path]:
    """Make a folder outside pytest's own, which the plain user of root's database may not enter.

    Its path is short, since a socket's may have about a hundred characters.
    """
    with tempfile.TemporaryDirectory(
        prefix=f"sahrat-{part}-", ignore_cleanup_errors=True
    ) as folder:
        Path(folder).chmod(0o711)
        yield Path(folder) / part
