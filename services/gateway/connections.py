"""Connections before anything was said over them: how many there may be, and for how long.

Whoever opens a connection needs no account, and each takes one of the files that a process may have
open. The HTTP library has a time limit for a request's head, and none for how many there are.
"""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Callable
from http import HTTPStatus
from typing import Final, cast

import structlog
from typing_extensions import override

from sahrat.messages.codec import encode
from sahrat.messages.reasons import Reason
from services.gateway.core.address import whence
from services.gateway.messages import Failed

HEAD_S: Final = 10.0  # without a whole head of a request for so long a connection is closed
MOST: Final = 50_000  # where the process may have any number of files open
_SHARE: Final = (3, 4)  # of the files for connections, and of these for one address

_log = structlog.get_logger("gateway")


def most_here() -> int:
    """Return how many connections this process can hold and still open what else it needs."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if files == resource.RLIM_INFINITY else min(MOST, _part(files))


class Room:
    """How many connections there are, in all and by address.

    Args:
        most: In all; one address gets three quarters of them, so that it never has all.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._most_of_one = max(1, _part(most))
        self._all = 0
        self._at: dict[str, int] = {}
        self._full: dict[str, None] = {}  # for whom there was none; "": for anybody

    def enter(self, address: str) -> bool:
        """Count one more, if there is room; it is told once that there is none."""
        here = self._at.get(address, 0)
        if self._all >= self._most:
            self._tell("", self._all)
            return False
        if here >= self._most_of_one:
            self._tell(address, here)
            return False
        self._all += 1
        self._at[address] = here + 1
        return True

    def leave(self, address: str) -> None:
        """Count one less."""
        self._all -= 1
        self._at[address] -= 1
        if 2 * self._all < self._most:
            self._full.pop("", None)
        if 2 * self._at[address] < self._most_of_one:
            self._full.pop(address, None)
        if not self._at[address]:
            del self._at[address]

    def _tell(self, address: str, count: int) -> None:
        if address not in self._full:
            self._full[address] = None
            _log.error("alarm", problem="too many connections", address=address, count=count)


class Connection(asyncio.Protocol):
    """One connection: let in, or told that there is no room; else as `serve` has it."""

    __slots__ = ("_address", "_room", "_serve", "_served", "_stalled", "_stalled_s", "_transport")

    def __init__(self, room: Room, serve: Callable[[], asyncio.Protocol], stalled_s: float) -> None:
        """Take where connections are counted, what makes whoever talks over one, and after how many
        seconds one is cut off whose other end reads nothing of what waits for it.
        """
        self._room = room
        self._serve = serve
        self._stalled_s = stalled_s
        self._served: asyncio.Protocol | None = None
        self._transport: asyncio.Transport | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._address = ""

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's are none by their class
        peer = transport.get_extra_info("peername")
        self._address = whence(peer[0] if peer else None)
        if not self._room.enter(self._address):
            self._transport.write(_NO_ROOM)
            self._transport.close()
            return
        self._served = self._serve()
        self._served.connection_made(transport)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self.resume_writing()
        if self._served is not None:
            self._room.leave(self._address)
            self._served.connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        if self._served is not None:
            self._served.data_received(data)

    @override
    def eof_received(self) -> bool | None:
        return None if self._served is None else self._served.eof_received()

    @override
    def pause_writing(self) -> None:
        if self._served is not None and self._transport is not None:
            loop = asyncio.get_running_loop()
            self._stalled = loop.call_later(self._stalled_s, self._transport.abort)
            self._served.pause_writing()

    @override
    def resume_writing(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
            if self._served is not None:
                self._served.resume_writing()


def _part(whole: int) -> int:
    part, parts = _SHARE
    return whole * part // parts


def _no_room() -> bytes:
    status = HTTPStatus.SERVICE_UNAVAILABLE
    body = encode(Failed(reason=Reason.HOUSE_BUSY, detail="too many connections"))
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        f"Retry-After: {round(HEAD_S)}",
        "Server: sahrat",
        "Connection: close",
    )
    return "\r\n".join((*head, "", "")).encode() + body


_NO_ROOM: Final = _no_room()
