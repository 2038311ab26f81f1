"""Where commands read from, and that what they read is what was stored."""

import os
import time
from pathlib import Path

import pytest

from sahrat.log.memory import MemoryLog
from sahrat.log.port import Draft
from sahrat.log.sqlite import SqliteLog
from sahrat.messages import topics
from sahrat.messages.topics import partition_of
from services.house.folder import Address, Folder
from services.house.problem import Problem
from services.house.source import (
    Embedded,
    House,
    Kafka,
    LogSource,
    house_url,
    kind_of,
    locate,
    open_source,
    sound_match_id,
)

MATCH = "01890a5d-ac96-774b-bcce-b302099a8057"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setenv("SAHRAT_DATA", str(tmp_path))
    monkeypatch.delenv("SAHRAT_KAFKA", raising=False)
    return Folder(tmp_path)


def _runs(folder: Folder, kafka: str | None = None) -> None:
    folder.publish(
        Address(
            url="http://127.0.0.1:8000",
            urls=("http://127.0.0.1:8000",),
            pid=os.getpid(),
            log="kafka" if kafka else "embedded",
            health="http://127.0.0.1:8000/health",
            kafka=kafka,
        )
    )


def _has_log(folder: Folder) -> None:
    folder.log.mkdir()
    (folder.log / "log.sqlite3").touch()


@pytest.mark.parametrize("runs", [True, False])
def test_by_default_the_log_in_the_folder_whether_its_house_runs_or_not(
    folder: Folder, runs: bool
) -> None:
    _has_log(folder)
    if runs:
        _runs(folder)
        assert house_url(None, None) == "http://127.0.0.1:8000"
    assert locate(None, None, None) == Embedded(folder)
    assert locate(None, folder.path, None) == Embedded(folder)
    assert locate(None, None, "embedded") == Embedded(folder)


def test_a_house_on_kafka_is_read_from_its_broker(folder: Folder) -> None:
    _has_log(folder)
    _runs(folder, kafka="127.0.0.1:9092")
    assert locate(None, None, None) == Kafka("127.0.0.1:9092", folder)
    assert locate(None, None, "kafka") == Kafka("127.0.0.1:9092", folder)
    assert locate(None, None, "embedded") == Embedded(folder)


def test_of_two_logs_in_a_folder_the_last_houses_is_read(folder: Folder) -> None:
    """After a house on Kafka had stopped, the read models were made anew from the embedded log."""
    _has_log(folder)
    folder.note_log("embedded")
    (folder.kafka / "data").mkdir(parents=True)
    (folder.kafka / "ports").touch()
    folder.note_log("kafka")
    later_s = time.time() + 5
    os.utime(folder.path / "kafka.begun", (later_s, later_s))
    assert folder.last_log() == "kafka"
    assert locate(None, None, None) == Kafka(None, folder)
    assert locate(None, None, "embedded") == Embedded(folder)
    os.utime(folder.path / "embedded.begun", (later_s + 5, later_s + 5))
    assert locate(None, None, None) == Embedded(folder)


def test_each_log_has_read_models_of_its_own(folder: Folder) -> None:
    assert folder.postgres("embedded") != folder.postgres("kafka")
    assert kind_of(Embedded(folder)) == "embedded"
    assert kind_of(Kafka(None, folder)) == "kafka"


def test_a_broker_that_does_not_run_is_started_for_it(folder: Folder) -> None:
    (folder.kafka / "data").mkdir(parents=True)
    (folder.kafka / "ports").touch()
    assert locate(None, None, None) == Kafka(None, folder)
    assert locate(None, None, "kafka") == Kafka(None, folder)


def test_somebody_elses_broker_is_not_started(folder: Folder) -> None:
    (folder.kafka / "data").mkdir(parents=True)
    for kind in (None, "kafka"):
        with pytest.raises(Problem, match="sahrat run"):
            locate(None, None, "kafka" if kind else None)


def test_a_broker_that_is_named_comes_first(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAHRAT_KAFKA", "broker:9092")
    _runs(folder, kafka="127.0.0.1:9092")
    assert locate(None, None, "kafka") == Kafka("broker:9092", folder)


def test_an_address_is_taken_as_it_is() -> None:
    assert locate("http://play.example/", None, None) == House("http://play.example")


@pytest.mark.parametrize(
    ("url", "data", "kind", "told"),
    [
        ("http://x", Path(), None, "leave out --data"),
        ("http://x", None, "kafka", "leave out --data"),
        ("play.example", None, None, "not like http"),
        ("ftp://x", None, None, "not like http"),
        (None, None, None, "sahrat run"),
        (None, None, "kafka", "SAHRAT_KAFKA"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(
    url: str | None, data: Path | None, kind: object, told: str
) -> None:
    with pytest.raises(Problem, match=told) as problem:
        locate(url, data, "kafka" if kind else None)
    assert problem.value.exit_code == 2
    assert "\n" not in problem.value.message


def test_where_no_house_runs_there_is_no_address(folder: Folder) -> None:
    with pytest.raises(Problem, match="no house runs on"):
        house_url(None, folder.path)


async def test_records_come_as_stored_in_order_and_each_once() -> None:
    log = MemoryLog()
    await log.start()
    other = next(
        name
        for name in (f"{MATCH[:-3]}{number:03x}" for number in range(1000))
        if name != MATCH and partition_of(name) == partition_of(MATCH)
    )
    await log.append(
        topics.EVENTS,
        partition_of(MATCH),
        [
            Draft(MATCH.encode(), b"1"),
            Draft(other.encode(), b"x"),
            Draft(MATCH.encode(), b"2"),
            Draft(MATCH.encode(), b"1"),  # again, by an owner that did not know
            Draft(MATCH.encode(), b"2"),
            Draft(MATCH.encode(), b"not 2"),  # to be seen by whoever checks
        ],
    )
    assert await LogSource(log).records(MATCH) == (b"1", b"2", b"not 2")
    assert await LogSource(log).records(MATCH[:-1] + "f") == ()
    await log.close()


async def test_a_folder_is_read_while_its_house_runs_and_after(folder: Folder) -> None:
    log = SqliteLog(folder.log)
    await log.start()
    await log.append(topics.EVENTS, partition_of(MATCH), [Draft(MATCH.encode(), b"1")])
    async with open_source(Embedded(folder)) as source:
        assert await source.records(MATCH) == (b"1",)
    await log.close()
    async with open_source(Embedded(folder)) as source:
        assert await source.records(MATCH) == (b"1",)


@pytest.mark.parametrize("text", ["", "x", MATCH[:-1], MATCH + "0", "../" + MATCH])
def test_what_is_no_matchs_id_is_told(text: str) -> None:
    with pytest.raises(Problem, match="no match's id"):
        sound_match_id(text)
    assert sound_match_id(f" {MATCH.upper()}\n") == MATCH
