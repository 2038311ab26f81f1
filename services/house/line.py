"""The internet as a phone's way to a house: its account by HTTP, and its WebSocket.

Each line has a client session of its own, so that it can be cut as a lost line is: without a word.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any, Final, Literal

import aiohttp
import orjson
from typing_extensions import override

from services.house.network import Account, Line, Network, NoAccount

ANSWER_S: Final = 10.0
FAREWELL_S: Final = 2.0
SOCKET: Final = "/play"
MESSAGE_LIMIT: Final = 1024 * 1024

AWAY: Final = (aiohttp.ClientError, OSError, TimeoutError)
"""What is raised while a house does not answer."""
_RETRIED: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})


class HttpAccount(Account):
    """Made once, and its token renewed by its key."""

    def __init__(self, url: str, nickname: str) -> None:
        self._url = url
        self._nickname = nickname
        self._key = ""
        self.player_id = ""
        self.token = ""

    @override
    async def renew(self) -> None:
        wanted = {"nickname": self._nickname}
        path = "/api/guests"
        if self.player_id:
            path = "/api/tokens"
            wanted |= {"player_id": self.player_id, "account_key": self._key}
        limit = aiohttp.ClientTimeout(total=ANSWER_S)
        async with (
            aiohttp.ClientSession(timeout=limit, cookie_jar=aiohttp.DummyCookieJar()) as http,
            http.post(self._url + path, data=orjson.dumps(wanted)) as answer,
        ):
            said = await answer.read()
            if answer.status in _RETRIED:
                answer.raise_for_status()
            if answer.status != HTTPStatus.CREATED:
                text = said[:200].decode(errors="replace")
                raise NoAccount(f"{path} answers {answer.status}: {text}")
        found = orjson.loads(said)
        self.player_id, self._key = found["player_id"], found["account_key"]
        self.token = found["token"]


class SocketLine(Line):
    """A WebSocket.

    Args:
        url: The house's address.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._http = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
        self._socket: aiohttp.ClientWebSocketResponse[Literal[False]] | None = None

    @property
    @override
    def close_code(self) -> int | None:
        return None if self._socket is None else self._socket.close_code

    @override
    async def open(self) -> None:
        async with asyncio.timeout(ANSWER_S):
            self._socket = await self._http.ws_connect(
                self._url + SOCKET,
                autoping=False,
                decode_text=False,
                max_msg_size=MESSAGE_LIMIT,
                timeout=aiohttp.ClientWSTimeout(ws_close=FAREWELL_S),
            )

    @override
    async def send(self, data: bytes) -> None:
        if self._socket is None:
            raise ConnectionResetError("the line is not open")
        await self._socket.send_frame(data, aiohttp.WSMsgType.TEXT)

    @override
    async def receive(self) -> bytes | None:
        if self._socket is None:
            return None
        message = await self._socket.receive()
        if message.type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
            data: Any = message.data
            return bytes(data)
        if message.type is aiohttp.WSMsgType.PING:
            await self._socket.pong(message.data)
            return b""
        return b"" if message.type is aiohttp.WSMsgType.PONG else None

    @override
    async def close(self) -> None:
        if self._socket is not None:
            await self._socket.close()
        await self._http.close()

    @override
    async def cut(self) -> None:
        await self._http.close()


class Internet(Network):
    """A house at an address."""

    def __init__(self, url: str) -> None:
        self._url = url

    @override
    def account(self, nickname: str) -> HttpAccount:
        return HttpAccount(self._url, nickname)

    @override
    def line(self) -> SocketLine:
        return SocketLine(self._url)
