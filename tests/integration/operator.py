"""An operator, as `sahrat stop` and `sahrat grant` speak to a gateway."""

from __future__ import annotations

import json
from typing import Any

import aiohttp

from sahrat.messages.topics import WALLET_COMMANDS
from sahrat.runtime.ids import new_id
from services.gateway.host import Gateway
from tests.integration.gateway_house import ACCOUNTS, House

FAR_S = 10**9  # the log's time is the machine's in these tests


def token(name: str = "amal", lasts_s: int = FAR_S) -> str:
    return ACCOUNTS.operator_token(name, 1_796_000_000_000, lasts_s).get_secret_value()


class Operator:
    """Asks one gateway. Any other token may be given."""

    def __init__(self, gateway: Gateway, bearer: str | None = None) -> None:
        self.url = f"{gateway.url}/api/operator/"
        self.headers = {"Authorization": f"Bearer {token() if bearer is None else bearer}"}

    async def get(self, path: str) -> tuple[int, Any]:
        async with (
            aiohttp.ClientSession(headers=self.headers) as http,
            http.get(self.url + path) as answer,
        ):
            return answer.status, await answer.json()

    async def post(self, path: str, body: object) -> tuple[int, Any]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        async with (
            aiohttp.ClientSession(headers=self.headers) as http,
            http.post(self.url + path, data=data) as answer,
        ):
            return answer.status, await answer.json()

    async def grant(self, player_id: str, coins: int) -> int:
        """Give coins, and return the entry's number."""
        body = {"intent_id": new_id(), "player_id": player_id, "coins": coins, "reason": "a test"}
        status, said = await self.post("grants", body)
        assert (status, said["state"], said["reason"]) == (200, "done", None), said
        return int(said["entry"])

    async def stop(self, match_id: str, intent_id: str = "") -> tuple[int, Any]:
        intent_id = intent_id or new_id()
        body = {"intent_id": intent_id, "match_id": match_id, "reason": "a test"}
        return await self.post("stops", body)


async def errands(house: House) -> tuple[int, int]:
    """Return how much operators have brought into the log: stops, and commands to the ledger."""
    stops = [intent for intent in await house.intents() if intent.system == "operator"]
    return len(stops), (await house.log.bounds(WALLET_COMMANDS, 0)).end
