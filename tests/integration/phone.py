"""A phone for tests: a player's account, a socket, and all that came over it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import orjson
from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType

from sahrat.match.match import digest_of
from sahrat.messages.envelope import GENESIS
from sahrat.runtime.ids import new_id

WAIT_S = 60.0  # nothing takes so long; a machine that also does other things might

Frame = dict[str, Any]


def seat_of(frames: list[Frame], player_id: str) -> int:
    """A player's seat number, from the first records of a match in play."""
    sitters: list[str] = []
    for frame in frames:
        for event in frame["events"]:
            match event["type"]:
                case "seat.taken":
                    sitters.append(event["player_id"])
                case "seat.freed":
                    sitters.remove(event["player_id"])
                case "match.started":
                    dealt = [sitters[index] for index in event["dealt"]]
                    return int(event["seats"][dealt.index(player_id)])
                case _:
                    pass
    raise AssertionError("the match has not begun")


def answer_to(frame: Frame, seat: int, rng: random.Random) -> tuple[int, Frame] | None:
    """What a seat does after a record, and at which step; None when it is not its turn."""
    step = next((e for e in frame["events"] if e["type"] == "step.opened"), None)
    if step is None or step["seat"] != seat:
        return None
    rolled = frame["events"][-2] if len(frame["events"]) > 1 else {}
    if rolled.get("type") == "ludo.rolled":
        return step["step"], {"type": "ludo.move", "pawn": rng.choice(rolled["movable"])}
    return step["step"], {"type": "ludo.roll", "number": str(rng.getrandbits(64))}


FINAL = ("match.ended", "match.stopped", "table.closed")


