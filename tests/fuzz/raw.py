"""Bytes on a connection that no library sends: frames of a WebSocket and requests, sound or not."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections import Counter
from random import Random
from typing import Final

WAIT_S: Final = 3.0
READ_BYTES: Final = 65536

MASK: Final = b"\x01\x02\x03\x04"


def handshake(more: bytes = b"") -> bytes:
    """Return a request for a socket."""
    return (
        b"GET /play HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        + more
        + b"\r\n"
    )


def frame(
    data: bytes,
    *,
    opcode: int,
    end: bool = True,
    reserved: int = 0,
    masked: bool = True,
    length: int | None = None,
) -> bytes:
    """Return a frame; `length`: what it says of its length, whatever that is."""
    size = len(data) if length is None else length
    head = bytes([end << 7 | reserved << 4 | opcode])
    mask = masked << 7
    if size < 126:
        head += bytes([mask | size])
    elif size < 2**16:
        head += bytes([mask | 126]) + struct.pack("!H", size)
    else:
        head += bytes([mask | 127]) + struct.pack("!Q", size)
    if not masked:
        return head + data
    return head + MASK + bytes(byte ^ MASK[n % 4] for n, byte in enumerate(data))


PING_MESSAGE: Final = b'{"type":"ping"}'
GOODBYE: Final = frame(struct.pack("!H", 1000), opcode=8)
BROKEN_FRAMES: Final = (
    *(frame(PING_MESSAGE, opcode=opcode) for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)),
    *(frame(PING_MESSAGE, opcode=1, reserved=reserved) for reserved in (1, 2, 4, 7)),
    frame(PING_MESSAGE, opcode=1, masked=False),
    frame(PING_MESSAGE, opcode=0),
    frame(PING_MESSAGE, opcode=1, end=False) + frame(PING_MESSAGE, opcode=1),
    frame(b"x" * 126, opcode=9),
    frame(b"x", opcode=9, end=False),
    frame(b"", opcode=1, length=2**63),
    frame(b"", opcode=1, length=2**64 - 1),
    frame(b"", opcode=2, length=2**31),
    frame(b"x", opcode=8),
    frame(struct.pack("!H", 5000), opcode=8),
    frame(struct.pack("!H", 999), opcode=8),
    frame(struct.pack("!H", 1000) + b"\xff\xfe", opcode=8),
    frame(b"\xff\xfe", opcode=1),
    frame(b"", opcode=1) * 2000,
    frame(b"", opcode=9) * 2000,
    frame(b"", opcode=10) * 2000,
    frame(b"", opcode=1, end=False) + frame(b"", opcode=0, end=False) * 3000,
    GOODBYE * 100,
    b"\x81",
    b"\x81\xfe\x00",
)
_POST: Final = b"POST /api/guests HTTP/1.1\r\nHost: x\r\n"
_CHUNKED: Final = _POST + b"Transfer-Encoding: chunked\r\n"
HALF_BODY: Final = _POST + b"Content-Length: 100\r\n\r\n{"
BROKEN_REQUESTS: Final = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20_000 + b"\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    _CHUNKED + b"Content-Length: 5\r\n\r\n0\r\n\r\n",
    _CHUNKED + b"\r\nffffffffffffffff\r\n",
    _CHUNKED + b"\r\n" + b"1\r\nx\r\n" * 9000,
    _POST + b"Content-Length: -1\r\n\r\n",
    b"GET /api/games HTTP/1.1\r\nHost: x\r\n\r\n" * 50,
    b"\r\n" * 10_000,
    b"\x00" * 10_000,
)
_WORDS: Final = (
    *(
        b"GET ",
        b"POST ",
        b"PUT ",
        b"/play",
        b"/api/wallet",
        b"/api/matches/",
        b"/api/tokens",
        b"%00",
    ),
    *(
        b" HTTP/1.1\r\n",
        b" HTTP/1.0\r\n",
        b"Host: x\r\n",
        b"Content-Length: 9\r\n",
        b"Origin: [\r\n",
    ),
    *(b"Transfer-Encoding: chunked\r\n", b"Upgrade: websocket\r\n", b"Connection: Upgrade\r\n"),
    *(
        b"Authorization: Bearer \xff\r\n",
        b"Expect: 100-continue\r\n",
        b"Cookie: a=b\r\n",
        b"\r\n\r\n",
    ),
    *(
        b"?before=1'--",
        b"?after=%ff",
        b"\x00",
        b"\xff",
        b"{}",
        b"9\r\n",
        b": ",
        b"\n",
        b"\r",
        b"../",
    ),
)


def many_fragments() -> bytes:
    """Return a message of a megabyte in frames of a kilobyte."""
    part = b"[" * 1024
    return frame(part, opcode=1, end=False) + frame(part, opcode=0, end=False) * 1024


def any_frames(chance: Random) -> bytes:
    """Return frames that may be anything."""
    found = b""
    for _ in range(chance.randint(1, 20)):
        found += frame(
            chance.randbytes(chance.choice((0, 1, 2, 15, 125, 126, 4096))),
            opcode=chance.randrange(16),
            end=chance.random() < 0.8,
            reserved=chance.choice((0, 0, 0, 0, 4, 2)),
            masked=chance.random() < 0.95,
        )
    return found


def any_request(chance: Random) -> bytes:
    """Return what begins like a request, or not even that."""
    return b"".join(chance.choice(_WORDS) for _ in range(chance.randint(1, 30)))


async def converse(
    host: tuple[str, int],
    address: str,
    data: bytes,
    counts: Counter[str],
    before: bytes | None = None,
) -> bytes:
    """Send bytes over a connection of their own, behind a handshake unless told otherwise, and
    return what comes until the other end closes it, or nothing comes.
    """
    reader, writer = await asyncio.open_connection(*host, local_addr=(address, 0))
    said = b""
    try:
        with contextlib.suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(WAIT_S):
                writer.write(handshake() if before is None else before)
                writer.write(data)
                while part := await reader.read(READ_BYTES):
                    said += part
                counts["closed"] += 1
    finally:
        writer.transport.abort()
    counts["conversations"] += 1
    if b" 500 " in said[:20]:
        counts["status 500"] += 1
    return said
