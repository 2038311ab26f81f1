"""A phone's way to a gateway: its account by HTTP, and its WebSocket, which may be lost.

Each line has a client session of its own, so that it can be cut as a lost line is: without a word.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from random import Random
from typing import Any, Final, Literal

import aiohttp
import orjson

ANSWER_S: Final = 10.0
FAREWELL_S: Final = 2.0
FIRST_PAUSE_S: Final = 0.5
LAST_PAUSE_S: Final = 2.0  # a gateway that was killed is there again after three seconds
SOCKET: Final = "/play"
MESSAGE_LIMIT: Final = 1024 * 1024

AWAY: Final = (aiohttp.ClientError, OSError, TimeoutError)
"""What is raised while a house does not answer."""
_RETRIED: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})


class NoAccount(Exception):
    """The house gives no account, and asking again will not help."""


class Backoff:
    """Pauses between attempts: 0.5 s, doubling to 2 s, each a fifth more or less by chance."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._next_s = FIRST_PAUSE_S

    def take(self) -> float:
        """Return how many seconds to wait before the next attempt."""
        pause, self._next_s = self._next_s, min(2 * self._next_s, LAST_PAUSE_S)
        return pause * (0.8 + 0.4 * self._chance.random())

    def reset(self) -> None:
        """Begin at the shortest again."""
        self._next_s = FIRST_PAUSE_S


class Account:
    """A guest's account at a house: made once, and its token renewed by its key."""

    def __init__(self, url: str, nickname: str) -> None:
        self._url = url
        self._nickname = nickname
        self._key = ""
        self.player_id = ""
        self.token = ""

    async def renew(self) -> None:
        """Become a guest, or get a new token for the one that this is.

        Raises:
            NoAccount: The house refuses.
            ClientError, OSError, TimeoutError: The house is away, or wants to be asked later.
        """
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


class Line:
    """One connection.

    Attributes:
        close_code: Why the other side closed it; None while it did not.
    """

    def __init__(self) -> None:
        self._http = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
        self._socket: aiohttp.ClientWebSocketResponse[Literal[False]] | None = None

    @property
    def close_code(self) -> int | None:
        """See the class."""
        return None if self._socket is None else self._socket.close_code

    async def open(self, url: str) -> None:
        """Connect to a house's socket. Raises as `Account.renew` while the house is away."""
        async with asyncio.timeout(ANSWER_S):
            self._socket = await self._http.ws_connect(
                url + SOCKET,
                autoping=False,
                decode_text=False,
                max_msg_size=MESSAGE_LIMIT,
                timeout=aiohttp.ClientWSTimeout(ws_close=FAREWELL_S),
            )

    async def send(self, data: bytes) -> None:
        """Send a message. Raises ClientError or OSError when the line is lost."""
        if self._socket is None:
            raise ConnectionResetError("the line is not open")
        await self._socket.send_frame(data, aiohttp.WSMsgType.TEXT)

    async def receive(self) -> bytes | None:
        """Return the next message, empty for a mere sign of life; None when the line is lost."""
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

    async def close(self) -> None:
        """Say farewell and close."""
        if self._socket is not None:
            await self._socket.close()
        await self._http.close()

    async def cut(self) -> None:
        """Be gone without a word, as a phone in a tunnel."""
        await self._http.close()
