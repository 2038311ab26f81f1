"""HTTP for operators: what a stop would do, stops, grants. Without their token nothing happens."""

from __future__ import annotations

import asyncio
import re
from http import HTTPStatus
from typing import Final

from aiohttp import web
from pydantic import TypeAdapter

from sahrat.log.live import LivePartition
from sahrat.messages.codec import FromTheFuture
from sahrat.messages.reasons import Reason
from sahrat.messages.stored import Stored
from sahrat.messages.topics import EVENTS, partition_of
from services.gateway.coins import Granted, NewGrant, NewStop, Stop, Stopped
from services.gateway.core.inbound import Inbound, Unread
from services.gateway.hub import Hub
from services.gateway.messages import PastMatch
from services.gateway.operating import NAMELESS, PARKED
from services.gateway.pages import READ_S, bearer, failed, found
from services.gateway.reads import Reads

_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NEW_GRANT: Final[Inbound[NewGrant]] = Inbound(TypeAdapter(NewGrant))
_NEW_STOP: Final[Inbound[NewStop]] = Inbound(TypeAdapter(NewStop))
_STATUS: Final = {
    "done": HTTPStatus.OK,
    "waiting": HTTPStatus.ACCEPTED,
    "refunding": HTTPStatus.ACCEPTED,
    "refused": HTTPStatus.CONFLICT,
}


class OperatorPages:
    """What operators ask for.

    Args:
        hub: The gateway.
        reads: The read models, which know for ever which matches' logs are damaged.
    """

    def __init__(self, hub: Hub, reads: Reads | None) -> None:
        self._hub = hub
        self._operating = hub.operating
        self._reads = reads

    def routes(self) -> list[web.RouteDef]:
        """Return what is served where."""
        return [
            web.get("/api/operator/players/{id}", self._player),
            web.post("/api/operator/grants", self._grant),
            web.get("/api/operator/stops", self._stops),
            web.get("/api/operator/stops/{id}", self._stop_of),
            web.post("/api/operator/stops", self._stop),
        ]

    async def _player(self, request: web.Request) -> web.Response:
        operator = self._operator(request)
        if isinstance(operator, web.Response):
            return operator
        player_id = request.match_info["id"]
        if not _ID.fullmatch(player_id):
            return failed("not_found")
        return found(self._operating.player(operator, player_id))

    async def _grant(self, request: web.Request) -> web.Response:
        operator = self._operator(request)
        if isinstance(operator, web.Response):
            return operator
        wanted = _NEW_GRANT.read(await request.read())
        if isinstance(wanted, Unread):
            return failed(wanted.reason, wanted.detail)
        if self._operating.full(None):
            return failed(Reason.HOUSE_BUSY, "too much waits to be stored")
        return _answer(await self._operating.grant(operator, wanted))

    async def _stops(self, request: web.Request) -> web.Response:
        operator = self._operator(request)
        if isinstance(operator, web.Response):
            return operator
        after = request.query.get("after", "")
        if after and not _ID.fullmatch(after):
            return failed("bad_request", "after: no match's id")
        return found(self._operating.stops(after))

    async def _stop_of(self, request: web.Request) -> web.Response:
        operator = self._operator(request)
        if isinstance(operator, web.Response):
            return operator
        match_id = request.match_info["id"]
        if not _ID.fullmatch(match_id):
            return failed("not_found")
        stop = self._operating.stop_of(match_id)
        if stop is not None:
            return found(stop)
        parked = await self._parked_long_ago(match_id)
        if isinstance(parked, web.Response):
            return parked
        return found(parked) if parked is not None else failed("not_found")

    async def _stop(self, request: web.Request) -> web.Response:
        operator = self._operator(request)
        if isinstance(operator, web.Response):
            return operator
        wanted = _NEW_STOP.read(await request.read())
        if isinstance(wanted, Unread):
            return failed(wanted.reason, wanted.detail)
        if self._operating.full(wanted.match_id):
            return failed(Reason.HOUSE_BUSY, "too much waits to be stored")
        parked = await self._parked_long_ago(wanted.match_id)
        if isinstance(parked, web.Response):
            return parked
        if parked is not None:
            return _answer(await self._operating.refund(operator, wanted))
        return _answer(await self._operating.stop(operator, wanted))

    async def _parked_long_ago(self, match_id: str) -> Stop | web.Response | None:
        """Return what a stop gives back of a match that is not known here any more, though coins
        are held for it, if that is because its log is damaged. Otherwise the wallet is only late,
        and its winners are still to be paid.
        """
        held = self._operating.held(match_id)
        if not held or self._hub.parts.matches.get(match_id) is not None:
            return None
        if self._reads is None:
            return failed("away", "this house keeps no read models, which alone remember it")
        away: tuple[type[Exception], ...] = (TimeoutError, *self._reads.away)
        try:
            async with asyncio.timeout(READ_S):
                past = await self._reads.match(match_id)
                if not isinstance(past, PastMatch) or past.ended_ms is not None:
                    return None
                damaged = past.parked is not None or await self._is_damaged(match_id)
        except away:
            return failed("away", "the read models are away, which alone remember it")
        except FromTheFuture:
            return failed("away", "its records are newer than this house, which can't judge them")
        if not damaged:
            return None
        return Stop(
            match_id=match_id,
            rules=past.rules or NAMELESS,
            phase=PARKED,
            players=(),
            entry_coins=past.entry_coins,
            refund_coins=held,
        )

    async def _is_damaged(self, match_id: str) -> bool:
        """Tell whether a match's own records park it, as they did here and in every worker: the
        read models fold no game, and take some for sound that nobody else does.
        """
        live = LivePartition(partition_of(match_id))
        if self._reads is not None:
            at = 0
            async for value in self._reads.records(match_id):
                live.take(Stored(EVENTS.name, live.partition, at, 0, match_id.encode(), value))
                at += 1
        match = live.get(match_id)
        return match is not None and bool(match.parked)

    def _operator(self, request: web.Request) -> str | web.Response:
        """Return the operator whose token a request brings, or why it may not go on."""
        token, parts = bearer(request), self._hub.parts
        shut = self._hub.shut()
        if shut:
            return failed(Reason.HOUSE_BUSY, shut)
        now_ms = parts.times.now_ms()
        operator = None if token is None else parts.accounts.operator(token, now_ms)
        if operator is not None:
            return operator
        if token is not None and parts.accounts.identify(token, now_ms) is not None:
            return failed("forbidden", "this is for operators")
        return failed(
            Reason.NOT_SIGNED_IN, "the operator's token is missing, or no good (any more)"
        )


def _answer(message: Granted | Stopped) -> web.Response:
    return found(message, status=_STATUS[message.state])
