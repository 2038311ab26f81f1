"""A phone's WebSocket: a bounded queue and one writer, so that nobody ever waits for a phone."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from aiohttp import WSMsgType, web

from services.gateway.core.inbound import MESSAGE_BYTES
from services.gateway.session import Closing

QUEUE_FRAMES: Final = 512
QUEUE_BYTES: Final = 256 * 1024
SOCKET_BYTES: Final = 32 * 1024  # in the kernel, and as much again in the transport
HARD_BYTES: Final = 4 * MESSAGE_BYTES  # longer ones are cut off unread; up to here a reason is told
CLOSE_S: Final = 2.0  # for the last frames and the farewell; then the line is cut


class Socket:
    """One connection, from its handshake to its end: an `Outlet`."""

    def __init__(self, response: web.WebSocketResponse[bool], transport: asyncio.Transport) -> None:
        """Take a WebSocket that is open."""
        self._response = response
        self._transport = transport
        transport.set_write_buffer_limits(high=SOCKET_BYTES)
        self._queue: deque[tuple[bytes, WSMsgType]] = deque()
        self._size = 0
        self._filled = asyncio.Event()
        self._closing: Closing | None = None
        self._cutting: asyncio.TimerHandle | None = None
        self._gone: Callable[[], None] = lambda: None

    # ---- an outlet

    def send(self, frame: bytes) -> None:
        """Send a text frame. A phone that does not read is closed: it comes back with its seq."""
        self._put(frame, WSMsgType.TEXT)

    def ping(self) -> None:
        """Ask for a pong."""
        self._put(b"", WSMsgType.PING)

    def close(self, code: Closing) -> None:
        """Send what is queued, then say why, then close, all in two seconds."""
        if self._closing is None:
            self._closing = code
            self._cut_soon()
            self._filled.set()

    def _put(self, frame: bytes, kind: WSMsgType) -> None:
        if self._closing is not None:
            return
        if len(self._queue) >= QUEUE_FRAMES or self._size + len(frame) > QUEUE_BYTES:
            self._queue.clear()
            self.close(Closing.TOO_SLOW)
            asyncio.get_running_loop().call_soon(self._gone)  # whoever sends is in the middle of it
            return
        self._queue.append((frame, kind))
        self._size += len(frame)
        self._filled.set()

    # ---- its life

    async def serve(
        self,
        receive: Callable[[bytes], None],
        heard: Callable[[], None],
        gone: Callable[[], None],
    ) -> None:
        """Hand on what the phone sends until the connection ends.

        Args:
            receive: Takes each message's bytes.
            heard: Takes each other sign of life.
            gone: Told when the phone was given up before its connection ends.
        """
        self._gone = gone
        writing = asyncio.create_task(self._write())
        try:
            while self._closing is None:
                message = await self._response.receive()
                if message.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                    receive(message.data)
                elif message.type is WSMsgType.PING:
                    heard()
                    self._put(message.data, WSMsgType.PONG)
                elif message.type is WSMsgType.PONG:
                    heard()
                else:
                    return
            await writing
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
            self._cut_soon()
            self._transport.close()

    def _cut_soon(self) -> None:
        """Let the line not outlive its end for long, whatever the phone does not read."""
        if self._cutting is None:
            loop = asyncio.get_running_loop()
            self._cutting = loop.call_later(CLOSE_S, self._transport.abort)

    async def _write(self) -> None:
        try:
            while True:
                await self._filled.wait()
                self._filled.clear()
                while self._queue:
                    frame, kind = self._queue.popleft()
                    self._size -= len(frame)
                    await self._response.send_frame(frame, kind)
                if self._closing is not None:
                    await self._response.close(code=self._closing)
                    return
        except ConnectionError:
            return  # the reader hears of it too
