"""A folder for a house, the programs that a house starts by itself, and read models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.house.local import binaries, jars, kafka
from services.house.local.account import server_account
from services.house.local.errors import LocalError
from services.projection.rebuild import rebuild
from tests import servers
from tests.integration.projecting import filled
from tests.integration.running import folder, gone


@pytest.fixture(scope="session")
def own_kafka() -> None:
    """What a house's own broker needs."""
    try:
        kafka.java_command()
        jars.kafka_jars()
    except LocalError as fault:
        servers.missing("Kafka", fault)


@pytest.fixture(scope="session")
def own_postgres() -> None:
    """What a house's own database needs."""
    try:
        binaries.find_binaries(server_account())
    except LocalError as fault:
        servers.missing("PostgreSQL", fault)


@pytest.fixture
async def database(postgres: str) -> str:
    """Read models without a match."""
    await rebuild(await filled({}), postgres)
    return postgres


@pytest.fixture
def data() -> Iterator[Path]:
    """A house's folder; at the end nobody may work on it any more."""
    with folder() as path:
        yield path
        assert gone(path) == []
