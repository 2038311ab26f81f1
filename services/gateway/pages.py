"""HTTP: accounts, and what there is to read. Answers are JSON; a failure is a `Failed`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus
from typing import Final, TypeVar

import structlog
from aiohttp import hdrs, web
from pydantic import TypeAdapter

from sahrat import games
from sahrat.match.view import snapshot
from sahrat.messages.base import Message
from sahrat.messages.codec import encode
from sahrat.messages.dead import plain
from sahrat.messages.reasons import Reason
from sahrat.runtime.health import Health, answer
from services.gateway.accounts import Identity
from services.gateway.coins import WalletHistory
from services.gateway.connections import HEAD_S
from services.gateway.core import nickname
from services.gateway.core.address import whence
from services.gateway.core.inbound import MESSAGE_BYTES, Inbound, Unread
from services.gateway.core.rate import Bucket
from services.gateway.hub import Hub
from services.gateway.messages import (
    BEARER_TEXT,
    Account,
    Failed,
    GameInfo,
    Games,
    History,
    NewGuest,
    NewToken,
)
from services.gateway.reads import Reads

T = TypeVar("T")
READ_S: Final = 5.0  # a read model that takes longer counts as away
ADDRESSES: Final = 10_000  # whose buckets are kept before those that are full again are forgotten
NDJSON: Final = "application/x-ndjson"
BEARER: Final = "Bearer "

_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,14}")  # of a record, or of an entry
_NEW_GUEST: Final[Inbound[NewGuest]] = Inbound(TypeAdapter(NewGuest))
_NEW_TOKEN: Final[Inbound[NewToken]] = Inbound(TypeAdapter(NewToken))
_STATUS: Final = {
    Reason.TOO_LARGE: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Reason.BAD_JSON: HTTPStatus.BAD_REQUEST,
    Reason.NOT_SIGNED_IN: HTTPStatus.UNAUTHORIZED,
    Reason.TOO_FAST: HTTPStatus.TOO_MANY_REQUESTS,
    Reason.HOUSE_BUSY: HTTPStatus.SERVICE_UNAVAILABLE,
    "bad_request": HTTPStatus.BAD_REQUEST,
    "not_found": HTTPStatus.NOT_FOUND,
    "foreign_origin": HTTPStatus.FORBIDDEN,
    "forbidden": HTTPStatus.FORBIDDEN,
    "away": HTTPStatus.SERVICE_UNAVAILABLE,
    "fault": HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""Any other reason: what was sent is JSON, and not what it should be."""

_log = structlog.get_logger("gateway")


