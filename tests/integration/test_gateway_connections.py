"""Connections over which nothing is said, or nothing whole: they are few, and do not last."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import cast

import orjson
import structlog
import uvloop

from services.gateway import connections
from services.gateway.host import Gateway
from services.gateway.sessions import Limits
from tests.integration.gateway_house import PATIENT_S, House, memory_house

GAMES = b"GET /api/games HTTP/1.1\r\nHost: x\r\n\r\n"
LATE_S = 20.0  # a busy machine may close a connection so much later

Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Caller:
    """Opens connections, and cuts them off at the end."""

    def __init__(self) -> None:
        self._opened: list[Line] = []

    async def __call__(self, gateway: Gateway, said: bytes = b"") -> Line:
        line = await asyncio.open_connection("127.0.0.1", gateway.port)
        self._opened.append(line)
        line[1].write(said)
        await line[1].drain()
        return line

    def cut(self) -> None:
        for _, writer in self._opened:
            writer.transport.abort()


def on_uvloop(tell: Callable[[House, Caller], Awaitable[None]]) -> Callable[[], None]:
    """Make a test on the loop of a running house, whose transports are of a kind of their own."""

    async def whole() -> None:
        async with memory_house() as house:
            dial = Caller()
            try:
                await tell(house, dial)
            finally:
                dial.cut()

    @wraps(tell)
    def test() -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(whole())

    del vars(test)["__wrapped__"]  # pytest would look for its fixtures there
    return test


@on_uvloop
async def test_connections_have_a_limit_that_is_told_politely_and_logged_once(
    house: House, dial: Caller
) -> None:
    gateway = await house.gateway(limits=Limits(connections=40, lag_s=PATIENT_S))
    silent = [await dial(gateway) for _ in range(30)]  # three quarters: all for one address
    with structlog.testing.capture_logs() as logged:
        for _ in range(20):
            reader, _writer = await dial(gateway, GAMES)
            async with asyncio.timeout(LATE_S):
                head, _, said = (await reader.read()).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 503 ")
            assert orjson.loads(said)["reason"] == "house_busy"
        assert [entry["problem"] for entry in logged] == ["too many connections"]
    for _reader, writer in silent:
        writer.transport.abort()
    async with asyncio.timeout(LATE_S):
        while True:
            reader, _writer = await dial(gateway, GAMES)
            if (await reader.readline()).startswith(b"HTTP/1.1 200 "):
                break


@on_uvloop
async def test_who_sends_no_whole_request_is_closed_and_who_plays_is_not(
    house: House, dial: Caller
) -> None:
    gateway = await house.gateway()
    phone = await house.phone(gateway)
    began_s = time.monotonic()
    lines = {
        "nothing": await dial(gateway),
        "half a head": await dial(gateway, b"GET / HTTP/1.1\r\nHost: x\r\n"),
        "drop by drop": await dial(gateway, b"GET / HTTP/1.1\r\nHost: x\r\nA: "),
        "half a body": await dial(
            gateway, b"POST /api/guests HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"
        ),
        "half another head": await dial(gateway, GAMES + b"GET / HT"),
    }

    async def drip(writer: asyncio.StreamWriter) -> None:
        while not writer.is_closing():
            writer.write(b"a")
            await asyncio.sleep(0.5)

    dripping = asyncio.create_task(drip(lines["drop by drop"][1]))
    said: dict[str, bytes] = {}
    for name, (reader, _) in lines.items():
        async with asyncio.timeout(connections.HEAD_S + LATE_S):
            said[name] = await read_out(reader)
    dripping.cancel()
    assert time.monotonic() - began_s >= connections.HEAD_S - 1
    assert said["nothing"] == said["half a head"] == said["drop by drop"] == b""
    assert said["half a body"].startswith(b"HTTP/1.1 408 ")
    assert said["half another head"].startswith(b"HTTP/1.1 200 ")
    await phone.send(type="ping")
    await phone.take("pong")


async def read_out(reader: asyncio.StreamReader) -> bytes:
    said = b""
    try:
        while more := await reader.read(65536):
            said += more
    except ConnectionError:
        pass
    return said


@on_uvloop
async def test_who_reads_nothing_is_cut_off(house: House, dial: Caller) -> None:
    gateway = await house.gateway(limits=Limits(lag_s=PATIENT_S, stalled_s=0.5))
    _reader, writer = await dial(gateway)
    cast("asyncio.Transport", writer.transport).pause_reading()
    asked = 0
    async with asyncio.timeout(LATE_S):
        while not writer.is_closing():
            writer.write(GAMES * 20)
            asked += 20
            try:
                await asyncio.wait_for(writer.drain(), 0.2)
            except TimeoutError:
                pass
            except ConnectionError:
                break
            await asyncio.sleep(0.01)
    assert asked > 100
