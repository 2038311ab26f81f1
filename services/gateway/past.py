"""The read models as the gateway's pages show them: `Reads` over PostgreSQL."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import override

from sahrat.messages.base import (
    Coins,
    Count,
    Digest,
    Id,
    Message,
    Name,
    Nickname,
    Options,
    Seat,
    UnixMs,
)
from sahrat.storage import reads as storage
from sahrat.storage.reads import ReadsAway
from services.gateway.reads import Reads

Place = Annotated[int, Field(ge=1, le=4)]


class PastSeat(Message):
    """Somebody at a table; `player_id` None: a bot that filled the seat. `bot`: one plays it now,
    or played it to the end. `place` None: the match is not over, or has no places.
    """

    seat: Seat | None
    player_id: Id | None
    nickname: Nickname
    bot: bool
    has_left: bool
    place: Place | None


class PastMatch(Message):
    """A match as the read models have it, a moment behind the play. Times that have not come are
    None; `secret`, of the dice, comes with the end. `parked`: why nothing more of it is taken.
    """

    type: Literal["match"] = "match"
    match_id: Id
    game: Name
    rules: Name
    options: Options
    size: Annotated[int, Field(ge=1, le=4)]
    entry_coins: Coins
    key_id: Name
    commitment: Digest
    phase: Name
    opened_ms: UnixMs
    started_ms: UnixMs | None
    ended_ms: UnixMs | None
    end_reason: Name | None
    secret: Digest | None
    seq: Count
    digest: Digest
    parked: str | None
    seated: tuple[PastSeat, ...]


class PastSitting(Message):
    """A match that a player sat in; what the end brings is None until then."""

    match_id: Id
    game: Name
    seat: Seat
    entry_coins: Coins
    started_ms: UnixMs
    ended_ms: UnixMs | None
    end_reason: Name | None
    place: Place | None
    ended_as_bot: bool | None


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
    async def records(self, match_id: str) -> Sequence[bytes]:
        return [value async for value in (await self._open()).records(match_id)]

    @override
    async def history(self, player_id: str) -> Sequence[PastSitting]:
        played = await (await self._open()).history(player_id, storage.MOST)
        return [PastSitting(**dataclasses.asdict(sitting)) for sitting in played]

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
