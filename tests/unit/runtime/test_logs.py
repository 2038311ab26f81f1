import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog
from aiokafka.errors import (
    GroupCoordinatorNotAvailableError,
    KafkaError,
    RequestTimedOutError,
    UnsupportedVersionError,
)

from sahrat.dice import Secret
from sahrat.runtime import logs
from sahrat.runtime.settings import LogForm

SECRET = Secret(b"s" * 32)


@pytest.fixture
def out() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield io.StringIO()
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def _lines(out: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_line_is_json_and_says_who_what_and_which(out: io.StringIO) -> None:
    logs.configure("rules-1", stream=out)
    structlog.get_logger("rules").info("serving", partition=3, match="m", seq=7, intent="i")
    (line,) = _lines(out)
    assert list(line)[:5] == ["at", "level", "service", "logger", "event"]
    assert line | {"at": ""} == {
        "at": "",
        "level": "info",
        "service": "rules-1",
        "logger": "rules",
        "event": "serving",
        "partition": 3,
        "match": "m",
        "seq": 7,
        "intent": "i",
    }


def test_libraries_are_logged_in_the_same_form_from_warnings_on(out: io.StringIO) -> None:
    logs.configure("rules", stream=out)
    logging.getLogger("aiokafka.conn").info("chatter")
    logging.getLogger("aiokafka.conn").warning("lost %s", "broker")
    logging.getLogger("services.house.local").info("fetching")
    assert [(line["logger"], line["event"]) for line in _lines(out)] == [
        ("aiokafka.conn", "lost broker"),
        ("services.house.local", "fetching"),
    ]


def test_what_a_library_says_over_and_over_is_held_back_and_counted(
    out: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs.configure("rules", stream=out)
    client = logging.getLogger("aiokafka")
    for try_number in range(100):
        client.error("Unable connect to node with id %s", try_number)
        client.error("Unable to update metadata")
    logging.getLogger("aiokafka.conn").error("Unable to update metadata")
    for _ in range(2):
        structlog.get_logger("rules").error("alarm")
    monkeypatch.setattr(logs, "SELDOM_S", 0.0)
    client.error("Unable connect to node with id %s", 100)
    assert [(line["event"], line.get("held_back")) for line in _lines(out)] == [
        ("Unable connect to node with id 0", None),
        ("Unable to update metadata", None),
        ("Unable to update metadata", None),
        ("alarm", None),
        ("alarm", None),
        ("Unable connect to node with id 100", 99),
    ]


def test_what_kafkas_client_tries_again_by_itself_is_no_error(out: io.StringIO) -> None:
    logs.configure("rules", stream=out)
    client = logging.getLogger("aiokafka.consumer.group_coordinator")
    client.error("Group Coordinator Request failed: %s", GroupCoordinatorNotAvailableError())
    client.warning("Marking the coordinator dead (node %s)for group %s.", 1, "rules")
    client.warning("Heartbeat poll expired, leaving the group")
    client.error("Heartbeat send request failed: %s. Will retry.", RequestTimedOutError())
    client.error("Group Coordinator Request failed: %s", UnsupportedVersionError())
    client.error("Unexpected error in join group '%s' response: %s", "rules", KafkaError())
    assert [(line["level"], line["event"]) for line in _lines(out)] == [
        ("warning", "Heartbeat poll expired, leaving the group"),
        ("warning", "Heartbeat send request failed: [Error 7] RequestTimedOutError. Will retry."),
        ("error", "Group Coordinator Request failed: [Error 35] UnsupportedVersionError"),
        ("error", "Unexpected error in join group 'rules' response: KafkaError"),
    ]


def test_below_the_level_nothing_is_written(out: io.StringIO) -> None:
    logs.configure("rules", level="error", stream=out)
    structlog.get_logger("rules").warning("no")
    structlog.get_logger("rules").error("yes")
    assert [line["event"] for line in _lines(out)] == ["yes"]


@pytest.mark.parametrize("form", ["json", "console"])
def test_no_secret_is_written(out: io.StringIO, form: LogForm) -> None:
    logs.configure("rules", form=form, stream=out)
    value = SECRET.reveal()

    def judge() -> None:
        secret, held = value, SECRET
        raise ValueError(len(secret) + len(repr(held)))

    log = structlog.get_logger("rules")
    log.info("masked by its name", token=value, password=value, dsn=value)
    log.info("masked by its type", held=SECRET)
    try:
        judge()
    except ValueError:
        log.exception("a traceback without the values of variables")
        logging.getLogger("aiohttp.server").exception("a library's too")
    assert value not in out.getvalue()
    assert "(masked)" in out.getvalue()
    assert out.getvalue().count("Traceback") == 2


def test_a_text_with_line_breaks_stays_one_line(out: io.StringIO) -> None:
    logs.configure("rules", stream=out)
    structlog.get_logger("rules").info("x", detail="a\nb\u2028c")
    assert len(out.getvalue().splitlines()) == 1
