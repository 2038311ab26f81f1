"""The read models as the gateway's pages show them: `Reads` over PostgreSQL."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

from pydantic import TypeAdapter
from typing_extensions import override

from sahrat.messages.wallet import Cause
from sahrat.storage import reads as storage
from sahrat.storage.reads import ReadsAway
from services.gateway.coins import StopTold, WalletChange
from services.gateway.messages import PastMatch, PastSeat, PastSitting
from services.gateway.reads import Reads

_CAUSE: Final[TypeAdapter[Cause]] = TypeAdapter(Cause)


class Past(Reads):
    """Reads the read models once their database is known; until then they are away.

    Args:
        dsn: Returns the database's DSN; None while it has not come up.
    """

    away = (ReadsAway,)

    def __init__(self, dsn: Callable[[], str | None]) -> None:
        self._dsn = dsn
        self._models: storage.Reads | None = None
        self._opening = asyncio.Lock()

    @override
    async def match(self, match_id: str) -> PastMatch | None:
        found = await (await self._open()).match(match_id)
        if found is None:
            return None
        fields = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
        seated = tuple(PastSeat(**dataclasses.asdict(seat)) for seat in found.seated)
        return PastMatch(**{**fields, "seated": seated})

    @override
    async def records(self, match_id: str, after: int = 0) -> AsyncIterator[bytes]:
        async for value in (await self._open()).records(match_id, after):
            yield value

    @override
    async def history(self, player_id: str) -> Sequence[PastSitting]:
        played = await (await self._open()).history(player_id, storage.MOST)
        return [PastSitting(**dataclasses.asdict(sitting)) for sitting in played]

    @override
    async def wallet(self, player_id: str, before: int | None) -> Sequence[WalletChange]:
        found = await (await self._open()).wallet(player_id, storage.MOST, before)
        return [
            WalletChange(
                entry=change.entry,
                at_ms=change.at_ms,
                id=change.id,
                kind=change.kind,
                match_id=change.match_id,
                cause=_CAUSE.validate_python(change.cause),
                available_change_coins=change.available_change,
                held_change_coins=change.held_change,
                available_coins=change.available,
                held_coins=change.held,
                stop=_stop(change),
            )
            for change in found
        ]

    async def close(self) -> None:
        """Let go of the database."""
        async with self._opening:
            if self._models is not None:
                await self._models.close()
                self._models = None

    async def _open(self) -> storage.Reads:
        async with self._opening:
            if self._models is None:
                dsn = self._dsn()
                if dsn is None:
                    raise ReadsAway("the database has not come up yet")
                self._models = storage.Reads(dsn)
                await self._models.open()
            return self._models


def _stop(change: storage.WalletRead) -> StopTold | None:
    if change.stop_reason is None:
        return None
    return StopTold(
        reason=change.stop_reason,
        operator=change.stopped_by or "",
        detail=change.stop_detail or "",
    )
