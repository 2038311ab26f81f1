"""The codec: a message, or why it is none; also of what nobody of ours would write (F15, T24)."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import orjson
import pytest

from sahrat.games import schemas
from sahrat.messages.codec import FAULTS, FromTheFuture, Poison, encode
from sahrat.messages.envelope import RECORD_BYTES
from sahrat.messages.topics import RECORD_LIMIT_BYTES

SAMPLES = Path(__file__).resolve().parents[3] / "schemas" / "samples"


def sample(name: str) -> Any:
    return orjson.loads((SAMPLES / f"{name}.json").read_bytes())


def poison(topic: str, message: Any) -> Poison:
    with pytest.raises(Poison) as told:
        schemas.TOPICS[topic].decode(orjson.dumps(message))
    return told.value


@pytest.mark.parametrize("topic", ["intent", "record", "answer", "pulse", "command"])
def test_T24_what_is_larger_than_any_message_of_ours_is_not_parsed(topic: str) -> None:
    message = b'{"v":1,"x":"' + b"x" * RECORD_BYTES + b'"}'
    with pytest.raises(Poison) as told:
        schemas.TOPICS[topic].decode(message)
    assert told.value.reason == "too-large"


def test_T24_a_record_full_of_faults_is_poison_and_costs_little() -> None:
    """Its faults, listed, would be seconds and half a gigabyte."""
    entry = sample("journal/entry")
    entry["postings"] = [{}] * (RECORD_LIMIT_BYTES // 4)
    value = orjson.dumps(entry)
    tracemalloc.start()
    with pytest.raises(Poison) as told:
        schemas.TOPICS["journal"].decode(value)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert told.value.reason == "too-many-faults"
    assert not isinstance(told.value, FromTheFuture)
    assert peak < 100_000_000


def test_T24_as_many_faults_as_are_looked_at_tell_what_is_wrong() -> None:
    intent = sample("intent/table.open")
    intent.update({f"later_{n}": 1 for n in range(FAULTS)})
    assert isinstance(poison("intent", intent), FromTheFuture)
    intent["one_more"] = 1
    assert poison("intent", intent).reason == "too-many-faults"


def test_F30_a_message_takes_the_memory_of_its_bytes() -> None:
    """A log keeps thousands at hand: with the library's own bytes each of them took 4 kB."""
    message = schemas.TOPICS["intent"].decode(orjson.dumps(sample("intent/clock.tick")))
    tracemalloc.start()
    kept = [encode(message) for _ in range(1000)]
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < 2 * sum(map(len, kept))
