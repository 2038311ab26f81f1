"""Fair dice: commit, deal, roll, and check afterwards. Rule D of `match/rules.md`, to the byte.

The house derives one secret for each match, publishes the commitment to it before any player's
number is known, and reveals it in the match's last event. Everything random in a match is an
HMAC-SHA256 under that secret, so anyone who has the log can compute it again.

Source: RFC 2104 (HMAC); Fisher and Yates' shuffle in Durstenfeld's order.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Annotated, Final, Never

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sahrat.messages.base import Digest, Name, UnixMs
from sahrat.messages.words import say

SECRET_BYTES: Final = 32
FACES: Final = 6
KEYS_LIMIT: Final = 100  # a rotation a month lasts eight years
_BYTE_VALUES: Final = 256


class Secret:
    """32 bytes that nobody may see before the match is over.

    Its text forms are masked, so that no log line, traceback or debugger prints it by accident,
    and it can't be pickled. `reveal` and `key` are the ways out.
    """

    __slots__ = ("_value",)

    def __init__(self, value: bytes) -> None:
        """Take the bytes.

        Raises:
            ValueError: They are not 32.
        """
        if len(value) != SECRET_BYTES:
            raise ValueError(f"a secret has {SECRET_BYTES} bytes")
        self._value = bytes(value)

    @classmethod
    def from_hex(cls, text: str) -> Secret:
        """Return the secret that a match's last event reveals.

        Raises:
            ValueError: It is not 64 hex digits.
        """
        if len(text) != 2 * SECRET_BYTES:
            raise ValueError(f"a secret has {2 * SECRET_BYTES} hex digits")
        try:
            return cls(bytes.fromhex(text))
        except ValueError:
            raise ValueError("a secret is written in hex digits") from None

    def key(self) -> bytes:
        """Return the bytes, to compute with."""
        return self._value

    def reveal(self) -> str:
        """Return them in lower-case hex, as the match's last event shows them."""
        return self._value.hex()

    def __repr__(self) -> str:
        """Say what it is, never its value."""
        return "Secret(masked)"

    def __eq__(self, other: object) -> bool:
        """Compare in a time that does not tell how much is equal."""
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self._value, other._value)

    def __hash__(self) -> int:
        """Hash without letting a dictionary's order or a dump show the bytes."""
        return hash((Secret, sha256(self._value).digest()))

    def __deepcopy__(self, memo: object) -> Secret:
        """Return itself: it never changes."""
        return self

    def __reduce__(self) -> Never:
        """Refuse to be pickled.

        Raises:
            TypeError: Always.
        """
        raise TypeError("a secret is not written anywhere")


def match_secret(master: Secret, match_id: str) -> Secret:
    """Return a match's secret, which only the holder of the master key can derive."""
    return Secret(_mac(master, f"sahrat-secret-v1|{match_id}"))


def commitment(secret: Secret, match_id: str) -> str:
    """Return the lower-case hex digest that stands in the match's first event."""
    text = f"sahrat-commit-v1|{match_id}|{secret.reveal()}"
    return sha256(text.encode()).hexdigest()


class SecretChance:
    """The chance of one running match, as `games.game.Chance` wants it."""

    __slots__ = ("_head", "_match_id", "_secret", "_tail")

    def __init__(self, secret: Secret, match_id: str, seat_numbers: Sequence[str]) -> None:
        """Take what all rolls of a match have in common.

        Args:
            secret: The match's own.
            match_id: So that equal numbers in two matches never give equal rolls.
            seat_numbers: The numbers that the phones gave on sitting down, in decimal, in the
                order of the seats as they were occupied when play began; empty for a bot.
        """
        self._secret = secret
        self._match_id = match_id
        self._head = f"sahrat-roll-v1|{match_id}|"
        self._tail = "|" + ".".join(seat_numbers) + "|"

    def die(self, index: int, seat: int, number: str) -> int:
        """Return the face 1..6 of roll `index` (0, 1, 2 ..).

        Bytes from 252 up are passed over, within a block and then in the next ones: 256 is no
        multiple of 6, and the low faces would be favoured.
        """
        limit = _even_limit(FACES)
        head = self._roll(index, seat, number)
        byte = _mac(self._secret, head + "0")[0]
        if byte >= limit:  # one roll in 64
            byte = next(byte for byte in _bytes(self._secret, head) if byte < limit)
        return byte % FACES + 1

    def cowries(self, index: int, seat: int, number: str, shells: int) -> int:
        """Return how many of `shells` (6 or 7) lie mouth up: one bit a shell, the lowest ones."""
        byte = _mac(self._secret, self._roll(index, seat, number) + "0")[0]
        return (byte & ((1 << shells) - 1)).bit_count()

    def lot(self, among: int) -> int:
        """Return one of 0 .. among - 1: the first byte that `among` divides evenly (rule D.9)."""
        limit = _even_limit(among)
        drawn = _bytes(self._secret, f"sahrat-start-v1|{self._match_id}{self._tail}")
        return next(byte for byte in drawn if byte < limit) % among

    def _roll(self, index: int, seat: int, number: str) -> str:
        return f"{self._head}{index}|{seat}|{number}{self._tail}"

    def __repr__(self) -> str:
        """Say whose chance it is, nothing of what it will bring."""
        return f"SecretChance({self._head!r})"


