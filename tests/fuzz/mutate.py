"""Changes inputs at random: as bytes, as JSON, as lines of a chain."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from random import Random
from typing import Any, Final

import orjson

from sahrat.messages.envelope import GENESIS

_PREV: Final = re.compile(rb'"prev":"[0-9a-f]{64}"')
_MARK: Final = "\ue000"  # stands for a piece of text until the JSON around it is written
WRITTEN_DEPTH: Final = 200  # the JSON library writes no deeper than 254

SOUND: Final = (
    *(b"null", b"true", b"false", b"0", b"-0", b"-1", b"1.0", b"0.1", b"1e0", b"1e300", b"-1e-300"),
    *(b"9007199254740991", b"9007199254740992", b"18446744073709551615", b"18446744073709551616"),
    *(b"-9223372036854775809", b"1" + b"0" * 30, b"[]", b"{}", b'""', b'"1"', b'"-1"', b'"00"'),
    *(b'"\\u0000"', b'"ab\\u0000c"', b'"1\\n"', b'"18446744073709551616"', b'"\xd9\xa1"'),
    *(b'"\xe2\x80\xae"', b'"\xef\xbb\xbf"', b'"\xe2\x80\x8b"', b'"\xc2\x85"', b'"\\u061c"'),
    *(b'"' + b"x" * 300 + b'"', b'"' + b"9" * 400 + b'"', b"[" * 9 + b"]" * 9, b'{"":0}'),
    *(b"[" * 300 + b"]" * 300, b'{"a":' * 100 + b"1" + b"}" * 100, b"[0,0,0,0,0,0,0,0,0,0]"),
    *(b'{"__class__":"x"}', b'{"type":"ludo.roll"}', b'{"type":"later.type"}', b'"later"'),
)
"""Pieces of JSON in the place of a value."""
UNSOUND: Final = (
    *(b"1e400", b"-1e999", b"9" * 5000, b"NaN", b"Infinity", b"-Infinity", b"01", b"+1", b"0x10"),
    *(b"1_000", b"\xd9\xa1", b"undefined", b"", b" ", b'"\\ud800"', b'"\\udc00\\ud800"', b'"\xff"'),
    *(b'"\xc3\x28"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"', b'"\x00"', b'"\n"', b'"\\x41"'),
    *(b'"\\u12"', b'"', b'[["\\\\\\"', b'{"a":1,"a":2}', b"[1,]", b"//", b"[" * 1025, b"{" * 600),
)
"""What is no JSON, or no JSON of ours."""
WORDS: Final = (b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\x00", b"\n", b"\r\n", b"\xff")
NAMES: Final = ("v", "type", "seq", "__proto__", "later_field", "\x00", "", "Type", "x" * 200)


class Mutator:
    """Changes inputs.

    Args:
        chance: All choices follow from it.
        lines: An input is several messages, one a line.
        chained: Lines name each the digest of the one before.
        most_bytes: Longer ones are cut.
    """

    def __init__(
        self, chance: Random, *, lines: bool = False, chained: bool = False, most_bytes: int
    ) -> None:
        self._chance = chance
        self._lines = lines
        self._chained = chained
        self._most = most_bytes

    def mutate(self, data: bytes, other: bytes) -> bytes:
        """Return an input like `data`, perhaps with something of `other` in it."""
        for _ in range(self._chance.choice((1, 1, 1, 2, 3, 5))):
            data = self._by_lines(data, other) if self._lines else self._once(data, other)
        if self._chained and self._chance.random() < 0.7:
            data = chained(data)
        return data[: self._most]

    def _once(self, data: bytes, other: bytes) -> bytes:
        if self._chance.random() < 0.2:  # what is no JSON ends soon
            return self._bytes(data, other)
        try:
            return self._json(orjson.loads(data), other)
        except ValueError:
            return self._bytes(data, other)

    # ---- lines

    def _by_lines(self, data: bytes, other: bytes) -> bytes:
        lines = data.split(b"\n")
        others = other.split(b"\n")
        at = self._chance.randrange(len(lines))
        match self._chance.randrange(8):
            case 0:
                lines.insert(at, self._chance.choice(lines))
            case 1:
                del lines[at]
            case 2:
                with_it = self._chance.randrange(len(lines))
                lines[at], lines[with_it] = lines[with_it], lines[at]
            case 3:
                lines.insert(at, self._chance.choice(others))
            case _:
                lines[at] = self._once(lines[at], self._chance.choice(others))
        return b"\n".join(lines)

    # ---- bytes

    def _bytes(self, data: bytes, other: bytes) -> bytes:
        chance, raw = self._chance, bytearray(data)
        begin = chance.randrange(len(raw) + 1)
        end = min(len(raw), begin + chance.choice((0, 1, 1, 2, 8, 64, 1024)))
        match chance.randrange(7):
            case 0 if raw:
                raw[begin % len(raw)] ^= 1 << chance.randrange(8)
            case 1 if raw:
                raw[begin % len(raw)] = chance.randrange(256)
            case 2:
                del raw[begin:end]
            case 3:
                raw[begin:begin] = raw[begin:end] * chance.choice((1, 2, 50))
            case 4:
                raw[begin:end] = chance.choice(WORDS) * chance.choice((1, 1, 1, 9, 2000))
            case 5:
                raw[begin:end] = chance.choice(SOUND + UNSOUND)
            case _:
                cut = chance.randrange(len(other) + 1)
                raw[begin:] = other[cut:]
        return bytes(raw)

    # ---- JSON

    def _json(self, value: Any, other: bytes) -> bytes:
        """Change a value somewhere inside; what no JSON writer writes is put in afterwards."""
        places = [*_places(value)]
        if not places:
            return self._chance.choice(SOUND)
        hole = self._chance.choice(UNSOUND if self._chance.random() < 0.1 else SOUND)
        self._change(*self._chance.choice(places), other)
        try:
            return orjson.dumps(value).replace(orjson.dumps(_MARK), hole)
        except TypeError:  # deeper than can be written
            return self._bytes(other, other)

    def _change(self, holder: Any, key: Any, other: bytes) -> None:
        chance = self._chance
        match chance.randrange(9):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder[chance.choice(NAMES)] = holder.pop(key)
            case 2 if isinstance(holder, dict):
                holder[chance.choice(NAMES)] = chance.choice((_MARK, 1, None))
            case 2 | 3 if isinstance(holder, list):
                holder[key:key] = [holder[key]] * chance.choice((1, 2, 20, 300))
            case 4:
                holder[key] = self._near(holder[key])
            case 5:
                holder[key] = self._of_other(other)
            case 6:
                holder[key] = [holder[key]]
            case _:
                holder[key] = _MARK

    def _near(self, value: Any) -> Any:
        """Return a value of the same kind."""
        chance = self._chance
        if isinstance(value, bool) or value is None:
            return not value
        if isinstance(value, int):
            return value + chance.choice((-1, 1, 2**31, -(2**31), 7, 60_000, -60_000))
        if isinstance(value, str) and value:
            at = chance.randrange(len(value))
            return value[:at] + chance.choice("0aF٣é\x00\u202e ") + value[at + 1 :]
        return value

    def _of_other(self, other: bytes) -> Any:
        try:
            places = [*_places(orjson.loads(other))]
        except ValueError:
            return _MARK
        if not places:
            return _MARK
        holder, key = self._chance.choice(places)
        return holder[key]


def _places(value: Any, depth: int = 0) -> list[tuple[Any, Any]]:
    """Return every (object, key) and (list, index) of a value."""
    if depth > WRITTEN_DEPTH:
        return []
    found: list[tuple[Any, Any]] = []
    keys: Sequence[Any] = ()
    if isinstance(value, dict):
        keys = [*value]
    elif isinstance(value, list):
        keys = range(min(len(value), 50))
    for key in keys:
        found.append((value, key))
        found += _places(value[key], depth + 1)
    return found


def chained(data: bytes) -> bytes:
    """Make each line of an input name the digest of the line before."""
    prev, lines = GENESIS, []
    for line in data.split(b"\n"):
        lines.append(_PREV.sub(b'"prev":"%s"' % prev.encode(), line, count=1))
        prev = sha256(lines[-1]).hexdigest()
    return b"\n".join(lines)


Mutate = Callable[[bytes, bytes], bytes]
