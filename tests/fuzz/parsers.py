"""Targets that a phone reaches without the log: messages, bodies of requests, tokens."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from typing import Any, Final

import orjson
from pydantic import BaseModel, TypeAdapter

from sahrat.messages.codec import encode
from sahrat.messages.reasons import Reason
from services.gateway.accounts import AUDIENCE, OPERATORS, Accounts, Identity
from services.gateway.coins import NewGrant, NewStop
from services.gateway.core import nickname
from services.gateway.core.inbound import DEPTH, KEYS, MESSAGE_BYTES, Inbound, Unread
from services.gateway.messages import BEARER_TEXT, CLIENT, NewGuest, NewToken
from tests.fuzz.structure import messages
from tests.fuzz.target import ROOT, Target, Wrong

UNREAD: Final = [*Reason][:7]
"""What the parser may say, in its order."""
PROTOCOL: Final = ROOT / "services" / "gateway" / "PROTOCOL.md"
NOW_MS: Final = 1_800_000_000_000
PLAYER: Final = "01980f6e-5c00-7b2a-9d3e-4f5061728394"
ACCOUNTS: Final = Accounts([bytes(range(32)), bytes(32)])
_CLIENT: Final[Inbound[Any]] = Inbound(CLIENT)
_BODIES: Final[dict[type[BaseModel], Inbound[Any]]] = {
    kind: Inbound(TypeAdapter(kind)) for kind in (NewGuest, NewToken, NewGrant, NewStop)
}


def read(inbound: Inbound[Any], data: bytes) -> Any:
    """Read a message, and hold the answer to what the JSON library thinks of the same bytes."""
    found = inbound.read(data)
    if isinstance(found, Unread):
        if found.reason not in UNREAD:
            raise Wrong(f"refused as {found.reason}")
        if not found.detail.isprintable():
            raise Wrong(f"a detail that is not plain: {found.detail!r}")
        if found.reason is Reason.BAD_JSON and _is_sound(data):
            raise Wrong("refused as no JSON, which it is")
        return found
    if not _is_sound(data):
        raise Wrong("taken, though it is no JSON of ours")
    again = inbound.read(encode(found))
    if again != found:
        raise Wrong(f"encoded it is another message: {again}")
    return found


def _is_sound(data: bytes) -> bool:
    """Tell whether bytes are JSON without doubled keys, half characters, depth or size."""
    if len(data) > MESSAGE_BYTES:
        return False
    try:
        value = json.loads(data.decode(), object_pairs_hook=_pairs, parse_constant=_none)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return _depth(value) <= DEPTH


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs) or len(pairs) > KEYS:
        raise ValueError
    return dict(pairs)


def _none(text: str) -> object:
    raise ValueError(text)


def _depth(value: object) -> int:
    inner = (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    )
    return 0 if inner is None else 1 + max(map(_depth, inner), default=0)


def _word(found: Any) -> str:
    if isinstance(found, Unread):
        return f"{found.reason.value} {re.sub('[0-9]+', '0', found.detail)[:40]}"
    return f"taken {getattr(found, 'type', type(found).__name__)}"


# ---- messages of a phone


def examples() -> list[bytes]:
    """Return the messages that the protocol shows, a phone's and others."""
    text = PROTOCOL.read_text(encoding="utf-8")
    return [line.encode() for line in text.splitlines() if line.startswith('{"')]


def _client_examples() -> list[bytes]:
    return [data for data in examples() if not isinstance(_CLIENT.read(data), Unread)]


def _socket(data: bytes) -> str:
    return _word(read(_CLIENT, data))


SOCKET: Final = Target(
    "socket",
    "the parser of what phones send",
    _client_examples,
    _socket,
    lambda: messages(CLIENT.json_schema()),
)

# ---- bodies of requests


def _http(data: bytes) -> str:
    """Read a body as each page does, and go on as far as the page does without its house."""
    found = {kind.__name__: read(inbound, data) for kind, inbound in _BODIES.items()}
    taken = {name: body for name, body in found.items() if not isinstance(body, Unread)}
    if taken:
        return " ".join(f"{name} {_account(body)}" for name, body in taken.items())
    return " ".join(_word(body) for body in found.values())


