"""The client's end of a WebSocket on this machine: framing alone, at a few microseconds a message.

A client library would cost the driver as much as the house costs, on the same cores. What it leaves
out: fragments and extensions, which the gateway does not use. Source: RFC 6455.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, cast

from typing_extensions import override

TEXT: Final = 0x1
CLOSE: Final = 0x8
PING: Final = 0x9
PONG: Final = 0xA

_FINAL: Final = 0x80
_MASKED: Final = 0x80
_LENGTH: Final = 0x7F
_TWO_BYTES: Final = 126
_EIGHT_BYTES: Final = 127
_NO_MASK: Final = bytes(4)  # a client must mask; by zeros, which is no work and hides nothing
_UPGRADED: Final = b"HTTP/1.1 101 "
_HEAD_END: Final = b"\r\n\r\n"
_TWO_BYTE_LIMIT: Final = 1 << 16


def frame(payload: bytes, kind: int = TEXT) -> bytes:
    """Return a client's frame of up to 64 KB."""
    size = len(payload)
    assert size < _TWO_BYTE_LIMIT
    if size < _TWO_BYTES:
        return bytes((_FINAL | kind, _MASKED | size)) + _NO_MASK + payload
    head = bytes((_FINAL | kind, _MASKED | _TWO_BYTES)) + size.to_bytes(2, "big")
    return head + _NO_MASK + payload


class Frames(asyncio.Protocol):
    """One connection to `/play`.

    Args:
        host: As the request names it.
        take: Given each text message.
        lost: Told that the connection is over, and why.

    Attributes:
        opened: Done once messages may be sent.
    """

    def __init__(
        self, host: str, take: Callable[[bytes], None], lost: Callable[[str], None]
    ) -> None:
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._host = host
        self._take = take
        self._lost = lost
        self._transport: asyncio.Transport | None = None
        self._rest = b""
        self._why = "the house closed the line"

    def send(self, payload: bytes) -> None:
        """Send a text message."""
        if self._transport is not None:
            self._transport.write(frame(payload))

    def close(self) -> None:
        """Close without a word; nobody is told."""
        self._lost = _ignore
        if self._transport is not None:
            self._transport.close()

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's are no subclass of it
        self._transport.write(
            f"GET /play HTTP/1.1\r\nHost: {self._host}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )

    @override
    def data_received(self, data: bytes) -> None:
        self._rest = self._rest + data if self._rest else data
        if not self.opened.done() and not self._upgraded():
            return
        self._read()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        if not self.opened.done():
            self.opened.set_exception(ConnectionError(self._why))
        self._lost(self._why if exc is None else str(exc))

    def _upgraded(self) -> bool:
        head, end, rest = self._rest.partition(_HEAD_END)
        if not end:
            return False
        if not head.startswith(_UPGRADED):
            self._why = head.partition(b"\r\n")[0].decode(errors="replace")
            self.opened.set_exception(ConnectionError(self._why))
            self.close()
            return False
        self._rest = rest
        self.opened.set_result(None)
        return True

    def _read(self) -> None:
        """Hand on the frames that are whole."""
        data, at, end = self._rest, 0, len(self._rest)
        while end - at >= 2:
            kind, size, start = data[at] & 0x0F, data[at + 1] & _LENGTH, at + 2
            if size == _TWO_BYTES:
                start += 2
                size = int.from_bytes(data[at + 2 : start], "big")
            elif size == _EIGHT_BYTES:
                start += 8
                size = int.from_bytes(data[at + 2 : start], "big")
            if start > end or start + size > end:
                break
            at = start + size
            self._frame(kind, data[start:at])
        self._rest = data[at:]

    def _frame(self, kind: int, payload: bytes) -> None:
        if kind == TEXT:
            self._take(payload)
        elif kind == PING and self._transport is not None:
            self._transport.write(frame(payload, PONG))
        elif kind == CLOSE:
            self._why = f"the house closed the line with {int.from_bytes(payload[:2], 'big')}"


def _ignore(_: str) -> None:
    """Nobody is told."""
