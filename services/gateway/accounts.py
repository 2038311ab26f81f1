"""Who somebody is: tokens that expire, and account keys that do not. Nothing is stored.

An account key is a keyed digest of the player's id, so it can be checked by whoever has the house's
key, and no list of players or of keys exists that could leak or be lost.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, TypeVar

import jwt
from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints, ValidationError

from sahrat.dice import Secret
from sahrat.messages.base import Count, Id, Message, Nickname
from services.gateway.core import recovery

ALGORITHM: Final = "HS256"  # the one that is ever tried, whatever a token's header says
AUDIENCE: Final = "sahrat-play"
OPERATORS: Final = "sahrat-operator"
TOKEN_S: Final = 12 * 3600
KEYS_LIMIT: Final = 20
OPERATOR_NAME: Final = r"[a-z][a-z0-9_-]{0,39}"

_OPTIONS: Final[jwt.types.Options] = {
    "strict_aud": True,
    "verify_exp": False,  # by the log's time, below
    "verify_iat": False,
    "verify_nbf": False,
}


class _Claims(Message):
    """What every token says; each claim must be there, and no other."""

    iat: Count
    exp: Count
    aud: str


class _PlayerClaims(_Claims):
    sub: Id
    name: Nickname


class _OperatorClaims(_Claims):
    sub: Annotated[str, StringConstraints(pattern=f"^{OPERATOR_NAME}$")]


ClaimsT = TypeVar("ClaimsT", bound=_Claims)


class _KeysText(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", hide_input_in_errors=True)
    keys: list[str] = Field(min_length=1, max_length=KEYS_LIMIT)


@dataclass(frozen=True, slots=True)
class Identity:
    """What a token says of its bearer; `expires_ms` is log time."""

    player_id: str
    nickname: str
    expires_ms: int


class Accounts:
    """The house's keys for players, newest first: all are tried, the newest signs."""

    __slots__ = ("_keys",)

    def __init__(self, keys: Sequence[bytes]) -> None:
        """Take the keys, 32 bytes each.

        Raises:
            ValueError: There is none, or one is of another length.
        """
        if not keys:
            raise ValueError("no key for tokens and accounts")
        self._keys = tuple(_Keys(Secret(key).key()) for key in keys)

    @classmethod
    def parse(cls, text: str) -> Accounts:
        """Read `{"keys":["<64 hex digits>", ..]}`, newest first.

        Raises:
            ValueError: It is something else. The message never quotes the text.
        """
        try:
            found = _KeysText.model_validate_json(text)
            return cls([Secret.from_hex(key).key() for key in found.keys])
        except ValueError:  # pydantic's is one
            raise ValueError('gateway keys: not {"keys":["<64 hex digits>", ..]}') from None

    def __repr__(self) -> str:
        """Say how many keys there are, never their values."""
        return f"Accounts({len(self._keys)} keys)"

    # ---- tokens

    def token(self, player_id: str, nickname: str, now_ms: int) -> tuple[str, int]:
        """Return a token and the log time at which it expires, in ms."""
        issued = now_ms // 1000
        claims = {
            "sub": player_id,
            "name": nickname,
            "iat": issued,
            "exp": issued + TOKEN_S,
            "aud": AUDIENCE,
        }
        signed = jwt.encode(claims, self._keys[0].token, algorithm=ALGORITHM)
        return signed, claims_end_ms(issued + TOKEN_S)

    def identify(self, token: str, now_ms: int) -> Identity | None:
        """Return the bearer of a token; None if it is forged, expired or for somebody else."""
        keys = [key.token for key in self._keys]
        claims = _claims(token, keys, AUDIENCE, _PlayerClaims, now_ms)
        if claims is None:
            return None
        return Identity(claims.sub, claims.name, claims_end_ms(claims.exp))

    def operator_token(self, name: str, now_ms: int, lasts_s: int) -> SecretStr:
        """Return a token with which somebody acts for the house, under his name, for a while.

        Raises:
            ValueError: The name is none.
        """
        issued = now_ms // 1000
        claims = _OperatorClaims(sub=name, iat=issued, exp=issued + lasts_s, aud=OPERATORS)
        signed = jwt.encode(claims.model_dump(), self._keys[0].operator, algorithm=ALGORITHM)
        return SecretStr(signed)

    def operator(self, token: str, now_ms: int) -> str | None:
        """Return the name of the operator whose token it is; None for anybody else's, and for one
        that is forged or has expired.
        """
        keys = [key.operator for key in self._keys]
        claims = _claims(token, keys, OPERATORS, _OperatorClaims, now_ms)
        return None if claims is None else claims.sub

    # ---- accounts

    def account_key(self, player_id: str) -> str:
        """Return the key with which a device gets new tokens for a player, in hex."""
        return self._keys[0].account(player_id).hex()

    def owns(self, player_id: str, account_key: str) -> bool:
        """Return whether an account key, in hex, is this player's, under any key of the house."""
        return self._knows(player_id, bytes.fromhex(account_key))

    def recovery_code(self, player_id: str) -> str:
        """Return what a player writes down to come back on another phone."""
        return recovery.write(player_id, self._keys[0].account(player_id))

    def recover(self, code: str) -> str | None:
        """Return the player whose recovery code it is; None for nobody's."""
        found = recovery.read(code)
        if found is None:
            return None
        player_id, part = found
        return player_id if self._knows(player_id, part) else None

    def _knows(self, player_id: str, part: bytes) -> bool:
        """Compare with every key, in a time that does not tell which one or how far it fits."""
        fits = [
            hmac.compare_digest(key.account(player_id)[: len(part)], part) for key in self._keys
        ]
        return any(fits)

    # ---- matches

    def opening_digest(self, player_id: str, intent_id: str) -> bytes:
        """Return 32 bytes that only the house can tell, the same for the same intent."""
        return self._keys[0].opening(f"{player_id}|{intent_id}")


class _Keys:
    """What one key of the house is used for, each by a key of its own."""

    __slots__ = ("_account", "_opening", "operator", "token")

    def __init__(self, key: bytes) -> None:
        self.token = _digest(key, "sahrat-token-v1")
        self.operator = _digest(key, "sahrat-operator-v1")
        self._account = _digest(key, "sahrat-account-v1")
        self._opening = _digest(key, "sahrat-opening-v1")

    def account(self, player_id: str) -> bytes:
        return _digest(self._account, player_id)

    def opening(self, text: str) -> bytes:
        return _digest(self._opening, text)

    def __repr__(self) -> str:
        return "_Keys(masked)"


def _claims(
    token: str, keys: Sequence[bytes], audience: str, kind: type[ClaimsT], now_ms: int
) -> ClaimsT | None:
    """Return what a token says that one of these keys signed, and that has not expired."""
    options: jwt.types.Options = {**_OPTIONS, "require": [*kind.model_fields]}
    for key in keys:
        try:
            found = jwt.decode(
                token, key, algorithms=[ALGORITHM], audience=audience, options=options
            )
            claims = kind.model_validate(found)
        except (jwt.InvalidTokenError, ValidationError):
            continue
        return claims if claims_end_ms(claims.exp) > now_ms else None
    return None


def claims_end_ms(exp_s: int) -> int:
    """Return a token's `exp`, in seconds, as log time in ms."""
    return exp_s * 1000


def new_keys_text() -> str:
    """Return the text of a file with one new key, as `Accounts.parse` reads it."""
    return f'{{"keys":["{secrets.token_hex(32)}"]}}'


def _digest(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
