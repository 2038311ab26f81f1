"""What the gateway serves over HTTP, as an OpenAPI 3.1 document made from the messages themselves.

The pages of a browser are no part of it, and the socket is AsyncAPI's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, Literal

from sahrat.messages.reasons import Reason
from services.gateway.pages import NDJSON, status_of

OPENAPI: Final = "3.1.0"
JSON: Final = "application/json"

Failure = Reason | str | tuple[Reason | str, HTTPStatus]
"""A reason of `Failed`, with its status where that is not the usual one."""


@dataclass(frozen=True, slots=True)
class Page:
    """One address.

    Attributes:
        name: Of the operation.
        says: What it is for.
        answers: By status: what the answer is, and its schema: a message's by its path below
            `schemas/gateway`, or one that stands here.
        failures: Why there may be none, but for a fault of the house.
        asks: The message that it takes.
        query: What may stand in the address, by name: what it means, and its schema.
        by: Whose token it needs.
    """

    method: Literal["get", "post"]
    path: str
    name: str
    says: str
    answers: Mapping[HTTPStatus, tuple[str, str | Mapping[str, Any]]]
    failures: tuple[Failure, ...] = ()
    asks: str = ""
    query: Mapping[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)
    by: Literal["", "player", "operator"] = ""
    kind: str = JSON


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"./gateway/{name}.json"}


_ID: Final = {
    "type": "string",
    "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
}
_NUMBER: Final = {"type": "integer", "minimum": 1, "maximum": 10**15 - 1}
_HEALTH: Final = {
    "type": "object",
    "required": ["name", "healthy", "reason", "parts", "up_s"],
    "properties": {
        "name": {"type": "string"},
        "healthy": {"type": "boolean"},
        "reason": {"type": "string"},
        "parts": {"type": "object", "additionalProperties": {"type": "string"}},
        "up_s": {"type": "integer", "minimum": 0},
        "notes": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "additionalProperties": False,
}
_BODY: Final = (
    Reason.TOO_LARGE,
    Reason.BAD_JSON,
    Reason.UNKNOWN_FIELD,
    Reason.MISSING_FIELD,
    Reason.WRONG_TYPE,
    Reason.OUT_OF_BOUNDS,
    "foreign_origin",
    "bad_request",
)
"""What may be wrong with any body, or with where it comes from."""
_ACCOUNT: Final = (
    *_BODY,
    ("bad_request", HTTPStatus.REQUEST_TIMEOUT),
    Reason.TOO_FAST,
    Reason.BAD_NICKNAME,
)
_OPERATOR: Final = (Reason.NOT_SIGNED_IN, "forbidden", Reason.HOUSE_BUSY)

PAGES: Final = (
    Page(
        "get",
        "/health",
        "health",
        "How the house is.",
        {
            HTTPStatus.OK: ("All that matters works.", _HEALTH),
            HTTPStatus.SERVICE_UNAVAILABLE: ("Something does not: `reason` says what.", _HEALTH),
        },
    ),
    Page(
        "post",
        "/api/guests",
        "new_guest",
        "Become a player.",
        {HTTPStatus.CREATED: ("The account.", "http/account")},
        _ACCOUNT,
        asks="http/new_guest",
    ),
    Page(
        "post",
        "/api/tokens",
        "new_token",
        "Sign in again, by the account key or the recovery code, or take another name.",
        {HTTPStatus.CREATED: ("The account, with a new token.", "http/account")},
        (*_ACCOUNT, Reason.NOT_SIGNED_IN),
        asks="http/new_token",
    ),
    Page(
        "get",
        "/api/games",
        "games",
        "The games, and the options of their tables as JSON Schema.",
        {HTTPStatus.OK: ("The newest rules of each game.", "http/games")},
    ),
    Page(
        "get",
        "/api/lobby",
        "lobby",
        "The open tables, and the newest matches in play.",
        {HTTPStatus.OK: ("As the message `lobby`.", "server/lobby")},
    ),
    Page(
        "get",
        "/api/matches/{id}",
        "match",
        "A match: as it stands, or as the read models remember it.",
        {
            HTTPStatus.OK: (
                "A `snapshot` while it is live and for twenty minutes more; then a `match`.",
                {"oneOf": [_ref("server/snapshot"), _ref("http/match")]},
            )
        },
        ("not_found", "away"),
    ),
    Page(
        "get",
        "/api/matches/{id}/records",
        "records",
        "The records of a match, byte for byte as they are stored.",
        {
            HTTPStatus.OK: (
                "Each line is a record, `record.json`. If the read models go away meanwhile, the "
                "line is cut.",
                {"type": "string"},
            )
        },
        ("not_found", "away", "bad_request"),
        query={
            "after": (
                "Only records with a higher `seq`; with it no record is no failure.",
                {**_NUMBER, "minimum": 0},
            )
        },
        kind=NDJSON,
    ),
    Page(
        "get",
        "/api/players/{id}/history",
        "history",
        "The asker's own matches, newest first, a hundred at most.",
        {HTTPStatus.OK: ("With place and prize.", "http/history")},
        (Reason.NOT_SIGNED_IN, "not_found", "away"),
        by="player",
    ),
    Page(
        "get",
        "/api/wallet",
        "wallet",
        "The asker's own coins.",
        {HTTPStatus.OK: ("As the message `wallet`.", "server/wallet")},
        (Reason.NOT_SIGNED_IN, Reason.HOUSE_BUSY),
        by="player",
    ),
    Page(
        "get",
        "/api/wallet/history",
        "wallet_history",
        "What changed the asker's own coins, newest first, a hundred entries at most.",
        {HTTPStatus.OK: ("Each with its cause.", "http/wallet_history")},
        (Reason.NOT_SIGNED_IN, "bad_request", "away"),
        query={"before": ("Only entries with a lower number.", _NUMBER)},
        by="player",
    ),
    Page(
        "get",
        "/api/operator/players/{id}",
        "player_coins",
        "What a player has.",
        {HTTPStatus.OK: ("By the journal.", "http/player_coins")},
        (*_OPERATOR, "not_found"),
        by="operator",
    ),
    Page(
        "post",
        "/api/operator/grants",
        "grant",
        "Give a player coins, once for each `intent_id`.",
        {
            HTTPStatus.OK: ("It stands in the journal.", "http/granted"),
            HTTPStatus.ACCEPTED: ("It is stored; ask again.", "http/granted"),
            HTTPStatus.CONFLICT: ("The ledger refused it.", "http/granted"),
        },
        (*_OPERATOR, *_BODY),
        asks="http/new_grant",
        by="operator",
    ),
    Page(
        "get",
        "/api/operator/stops",
        "stops",
        "The matches that may be stopped, 200 at a time.",
        {HTTPStatus.OK: ("By id, and the sum of all.", "http/stops")},
        (*_OPERATOR, "bad_request"),
        query={"after": ("Only matches with a higher id.", _ID)},
        by="operator",
    ),
    Page(
        "get",
        "/api/operator/stops/{id}",
        "stop_of",
        "What stopping one match would do.",
        {HTTPStatus.OK: ("Who would get how much back.", "http/stop")},
        (*_OPERATOR, "not_found", "away"),
        by="operator",
    ),
    Page(
        "post",
        "/api/operator/stops",
        "stop",
        "Stop a match, once for each `intent_id`: every entry goes back.",
        {
            HTTPStatus.OK: ("It stands in log and journal.", "http/stopped"),
            HTTPStatus.ACCEPTED: (
                "It is stored, or its coins have yet to go back.",
                "http/stopped",
            ),
            HTTPStatus.CONFLICT: ("It was refused.", "http/stopped"),
        },
        (*_OPERATOR, *_BODY, "away"),
        asks="http/new_stop",
        by="operator",
    ),
)


def document(version: str) -> dict[str, Any]:
    """Return the document of a version of the house. References are relative to `schemas/`."""
    paths: dict[str, dict[str, Any]] = {}
    for page in PAGES:
        paths.setdefault(page.path, {})[page.method] = _operation(page)
    schemes = {
        name: {"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": said}
        for name, said in (
            ("player", "The `token` of an account."),
            ("operator", "A token that `sahrat operator NAME` has made."),
        )
    }
    return {
        "openapi": OPENAPI,
        "info": {
            "title": "Sahrat over HTTP",
            "version": version,
            "summary": "Accounts, what there is to read, and what operators do.",
            "description": (
                "In words: services/gateway/PROTOCOL.md. The socket, `/play`, is in asyncapi.json. "
                "Any address may also answer 503 with `house_busy` before it reads a request, "
                "where there are too many connections."
            ),
        },
        "servers": [
            {
                "url": "http://{address}",
                "variables": {"address": {"default": "127.0.0.1:8000"}},
            }
        ],
        "paths": paths,
        "components": {"securitySchemes": schemes},
    }


def _operation(page: Page) -> dict[str, Any]:
    responses = {
        str(int(status)): {
            "description": said,
            "content": {page.kind: {"schema": _ref(schema) if isinstance(schema, str) else schema}},
        }
        for status, (said, schema) in page.answers.items()
    }
    for status, reasons in _by_status((*page.failures, "fault")).items():
        responses[str(int(status))] = _failure(status, reasons)
    operation: dict[str, Any] = {
        "operationId": page.name,
        "summary": page.says,
        "parameters": [*_parameters(page)],
        "responses": dict(sorted(responses.items())),
    }
    if page.asks:
        operation["requestBody"] = {
            "required": True,
            "content": {JSON: {"schema": _ref(page.asks)}},
        }
    if page.by:
        operation["security"] = [{page.by: []}]
    return operation


def _parameters(page: Page) -> Iterable[dict[str, Any]]:
    if "{id}" in page.path:
        yield {"name": "id", "in": "path", "required": True, "schema": _ID}
    for name, (said, schema) in page.query.items():
        yield {"name": name, "in": "query", "description": said, "schema": schema}


def _by_status(failures: Sequence[Failure]) -> dict[HTTPStatus, list[str]]:
    found: dict[HTTPStatus, list[str]] = {}
    for failure in failures:
        reason, status = failure if isinstance(failure, tuple) else (failure, status_of(failure))
        found.setdefault(status, []).append(str(reason))
    return found


def _failure(status: HTTPStatus, reasons: Sequence[str]) -> dict[str, Any]:
    named = {"properties": {"reason": {"enum": sorted(reasons)}}}
    response: dict[str, Any] = {
        "description": f"`reason` is {' or '.join(sorted(reasons))}.",
        "content": {JSON: {"schema": {"allOf": [_ref("http/failed"), named]}}},
    }
    if status is HTTPStatus.UNAUTHORIZED:
        response["headers"] = {"WWW-Authenticate": {"schema": {"const": "Bearer"}}}
    return response