class Phone:
    """One player on one socket.

    Attributes:
        frames: Everything that came and was not taken yet, decoded, in order.
        records: The records of each match as they came, by match.
        seen: Of each match (seq, digest) of the newest record or snapshot.
        code: Why the socket was closed, once it is.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.token = self.player_id = self.account_key = self.recovery_code = ""
        self.frames: list[Frame] = []
        self.records: dict[str, list[bytes]] = {}
        self.seen: dict[str, tuple[int, str]] = {}
        self.code: int | None = None
        self._came = asyncio.Condition()
        self._http = ClientSession()
        self._socket: ClientWebSocketResponse | None = None
        self._reading: asyncio.Task[None] | None = None

    async def register(self, nickname: str) -> None:
        async with self._http.post(f"{self.url}/api/guests", json={"nickname": nickname}) as got:
            assert got.status == 201, await got.text()
            account = await got.json()
        self.player_id, self.token = account["player_id"], account["token"]
        self.account_key, self.recovery_code = account["account_key"], account["recovery_code"]

    async def connect(
        self, *, sign_in: bool = True, headers: dict[str, str] | None = None, read: bool = True
    ) -> None:
        self.code = None
        self._socket = await self._http.ws_connect(f"{self.url}/play", headers=headers)
        if read:
            self._reading = asyncio.create_task(self._read(self._socket))
        if sign_in:
            await self.send(type="sign_in", token=self.token)
            if read:
                await self.take("signed_in")

    @property
    def socket(self) -> ClientWebSocketResponse:
        assert self._socket is not None
        return self._socket

    @property
    def transport(self) -> asyncio.Transport | None:
        """The line itself; None once it is gone."""
        connection = self.socket._response.connection
        return None if connection is None else connection.transport

    async def _read(self, socket: ClientWebSocketResponse) -> None:
        while True:
            message = await socket.receive()
            async with self._came:
                if message.type is not WSMsgType.TEXT:
                    self.code = socket.close_code
                    self._came.notify_all()
                    return
                raw = message.data.encode()
                frame = orjson.loads(raw)
                if "type" not in frame:
                    self._record(frame, raw)
                elif frame["type"] == "snapshot":
                    self.seen[frame["match_id"]] = (frame["seq"], frame["digest"])
                self.frames.append(frame)
                self._came.notify_all()

    def _record(self, frame: Frame, raw: bytes) -> None:
        """Every record continues the one before it, or the snapshot."""
        match_id = frame["match_id"]
        seq, digest = self.seen.get(match_id, (0, GENESIS))
        assert (frame["seq"], frame["prev"]) == (seq + 1, digest)
        self.seen[match_id] = (frame["seq"], digest_of(raw))
        self.records.setdefault(match_id, []).append(raw)

    # ---- sending

    async def send(self, **message: Any) -> None:
        await self.socket.send_str(orjson.dumps(message).decode())

    async def wish(self, kind: str, **fields: Any) -> str:
        """Send an intent with an id of its own, and return that."""
        intent_id = str(fields.pop("intent_id", None) or new_id())
        if kind in {"open", "join", "play_now"}:
            fields.setdefault("seat_number", str(random.getrandbits(64)))
        await self.send(type=kind, intent_id=intent_id, **fields)
        return intent_id

    async def act(self, match_id: str, step: int, intent: Frame, intent_id: str = "") -> str:
        return await self.wish(
            "act", match_id=match_id, step=step, intent=intent, intent_id=intent_id
        )

    # ---- what came

    async def until(self, fits: Callable[[Frame], bool], wait_s: float = WAIT_S) -> Frame:
        """Wait for the first frame that fits, and take it; those before it stay."""
        try:
            async with asyncio.timeout(wait_s), self._came:
                while True:
                    for index, frame in enumerate(self.frames):
                        if fits(frame):
                            return self.frames.pop(index)
                    assert self.code is None, f"closed with {self.code}; came: {self.frames}"
                    await self._came.wait()
        except TimeoutError:
            raise AssertionError(f"did not come; but: {self.frames}") from None

    async def take(self, kind: str, wait_s: float = WAIT_S, **fields: Any) -> Frame:
        """Wait for a message of a type, with these values."""
        wanted = {"type": kind, **fields}
        return await self.until(lambda frame: wanted.items() <= frame.items(), wait_s)

    async def record(self, match_id: str, intent_id: str = "", event: str = "") -> Frame:
        """Wait for the record that an intent caused, or that holds an event."""
        return await self.until(
            lambda frame: (
                "type" not in frame
                and frame["match_id"] == match_id
                and (not intent_id or frame["caused_by"]["intent_id"] == intent_id)
                and (not event or any(e["type"] == event for e in frame["events"]))
            )
        )

    async def refused(self, intent_id: str) -> str:
        """Wait for the refusal of an intent, and return its reason."""
        return str((await self.take("refused", intent_id=intent_id))["reason"])

    async def closed(self, wait_s: float = WAIT_S) -> int:
        """Wait until the socket is closed, and return why."""
        async with asyncio.timeout(wait_s), self._came:
            await self._came.wait_for(lambda: self.code is not None)
        assert self.code is not None
        return self.code

    # ---- playing

    def history(self, match_id: str) -> list[Frame]:
        """All records of a match that came, decoded."""
        return [orjson.loads(value) for value in self.records.get(match_id, ())]

    def step(self, match_id: str) -> Frame:
        """The step that is open by the records that came so far."""
        steps: list[Frame] = [
            event
            for frame in self.history(match_id)
            for event in frame["events"]
            if event["type"] == "step.opened"
        ]
        return steps[-1]

    async def play(self, match_id: str, rng: random.Random) -> Frame:
        """Play a match that has begun to its end, and return the last record."""
        seat, done = seat_of(self.history(match_id), self.player_id), 0
        while True:
            async with asyncio.timeout(WAIT_S), self._came:
                while len(self.records[match_id]) == done:
                    await self._came.wait()
            frame: Frame = orjson.loads(self.records[match_id][done])
            done += 1
            if frame["events"][-1]["type"] in FINAL:
                return frame
            answer = answer_to(frame, seat, rng)
            if answer is not None and done == len(self.records[match_id]):
                await self.act(match_id, *answer)

    # ---- going

    async def hang_up(self) -> None:
        """Close the socket, as a phone does that is told to."""
        await self.socket.close()
        if self._reading is not None:
            await self._reading

    def cut(self) -> None:
        """Lose the line without a word."""
        if self.transport is not None:
            self.transport.abort()

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        if self._socket is not None and not self._socket.closed:
            self.cut()
        await self._http.close()
