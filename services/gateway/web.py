"""The web server of the gateway: the socket, the pages, and what holds for all of them."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Final
from urllib.parse import urlsplit

import structlog
from aiohttp import hdrs, web
from aiohttp.http import HttpProcessingError

from sahrat.messages.reasons import Reason
from services.gateway import static_files
from services.gateway.connections import HEAD_S, Connection, Room, most_here
from services.gateway.core.address import whence
from services.gateway.core.inbound import MESSAGE_BYTES
from services.gateway.hub import Hub
from services.gateway.pages import failed
from services.gateway.session import Closing
from services.gateway.sockets import CLOSE_S, HARD_BYTES, SOCKET_BYTES, Socket

PLAY: Final = "/play"
API: Final = "/api/"
BACKLOG: Final = 1024  # connections that the kernel has taken and nobody here yet
HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Server": "sahrat",  # and no version of anything
}
_CHANGES: Final = (hdrs.METH_POST,)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_log = structlog.get_logger("gateway")


class Web:
    """The door of a hub: a `Door`.

    Args:
        hub: Whose door it is.
        pages: What it serves besides the socket, and where.
        host: The address to listen on.
        port: 0: any free one.

    Attributes:
        port: The one it listens on; the one asked for until it is open.
    """

    def __init__(self, hub: Hub, pages: Sequence[web.RouteDef], host: str, port: int) -> None:
        self._hub = hub
        self._host = host
        self.port = port
        self._runner: web.AppRunner | None = None
        self._listening: asyncio.Server | None = None
        self._phones: dict[int, asyncio.Task[object] | None] = {}
        self._app = web.Application(middlewares=[self._guard], client_max_size=MESSAGE_BYTES + 1)
        self._app.add_routes([web.get(PLAY, self._play), *pages, *static_files.routes()])
        self._app.on_response_prepare.append(_add_headers)
        self._app.on_shutdown.append(self._shut)

    @property
    def url(self) -> str:
        """Where it listens."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self.port}"

    async def open(self) -> None:
        """Listen.

        Raises:
            OSError: The port is taken, or the address is not this machine's.
        """
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        listening = socket.create_server((self._host, self.port), family=family, backlog=BACKLOG)
        # Accepted sockets have it too: what the kernel holds for a phone that does not read.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BYTES)
        self.port = listening.getsockname()[1]
        self._runner = web.AppRunner(
            self._app,
            access_log=None,
            handle_signals=False,
            shutdown_timeout=CLOSE_S,
            keepalive_timeout=HEAD_S,  # also for the head of the first request
            lingering_time=CLOSE_S,
            logger=_http_log(),
            auto_decompress=False,  # nobody here sends so much that it pays to pack it
        )
        await self._runner.setup()
        serve = self._runner.server
        if serve is None:
            raise RuntimeError("no server after its setup")
        limits = self._hub.parts.sessions.limits
        room = Room(limits.connections or most_here())
        self._listening = await asyncio.get_running_loop().create_server(
            lambda: Connection(room, serve, limits.stalled_s), sock=listening, backlog=BACKLOG
        )

    async def close(self) -> None:
        """Listen no more, and close what is open."""
        if self._listening is not None:
            self._listening.close()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _shut(self, _: web.Application) -> None:
        """Close all sockets, and wait until they are; aiohttp would wait for the phones."""
        for session in self._hub.parts.sessions:
            self._hub.drop(session, Closing.GOING_AWAY)
        phones = [task for task in self._phones.values() if task is not None]
        if phones:
            await asyncio.wait(phones, timeout=2 * CLOSE_S)

    # ---- what holds for all

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await self._admit(request, handler)
        except web.HTTPNotFound as refused:
            return static_files.lost() if _is_for_eyes(request) else _failed(refused)
        except web.HTTPException as refused:
            return _failed(refused)
        except asyncio.CancelledError:
            raise
        except ConnectionError:  # nobody reads what is returned; raised, it would be a traceback
            return failed("bad_request", "the line broke")
        except web.RequestPayloadError:
            return failed("bad_request", "the body is not what the head says")
        except Exception as fault:
            _log.exception("alarm", problem="a page failed", path=request.path, fault=str(fault))
            return failed("fault")

    async def _admit(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        changes = request.method in _CHANGES or request.path == PLAY
        if changes and not self._is_at_home(request):
            return failed("foreign_origin", "not from another site")
        return await handler(request)

    def _is_at_home(self, request: web.Request) -> bool:
        """Return whether a request comes from a page of this host, or from no page at all."""
        origin = request.headers.get(hdrs.ORIGIN)
        if origin is None or origin in self._hub.parts.sessions.limits.origins:
            return True
        try:
            return urlsplit(origin).netloc.lower() == request.host.lower()
        except ValueError:
            return False

    # ---- the socket

    async def _play(self, request: web.Request) -> web.StreamResponse:
        address, sessions = whence(request.remote), self._hub.parts.sessions
        shut = self._hub.shut()
        if shut:
            return failed(Reason.HOUSE_BUSY, shut)
        if not sessions.has_room(address):
            return failed(Reason.TOO_FAST, "too many sockets from one address")
        response = web.WebSocketResponse(
            timeout=CLOSE_S,
            autoping=False,
            compress=False,
            max_msg_size=HARD_BYTES,
            writer_limit=0,
            decode_text=False,
        )
        try:
            await response.prepare(request)
        except ValueError:  # the key of the handshake is no text
            return failed("bad_request", "no handshake of a WebSocket")
        if request.transport is None:
            return response
        phone = Socket(response, request.transport)
        session = self._hub.connect(phone, address)
        self._phones[session.number] = asyncio.current_task()
        try:
            await phone.serve(
                lambda data: self._hub.receive(session, data),
                lambda: self._hub.heard(session),
                lambda: self._hub.disconnect(session),
            )
        finally:
            self._hub.disconnect(session)
            del self._phones[session.number]
        return response


async def _add_headers(_: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
    response.headers.setdefault(hdrs.CACHE_CONTROL, "no-store")


def _http_log() -> logging.Logger:
    """Return a log for the HTTP library, without what clients do wrong: it is theirs to know."""
    log = logging.getLogger("gateway.http")
    log.addFilter(_is_no_clients_fault)
    return log


def _is_no_clients_fault(record: logging.LogRecord) -> bool:
    fault = record.exc_info[1] if record.exc_info else None
    return not isinstance(fault, HttpProcessingError | ConnectionError)


def _is_for_eyes(request: web.Request) -> bool:
    """Return whether a browser looks for a page: it alone asks for HTML by name."""
    asks = "text/html" in request.headers.get(hdrs.ACCEPT, "")
    return asks and not request.path.startswith(API)


def _failed(refused: web.HTTPException) -> web.Response:
    """Return aiohttp's own refusal (no such path or method, too large) as all others are."""
    if isinstance(refused, web.HTTPRequestEntityTooLarge):
        return failed(Reason.TOO_LARGE, f"over {MESSAGE_BYTES} bytes")
    known = {web.HTTPNotFound.status_code: "not_found"}
    return failed(known.get(refused.status, "bad_request"), refused.reason, refused.status)
