"""Coin tables in a whole house with its wallet: what everybody has in the end."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import Final

import pytest

from sahrat.match.state import Phase
from sahrat.messages import match as m
from sahrat.messages import wallet as w
from tests.house.bank import audit_bank, balances, entries, grant, purse
from tests.house.coins import audit_coins, moves
from tests.house.gateway import Gateway
from tests.house.house import House
from tests.house.simulated import simulated
from tests.unit.match.desk import player

FOUR: Final = tuple(player(n) for n in range(1, 5))
A, B = FOUR[:2]
ALL: Final = ("rules", "timer", "bots", "wallet")


async def rich(house: House, *players: str, coins: int = 1_000) -> None:
    """Start the wallet, and give these players coins."""
    house.start("wallet")
    for player_id in players:
        await grant(house, player_id, coins)
    await house.until(lambda: len(entries(house)) == len(players))


async def begun(house: House, gateway: Gateway, *players: str, entry: int = 100) -> str:
    match_id = await gateway.table(*players, entry=entry)
    await house.until(lambda: house.match(match_id).known.phase is Phase.PLAYING)
    return match_id


@pytest.mark.parametrize(
    ("entry", "paid"),
    [(100, {A: 252, B: 108}), (33, {A: 84, B: 35}), (10, {A: 26, B: 10})],
)
@simulated
async def test_M6_prizes_reach_the_purses(
    house: House, gateway: Gateway, entry: int, paid: dict[str, int]
) -> None:
    """The third and the fourth leave; of the first two the clock lets one win."""
    await rich(house, *FOUR)
    match_id = await begun(house, gateway, *FOUR, entry=entry)
    assert [purse(house, who) for who in FOUR] == [1_000 - entry] * 4
    audit_bank(house)
    for player_id in (*FOUR[2:], B):
        await gateway.send(match_id, m.LeaveTable(), player_id=player_id)
    await house.until(lambda: not house.match(match_id).live)
    await house.until(lambda: balances(house)[w.FEE] > 0)
    net = 4 * entry - 4 * entry // 10
    assert sum(paid.values()) == net
    assert [purse(house, who) - 1_000 + entry for who in FOUR] == [net, 0, 0, 0]
    audit_bank(house)
    audit_coins(house)


@simulated
async def test_C40_who_has_not_enough_sits_at_no_coin_table(house: House, gateway: Gateway) -> None:
    await rich(house, A, coins=100)
    await grant(house, B, 59)
    match_id = await gateway.table(A, B, entry=60)
    await house.until(lambda: bool(house.happened(match_id, m.FundingFailed)))
    ((_, freed),) = house.happened(match_id, m.SeatFreed)
    assert (freed.player_id, freed.why) == (B, "refused")
    assert (purse(house, A), purse(house, B)) == (100, 59)
    audit_bank(house)


@simulated
async def test_C40_twenty_tables_at_once_and_coins_for_one(house: House, gateway: Gateway) -> None:
    others = [player(100 + n) for n in range(20)]
    await rich(house, A, coins=100)
    for other in others:
        await grant(house, other, 60)
    await house.until(lambda: len(entries(house)) == 21)
    tables = [await gateway.open(other, players=2, entry=60) for other in others]
    await asyncio.gather(*(gateway.join(table, A) for table in tables))
    await house.until(
        lambda: sum(len(house.happened(t, m.FundingFailed)) for t in tables) == 19, 30
    )
    playing = [t for t in tables if house.match(t).known.phase is Phase.PLAYING]
    assert len(playing) == 1
    assert purse(house, A) == 40
    audit_bank(house)


@pytest.mark.parametrize("moment", ["first", "leaver", "away"])
@simulated
async def test_C24_a_stop_gives_all_four_their_entry(
    house: House, gateway: Gateway, moment: str
) -> None:
    await rich(house, *FOUR)
    match_id = await begun(house, gateway, *FOUR)
    if moment == "leaver":
        await gateway.act(match_id)
        await gateway.send(match_id, m.LeaveTable(), player_id=B)
    if moment == "away":
        await gateway.lose(match_id, B)
        await asyncio.sleep(70)
    await gateway.stop(match_id)
    await gateway.stop(match_id)
    await house.until(lambda: purse(house, A) == 1_000)
    assert [purse(house, who) for who in FOUR] == [1_000] * 4
    assert balances(house)[w.FEE] == 0
    audit_bank(house)
    audit_coins(house)


@pytest.mark.parametrize("end", ["stop", "play"])
@simulated
async def test_C36_holds_outlive_the_death_of_every_worker(
    house: House, gateway: Gateway, end: str
) -> None:
    await rich(house, *FOUR)
    match_id = await begun(house, gateway, *FOUR)
    for name in ALL:
        await house.kill(name)
    await asyncio.sleep(60)
    for name in ALL:
        house.start(name)
    await asyncio.sleep(3)
    audit_bank(house)
    assert balances(house)[w.hold_account(match_id, house.match(match_id).known.attempt)] == 400
    if end == "stop":
        await gateway.stop(match_id)
        await house.until(lambda: purse(house, A) == 1_000)
        assert [purse(house, who) for who in FOUR] == [1_000] * 4
    else:
        for player_id in FOUR[1:]:
            await gateway.send(match_id, m.LeaveTable(), player_id=player_id)
        await house.until(lambda: purse(house, A) == 1_260)
    audit_bank(house)


@simulated
async def test_T7_a_hold_that_came_too_late_is_released(house: House, gateway: Gateway) -> None:
    await rich(house, A, B)
    await house.kill("wallet")
    match_id = await gateway.table(A, B, entry=100)
    await gateway.send(match_id, m.LeaveTable(), player_id=B)
    await house.settle()
    assert house.match(match_id).known.phase is Phase.OPEN
    house.start("wallet")
    await house.until(lambda: len(entries(house)) == 4)  # two grants, a hold and its release
    assert (purse(house, A), purse(house, B)) == (1_000, 1_000)
    assert [event.type for event in moves(house.records(match_id))] == [
        "funding.began",
        "funding.failed",
    ]
    audit_bank(house)


@simulated
async def test_M2_a_free_match_earns_its_players_coins(house: House, gateway: Gateway) -> None:
    house.start("wallet")
    match_id = await gateway.table(A, B, step_seconds=8)
    await gateway.send(match_id, m.LeaveTable(), player_id=B)
    await house.until(lambda: not house.match(match_id).live, 20_000, 1)
    await house.until(lambda: bool(entries(house)))
    ((_, earned),) = house.happened(match_id, m.CoinsEarned)
    assert [reward.player_id for reward in earned.rewards] == [A]
    assert purse(house, A) == earned.rewards[0].coins
    assert purse(house, B) == 0
    audit_bank(house)


@simulated
async def test_F27_the_end_and_a_stop_at_once_pay_or_give_back_and_never_both(
    house: House, gateway: Gateway
) -> None:
    chance = random.Random(27)
    pairs = [(player(200 + 2 * n), player(201 + 2 * n)) for n in range(30)]
    await rich(house, *(who for pair in pairs for who in pair))
    tables = [await begun(house, gateway, *pair) for pair in pairs]
    other = await house.gateway()

    async def end(match_id: str, who: str, pause_s: float) -> None:
        await asyncio.sleep(pause_s)
        await gateway.send(match_id, m.LeaveTable(), player_id=who)

    async def stop(match_id: str, pause_s: float) -> None:
        await asyncio.sleep(pause_s)
        await other.stop(match_id)

    pauses = [0, 0.001, 0.002]
    async with asyncio.TaskGroup() as group:
        for match_id, (_, loser) in zip(tables, pairs, strict=True):
            group.create_task(end(match_id, loser, chance.choice(pauses)))
            group.create_task(stop(match_id, chance.choice(pauses)))
        await asyncio.sleep(0.001)
        for name in ("rules", "wallet"):
            await house.kill(name)
            house.start(name)
    await house.until(lambda: not any(a.startswith("hold:") for a in +balances(house)))
    kinds: Counter[str] = Counter()
    for match_id, pair in zip(tables, pairs, strict=True):
        kind = moves(house.records(match_id))[-1].type
        kinds[kind] += 1
        paid = [purse(house, who) for who in pair]
        assert paid == ([1_080, 900] if kind == "entries.settled" else [1_000, 1_000])
    assert min(kinds.values()) > 0
    assert kinds.keys() == {"entries.settled", "entries.refunded"}
    audit_bank(house)
    audit_coins(house)
