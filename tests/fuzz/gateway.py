"""The target that is a whole gateway: every message of a phone goes as far as it can, through the
hub and the log to rules and back.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from functools import cache
from typing import Any, Final

import structlog
from pydantic import ValidationError

from sahrat.games import wire
from sahrat.log.memory import MemoryLog
from sahrat.messages import topics
from sahrat.runtime.ids import new_id
from services.gateway.host import Gateway
from services.gateway.messages import SERVER
from services.gateway.session import Closing, Session
from services.gateway.sessions import Limits
from tests.fuzz.parsers import examples
from tests.fuzz.target import Target, Wrong
from tests.integration.gateway_house import PATIENT_S, House, house_on, table

TURNS: Final = 40  # of the loop, in which an intent goes through the log and its answer comes back
MATCHES: Final = 500  # inputs that one house takes; its log is in memory
RATE: Final = 1_000_000  # too fast is nobody here: the real limits are another's to try

# What stands for what only the house knows; in the protocol's own examples.
MATCH: Final = b"01980f6e-5c00-7b2a-9d3e-4f5061728395"
STEP: Final = re.compile(rb'"step":(?:4|5)(?=[,}])')
NEW: Final = re.compile(rb"01980f6e-5c00-7b2a-9d3e-4f50617283(?:9[6-9]|9[a-f])")


class _Outlet:
    """A line whose other end notes what comes."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.code: Closing | None = None

    def send(self, frame: bytes) -> None:
        self.frames.append(frame)

    def ping(self) -> None:
        """The line is always alive."""

    def close(self, code: Closing) -> None:
        self.code = code


class _World:
    """A house in which two play, on a loop that runs when it is told to."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._stack = contextlib.AsyncExitStack()
        self._open_line: tuple[Session, _Outlet] | None = None
        self.inputs = 0
        self.do(self._open())

    def do(self, work: Any) -> Any:
        return self._loop.run_until_complete(work)

    async def _open(self) -> None:
        self.house: House = await self._stack.enter_async_context(house_on(MemoryLog()))
        limits = Limits(rate=RATE, lag_s=PATIENT_S)
        self.gateway: Gateway = await self.house.gateway(limits=limits)
        self.hub = self.gateway._hub
        await self._seat()

    async def _seat(self) -> None:
        self.match_id, self.phones = await table(self.house, self.gateway)

    def close(self) -> None:
        self.do(self._stack.aclose())
        self._loop.close()

    async def feed(self, data: bytes) -> str:
        """Send lines as a player at a table sends them; return what the house said to them."""
        self.inputs += 1
        match = self.hub.parts.matches.get(self.match_id)
        if match is None or not match.live:
            await self._seat()
        session, outlet = self._line()
        outlet.frames.clear()
        for line in data.split(b"\n"):
            if session.open:
                self.hub.receive(session, self._now(line))
        for _ in range(TURNS):
            await asyncio.sleep(0)
        await self._check()
        return " ".join(sorted({*map(_word, outlet.frames)})) or "nothing"

    def _line(self) -> tuple[Session, _Outlet]:
        """Return the line over which the player says it all; a new one, if it was closed."""
        line = self._open_line
        if line is None or not line[0].open or self.match_id not in line[0].watches:
            outlet = _Outlet()
            session = self.hub.connect(outlet, "192.0.2.1")
            token = self.phones[0].token.encode()
            self.hub.receive(session, b'{"type":"sign_in","token":"%s"}' % token)
            watch = b'{"type":"watch","match_id":"%s","seq":0}' % self.match_id.encode()
            self.hub.receive(session, watch)
            line = self._open_line = session, outlet
        return line

    def _now(self, line: bytes) -> bytes:
        """Put the match and its step into a line, and new ids where intents have theirs."""
        match = self.hub.parts.matches.get(self.match_id)
        step = 0 if match is None or not match.live else match.known.step
        line = line.replace(MATCH, self.match_id.encode())
        return NEW.sub(new_id().encode(), STEP.sub(b'"step":%d' % step, line))

    async def _check(self) -> None:
        for name, (task, _) in self.house.tasks.items():
            if task.done():
                raise Wrong(f"{name} ended: {task.exception()!r}") from task.exception()
        for partition in range(topics.DEAD_LETTERS.partitions):
            if (await self.house.log.bounds(topics.DEAD_LETTERS, partition)).end:
                raise Wrong("the gateway wrote what rules can't read")


def _word(frame: bytes) -> str:
    """Return what a frame says in a word; it is a message of the protocol, or a record."""
    try:
        message: Any = SERVER.validate_json(frame)
    except ValidationError:
        record: Any = wire.RECORDS.decode(frame)
        return f"record {record.events[0].type}"
    reason = getattr(message, "reason", None)
    if reason is not None and reason.value == "fault":
        raise Wrong(f"a fault: {frame!r}")
    return f"{message.type} {reason.value if reason else ''}".strip()


_worlds: list[_World] = []


def _gateway(data: bytes) -> str:
    """Feed a house that lasts for some hundred inputs. After a finding the next gets a new one."""
    with structlog.testing.capture_logs() as logged:
        if _worlds and _worlds[0].inputs >= MATCHES:
            _worlds.pop().close()
        if not _worlds:
            _worlds.append(_World())
        try:
            said = str(_worlds[0].do(_worlds[0].feed(data)))
        except BaseException:
            _worlds.clear()
            raise
    alarms = [entry for entry in logged if entry["event"] == "alarm"]
    if alarms:
        _worlds.clear()
        raise Wrong(f"an alarm: {alarms}")
    return said


@cache
def _wishes() -> list[bytes]:
    known = (b'{"type":"sign_in"', b'{"type":"snapshot"')
    wishes = [line for line in examples() if line.startswith(b'{"type"')]
    return [b"\n".join(wishes), *(wish for wish in wishes if not wish.startswith(known))]


GATEWAY: Final = Target(
    "gateway", "a gateway, from the socket to the log and back", _wishes, _gateway, lines=True
)
