"""The recovery code: what a person writes down to be himself on another phone.

Player id and account key in Crockford's base 32, with a checksum so that a slip of the pen is told
from a code of somebody else. Source: Crockford, Base 32 (the letters I, L, O, U are left out, and
what looks like a digit is read as one).
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final
from uuid import UUID

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
ID_BYTES: Final = 16
KEY_BYTES: Final = 16  # of the 32 of an account key: 128 bits can't be guessed, and fit on paper
CHECK_CHARS: Final = 3
GROUP: Final = 5
CODE_CHARS: Final = 55

_BITS: Final = 5
_BODY_CHARS: Final = -(-8 * (ID_BYTES + KEY_BYTES) // _BITS)
_READ: Final = {
    **{letter: value for value, letter in enumerate(ALPHABET)},
    "O": 0,
    "I": 1,
    "L": 1,
}

assert _BODY_CHARS + CHECK_CHARS == CODE_CHARS
assert CODE_CHARS % GROUP == 0


def write(player_id: str, key: bytes) -> str:
    """Return the code of a player's account key, in eleven groups of five."""
    body = UUID(player_id).bytes + key[:KEY_BYTES]
    text = _letters(int.from_bytes(body), _BODY_CHARS) + _check(body)
    return "-".join(text[start : start + GROUP] for start in range(0, CODE_CHARS, GROUP))


def read(code: str) -> tuple[str, bytes] | None:
    """Return the player id and the beginning of the account key; None for a slip of the pen."""
    text = [letter for letter in code.upper() if letter not in "- "]
    if len(text) != CODE_CHARS or any(letter not in _READ for letter in text):
        return None
    number = 0
    for letter in text[:_BODY_CHARS]:
        number = number << _BITS | _READ[letter]
    if number.bit_length() > 8 * (ID_BYTES + KEY_BYTES):
        return None
    body = number.to_bytes(ID_BYTES + KEY_BYTES)
    if [_READ[letter] for letter in _check(body)] != [
        _READ[letter] for letter in text[-CHECK_CHARS:]
    ]:
        return None
    return str(UUID(bytes=body[:ID_BYTES])), body[ID_BYTES:]


def _check(body: bytes) -> str:
    return _letters(int.from_bytes(sha256(b"sahrat-recovery-v1|" + body).digest()), CHECK_CHARS)


def _letters(number: int, count: int) -> str:
    """Return the lowest `count` digits of a number in base 32."""
    return "".join(ALPHABET[number >> _BITS * place & 31] for place in reversed(range(count)))