def _account(body: Any) -> str:
    match body:
        case NewToken(recovery_code=str(code)):
            return "recovered" if ACCOUNTS.recover(code) else "nobody"
        case NewToken(player_id=str(player_id), account_key=str(key)):
            return "owned" if ACCOUNTS.owns(player_id, key) else "nobody"
        case NewGuest():
            return _named(body.nickname)
        case _:
            return "taken"


def _named(wished: str) -> str:
    """A name that may be is kept as it is, goes into a token, and comes out of it."""
    name, why = nickname.check(wished)
    if why:
        return why
    if nickname.check(name) != (name, ""):
        raise Wrong(f"{name!r} is kept, and then is none")
    token, _ = ACCOUNTS.token(PLAYER, name, NOW_MS)
    if not re.fullmatch(BEARER_TEXT, token):
        raise Wrong(f"the token of {name!r} can't be sent")
    identity = ACCOUNTS.identify(token, NOW_MS)
    if identity is None or (identity.player_id, identity.nickname) != (PLAYER, name):
        raise Wrong(f"the token of {name!r} is {identity}")
    return "named"


def _bodies() -> list[bytes]:
    proof = {"player_id": PLAYER, "account_key": ACCOUNTS.account_key(PLAYER)}
    grant = {"intent_id": PLAYER, "player_id": PLAYER, "coins": 7, "reason": "a prize"}
    return [
        orjson.dumps({"nickname": "سالم"}),
        orjson.dumps({"nickname": "x' or 1=1 --"}),
        orjson.dumps({"nickname": "هدى", **proof}),
        orjson.dumps({"nickname": "هدى", "recovery_code": ACCOUNTS.recovery_code(PLAYER)}),
        orjson.dumps(grant),
        orjson.dumps({"intent_id": PLAYER, "match_id": PLAYER, "reason": "a fault"}),
    ]


def _body_schema() -> dict[str, Any]:
    return TypeAdapter(NewGuest | NewToken | NewGrant | NewStop).json_schema()


HTTP: Final = Target(
    "http", "the bodies of requests", _bodies, _http, lambda: messages(_body_schema())
)

# ---- tokens


def _token(data: bytes) -> str:
    """A token that was changed is nobody's, or says what it said before: the last letter of a
    signature has bits that stand for nothing.
    """
    text = data.decode("latin-1")
    if not re.fullmatch(BEARER_TEXT, text):
        return "no bearer"
    player, operator = ACCOUNTS.identify(text, NOW_MS), ACCOUNTS.operator(text, NOW_MS)
    if player not in (None, _PLAYERS) or operator not in (None, "amal"):
        raise Wrong(f"the token of {player} {operator}")
    if player and operator:
        raise Wrong("a token of two kinds")
    return "a player" if player else "an operator" if operator else "nobody"


_PLAYERS: Final = Identity(PLAYER, "سالم", NOW_MS + 12 * 3_600_000)


def _tokens() -> list[bytes]:
    player, _ = ACCOUNTS.token(PLAYER, "سالم", NOW_MS)
    operator = ACCOUNTS.operator_token("amal", NOW_MS, 3600).get_secret_value()
    head, body, signature = player.split(".")
    forged = [f"{_part(odd)}.{body}.{signature}" for odd in _HEADS]
    forged += [f"{head}.{_part(odd)}.{signature}" for odd in _CLAIMS]
    deep = base64.urlsafe_b64encode(b"[" * 700).decode()
    return [text.encode() for text in (player, operator, *forged, f"{deep}.e30.", "..", "e30.e30.")]


_HEADS: Final[Sequence[object]] = (
    *({"alg": name, "typ": "JWT"} for name in ("none", "None", "HS512", "RS256", "", None)),
    {"alg": ["HS256"]},
    {"alg": "HS256", "kid": 1},
    {"alg": "HS256", "crit": ["exp"]},
    {"alg": "HS256", "b64": False, "crit": ["b64"]},
    {"alg": "HS256", "jwk": {}, "jku": "http://127.0.0.1/", "zip": "DEF"},
    [],
    "HS256",
)
_CLAIMS: Final[Sequence[object]] = (
    {"sub": PLAYER, "name": "x", "iat": 1, "exp": 2**60, "aud": AUDIENCE},
    {"sub": "amal", "iat": 1, "exp": 2**60, "aud": OPERATORS},
    {"exp": "x", "aud": [AUDIENCE, OPERATORS]},
    [],
)


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(value)).rstrip(b"=").decode()


TOKEN: Final = Target("token", "tokens of players and operators", _tokens, _token)
