"""Players, and a nemesis that kills, freezes and doubles whatever is there, all from one seed."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Final

from sahrat.match.match import Match
from sahrat.match.state import Phase
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.topics import Topic, partition_of
from tests.house.bank import grant
from tests.house.gateway import Gateway
from tests.house.house import House
from tests.unit.match.desk import player

PARTS: Final = ("rules", "timer", "bots")
SCRIPTED: Final = "purses"  # a wallet that answers as the seed says, and holds nothing
WALLET: Final = "wallet"
GROUPS: Final = {
    "rules": ("rules", topics.INTENTS),
    "timer": ("timer", topics.EVENTS),
    "bots": ("bots", topics.EVENTS),
    SCRIPTED: ("purses", topics.EVENTS),
}
WALLETS: Final = (
    ("wallet-router", topics.EVENTS),
    ("wallet-ledger", topics.WALLET_COMMANDS),
    ("wallet-answers", topics.WALLET_JOURNAL),
)
CALM_S: Final = 25.0  # at the end, so that every clock can have run out


@dataclass
class Storm:
    """One run; `wallet`: that part answers for coin tables, and is struck as well."""

    house: House
    rng: random.Random
    jumps: bool
    wallet: str = ""
    tables: list[tuple[str, list[str]]] = field(default_factory=list)
    struck: Counter[str] = field(default_factory=Counter)
    _players: int = 0
    _coming_back: list[asyncio.Task[None]] = field(default_factory=list)

    async def run(self, seconds: float) -> None:
        """Let players play and the nemesis strike, then let all come back to rest."""
        self.house.log.gate = self._slow
        end_s = self.house.loop.time() + seconds
        both = [asyncio.create_task(work(end_s)) for work in (self._play, self._strike)]
        for task in both:
            await task
        for task in self._coming_back:
            await task
        for part in self.parts:
            if not self._running(part):
                self.house.start(part)
        if not self._beating():
            await self.house.gateway()
        self.house.log.gate = None
        await asyncio.sleep(CALM_S)
        for running in self.house.workers.values():
            assert not running.task.done(), running.task.exception()

    @property
    def parts(self) -> tuple[str, ...]:
        return (*PARTS, self.wallet) if self.wallet else PARTS

    async def stop_all(self) -> None:
        """Stop every match that is still on, as an operator: then no coin may be held any more."""
        for match_id, _ in self.tables:
            match = self.house.fold(partition_of(match_id)).get(match_id)
            if match is not None and match.live:
                await self._beating()[0].stop(match_id)

    async def _slow(self, topic: Topic, partition: int) -> None:
        """Make appends take their time, seldom much of it."""
        del topic, partition
        usual = self.rng.random() < 0.995
        await asyncio.sleep(self.rng.choice([0, 0, 0.003, 0.03] if usual else [0.3, 1.5]))

    def _beating(self) -> list[Gateway]:
        return [gateway for gateway in self.house.gateways if gateway.beats]

    def _running(self, part: str) -> list[str]:
        return [name for name in self.house.workers if name.startswith(part)]

    # ---- players

    async def _play(self, end_s: float) -> None:
        while self.house.loop.time() < end_s:
            await asyncio.sleep(self.rng.expovariate(1))
            if not (gateways := self._beating()):
                continue
            gateway = self.rng.choice(gateways)
            if len(self.tables) < 3 or self.rng.random() < 0.05:
                await self._open(gateway)
                continue
            match_id, players = self.rng.choice(self.tables)
            match = self.house.fold(partition_of(match_id)).get(match_id)
            if match is not None and match.live:
                await self._wish(gateway, match, self.rng.choice(players))

    async def _open(self, gateway: Gateway) -> None:
        size = self.rng.choice([2, 3, 4])
        come = self.rng.choice([1, size])
        players = [player(self._players + n) for n in range(come)]
        self._players += come
        step_s = self.rng.choice([8, 15])
        entry = self.rng.choice([0, 10, 33]) if self.wallet else 0
        if entry and self.wallet == WALLET:
            for player_id in players:
                await grant(self.house, player_id, self.rng.choice([5, 33, 33, 50, 100, 100]))
        match_id = await gateway.open(
            players[0], entry=entry, players=size, step_seconds=step_s, fill_seconds=5
        )
        for other in players[1:]:
            await gateway.join(match_id, other)
        self.tables.append((match_id, players))

    async def _wish(self, gateway: Gateway, match: Match, who: str) -> None:
        state, match_id = match.known, match.match_id
        chair = state.chair(who)
        draw = self.rng.random()
        if draw < 0.55 and state.phase is Phase.PLAYING:
            await gateway.put(gateway.move(match_id, who))
        elif draw < 0.7:
            line_up = m.LineUp(player_id=who, line=gateway.line())
            await gateway.send(match_id, line_up)
        elif draw < 0.85:
            await gateway.join(match_id, who)
        elif draw < 0.9:
            await gateway.send(match_id, m.LeaveTable(), player_id=who)
        elif chair is not None and state.sitters[chair].line is not None:
            await gateway.lose(match_id, who)

    # ---- the nemesis

    async def _strike(self, end_s: float) -> None:
        kinds = ["kill", "halt", "gateway", "freeze", "double"] + ["jump"] * self.jumps
        while self.house.loop.time() < end_s:
            await asyncio.sleep(self.rng.choice([0.1, 0.5, 1, 3, 7, 20]))
            kind = self.rng.choice(kinds)
            part = self.rng.choice(self.parts)
            down_s = self.rng.choice([0, 0.05, 0.3, 1, 1.9, 2.5, 5, 9, 20, 70])
            if await self._hit(kind, part, down_s):
                self.struck[kind] += 1

    async def _hit(self, kind: str, part: str, down_s: float) -> bool:
        running = self._running(part)
        if kind in ("kill", "halt"):
            if running:
                await self._bounce(kind, self.rng.choice(running), down_s)
            return bool(running)
        if kind == "gateway":
            if gateways := self._beating():
                await self.rng.choice(gateways).kill()
            self._later(down_s, self._new_gateway())
        elif kind == "freeze":
            group, topic = self.rng.choice(WALLETS) if part == WALLET else GROUPS[part]
            return self._freeze(group, topic, self.rng.randrange(topic.partitions), down_s)
        elif kind == "double":
            name = f"{part}-{self.rng.randrange(3)}"
            if name in self.house.workers:
                return False
            self.house.start(name)
        else:
            self.house.skew_ms = self.rng.choice([0, 15_000, -15_000, 3_600_000, -3_600_000])
        return True

    async def _bounce(self, kind: str, name: str, down_s: float) -> None:
        await (self.house.kill(name) if kind == "kill" else self.house.halt(name))
        self._later(down_s, self._start(name))

    async def _start(self, name: str) -> None:
        if name not in self.house.workers:
            self.house.start(name)

    async def _new_gateway(self) -> None:
        await self.house.gateway()

    def _freeze(self, group: str, topic: Topic, partition: int, seconds: float) -> bool:
        member = self.house.log.expel(group, topic, partition)
        if member is not None:
            self.house.loop.call_later(seconds, member.notice)
        return member is not None

    def _later(self, seconds: float, work: Coroutine[Any, Any, None]) -> None:
        async def then() -> None:
            await asyncio.sleep(seconds)
            await work

        self._coming_back.append(asyncio.create_task(then()))
