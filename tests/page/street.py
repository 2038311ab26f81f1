"""The way between a browser and the house, which a test can cut and mend."""

from __future__ import annotations

import asyncio
import contextlib

CHUNK = 65_536  # bytes


class Street:
    """Hands on what comes to another port, until it is cut.

    Attributes:
        url: Where it listens.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._open = True
        self._server: asyncio.Server | None = None
        self._lines: set[asyncio.StreamWriter] = set()
        self.url = ""

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        """End every line, and let none through."""
        self._open = False
        for line in self._lines:
            line.transport.abort()

    def mend(self) -> None:
        self._open = True

    async def close(self) -> None:
        self.cut()
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._open:
            writer.transport.abort()
            return
        house_reader, house_writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._lines |= {writer, house_writer}
        try:
            await asyncio.gather(_pipe(reader, house_writer), _pipe(house_reader, writer))
        finally:
            self._lines -= {writer, house_writer}


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    writer.close()
