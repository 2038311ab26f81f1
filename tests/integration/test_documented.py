"""Every operation of the OpenAPI document is there, and answers as it says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import aiohttp

from sahrat.messages import wallet as w
from sahrat.messages.base import Message
from sahrat.messages.envelope import GENESIS
from sahrat.runtime.ids import new_id
from services.gateway.coins import WalletChange
from services.gateway.messages import PastMatch, PastSeat, PastSitting
from services.gateway.reads import Reads
from tests.integration.documented import PATHS
from tests.integration.gateway_house import memory_house
from tests.integration.operator import token
from tests.integration.test_gateway_coins import coin_table, rich

OLD = new_id()


class Remembered(Reads):
    """Read models with one match, long over."""

    away = ()

    async def match(self, match_id: str) -> Message | None:
        if match_id != OLD:
            return None
        seat = PastSeat(seat=0, player_id=OLD, nickname="", bot=False, has_left=False, place=1)
        return PastMatch(
            match_id=OLD,
            game="ludo",
            rules="ludo/2",
            options={"players": 2},
            size=2,
            entry_coins=0,
            key_id="k1",
            commitment=GENESIS,
            phase="ended",
            opened_ms=1,
            started_ms=2,
            ended_ms=3,
            end_reason="ended",
            secret=GENESIS,
            seq=9,
            digest=GENESIS,
            parked=None,
            seated=(seat,),
        )

    async def records(self, match_id: str, after: int = 0) -> AsyncIterator[bytes]:
        if match_id == OLD:
            yield b"{}"

    async def history(self, player_id: str) -> Sequence[PastSitting]:
        sitting = PastSitting(
            match_id=OLD,
            game="ludo",
            seat=0,
            entry_coins=0,
            started_ms=2,
            ended_ms=3,
            end_reason="ended",
            place=1,
            ended_as_bot=False,
        )
        return [sitting]

    async def wallet(self, player_id: str, before: int | None) -> Sequence[WalletChange]:
        change = WalletChange(
            entry=1,
            at_ms=1,
            id=f"welcome:{player_id}",
            kind="grant",
            match_id=None,
            cause=w.WelcomeCause(),
            available_change_coins=7,
            held_change_coins=0,
            available_coins=7,
            held_coins=0,
        )
        return [change]


async def test_every_operation_answers_as_the_document_says() -> None:
    async with memory_house() as house, aiohttp.ClientSession() as http:
        house.wallet()
        gateway = await house.gateway(reads=Remembered())
        player = await rich(house, gateway, 500)
        match_id = await coin_table(house, gateway, player, entry=100)
        mine = {"Authorization": f"Bearer {player.token}"}
        operators = {"Authorization": f"Bearer {token()}"}

        async def ask(path: str, head: dict[str, str] | None = None, **body: Any) -> int:
            method = "post" if body else "get"
            url = f"{gateway.url}{path}"
            async with http.request(method, url, headers=head, json=body or None) as answer:
                await answer.read()
                return answer.status

        grant = {"intent_id": new_id(), "player_id": player.player_id, "coins": 5, "reason": "x"}
        stop = {"intent_id": new_id(), "match_id": match_id, "reason": "x"}
        key: dict[str, Any] = {"player_id": player.player_id, "account_key": player.account_key}
        done = [
            await ask("/health"),
            await ask("/api/guests", nickname="ليلى"),
            await ask("/api/tokens", nickname="ليلى", **key),
            await ask("/api/games"),
            await ask("/api/lobby"),
            await ask(f"/api/matches/{match_id}"),
            await ask(f"/api/matches/{OLD}"),
            await ask(f"/api/matches/{OLD}/records?after=0"),
            await ask(f"/api/players/{player.player_id}/history", mine),
            await ask("/api/wallet", mine),
            await ask("/api/wallet/history?before=9", mine),
            await ask(f"/api/operator/players/{player.player_id}", operators),
            await ask("/api/operator/grants", operators, **grant),
            await ask("/api/operator/grants", operators, **{**grant, "coins": 6}),
            await ask(f"/api/operator/stops?after={OLD}", operators),
            await ask(f"/api/operator/stops/{match_id}", operators),
            await ask("/api/operator/stops", operators, **stop),
            await ask("/api/operator/stops", operators, **{**stop, "match_id": OLD}),
        ]
        assert set(done) == {200, 201, 409}
        answered = {(method, path) for method, path, _ in house.documented.answered}
        assert answered == {(method, path) for path in PATHS for method in PATHS[path]}
        assert house.documented.wrong == []
