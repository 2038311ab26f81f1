"""Stands between a house's workers and its broker, and does to one worker's line what networks do.

It knows whose a connection is by the client's name in the first request on it, as the workers tell
it: `rules-1-append`. Source: Kafka protocol guide. A message is its length, 4 bytes, and as many
bytes; a request begins with api key (2), version (2), correlation id (4) and the client's name with
its length (2); a response with the correlation id of its request.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import struct
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

HOST: Final = "127.0.0.1"
PRODUCE: Final = 0
LENGTH: Final = struct.Struct(">i")
REQUEST: Final = struct.Struct(">hhih")
LIMIT_BYTES: Final = 64 * 1024 * 1024  # no message of a house is near it
WORKER: Final = re.compile(r"([a-z]+-\d+)-")
DELAY_S: Final = 0.25  # each way
ARMED_S: Final = 2.0  # so long a cut waits for something to be sent that is to be stored
LOST_EACH: Final = 2  # every second acknowledgement is lost, or nothing would ever go on

_NO_LINGER: Final = struct.pack("ii", 1, 0)  # closing with it sends a reset


class Way(StrEnum):
    """What is done to a worker's line.

    While it is cut, what is sent waits, as the kernel of either side would send it again and again
    until it comes through or the connection is given up. From worker to broker it is cut when the
    worker has just sent something to be stored: if it is replaced meanwhile, that comes through
    after what its successor has stored.
    """

    CUT = "cut"
    CUT_OUT = "cut from worker to broker"
    CUT_IN = "cut from broker to worker"
    RESET = "reset"
    DELAY = "delayed"
    UNACKNOWLEDGED = "acknowledgements lost"


_HOLDS_REQUESTS: Final = frozenset({Way.CUT, Way.CUT_OUT})
_HOLDS_ANSWERS: Final = frozenset({Way.CUT, Way.CUT_IN})


@dataclass(slots=True, eq=False)
class _Line:
    """One connection of a client, and ours to the broker on its behalf."""

    client: asyncio.StreamWriter
    broker: asyncio.StreamWriter | None = None
    worker: str = ""
    produces: set[int] = field(default_factory=set)

    def end(self) -> None:
        """End both connections, once they have what was written."""
        for writer in (self.client, self.broker):
            if writer is not None:
                writer.close()

    def reset(self) -> None:
        """End both connections with a reset."""
        for writer in (self.client, self.broker):
            if writer is not None:
                found: socket.socket | None = writer.get_extra_info("socket")
                with contextlib.suppress(OSError):
                    if found is not None:
                        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
                writer.transport.abort()


May = Callable[[_Line, bytes], Awaitable[bool]]


class Proxy:
    """Forwards to the broker, one worker's line in some way or other.

    Args:
        target: The port at which the broker listens for what comes from here.
        port: Where it is to listen itself; 0: at any free one.

    Attributes:
        port: Where it listens, once it was started.
        lost: How many acknowledgements each worker was not given.
        lines: How many connections each worker has had.
    """

    def __init__(self, target: int, port: int = 0) -> None:
        self.port = port
        self.lost: Counter[str] = Counter()
        self.lines: Counter[str] = Counter()
        self._target = target
        self._ways: dict[str, Way] = {}
        self._open: dict[str, asyncio.Event] = {}
        self._armed: dict[str, asyncio.TimerHandle] = {}
        self._server: asyncio.Server | None = None
        self._serving: dict[asyncio.Task[None], _Line] = {}
        self._acknowledged = 0

    @property
    def ways(self) -> Mapping[str, Way]:
        """What is done to whom at the moment."""
        return self._ways

    async def start(self) -> int:
        """Listen; return the port."""
        self._server = await asyncio.start_server(self._serve, HOST, self.port, limit=LIMIT_BYTES)
        self.port = self._server.sockets[0].getsockname()[1]
        return self.port

    async def close(self) -> None:
        """End everything."""
        if self._server is not None:
            self._server.close()
        for line in [*self._serving.values()]:
            line.reset()
        for task in [*self._serving]:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    def strike(self, worker: str, way: Way) -> None:
        """Do something to a worker's line from now on."""
        self._ways[worker] = way
        self._open[worker] = asyncio.Event()
        if way is Way.CUT_OUT:
            loop = asyncio.get_running_loop()
            self._armed[worker] = loop.call_later(ARMED_S, self._disarm, worker)
        if way is Way.RESET:
            for line in self._serving.values():
                if line.worker == worker:
                    line.reset()

    def mend(self, worker: str) -> None:
        """Let a worker's line be whole again."""
        self._ways.pop(worker, None)
        self._disarm(worker)
        held = self._open.pop(worker, None)
        if held is not None:
            held.set()

    def _disarm(self, worker: str) -> None:
        armed = self._armed.pop(worker, None)
        if armed is not None:
            armed.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        line = self._serving[task] = _Line(writer)
        try:
            await self._forward(line, reader)
        except (OSError, asyncio.IncompleteReadError):
            return  # either side has ended it, or was made to
        finally:
            line.end()
            del self._serving[task]

    async def _forward(self, line: _Line, client: asyncio.StreamReader) -> None:
        first = await _read(client)
        line.worker = worker_of(first)
        self.lines[line.worker] += 1
        if self._ways.get(line.worker) is Way.RESET:
            return
        await self._request(line, first)
        broker, line.broker = await asyncio.open_connection(HOST, self._target, limit=LIMIT_BYTES)
        line.broker.write(first)
        pumps = [
            asyncio.create_task(self._pump(line, client, line.broker, self._request)),
            asyncio.create_task(self._pump(line, broker, line.client, self._answer)),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)

    async def _request(self, line: _Line, message: bytes) -> bool:
        """Wait until a request may pass; return whether it does."""
        api, _, correlation, _ = REQUEST.unpack_from(message, LENGTH.size)
        if api == PRODUCE:
            line.produces.add(correlation)
            self._disarm(line.worker)
        if line.worker not in self._armed:
            await self._held(line.worker, _HOLDS_REQUESTS)
        return True

    async def _answer(self, line: _Line, message: bytes) -> bool:
        """Wait until an answer may pass; return whether it does."""
        await self._held(line.worker, _HOLDS_ANSWERS)
        (correlation,) = LENGTH.unpack_from(message, LENGTH.size)
        if correlation not in line.produces:
            return True
        line.produces.remove(correlation)
        if self._ways.get(line.worker) is not Way.UNACKNOWLEDGED:
            return True
        self._acknowledged += 1
        if self._acknowledged % LOST_EACH:
            return True
        self.lost[line.worker] += 1
        return False

    async def _pump(
        self, line: _Line, source: asyncio.StreamReader, target: asyncio.StreamWriter, may: May
    ) -> None:
        """Hand on messages in their order until one is lost, and the connection with it. What was
        sent before the source ended still arrives, as late as it may: its sender may be dead.
        """
        loop = asyncio.get_running_loop()
        sent: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def read() -> None:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                while True:
                    message = await _read(source)
                    delayed = self._ways.get(line.worker) is Way.DELAY
                    sent.put_nowait((loop.time() + (DELAY_S if delayed else 0.0), message))
            sent.put_nowait((loop.time(), b""))

        reading = asyncio.create_task(read())
        try:
            while True:
                due_s, message = await sent.get()
                if not message:
                    return
                await asyncio.sleep(due_s - loop.time())
                if not await may(line, message):
                    return
                target.write(message)
                await target.drain()
        finally:
            reading.cancel()

    async def _held(self, worker: str, ways: frozenset[Way]) -> None:
        """Wait as long as a worker's line is cut in one of these ways."""
        while (way := self._ways.get(worker)) is not None and way in ways:
            await self._open[worker].wait()


def worker_of(request: bytes) -> str:
    """Return whose a request is, its length included; empty for nobody's of the house."""
    *_, length = REQUEST.unpack_from(request, LENGTH.size)
    begin = LENGTH.size + REQUEST.size
    name = request[begin : begin + max(0, length)].decode(errors="replace")
    found = WORKER.match(name)
    return found[1] if found else ""


async def _read(reader: asyncio.StreamReader) -> bytes:
    """Return one message, its length included.

    Raises:
        IncompleteReadError, OSError: The connection has ended.
    """
    head = await reader.readexactly(LENGTH.size)
    return head + await reader.readexactly(LENGTH.unpack(head)[0])
