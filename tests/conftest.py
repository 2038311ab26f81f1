"""What all tests share: the broker, the database, and how hypothesis behaves."""

import contextlib
import itertools
import os
from collections.abc import Iterator
from typing import Final

import hypothesis
import psycopg
import pytest
from psycopg import conninfo, sql

from tests import servers

SERVICES: Final = ("kafka", "postgres")

# The files that take longest, for the most part of it waiting: begun first, so that none of them is
# alone at work when everything else is done.
LONGEST: Final = (
    "test_simulate",
    "test_chaos",
    "test_play",
    "test_local_postgres",
    "test_projection",
    "test_projection_outage",
    "test_local_kafka",
    "test_kills_absent",
    "test_run_kafka",
    "test_play_kafka",
    "test_kills_wallet",
    "test_projection_rebuild",
    "test_run",
    "test_log_kafka_faults",
    "test_kills_embedded",
    "test_audit_house",
)

# No deadline, for an example or for making some: on a machine that also runs a broker a slow one
# says nothing about the code.
hypothesis.settings.register_profile(
    "sahrat",
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    print_blob=True,
)
hypothesis.settings.load_profile("sahrat")

_numbers = itertools.count(1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what asks for a service, before the marks decide what runs; put the longest first."""
    for item in items:
        asked = getattr(item, "fixturenames", ())
        for service in SERVICES:
            if service in asked or f"{service}_server" in asked:
                item.add_marker(service)
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else 99)


@pytest.fixture(scope="session")
def kafka() -> Iterator[str]:
    """The bootstrap address of a broker, one for all tests of a worker: topics are theirs to name.

    A test that stops or fills a broker starts its own.
    """
    with servers.kafka() as address:
        yield address


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The dsn of a database server, one for all tests of a worker."""
    with servers.postgres() as dsn:
        yield dsn


@pytest.fixture
def postgres(postgres_server: str) -> Iterator[str]:
    """The dsn of an empty database, dropped after the test."""
    name = f"sahrat_test_{os.getpid()}_{next(_numbers)}"
    with contextlib.closing(psycopg.connect(postgres_server, autocommit=True)) as connection:
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        try:
            yield conninfo.make_conninfo(postgres_server, dbname=name)
        finally:
            drop = sql.SQL("drop database if exists {} with (force)")
            connection.execute(drop.format(sql.Identifier(name)))
