"""The lobby on virtual time: which matches in play it shows, and how often phones hear of them."""

from __future__ import annotations

import asyncio

from services.gateway.lobby import RUNNING, RUNNING_S
from tests.house.house import House
from tests.unit.gateway.phones import act, gateway, table
from tests.unit.gateway.story import story
from tests.unit.match.desk import player

A, B, C = player(1), player(2), player(3)


@story
async def test_the_lobby_shows_the_newest_matches_in_play(house: House) -> None:
    hub = await gateway(house)
    phones, looker = [hub.phone(A), hub.phone(B)], hub.phone(C)
    looker.say(type="lobby", on=True)
    assert looker.of("lobby")[-1]["running"] == []
    waiting = await table(house, phones[0], players=2)
    matches = [await table(house, *phones) for _ in range(RUNNING + 2)]
    await asyncio.sleep(RUNNING_S + 1)
    shown = looker.of("lobby")[-1]
    assert shown["playing"] == len(matches)
    newest = sorted(matches)[-RUNNING:]
    assert [one["match_id"] for one in shown["running"]] == newest[::-1]
    assert waiting not in {one["match_id"] for one in shown["running"]}
    for one in shown["running"]:  # nothing but what anybody may see
        assert [*one] == ["match_id", "rules", "entry_coins", "seats", "step"]
        sitters = house.match(one["match_id"]).known.sitters
        assert one["seats"] == [{"nickname": x.nickname, "bot": x.bot} for x in sitters]
        assert (one["rules"], one["entry_coins"], one["step"]) == ("ludo/2", 0, 1)


@story
async def test_steps_of_matches_in_play_reach_the_lobby_now_and_then(house: House) -> None:
    """Phones in the lobby don't hear of every step; of the end of a match they do."""
    hub = await gateway(house)
    phones, looker = [hub.phone(A), hub.phone(B)], hub.phone(C)
    match_id = await table(house, *phones)
    looker.say(type="lobby", on=True)
    begun_s = house.loop.time()
    while house.match(match_id).live:
        act(house, match_id, phones)
        await house.settle()
        await asyncio.sleep(0.25)
    await asyncio.sleep(RUNNING_S + 1)
    lobbies = looker.of("lobby")
    steps = [one["step"] for lobby in lobbies for one in lobby["running"]]
    assert steps == sorted(steps)
    assert len({*steps}) > 10
    assert len(lobbies) <= 3 + (house.loop.time() - begun_s) / RUNNING_S
    assert (lobbies[-1]["running"], lobbies[-1]["playing"]) == ([], 0)
