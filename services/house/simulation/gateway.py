"""The gateway of the simulated house, which is the real one behind a door without sockets, and the
phones' way to it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from random import Random
from typing import Final

from typing_extensions import override

from sahrat.log.port import Log
from sahrat.runtime.worker import Worker
from services.gateway.accounts import Accounts
from services.gateway.hub import Door, Hub
from services.gateway.session import Closing, Outlet, Session
from services.gateway.sessions import Limits
from services.house.network import Account, Line, Network
from services.house.simulation.machine import Incarnation, Machine

LAG_S: Final = (0.0, 0.0, 0.0, 0.01, 0.05)
PING: Final = b""  # nothing else that is sent is empty


class SimulatedGateway(Worker, Door):
    """The hub, and a door that phones of the simulation come in by.

    Args:
        log: Its log.
        accounts: The house's keys.
        limits: What phones may do.
        new_id: Makes UUIDs.
    """

    name = "gateway"

    def __init__(
        self, log: Log, accounts: Accounts, limits: Limits, new_id: Callable[[], str]
    ) -> None:
        self.hub = Hub(log, accounts, limits, new_id)
        self.is_open = False

    @override
    async def run(self, stop: asyncio.Event) -> None:
        await self.hub.run(stop, self)

    @override
    def health(self) -> str | None:
        return self.hub.health()

    @override
    async def open(self) -> None:
        self.is_open = True

    @override
    async def close(self) -> None:
        self.is_open = False


class Streets(Network):
    """How one phone reaches whatever gateways are up.

    Args:
        gateways: Those of the house.
        day: Set while anybody looks at a phone.
        player_id: Whom the house takes him for.
        chance: Decides which gateway it finds, and how long its messages take.
    """

    def __init__(
        self, gateways: list[Machine], day: asyncio.Event, player_id: str, chance: Random
    ) -> None:
        self._gateways = gateways
        self.day = day
        self._player_id = player_id
        self.chance = chance

    @override
    def account(self, nickname: str) -> Account:
        return _Account(self, self._player_id, nickname)

    @override
    def line(self) -> Line:
        return SimulatedLine(self)

    def find(self) -> tuple[Incarnation, SimulatedGateway]:
        """Return a gateway that phones can come in by. Raises ConnectionError."""
        up: list[tuple[Incarnation, SimulatedGateway]] = []
        for machine in self._gateways:
            running = machine.running
            if running is None or running.dead or running.frozen:
                continue
            if isinstance(running.worker, SimulatedGateway) and running.worker.is_open:
                up.append((running, running.worker))
        if not up:
            raise ConnectionRefusedError("no gateway is up")
        return self.chance.choice(up)


class _Account(Account):
    def __init__(self, streets: Streets, player_id: str, nickname: str) -> None:
        self.player_id = player_id
        self.token = ""
        self._streets = streets
        self._nickname = nickname

    @override
    async def renew(self) -> None:
        await self._streets.day.wait()
        running, gateway = self._streets.find()
        parts = gateway.hub.parts
        now_ms = running.context.run(parts.times.now_ms)
        self.token, _ = parts.accounts.token(self.player_id, self._nickname, now_ms)


class SimulatedLine(Line):
    """One connection, as the phone has it.

    What is sent arrives in its order. A process that is frozen hears it when it wakes; of one that
    died the line breaks; and of a phone that is cut off the gateway hears that it is gone.
    """

    def __init__(self, streets: Streets) -> None:
        self._streets = streets
        self._lag_s = streets.chance.choice(LAG_S)
        self._frames: deque[bytes] = deque()
        self._came = asyncio.Event()
        self._far: _FarEnd | None = None
        self._is_open = False
        self._code: int | None = None

    @property
    @override
    def close_code(self) -> int | None:
        return self._code

    @override
    async def open(self) -> None:
        await self._streets.day.wait()
        await asyncio.sleep(self._lag_s)
        running, gateway = self._streets.find()
        shut = running.context.run(gateway.hub.shut)
        if shut:
            raise ConnectionRefusedError(shut)
        self._is_open = True
        self._far = _FarEnd(self, running, gateway.hub, self._lag_s)

    @override
    async def send(self, data: bytes) -> None:
        if not self._is_open or self._far is None:
            raise ConnectionResetError("the line is lost")
        self._far.take(data)

    @override
    async def receive(self) -> bytes | None:
        while not self._frames:
            if not self._is_open:
                return None
            self._came.clear()
            await self._came.wait()
        found = self._frames.popleft()
        if found == PING and self._far is not None:
            self._far.take(PING)
        return found

    @override
    async def close(self) -> None:
        await self.cut()

    @override
    async def cut(self) -> None:
        if self._is_open:
            self.broke(None)
            if self._far is not None:
                self._far.take(None)

    def arrived(self, frame: bytes) -> None:
        """Have a frame of the gateway's."""
        if self._is_open:
            self._frames.append(frame)
            self._came.set()

    def broke(self, code: int | None) -> None:
        """Be closed by the other side, or lost (None)."""
        if self._is_open:
            self._is_open = False
            self._code = code
            self._came.set()


class _FarEnd(Outlet):
    """The same connection, as the gateway has it."""

    def __init__(self, line: SimulatedLine, running: Incarnation, hub: Hub, lag_s: float) -> None:
        self._line = line
        self._running = running
        self._hub = hub
        self._lag_s = lag_s
        self._coming: deque[bytes | None] = deque()
        self._going: deque[bytes | Closing] = deque()
        running.gone.append(self._died)
        running.thawed.append(self._woke)
        self._session: Session = running.context.run(hub.connect, self, "phone")

    # ---- from the phone

    def take(self, data: bytes | None) -> None:
        """Have what the phone sends, in a while; None: it is gone."""
        self._coming.append(data)
        _later(self._lag_s, self._hear)

    def _hear(self) -> None:
        if self._coming and not self._running.frozen and not self._running.dead:
            self._running.context.run(self._heard, self._coming.popleft())

    def _heard(self, data: bytes | None) -> None:
        if data is None:
            self._hub.disconnect(self._session)
        elif data == PING:
            self._hub.heard(self._session)
        else:
            self._hub.receive(self._session, data)

    def _woke(self) -> None:
        for _ in range(len(self._coming)):
            self._hear()

    def _died(self) -> None:
        self._line.broke(None)

    # ---- to the phone

    @override
    def send(self, frame: bytes) -> None:
        self._put(frame)

    @override
    def ping(self) -> None:
        self._put(PING)

    @override
    def close(self, code: Closing) -> None:
        self._put(code)

    def _put(self, what: bytes | Closing) -> None:
        if not self._running.dead:
            self._going.append(what)
            _later(self._lag_s, self._arrive)

    def _arrive(self) -> None:
        what = self._going.popleft()
        if isinstance(what, Closing):
            self._line.broke(int(what))
        else:
            self._line.arrived(what)


def _later(seconds: float, call: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    if seconds:
        loop.call_later(seconds, call)
    else:
        loop.call_soon(call)
