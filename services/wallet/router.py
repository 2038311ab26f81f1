"""The router on the log: reads matches' records, asks the ledger for what they say of coins."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import structlog

from sahrat.log.follow import BEGINNING, Follower, Horizon
from sahrat.log.live import LivePartition, Verdict
from sahrat.log.port import Bookmark, Claim, Log, LogFault, OwnershipLost, Released
from sahrat.messages import topics
from sahrat.messages.stored import Draft, Stored
from sahrat.runtime.served import Served
from services.wallet.busy import Busy
from services.wallet.core.routing import command_of, draft_of

GROUP: Final = "wallet-router"
BOOKMARK_S: Final = 1.0  # a restart asks again for what so long brought; the ledger drops it

_log = structlog.get_logger("wallet")


class Router:
    """Serves the partitions of `match.events`.

    Only what continues its match's chain is acted on: a record that does not parks its match here
    as everywhere, and nothing is asked for that match any more.

    Args:
        log: The log.
        busy: Told since when a partition waits for the log.
    """

    def __init__(self, log: Log, busy: Busy) -> None:
        self._log = log
        self._busy = busy
        self._taken_up = Served(_log, "routing")

    async def run(self, stop: asyncio.Event) -> None:
        """Own partitions until `stop`."""
        await self._log.own(GROUP, topics.EVENTS, self.serve, stop)

    async def serve(self, claim: Claim) -> None:
        """Route one partition's records in order until the claim is released.

        Raises:
            Released: It is.
            LogFault: The log is away, or not what it was.
            FromTheFuture: A record is newer than this code; nothing of it was acted on.
        """
        follower = Follower(self._log, claim.partition, claim.reader)
        name = f"router {claim.partition}"
        try:
            with self._busy.waiting(name):
                place, end = await self._recover(claim, follower)
            self._taken_up.began(claim.partition, live=len(follower.live.live()), offset=place)
            await self._route(claim, follower, place, end)
        finally:
            await follower.close()

    async def _recover(self, claim: Claim, follower: Follower) -> tuple[int, int]:
        """Fold the live matches up to the bookmark; return it, and where the commands ended."""
        partition = claim.partition
        found = (await self._log.bookmarks(GROUP, topics.EVENTS)).get(partition)
        known = BEGINNING if found is None else Horizon.load(found, GROUP)
        place = 0 if found is None else found.offset
        events = await self._log.bounds(topics.EVENTS, partition)
        commands = await self._log.bounds(topics.WALLET_COMMANDS, 0)
        if events.end < place:
            raise LogFault(
                f"{topics.EVENTS.name}/{partition} ends at {events.end}, below {place}, where the "
                "wallet goes on: records were lost"
            )
        if commands.end < known.end:
            raise LogFault(
                f"{topics.WALLET_COMMANDS.name} ends at {commands.end}, below {known.end}, where "
                "it had ended: commands were lost"
            )
        follower.begin(known)
        return place, known.end

    async def _route(self, claim: Claim, follower: Follower, place: int, end: int) -> None:
        loop = asyncio.get_running_loop()
        marked, name = loop.time(), f"router {claim.partition}"
        try:
            while True:
                batch = await follower.fetch()
                with self._busy.waiting(name):
                    drafts = self._commands(follower, batch, place)
                    if drafts:
                        acks = await self._log.append(topics.WALLET_COMMANDS, 0, drafts)
                        end = acks[-1].offset + 1
                    place = max(place, batch[-1].offset + 1)
                    reached = follower.live.next_offset >= place
                    if reached and loop.time() - marked >= BOOKMARK_S:
                        await claim.bookmark(mark(follower.live, end))
                        marked = loop.time()
        except Released:
            if follower.live.next_offset >= place:
                with suppress(OwnershipLost):  # it is another's already
                    await claim.bookmark(mark(follower.live, end))
            raise

    def _commands(self, follower: Follower, batch: Sequence[Stored], place: int) -> list[Draft]:
        """Take records, and return what those at or behind the bookmark ask for."""
        drafts: list[Draft] = []
        for stored in batch:
            taken = follower.take(stored)
            if taken.verdict is Verdict.TAKEN and taken.record is not None:
                command = command_of(taken.record)
                if command is not None and stored.offset >= place:
                    drafts.append(draft_of(command))
        return drafts


def mark(live: LivePartition, end: int) -> Bookmark:
    """Return the bookmark behind the last record taken. `end`: where the commands ended."""
    horizon, high = live.horizon()
    return Bookmark(live.next_offset, Horizon(horizon=horizon, high=high, end=end).dump())
