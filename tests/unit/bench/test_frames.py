"""The driver's end of a WebSocket: whole frames however the bytes come."""

from __future__ import annotations

import asyncio

import pytest
from typing_extensions import override

from tests.bench.frames import CLOSE, PING, PONG, TEXT, Frames, frame

UPGRADED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"


class Wire(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.closed = False

    @override
    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))

    @override
    def close(self) -> None:
        self.closed = True


class Client:
    """A connection, and what it handed on."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.lost: list[str] = []
        self.wire = Wire()
        self.frames = Frames("host", self.heard.append, self.lost.append)
        self.frames.connection_made(self.wire)


def served(payload: bytes, kind: int = TEXT) -> bytes:
    """A server's frame: without a mask."""
    size = len(payload)
    if size < 126:
        return bytes((0x80 | kind, size)) + payload
    if size < 1 << 16:
        return bytes((0x80 | kind, 126)) + size.to_bytes(2, "big") + payload
    return bytes((0x80 | kind, 127)) + size.to_bytes(8, "big") + payload


@pytest.mark.parametrize("step", [1, 2, 7, 1_000_000])
async def test_frames_of_every_length_come_whole(step: int) -> None:
    client = Client()
    texts = [b"", b"a", b"b" * 125, b"c" * 126, b"d" * 1000, b"e" * 70_000]
    stream = UPGRADED + b"".join(map(served, texts))
    for at in range(0, len(stream), step):
        client.frames.data_received(stream[at : at + step])
    assert client.frames.opened.done()
    assert client.heard == texts


@pytest.mark.parametrize("size", [0, 125, 126, 4096])
def test_what_is_sent_is_masked_as_clients_must(size: int) -> None:
    sent = frame(b"x" * size)
    head = 2 if size < 126 else 4
    assert sent[0] == 0x81
    assert sent[1] & 0x80
    assert sent[1] & 0x7F == min(size, 126)
    assert sent[head:] == bytes(4) + b"x" * size


async def test_a_ping_is_answered_with_its_own_bytes() -> None:
    client = Client()
    client.frames.data_received(UPGRADED + served(b"12", PING))
    assert client.wire.written[-1] == frame(b"12", PONG)


async def test_a_refused_handshake_is_told() -> None:
    client = Client()
    client.frames.data_received(b"HTTP/1.1 503 Service Unavailable\r\n\r\n")
    with pytest.raises(ConnectionError, match="503"):
        await client.frames.opened


async def test_why_the_house_closed_is_told() -> None:
    client = Client()
    client.frames.data_received(UPGRADED + served((4413).to_bytes(2, "big"), CLOSE))
    client.frames.connection_lost(None)
    assert client.lost == ["the house closed the line with 4413"]


async def test_who_closes_hears_nothing_of_it() -> None:
    client = Client()
    client.frames.data_received(UPGRADED)
    client.frames.close()
    client.frames.connection_lost(None)
    assert client.wire.closed
    assert client.lost == []