class Pages:
    """Everything but the socket.

    Args:
        hub: The gateway.
        health: How the house is.
        reads: The read models; None where there are none.
        new_id: Makes the ids of new players.
    """

    def __init__(
        self, hub: Hub, health: Health, reads: Reads | None, new_id: Callable[[], str]
    ) -> None:
        self._hub = hub
        self._health = health
        self._reads = reads
        self._new_id = new_id
        self._buckets: dict[str, Bucket] = {}

    def routes(self) -> list[web.RouteDef]:
        """Return what is served where."""
        return [
            web.get("/health", self._health_page),
            web.post("/api/guests", self._new_guest),
            web.post("/api/tokens", self._new_token),
            web.get("/api/games", self._games),
            web.get("/api/lobby", self._lobby),
            web.get("/api/matches/{id}", self._match),
            web.get("/api/matches/{id}/records", self._records),
            web.get("/api/players/{id}/history", self._history),
            web.get("/api/wallet", self._wallet),
            web.get("/api/wallet/history", self._wallet_history),
        ]

    async def _health_page(self, _: web.Request) -> web.Response:
        return answer(self._health)

    # ---- accounts

    async def _new_guest(self, request: web.Request) -> web.Response:
        wanted = await self._wanted(request, _NEW_GUEST)
        if isinstance(wanted, web.Response):
            return wanted
        return self._account(self._new_id(), wanted.nickname)

    async def _new_token(self, request: web.Request) -> web.Response:
        wanted = await self._wanted(request, _NEW_TOKEN)
        if isinstance(wanted, web.Response):
            return wanted
        accounts = self._hub.parts.accounts
        by_key = wanted.player_id is not None and wanted.account_key is not None
        if by_key == (wanted.recovery_code is not None):
            return failed(
                Reason.MISSING_FIELD, "player_id and account_key, or recovery_code instead"
            )
        player_id = wanted.player_id
        if wanted.recovery_code is not None:
            player_id = accounts.recover(wanted.recovery_code)
        elif player_id is None or not accounts.owns(player_id, wanted.account_key or ""):
            player_id = None
        if player_id is None:
            return failed(Reason.NOT_SIGNED_IN, "no such account")
        return self._account(player_id, wanted.nickname)

    async def _wanted(self, request: web.Request, inbound: Inbound[T]) -> T | web.Response:
        if not self._may_ask(whence(request.remote)):
            return failed(Reason.TOO_FAST)
        if (request.content_length or 0) > MESSAGE_BYTES:
            return failed(Reason.TOO_LARGE, f"over {MESSAGE_BYTES} bytes")
        try:
            async with asyncio.timeout(HEAD_S):
                body = await request.read()
        except TimeoutError:
            return failed("bad_request", "the body did not come", HTTPStatus.REQUEST_TIMEOUT)
        wanted = inbound.read(body)
        return failed(wanted.reason, wanted.detail) if isinstance(wanted, Unread) else wanted

    def _account(self, player_id: str, wished: str) -> web.Response:
        name, why = nickname.check(wished)
        if why:
            return failed(Reason.BAD_NICKNAME, why)
        accounts = self._hub.parts.accounts
        token, expires_ms = accounts.token(player_id, name, self._hub.parts.times.now_ms())
        account = Account(
            player_id=player_id,
            nickname=name,
            token=token,
            expires_ms=expires_ms,
            account_key=accounts.account_key(player_id),
            recovery_code=accounts.recovery_code(player_id),
        )
        return found(account, status=HTTPStatus.CREATED)

    def _may_ask(self, address: str) -> bool:
        now_ms = self._hub.loop_ms()
        if len(self._buckets) > ADDRESSES:
            self._buckets = {
                known: bucket for known, bucket in self._buckets.items() if not bucket.full(now_ms)
            }
        rate = self._hub.parts.sessions.limits.guests
        bucket = self._buckets.setdefault(address, Bucket(rate, 10 * rate, now_ms))
        return bucket.take(now_ms)

    # ---- reading

    async def _games(self, _: web.Request) -> web.Response:
        names = dict.fromkeys(game.name for game in games.GAMES.values())
        newest = [game for game in map(games.current, names) if game is not None]
        listed = tuple(
            GameInfo(name=game.name, rules=game.rules, options=game.options.model_json_schema())
            for game in newest
        )
        welcome_coins = self._hub.parts.sessions.limits.welcome_coins
        return found(Games(games=listed, welcome_coins=welcome_coins))

    async def _lobby(self, _: web.Request) -> web.Response:
        return found(self._hub.parts.lobby.lobby())

    async def _match(self, request: web.Request) -> web.StreamResponse:
        match_id = request.match_info["id"]
        if not _ID.fullmatch(match_id):
            return failed("not_found")
        match = self._hub.parts.matches.get(match_id)
        if match is not None and not match.parked:
            return found(snapshot(match))
        return await self._read(lambda reads: _one(reads.match(match_id)))

    async def _records(self, request: web.Request) -> web.StreamResponse:
        match_id = request.match_info["id"]
        if not _ID.fullmatch(match_id):
            return failed("not_found")
        after = request.query.get("after", "")
        if after not in ("", "0") and not _NUMBER.fullmatch(after):
            return failed("bad_request", "after: the number of a record")

        async def begin(reads: Reads) -> web.StreamResponse:
            records = reads.records(match_id, int(after or 0))
            first = await anext(records, None)
            if first is None and not after:
                return failed("not_found")
            return _Lines(first, records)

        begun = await self._read(begin)
        if isinstance(begun, _Lines):
            await begun.prepare(request)
            await begun.send(request)
        return begun

    async def _history(self, request: web.Request) -> web.StreamResponse:
        player = self._bearer(request)
        if player is None:
            return failed(Reason.NOT_SIGNED_IN, "the token is missing, or no good (any more)")
        if request.match_info["id"] != player.player_id:
            return failed("not_found")

        async def read(reads: Reads) -> web.Response:
            return found(History(matches=tuple(await reads.history(player.player_id))))

        return await self._read(read)

    async def _wallet(self, request: web.Request) -> web.StreamResponse:
        player = self._bearer(request)
        if player is None:
            return failed(Reason.NOT_SIGNED_IN, "the token is missing, or no good (any more)")
        shut = self._hub.shut()
        if shut:
            return failed(Reason.HOUSE_BUSY, shut)
        return found(self._hub.parts.wallets.wallet(player.player_id))

    async def _wallet_history(self, request: web.Request) -> web.StreamResponse:
        player = self._bearer(request)
        if player is None:
            return failed(Reason.NOT_SIGNED_IN, "the token is missing, or no good (any more)")
        before = request.query.get("before", "")
        if before and not _NUMBER.fullmatch(before):
            return failed("bad_request", "before: the number of an entry")

        async def read(reads: Reads) -> web.Response:
            entry = int(before) if before else None
            return found(WalletHistory(changes=tuple(await reads.wallet(player.player_id, entry))))

        return await self._read(read)

    async def _read(
        self, read: Callable[[Reads], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Return what the read models have; play goes on without them."""
        if self._reads is None:
            return failed("away", "this house keeps no read models")
        away: tuple[type[Exception], ...] = (TimeoutError, *self._reads.away)
        try:
            async with asyncio.timeout(READ_S):
                return await read(self._reads)
        except away:
            return failed("away", "the read models are away; play goes on")

    def _bearer(self, request: web.Request) -> Identity | None:
        token, parts = bearer(request), self._hub.parts
        return None if token is None else parts.accounts.identify(token, parts.times.now_ms())


class _Lines(web.StreamResponse):
    """Records, one a line, sent as they are read: a match may have thousands."""

    def __init__(self, first: bytes | None, others: AsyncIterator[bytes]) -> None:
        super().__init__()
        self.content_type = NDJSON
        self._first = first
        self._others = others

    async def send(self, request: web.Request) -> None:
        """Send all. If the read models go away meanwhile the line is cut: half is not all."""
        try:
            if self._first is not None:
                await self.write(self._first + b"\n")
            async for value in self._others:
                await self.write(value + b"\n")
            await self.write_eof()
        except Exception as fault:
            if not isinstance(fault, ConnectionError):  # else the client has gone
                _log.warning("records were not sent to their end", fault=str(fault))
            if request.transport is not None:
                request.transport.abort()


async def _one(reading: Awaitable[Message | None]) -> web.Response:
    message = await reading
    return failed("not_found") if message is None else found(message)


def bearer(request: web.Request) -> str | None:
    """Return the token that a request brings, whatever it is good for; None for none."""
    said = request.headers.get(hdrs.AUTHORIZATION, "")
    token = said.removeprefix(BEARER)
    return token if token != said and re.fullmatch(BEARER_TEXT, token) else None


def found(message: Message, status: HTTPStatus = HTTPStatus.OK) -> web.Response:
    """Return a message as an answer."""
    return web.Response(body=encode(message), status=status, content_type="application/json")


def status_of(reason: Reason | str) -> HTTPStatus:
    """Return the status that goes with a reason, as a rule."""
    return _STATUS.get(reason, HTTPStatus.UNPROCESSABLE_ENTITY)


def failed(reason: Reason | str, detail: str = "", status: int | None = None) -> web.Response:
    """Return why there is no answer."""
    message = Failed.model_validate({"reason": reason, "detail": plain(detail)}, strict=False)
    response = found(message)
    response.set_status(status_of(reason) if status is None else status)
    if response.status == HTTPStatus.UNAUTHORIZED:
        response.headers[hdrs.WWW_AUTHENTICATE] = "Bearer"
    return response
