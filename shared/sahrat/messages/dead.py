"""Dead letters: what a reader writes of a record that it could not read, for people to look at."""

from __future__ import annotations

import base64
from typing import Final

from sahrat.messages.base import DETAIL_CHARS
from sahrat.messages.codec import encode
from sahrat.messages.envelope import DeadLetter
from sahrat.messages.stored import Draft, Stored
from sahrat.messages.topics import RECORD_LIMIT_BYTES

KEPT_BYTES: Final = 512 * 1024  # base64 makes a third more of it, and a letter is a record too
KEPT_KEY_BYTES: Final = 1024  # stands there twice: as the letter's key, and in it

assert (KEPT_BYTES + KEPT_KEY_BYTES) * 4 // 3 + KEPT_KEY_BYTES + 4096 < RECORD_LIMIT_BYTES


def dead_letter(reader: str, stored: Stored, reason: str, detail: str) -> Draft:
    """Return the letter about a record, ready to append; it always fits into a record.

    Args:
        reader: Who could not read it.
        stored: The record. Of a very large one the letter holds the beginning, and says so; the
            whole is where the letter says that it came from.
        reason: A short name, as in `Poison.reason`.
        detail: What is wrong and where, for people; anything unprintable becomes `?`.
    """
    if len(stored.value) > KEPT_BYTES:
        detail = f"the first {KEPT_BYTES} of {len(stored.value)} bytes; {detail}"
    letter = DeadLetter(
        reader=reader,
        topic=stored.topic,
        partition=stored.partition,
        offset=stored.offset,
        reason=reason,
        detail=plain(detail),
        key_base64=base64.b64encode(stored.key[:KEPT_KEY_BYTES]).decode(),
        value_base64=base64.b64encode(stored.value[:KEPT_BYTES]).decode(),
    )
    return Draft(stored.key[:KEPT_KEY_BYTES], encode(letter))


def plain(text: str) -> str:
    """Return a text of any origin as a detail may be: one short line of printable characters."""
    return "".join(c if c.isprintable() else "?" for c in text)[:DETAIL_CHARS]
