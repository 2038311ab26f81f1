"""Inputs that once did what none may, by target and by name. Every run begins with them, and so do
the tests. What was found is only ever added to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_RECORD: Final = (
    b'{"v":1,"seq":1,"at_ms":0,"caused_by":{"at_ms":0},"prev":"' + b"0" * 64 + b'","events":['
)
_ENTRY: Final = b'{"type":"entry","v":1,"postings":[' + b",".join([b"{}"] * 1300) + b"]}"

FOUND: Final[Mapping[str, Mapping[str, bytes]]] = {
    "socket": {
        "an-unended-text-of-quotes": b"[" * 9 + b'"' + b'\\"' * 2040,
        "unended-texts-of-a-quote": b"[" * 9 + b'"\\' * 2040,
        "wrong-options-by-the-hundred": (
            b'{"type":"open","options":{' + b",".join(b'"%x":-1' % n for n in range(440)) + b"}}"
        ),
    },
    "journal": {"postings-that-are-none": _ENTRY},
    "verify": {
        "a-record-without-events": _RECORD + b"]}",
        "events-deeper-than-can-be-written": _RECORD + b"[" * 300 + b"]" * 300 + b"]}",
        "lines-that-are-no-records": _RECORD + b"]}" + b"\nx" * 3_000,
    },
}