def deal(secret: Secret, match_id: str, seat_numbers: Sequence[str]) -> tuple[int, ...]:
    """Return who gets which seat: entry k is the sitter, by order of sitting down, of seat k.

    Args:
        secret: The match's own.
        match_id: The match.
        seat_numbers: In decimal, in the order in which the players sat down; empty for a bot.
    """
    drawn = _bytes(secret, f"sahrat-deal-v1|{match_id}|{'.'.join(seat_numbers)}|")
    dealt = list(range(len(seat_numbers)))
    for last in range(len(dealt) - 1, 0, -1):
        limit = _even_limit(last + 1)
        byte = next(byte for byte in drawn if byte < limit)
        other = byte % (last + 1)
        dealt[last], dealt[other] = dealt[other], dealt[last]
    return tuple(dealt)


# ---- what anybody can check once the secret is revealed


def commitment_holds(secret: Secret, match_id: str, committed: str) -> bool:
    """Tell whether the revealed secret is the one that the first event committed to."""
    return hmac.compare_digest(commitment(secret, match_id).encode(), committed.encode())


def deal_holds(
    secret: Secret, match_id: str, seat_numbers: Sequence[str], dealt: Sequence[int]
) -> bool:
    """Tell whether the seats were dealt as rule D says; numbers in order of sitting down."""
    return deal(secret, match_id, seat_numbers) == tuple(dealt)


def numbers_by_seat(seat_numbers: Sequence[str], dealt: Sequence[int]) -> tuple[str, ...]:
    """Turn the order of sitting down into that of the seats, which the rolls are made with."""
    return tuple(seat_numbers[sitter] for sitter in dealt)


# ---- blocks and bytes


def _mac(key: Secret, text: str) -> bytes:
    return hmac.digest(key.key(), text.encode(), "sha256")


def _bytes(secret: Secret, head: str) -> Iterator[int]:
    part = 0
    while True:
        yield from _mac(secret, f"{head}{part}")
        part += 1


def _even_limit(choices: int) -> int:
    """Return the number of byte values that `choices` divides evenly; those above are dropped."""
    return _BYTE_VALUES - _BYTE_VALUES % choices


# ---- master keys


class UnknownKey(LookupError):
    """No master key has this id, or none was valid yet at that time."""


class _KeyText(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", hide_input_in_errors=True)

    id: Name
    from_ms: UnixMs
    key: Annotated[Digest, Field(repr=False)]


class _KeysText(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", hide_input_in_errors=True)

    keys: Annotated[tuple[_KeyText, ...], Field(min_length=1, max_length=KEYS_LIMIT)]


class MasterKeys:
    """The keys that match secrets come from, by id; each is used from its time on.

    A match takes the newest key whose time is not after its opening, and its first event names
    the key, so that every later owner derives the same secret. Keys are only ever added.
    """

    __slots__ = ("_by_age", "_by_id")

    def __init__(self, keys: Sequence[tuple[str, int, Secret]]) -> None:
        """Take (id, first moment in ms since 1970 UTC, key) of each.

        Raises:
            ValueError: Two have one id or one moment, so that it would be open which one holds.
        """
        self._by_id = {key_id: key for key_id, _, key in keys}
        self._by_age = sorted(((from_ms, key_id) for key_id, from_ms, _ in keys), reverse=True)
        if len(self._by_id) != len(keys) or len({from_ms for _, from_ms, _ in keys}) != len(keys):
            raise ValueError("each master key needs an id and a time of its own")

    @classmethod
    def parse(cls, text: str | bytes) -> MasterKeys:
        """Read `{"keys":[{"id":"k1","from_ms":0,"key":"<64 hex digits>"}]}`.

        Raises:
            ValueError: It is something else. The message never quotes the text.
        """
        try:
            read = _KeysText.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            known = {"keys", *_KeyText.model_fields}  # an unknown name might be a misplaced key
            where = ".".join(
                str(part) for part in first["loc"] if isinstance(part, int) or part in known
            )
            raise ValueError(f"master keys: {where or 'text'}: {say(first)}") from None
        return cls([(key.id, key.from_ms, Secret.from_hex(key.key)) for key in read.keys])

    def newest(self, opened_ms: int) -> str:
        """Return the id of the key for a match opened at this append time.

        Raises:
            UnknownKey: All keys are for later.
        """
        for from_ms, key_id in self._by_age:
            if from_ms <= opened_ms:
                return key_id
        raise UnknownKey(f"no master key is valid at {opened_ms}")

    def secret(self, key_id: str, match_id: str) -> Secret:
        """Return a match's secret under the key that its first event names.

        Raises:
            UnknownKey: There is no such key.
        """
        if key_id not in self._by_id:
            raise UnknownKey(f"no master key {key_id}")
        return match_secret(self._by_id[key_id], match_id)

    def __repr__(self) -> str:
        """Name the keys, not their values."""
        return f"MasterKeys({', '.join(sorted(self._by_id))})"

    def __reduce__(self) -> Never:
        """Refuse to be pickled.

        Raises:
            TypeError: Always.
        """
        raise TypeError("master keys are not written anywhere")
