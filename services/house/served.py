"""A match's records as a running house serves them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

import aiohttp
import orjson

from services.house.problem import Problem
from services.house.source import Source

BEHIND_S: Final = 0.2  # the read models follow the play by about this ..
BEHIND_LIMIT_S: Final = 20.0  # .. unless something is wrong, or the house has just been started


class HouseSource(Source):
    """A house's pages, which come from its read models."""

    def __init__(self, http: aiohttp.ClientSession, url: str) -> None:
        self._http = http
        self._match = f"{url}/api/matches/"

    async def records(self, match_id: str) -> Sequence[bytes]:
        """See `Source`. Waits a while for what the house knows and its read models do not yet."""
        deadline = asyncio.get_running_loop().time() + BEHIND_LIMIT_S
        while True:
            try:
                newest = await self._newest(match_id)
                records = await self._read(match_id)
                if len(records) >= newest:
                    return records
                said = f"they have {len(records)} of {newest} records"
            except _Away:
                said = "they are away"
            if asyncio.get_running_loop().time() > deadline:
                raise Problem(
                    f"the house's read models can't tell: {said}; read its log itself, with --data "
                    "or --log kafka"
                )
            await asyncio.sleep(BEHIND_S)

    async def _newest(self, match_id: str) -> int:
        """Return the number of the match's newest record that the house knows; 0 for none."""
        answer = await self._get(match_id)
        return 0 if answer is None else int(orjson.loads(answer)["seq"])

    async def _read(self, match_id: str) -> Sequence[bytes]:
        answer = await self._get(f"{match_id}/records")
        return () if answer is None else tuple(answer.split(b"\n")[:-1])

    async def _get(self, path: str) -> bytes | None:
        async with self._http.get(self._match + path) as answer:
            body = await answer.read()
            match answer.status:
                case HTTPStatus.OK:
                    return body
                case HTTPStatus.NOT_FOUND:
                    return None
                case HTTPStatus.SERVICE_UNAVAILABLE:
                    raise _Away
                case status:
                    raise Problem(f"{self._match}{path} answered {status}: is it a house?")


async def welcome_coins(url: str) -> int | None:
    """Return what the house at an address gives each new player; None where it does not say.

    Raises:
        ClientError, TimeoutError: It does not answer.
    """
    async with aiohttp.ClientSession() as http, http.get(f"{url}/api/games") as answer:
        try:
            said = orjson.loads(await answer.read())
        except orjson.JSONDecodeError:
            return None
    coins = said.get("welcome_coins") if isinstance(said, dict) else None
    return coins if isinstance(coins, int) else None


class _Away(Exception):
    """The read models are away, or have not come up yet."""
