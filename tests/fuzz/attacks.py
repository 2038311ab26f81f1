"""What hostile clients do to a house, by HTTP and over sockets; each attack is over by itself.

From addresses of its own on this machine (127.0.0.x): what an address may do is counted for each,
and the match that is played on beside comes from another.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
import orjson

from sahrat.runtime.ids import new_id
from tests.fuzz import raw
from tests.fuzz.mutate import Mutator
from tests.fuzz.parsers import examples
from tests.fuzz.target import MESSAGE_BYTES

FLOOD_S: Final = 3.0  # within which whoever floods is closed
SLOW: Final = 20
SLOW_S: Final = 10.0
HALVES: Final = 50
COMINGS: Final = 1_000
BOMB: Final = 16 * 1024 * 1024  # what a frame of 16 kB unpacks to
BODY_BOMB: Final = 3 * 1024 * 1024  # as much as a body may have, packed


@dataclass
class Enemy:
    """Whoever attacks, and what came of it.

    Attributes:
        watched: A match that has many records, if one is known.
        counts: What happened, by name.
    """

    url: str
    chance: Random
    watched: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    _last: int = 1

    @property
    def host(self) -> tuple[str, int]:
        parts = urlsplit(self.url)
        return parts.hostname or "", parts.port or 80

    def address(self) -> str:
        """Return an address that nobody has used yet."""
        self._last += 1
        return f"127.{self._last >> 16 & 255}.{self._last >> 8 & 255}.{self._last & 255}"

    def http(self) -> aiohttp.ClientSession:
        """Return what asks from an address of its own."""
        connector = aiohttp.TCPConnector(local_addr=(self.address(), 0), limit=0)
        return aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=30))

    async def token(self, http: aiohttp.ClientSession) -> str:
        """Become a guest."""
        async with http.post(f"{self.url}/api/guests", json={"nickname": "Enemy"}) as answer:
            return str((await answer.json()).get("token", ""))

    @contextlib.asynccontextmanager
    async def socket(
        self, *, signed_in: bool = True, **options: Any
    ) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        """Come in over a socket."""
        async with self.http() as http:
            token = await self.token(http) if signed_in else ""
            async with http.ws_connect(f"{self.url}/play", **options) as socket:
                if signed_in:
                    await socket.send_json({"type": "sign_in", "token": token})
                yield socket


async def _until_closed(socket: aiohttp.ClientWebSocketResponse) -> int:
    async for _ in socket:
        pass
    return socket.close_code or 0


async def _send_all(
    socket: aiohttp.ClientWebSocketResponse, frames: Callable[[], bytes], seconds: float
) -> int:
    """Send as fast as the socket takes it until it is closed; return with which code, 0 if not."""
    reading = asyncio.create_task(_until_closed(socket))
    until_s = time.monotonic() + seconds
    with contextlib.suppress(ConnectionError):
        while not reading.done() and time.monotonic() < until_s:
            for _ in range(20):
                await socket.send_frame(frames(), aiohttp.WSMsgType.TEXT)
            await asyncio.sleep(0)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(FLOOD_S):
            return await reading
    reading.cancel()
    return 0


# ---- attacks


async def flood(enemy: Enemy) -> None:
    """Send intents that only rules can refuse, without waiting for answers."""
    match_id = new_id()
    wish = {"type": "join", "intent_id": match_id, "match_id": match_id, "seat_number": "7"}
    frame = orjson.dumps(wish)
    async with enemy.socket() as socket:
        enemy.counts[f"flood closed with {await _send_all(socket, lambda: frame, 10)}"] += 1


async def nonsense(enemy: Enemy) -> None:
    """Send what costs most to refuse, without being anybody."""
    worst = (
        b"[" * 9 + b'"' + b'\\"' * 2040,
        b'{"type":"open","options":{' + b",".join(b'"%x":-1' % n for n in range(64)) + b"}}",
        b'{"type":"watch","seq":' + b"9" * 4000 + b"}",
        b"[" * MESSAGE_BYTES,
    )
    async with enemy.socket(signed_in=False) as socket:
        code = await _send_all(socket, lambda: enemy.chance.choice(worst), 10)
    enemy.counts[f"nonsense closed with {code}"] += 1


async def mutants(enemy: Enemy) -> None:
    """Send messages that are a little wrong, as fast as is allowed."""
    seeds = [line for line in examples() if line.startswith(b'{"type"')]
    mutator = Mutator(enemy.chance, most_bytes=MESSAGE_BYTES)
    async with enemy.socket() as socket:
        for _ in range(90):
            one, other = enemy.chance.choice(seeds), enemy.chance.choice(seeds)
            if socket.closed:
                return
            with contextlib.suppress(ConnectionError):
                await socket.send_frame(mutator.mutate(one, other), aiohttp.WSMsgType.TEXT)
            enemy.counts["mutants"] += 1


async def oversize(enemy: Enemy) -> None:
    """Send too much: in one frame, in many that belong together, in a body."""
    for size in (16 * 1024 + 1, 2_000_000):
        async with enemy.socket(signed_in=False) as socket:
            with contextlib.suppress(ConnectionError):
                await socket.send_bytes(b"[" * size)
            enemy.counts[f"oversize closed with {await _until_closed(socket)}"] += 1
    await raw.converse(enemy.host, enemy.address(), raw.many_fragments(), enemy.counts)
    async with enemy.http() as http:
        for path in ("guests", "tokens", "operator/stops"):
            with contextlib.suppress(aiohttp.ClientError):
                async with http.post(f"{enemy.url}/api/{path}", data=b"x" * 3_000_000) as answer:
                    enemy.counts[f"oversize body {answer.status}"] += 1


async def bombs(enemy: Enemy) -> None:
    """Send what grows when it is unpacked, though that was never agreed on."""
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(bytes(BOMB)) + packer.flush(zlib.Z_SYNC_FLUSH)
    frames = raw.frame(packed, opcode=1, reserved=4)
    await raw.converse(enemy.host, enemy.address(), frames, enemy.counts)
    offer = raw.handshake(b"Sec-WebSocket-Extensions: permessage-deflate\r\n")
    await raw.converse(enemy.host, enemy.address(), frames, enemy.counts, offer)
    async with enemy.http() as http:
        body, headers = zlib.compress(bytes(BODY_BOMB)), {"Content-Encoding": "deflate"}
        with contextlib.suppress(aiohttp.ClientError):
            async with http.post(f"{enemy.url}/api/guests", data=body, headers=headers) as answer:
                enemy.counts[f"bomb in a body {answer.status}"] += 1


async def broken(enemy: Enemy) -> None:
    """Send frames and requests that are none."""
    address, chance, counts = enemy.address(), enemy.chance, enemy.counts
    frames = (*raw.BROKEN_FRAMES, *(raw.any_frames(chance) for _ in range(20)))
    requests = (*raw.BROKEN_REQUESTS, *(raw.any_request(chance) for _ in range(40)))
    await asyncio.gather(
        *(raw.converse(enemy.host, address, data, counts) for data in frames),
        *(raw.converse(enemy.host, address, data, counts, b"") for data in requests),
    )


async def slow(enemy: Enemy) -> None:
    """Ask for much, and read nothing of it."""
    watch = orjson.dumps({"type": "watch", "match_id": enemy.watched or new_id(), "seq": 0})

    async def one() -> None:
        async with enemy.socket() as socket:
            connection = socket._response.connection
            line = None if connection is None else connection.transport
            if line is None:
                return
            line.pause_reading()
            until_s = time.monotonic() + SLOW_S
            while time.monotonic() < until_s and not line.is_closing():
                try:
                    await socket.send_frame(watch, aiohttp.WSMsgType.TEXT)
                except ConnectionError:
                    break
                await asyncio.sleep(0.05)
            line.abort()
            enemy.counts["slow readers"] += 1

    await asyncio.gather(*(one() for _ in range(SLOW)))


async def halves(enemy: Enemy) -> None:
    """Begin requests and never end them, and say nothing at all."""
    begun = [b"", b"GET /pl", b"GET /play HTTP/1.1\r\nHost: x\r\n", raw.HALF_BODY]
    writers = []
    for number in range(HALVES):
        _, writer = await asyncio.open_connection(*enemy.host, local_addr=(enemy.address(), 0))
        writer.write(begun[number % len(begun)])
        writers.append(writer)
    await asyncio.sleep(3)
    for writer in writers:
        writer.transport.abort()
    enemy.counts["halves"] += HALVES


async def comings(enemy: Enemy) -> None:
    """Come in and go at once, as often as can be."""
    begun = time.monotonic()
    address = enemy.address()

    async def some() -> None:
        for _ in range(COMINGS // 10):
            await raw.converse(enemy.host, address, raw.GOODBYE, Counter())

    await asyncio.gather(*(some() for _ in range(10)))
    enemy.counts["comings"] += COMINGS
    enemy.counts["comings took ms"] += round(1000 * (time.monotonic() - begun))


ATTACKS: Final[tuple[Callable[[Enemy], Awaitable[None]], ...]] = (
    flood,
    nonsense,
    mutants,
    oversize,
    bombs,
    broken,
    slow,
    halves,
)
