"""Dead letters: any record at all has one, and the letter fits into a record."""

from __future__ import annotations

import base64

import pytest

from sahrat.games import wire
from sahrat.messages.dead import KEPT_BYTES, dead_letter, plain
from sahrat.messages.stored import Stored
from sahrat.messages.topics import INTENTS, RECORD_LIMIT_BYTES


def stored(key: bytes, value: bytes) -> Stored:
    return Stored(INTENTS.name, 3, 7, 1_800_000_000_000, key, value)


def test_a_letter_names_the_record_and_holds_its_bytes() -> None:
    draft = dead_letter("rules", stored(b"k\0", b"\xff{"), "json-invalid", "line 1")
    letter = wire.DEAD_LETTERS.decode(draft.value)
    assert draft.key == b"k\0"
    assert (letter.reader, letter.topic, letter.partition, letter.offset) == (
        "rules",
        INTENTS.name,
        3,
        7,
    )
    assert (letter.reason, letter.detail) == ("json-invalid", "line 1")
    assert base64.b64decode(letter.key_base64) == b"k\0"
    assert base64.b64decode(letter.value_base64) == b"\xff{"


@pytest.mark.parametrize(
    ("key_bytes", "value_bytes"),
    [(36, RECORD_LIMIT_BYTES - 36), (RECORD_LIMIT_BYTES, 0), (500_000, 500_000)],
    ids=["long-value", "long-key", "both"],
)
def test_the_largest_record_has_a_letter_that_can_be_stored(
    key_bytes: int, value_bytes: int
) -> None:
    record = stored(b"k" * key_bytes, b"v" * value_bytes)
    draft = dead_letter("projection", record, "json-invalid", "x" * 500)
    assert len(draft.key) + len(draft.value) <= RECORD_LIMIT_BYTES
    letter = wire.DEAD_LETTERS.decode(draft.value)
    kept = base64.b64decode(letter.value_base64)
    assert kept == record.value[:KEPT_BYTES]
    assert (f"the first {KEPT_BYTES} of {value_bytes} bytes" in letter.detail) == (
        value_bytes > KEPT_BYTES
    )


def test_C35_a_detail_of_any_origin_becomes_plain_text() -> None:
    assert plain("a\0b\n\u202ec\ud800 ساحة") == "a?b??c? ساحة"
    assert len(plain("x" * 1000)) == 200
