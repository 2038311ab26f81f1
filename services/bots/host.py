"""The bots on the log: follow the matches, and play for the seats that a bot plays."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from sahrat.log.clock import loop_ms
from sahrat.log.follow import Follower
from sahrat.log.port import Claim, Log
from sahrat.messages import topics
from sahrat.messages.dead import plain
from sahrat.messages.stored import Draft
from sahrat.runtime.apart import Elsewhere, Here, NotComputed
from sahrat.runtime.beside import Beside
from sahrat.runtime.served import Served
from services.bots.core import Fault, Partition, Turn

GROUP: Final = "bots"

_log = structlog.get_logger("bots")


class Bots:
    """Plays in the partitions of `match.events`. It keeps no store.

    Args:
        log: The log.
        pause_ms: How long a bot thinks; no part of what it chooses.
        new_id: Gives this worker its id.
        elsewhere: Chooses where that takes long, so that the other partitions need not wait for it.
    """

    name = "bots"

    def __init__(
        self,
        log: Log,
        pause_ms: int,
        new_id: Callable[[], str],
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self._log = log
        self._elsewhere = elsewhere or Here()
        self._pause_ms = pause_ms
        self._id = new_id()
        self._served: dict[int, Follower] = {}
        self._taken_up = Served(_log)

    async def run(self, stop: asyncio.Event) -> None:
        """Own partitions until `stop`.

        Raises:
            LogFault: The log is away or damaged.
            FromTheFuture: A record is newer than this code.
        """
        try:
            await self._log.own(GROUP, topics.EVENTS, self.serve, stop)
        finally:
            await self._elsewhere.close()

    def health(self) -> str | None:
        """Return None while every partition is read."""
        for partition, follower in self._served.items():
            if not follower.caught_up:
                return f"partition {partition}: not caught up"
        return None

    async def serve(self, claim: Claim) -> None:
        """Play one partition's bots until the claim is released; first everything is read, for
        steps that are over are nobody's.

        Raises:
            Released: The claim is released.
            LogFault: The log is away or damaged.
            FromTheFuture: A record is newer than this code.
        """
        follower = Follower(self._log, claim.partition, claim.reader)
        core = Partition(self._id, self._pause_ms)
        self._served[claim.partition] = follower
        try:
            await follower.catch_up()
            for match in follower.live.live():
                core.look(match, loop_ms())
            self._taken_up.began(claim.partition, live=len(follower.live.live()))
            async with Beside() as beside:
                beside.start(_follow(follower, core, beside))
                await self._act(claim.partition, core, beside)
        finally:
            self._served.pop(claim.partition, None)
            await follower.close()

    async def _act(self, partition: int, core: Partition, beside: Beside) -> None:
        while True:
            found = core.act(loop_ms())
            made = [await self._made(core, one) if isinstance(one, Turn) else one for one in found]
            for fault in made:
                if isinstance(fault, Fault):
                    _log.error(
                        "alarm",
                        problem="a game has no intent for its bot",
                        match=fault.match_id,
                        step=fault.step,
                        detail=fault.detail,
                    )
            drafts = [draft for draft in made if isinstance(draft, Draft)]
            if drafts:
                await self._log.append(topics.INTENTS, partition, drafts)
                continue
            wake_ms = core.wake_ms()
            await beside.rest(None if wake_ms is None else max(0, wake_ms - loop_ms()) / 1000)

    async def _made(self, core: Partition, turn: Turn) -> Draft | Fault:
        try:
            return core.chosen(turn, await self._elsewhere.run(turn.choose))
        except NotComputed as fault:
            return Fault(turn.match_id, turn.step, plain(str(fault)))


async def _follow(follower: Follower, core: Partition, beside: Beside) -> None:
    while True:
        for read in await follower.read():
            if read.taken.match is not None:
                core.look(read.taken.match, loop_ms())
        beside.wake()
