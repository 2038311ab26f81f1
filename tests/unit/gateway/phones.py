"""Gateways and phones in a simulated house: the hub as it is, and phones instead of sockets."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
from typing_extensions import override

from sahrat.match.match import digest_of
from sahrat.messages.envelope import GENESIS
from sahrat.runtime.worker import Worker
from services.gateway.accounts import Accounts
from services.gateway.hub import Hub
from services.gateway.session import Closing, Session
from services.gateway.sessions import Limits
from tests.house.house import House

ACCOUNTS = Accounts([bytes(range(32))])
Frame = dict[str, Any]


class Gateway(Worker):
    """A gateway whose door is always open: phones call `phone`."""

    name = "gateway"

    def __init__(self, house: House, limits: Limits | None = None) -> None:
        self.house = house
        self.hub = Hub(house.log, ACCOUNTS, limits or Limits(), house.new_id)
        self.opened = False

    @override
    async def run(self, stop: asyncio.Event) -> None:
        await self.hub.run(stop, self)

    @override
    def health(self) -> str | None:
        return self.hub.health()

    async def open(self) -> None:
        self.opened = True

    async def close(self) -> None:
        self.opened = False

    def phone(self, player_id: str, **kw: Any) -> Phone:
        """A phone that has signed in."""
        phone = Phone(self, player_id, **kw)
        phone.say(type="sign_in", token=phone.token())
        return phone


async def gateway(house: House, name: str = "gateway", limits: Limits | None = None) -> Gateway:
    """Start a gateway, and wait until it is ready."""
    worker = Gateway(house, limits)
    house.start(name, worker)
    await house.until(lambda: worker.opened, 5)
    return worker


class Phone:
    """One connection of a player. It hears everything at once, unless it is deaf.

    Attributes:
        frames: What came, decoded.
        chains: Of each match, the digest of the newest record that came.
        code: Why it was closed.
        pings: When it was pinged, in seconds of the loop.
    """

    def __init__(self, gateway: Gateway, player_id: str, *, deaf: bool = False) -> None:
        self.gateway, self.player_id, self.deaf = gateway, player_id, deaf
        self.frames: list[Frame] = []
        self.records: dict[str, list[bytes]] = {}
        self.seen: dict[str, tuple[int, str]] = {}
        self.pings: list[float] = []
        self.code: Closing | None = None
        self.session: Session = gateway.hub.connect(self, "192.0.2.1")

    # ---- an outlet

    def send(self, frame: bytes) -> None:
        assert self.code is None, "something came after the end"
        decoded = orjson.loads(frame)
        self.frames.append(decoded)
        if "type" not in decoded:
            match_id = decoded["match_id"]
            seq, digest = self.seen.get(match_id, (0, GENESIS))
            assert (decoded["seq"], decoded["prev"]) == (seq + 1, digest)
            self.seen[match_id] = (decoded["seq"], digest_of(frame))
            self.records.setdefault(match_id, []).append(frame)
        elif decoded["type"] == "snapshot":
            self.seen[decoded["match_id"]] = (decoded["seq"], decoded["digest"])

    def ping(self) -> None:
        self.pings.append(asyncio.get_running_loop().time())
        if not self.deaf:
            self.gateway.hub.heard(self.session)

    def close(self, code: Closing) -> None:
        self.code = self.code or code

    # ---- a person

    def token(self, left_s: float = 12 * 3600) -> str:
        begun_ms = self.gateway.house.now_ms() - round((12 * 3600 - left_s) * 1000)
        return ACCOUNTS.token(self.player_id, "سالم", begun_ms)[0]

    def say(self, **message: Any) -> None:
        self.gateway.hub.receive(self.session, orjson.dumps(message))

    def wish(self, kind: str, **fields: Any) -> str:
        """Send an intent, whose id is of this moment, and return that."""
        intent_id = str(fields.pop("intent_id", None) or self.gateway.house.match_id())
        if kind in {"open", "join", "play_now"}:
            fields.setdefault("seat_number", "7")
        self.say(type=kind, intent_id=intent_id, **fields)
        return intent_id

    def hang_up(self) -> None:
        self.gateway.hub.disconnect(self.session)

    # ---- what came

    def of(self, kind: str) -> list[Frame]:
        return [frame for frame in self.frames if frame.get("type") == kind]

    def events(self, match_id: str, kind: str) -> list[Frame]:
        records = [orjson.loads(value) for value in self.records.get(match_id, ())]
        return [e for record in records for e in record["events"] if e["type"] == kind]

    def reason(self, intent_id: str) -> str:
        (refused,) = [f for f in self.of("refused") if f["intent_id"] == intent_id]
        return str(refused["reason"])


async def table(house: House, *phones: Phone, **options: Any) -> str:
    """Seat phones at a table of their own, the first opens it; return the match."""
    before = set(phones[0].records)
    phones[0].wish("open", game="ludo", options={"players": len(phones), **options})
    await house.settle()
    (match_id,) = set(phones[0].records) - before
    for phone in phones[1:]:
        phone.wish("join", match_id=match_id)
        await house.settle()
    return match_id


def act(house: House, match_id: str, phones: list[Phone]) -> tuple[Phone, str]:
    """Do what a bot would do, by the phone of the player on turn; return it and the intent."""
    match = house.match(match_id)
    state = match.known
    sitter = state.sitters[state.chair_of_seat(state.step_seat)]
    phone = next(phone for phone in phones if phone.player_id == sitter.player_id)
    intent = orjson.loads(match.game.bot(state.board, "").model_dump_json())
    if intent.get("number") == "":
        intent["number"] = "7"  # unlike a bot, a player gives each roll a number of his own
    return phone, phone.wish("act", match_id=match_id, step=state.step, intent=intent)
