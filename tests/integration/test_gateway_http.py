"""Requests that no browser sends: each gets an answer, and nobody is called for them."""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import AsyncIterator

import orjson
import pytest
import structlog

from services.gateway.host import Gateway
from tests.integration.gateway_house import House, memory_house

GUESTS = "POST /api/guests HTTP/1.1"
HISTORY = "GET /api/players/01980f6e-5c00-7b2a-9d3e-4f5061728394/history HTTP/1.1"
KEY = base64.b64encode(bytes(16)).decode()
WAIT_S = 30.0


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with memory_house() as house:
        yield house


@pytest.fixture
async def gateway(house: House) -> Gateway:
    return await house.gateway()


async def ask(gateway: Gateway, *lines: str | bytes, body: bytes = b"") -> tuple[int, bytes]:
    """Send these lines as they are, and a body; return status and body of the answer."""
    raw = [line.encode("latin-1") if isinstance(line, str) else line for line in lines]
    if raw[0].startswith(b"POST"):
        raw.append(b"Content-Length: %d" % len(body))
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    writer.write(b"\r\n".join([*raw, b"Connection: close", b"", b""]) + body)
    async with asyncio.timeout(WAIT_S):
        answer = await reader.read()
    writer.close()
    head, _, said = answer.partition(b"\r\n\r\n")
    return int(head.split(b" ")[1]), said


def told(said: bytes) -> str:
    return str(orjson.loads(said)["reason"])


@pytest.mark.parametrize("line", [GUESTS, "GET /play HTTP/1.1"])
@pytest.mark.parametrize(
    "origin",
    [
        "http://[::1",
        "http://a]b",
        "http://[",
        "http://\uff11\uff12\uff17.0.0.1".encode(),
        "http://a\u2100b".encode(),
        b"http://\xff\xfe",
        "http://a:b:c",
        "//[",
    ],
)
async def test_an_origin_that_is_none_is_a_foreign_one(
    gateway: Gateway, caplog: pytest.LogCaptureFixture, line: str, origin: str | bytes
) -> None:
    name = origin.encode() if isinstance(origin, str) else origin
    with structlog.testing.capture_logs() as logged:
        status, said = await ask(gateway, line, "Host: x", b"Origin: " + name)
    assert (status, told(said)) == (403, "foreign_origin")
    assert not logged
    assert not [entry for entry in caplog.records if entry.levelno >= logging.WARNING]


@pytest.mark.parametrize(
    ("lines", "body", "status", "reason"),
    [
        pytest.param((GUESTS, "Host: [::1"), b"", 400, "bad_json", id="host"),
        pytest.param(
            (GUESTS, "Host: [::1", "Origin: http://x"), b"", 403, "foreign_origin", id="both"
        ),
        pytest.param(
            (GUESTS, "Host: x", "Content-Encoding: gzip"), b"abcde", 400, "bad_json", id="gzip"
        ),
        pytest.param(
            (GUESTS, "Host: x", "Content-Encoding: br"), b"abcde", 400, "bad_json", id="brotli"
        ),
        pytest.param((GUESTS, "Host: x"), b"\xff\xfe", 400, "bad_json", id="no-utf-8"),
        pytest.param((GUESTS, "Host: x"), b"{" * 9000, 413, "too_large", id="large"),
        pytest.param(
            (HISTORY, "Host: x", b"Authorization: Bearer \xff\xfe"),
            b"",
            401,
            "not_signed_in",
            id="token",
        ),
        pytest.param(
            (HISTORY, "Host: x", f"Authorization: Bearer {'W10.' * 300}"),
            b"",
            401,
            "not_signed_in",
            id="long-token",
        ),
        pytest.param(("GET /api/matches/%ff%fe HTTP/1.1", "Host: x"), b"", 404, "not_found"),
        pytest.param(("GET /api/matches/%zz HTTP/1.1", "Host: x"), b"", 404, "not_found"),
        pytest.param(("GET /api/matches/%ed%a0%80 HTTP/1.1", "Host: x"), b"", 404, "not_found"),
        pytest.param(("GET /%00%0d%0a HTTP/1.1", "Host: x"), b"", 404, "not_found"),
        pytest.param(("GET //[ HTTP/1.1", "Host: x"), b"", 404, "not_found"),
        pytest.param(("OPTIONS * HTTP/1.1", "Host: x"), b"", 404, "not_found"),
        pytest.param(("GET /play HTTP/1.1", "Host: x"), b"", 400, "bad_request", id="no-handshake"),
        pytest.param(
            (
                "GET /play HTTP/1.1",
                "Host: x",
                "Upgrade: websocket",
                "Connection: Upgrade",
                "Sec-WebSocket-Version: 13",
                b"Sec-WebSocket-Key: \xff\xfe\xff\xfe",
            ),
            b"",
            400,
            "bad_request",
            id="key",
        ),
    ],
)
async def test_a_strange_request_is_answered_and_no_alarm(
    gateway: Gateway,
    caplog: pytest.LogCaptureFixture,
    lines: tuple[str | bytes, ...],
    body: bytes,
    status: int,
    reason: str,
) -> None:
    with structlog.testing.capture_logs() as logged:
        answer = await ask(gateway, *lines, body=body)
    assert (answer[0], told(answer[1])) == (status, reason)
    assert not logged
    assert not [entry for entry in caplog.records if entry.levelno >= logging.WARNING]


@pytest.mark.parametrize(
    "lines",
    [
        ("GET / HTTP/9.9", "Host: x"),
        ("GET /\xff HTTP/1.1", "Host: x"),
        ("GET http://[::1/ HTTP/1.1", "Host: x"),
        ("GET / HTTP/1.1",),
        ("GET / HTTP/1.1", "Host: x", "Host: y"),
        ("GET / HTTP/1.1", "Host: x", "Content-Length: -1"),
        ("GET / HTTP/1.1", "Host: x", "Content-Length: 99999999999999999999999"),
        ("GET / HTTP/1.1", "Host: x", "Transfer-Encoding: foo"),
        ("GET / HTTP/1.1", "Host: x", "A: a\x00b"),
        ("GET / HTTP/1.1", "Host: x", f"A: {'a' * 20_000}"),
        ("\x16\x03\x01",),
    ],
)
async def test_what_is_no_http_is_told_so_and_not_logged(
    gateway: Gateway, caplog: pytest.LogCaptureFixture, lines: tuple[str, ...]
) -> None:
    status, _ = await ask(gateway, *lines)
    assert status == 400
    assert not [entry for entry in caplog.records if entry.levelno >= logging.WARNING]


async def test_who_goes_in_the_middle_of_a_request_is_not_logged(
    gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    writer.write(f"{GUESTS}\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc".encode())
    await writer.drain()
    await asyncio.sleep(0.1)
    with structlog.testing.capture_logs() as logged:
        writer.transport.abort()
        await asyncio.sleep(0.1)
    assert not logged
    assert not [entry for entry in caplog.records if entry.levelno >= logging.WARNING]
    assert (await ask(gateway, "GET /api/games HTTP/1.1", "Host: x"))[0] == 200


async def test_a_fault_of_a_page_is_an_answer_and_one_line(
    gateway: Gateway, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    lobby = gateway._hub.parts.lobby

    def broken() -> None:
        raise LookupError("a fault of the house")

    monkeypatch.setattr(lobby, "lobby", broken)
    with structlog.testing.capture_logs() as logged:
        status, said = await ask(gateway, "GET /api/lobby HTTP/1.1", "Host: x")
    assert (status, told(said)) == (500, "fault")
    assert [entry["event"] for entry in logged] == ["alarm"]
    assert not caplog.records
