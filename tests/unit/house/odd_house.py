"""A house with a socket that does what a test tells it, over real rules: to see what a phone makes
of faults that a real gateway does not have.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import WSMsgType, web

from tests.unit.match.desk import START_MS, Desk, gateway, player

Message = dict[str, Any]


@dataclass
class OddHouse:
    """One table, at which the phone is player 0 and player 1 is the test.

    Attributes:
        heard: Everything that the phone has said, in order, as it came.
        answers: Called with each `act` before rules are; returns whether they are to be asked.
        guests, tokens: How often an account was made, and a token renewed.
    """

    desk: Desk = field(default_factory=Desk)
    heard: list[bytes] = field(default_factory=list)
    answers: Callable[[Message], bool] = lambda _: True
    guests: int = 0
    tokens: int = 0
    connections: int = 0
    url: str = ""
    socket: web.WebSocketResponse[bool] | None = None
    request: web.Request | None = None
    token: str = "t1"
    refusing: int = 0

    # ---- what the test does

    async def send(self, message: Message | bytes) -> None:
        assert self.socket is not None
        data = message if isinstance(message, bytes) else orjson.dumps(message)
        await self.socket.send_frame(data, WSMsgType.TEXT)

    async def refuse(self, act: Message, reason: str) -> None:
        await self.send(
            {
                "type": "refused",
                "intent_id": act["intent_id"],
                "match_id": act["match_id"],
                "reason": reason,
                "detail": "",
            }
        )

    def cut(self) -> None:
        """Break the connection without a word."""
        assert self.request is not None
        assert self.request.transport is not None
        self.request.transport.abort()

    def said(self, kind: str) -> list[Message]:
        """The phone's messages of a kind."""
        return [m for m in map(orjson.loads, self.heard) if m["type"] == kind]

    async def until(self, holds: Callable[[], bool], limit_s: float = 10.0) -> None:
        async with asyncio.timeout(limit_s):
            while not holds():
                await asyncio.sleep(0.01)

    # ---- what the phone meets

    async def account(self, request: web.Request) -> web.Response:
        await request.read()
        if self.refusing:
            self.refusing -= 1
            return web.json_response({"reason": "house_busy", "detail": ""}, status=503)
        self.tokens += request.path == "/api/tokens"
        self.guests += request.path == "/api/guests"
        return web.json_response(
            {
                "player_id": player(0),
                "nickname": "p0",
                "token": self.token,
                "expires_ms": START_MS + 1,
                "account_key": "ab" * 32,
                "recovery_code": "0" * 55,
            },
            status=201,
        )

    async def play(self, request: web.Request) -> web.WebSocketResponse[bool]:
        socket: web.WebSocketResponse[bool] = web.WebSocketResponse(decode_text=False)
        await socket.prepare(request)
        self.socket, self.request = socket, request
        self.connections += 1
        async for frame in socket:
            if frame.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                data = bytes(frame.data)
                self.heard.append(data)
                await self._hear(orjson.loads(data))
        return socket

    async def _hear(self, said: Message) -> None:
        match said["type"]:
            case "sign_in" if said["token"] != self.token:
                assert self.socket is not None
                await self.socket.close(code=4401)
            case "sign_in":
                await self.send(
                    {
                        "type": "signed_in",
                        "player_id": player(0),
                        "nickname": "p0",
                        "gateway": gateway(),
                        "time_ms": START_MS,
                        "expires_ms": START_MS + 1,
                        "rate": 1000,
                        "matches": [],
                    }
                )
            case "watch":
                await self.send(
                    {"type": "watching", "match_id": said["match_id"], "seq": 0, "line": None}
                )
                for value in self.desk.values[said["seq"] :]:
                    await self.send(value)
            case "act" if self.answers(said):
                await self.judge(said)
            case _:
                pass

    async def judge(self, act: Message) -> None:
        """Let rules judge an act, and send what comes of it."""
        kinds = {str(k.model_fields["type"].default): k for k in self.desk.match.game.intents}
        intent = kinds[act["intent"]["type"]].model_validate(act["intent"])
        known = len(self.desk.values)
        (answer,) = self.desk.put(
            self.desk.envelope(intent, who=0, step=act["step"], intent_id=act["intent_id"])
        )
        if len(self.desk.values) > known:
            await self.send(self.desk.values[-1])
        elif answer.type == "repeated":
            await self.send(
                {
                    "type": "accepted",
                    "intent_id": act["intent_id"],
                    "match_id": act["match_id"],
                    "seq": answer.seq,
                }
            )
        else:
            await self.refuse(act, answer.reason)

    async def others_turn(self) -> None:
        """Let the clock play until it is the phone's turn, and send all of it."""
        while self.desk.match.live and self.desk.on_turn() != 0:
            self.desk.wait(15).due()
            await self.send(self.desk.values[-1])


@asynccontextmanager
async def odd_house() -> AsyncIterator[OddHouse]:
    house = OddHouse()
    house.desk.table_of(0, 1)
    app = web.Application()
    app.router.add_post("/api/guests", house.account)
    app.router.add_post("/api/tokens", house.account)
    app.router.add_get("/play", house.play)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    house.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield house
    finally:
        await runner.cleanup()
