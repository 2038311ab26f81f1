"""Lines to seats: taken over, lost, back, and never a ghost. Presence is what the log says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest

from sahrat.messages import match as m
from sahrat.messages.base import Line, Message
from sahrat.messages.codec import encode
from sahrat.messages.envelope import IntentEnvelope
from sahrat.messages.stored import Draft
from sahrat.messages.topics import INTENTS, partition_key, partition_of
from sahrat.runtime.ids import new_id
from services.gateway.host import Gateway
from services.gateway.session import Closing
from tests.integration.gateway_house import House, memory_house, table
from tests.integration.phone import Phone

ROLL = {"type": "ludo.roll", "number": "7"}


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with memory_house() as house:
        yield house


@pytest.fixture
async def gateway(house: House) -> Gateway:
    return await house.gateway()


async def presence(house: House, match_id: str, player_id: str) -> list[str]:
    """What the log says of a player's lines, in order."""
    return [
        event["type"].removeprefix("player.")
        for value in await house.records(match_id)
        for event in orjson.loads(value)["events"]
        if event.get("player_id") == player_id
        and event["type"] in {"player.present", "player.away", "player.left"}
    ]


async def watch(phone: Phone, match_id: str) -> Any:
    """Watch from the last record on; return the answer."""
    seq, _ = phone.seen.get(match_id, (0, ""))
    await phone.send(type="watch", match_id=match_id, seq=seq)
    return await phone.take("watching", match_id=match_id)


async def say(house: House, match_id: str | None, partition: int, intent: Message) -> None:
    """Put an intent of some gateway into the log."""
    envelope = IntentEnvelope[Message](
        intent_id=new_id(),
        match_id=match_id,
        player_id=None,
        system="gateway",
        step=None,
        not_after_ms=None,
        sent_by=new_id(),
        intent=intent,
    )
    key = match_id or partition_key(partition)
    await house.log.append(INTENTS, partition, (Draft(key.encode(), encode(envelope)),))


async def test_a_killed_socket_is_away_at_once_and_back_by_watching(
    house: House, gateway: Gateway
) -> None:
    match_id, phones = await table(house, gateway)
    phones[0].cut()
    away = await phones[1].record(match_id, event="player.away")
    assert away["events"][0]["player_id"] == phones[0].player_id
    assert away["events"][0]["until_ms"] == away["caused_by"]["at_ms"] + 60_000
    await phones[0].closed()
    await phones[0].connect()
    assert (await watch(phones[0], match_id))["line"]["gateway"] == gateway.id
    back = await phones[0].record(match_id, event="player.present")
    assert back["prev"] == phones[1].seen[match_id][1] or back["seq"] == away["seq"] + 1


async def test_a_phone_that_hangs_up_is_away_too(house: House, gateway: Gateway) -> None:
    match_id, phones = await table(house, gateway)
    await phones[0].hang_up()
    await phones[1].record(match_id, event="player.away")
    await house.settled(match_id)
    assert await presence(house, match_id, phones[0].player_id) == ["away"]


@pytest.mark.parametrize("same", [True, False], ids=["one-gateway", "two-gateways"])
async def test_the_newest_line_takes_over_and_the_older_is_told(house: House, same: bool) -> None:
    """Threat T01: one live line of control for each seat."""
    gateway = await house.gateway()
    match_id, phones = await table(house, gateway)
    older = phones[0]
    newer = await house.again(older, gateway if same else await house.gateway("second"))
    line = (await watch(newer, match_id))["line"]
    taken = await newer.until(lambda f: f.get("type") == "snapshot" or f.get("seq", 0) > 2)
    assert taken is not None
    await older.take("taken_over", match_id=match_id)
    present = await older.record(match_id, event="player.present")  # it may look on
    assert present["events"][0]["line"] == line
    step = older.step(match_id)["step"]
    assert await older.refused(await older.act(match_id, step, ROLL)) == "not_in_control"
    older.cut()
    await older.closed()
    await house.settled(match_id)
    assert await presence(house, match_id, older.player_id) == ["present"]


async def test_the_older_may_take_control_back(house: House, gateway: Gateway) -> None:
    match_id, phones = await table(house, gateway)
    newer = await house.again(phones[0], gateway)
    await watch(newer, match_id)
    await phones[0].take("taken_over")
    assert (await watch(phones[0], match_id))["line"] is not None
    await newer.take("taken_over", match_id=match_id)
    newer.cut()
    await newer.closed()
    await house.settled(match_id)
    assert (await presence(house, match_id, phones[0].player_id))[-1] == "present"


async def test_quick_reconnects_end_present(house: House, gateway: Gateway) -> None:
    """Case C21: whatever the order in which lines came and went, the log ends with the newest."""
    match_id, phones = await table(house, gateway)
    phone = phones[0]
    for number in range(10):
        if number % 2:
            phone.cut()
        else:
            await phone.hang_up()
        phone = await house.again(phone, gateway)
        await watch(phone, match_id)
    await house.settled(match_id)
    told = await presence(house, match_id, phone.player_id)
    assert told[-1] == "present"
    assert len(told) <= 20
    step = phones[1].step(match_id)["step"]
    for each in (phone, phones[1]):
        await each.act(match_id, step, ROLL)
    await phones[1].record(match_id, event="ludo.rolled")


async def test_a_seat_said_to_be_lost_is_held_again(house: House, gateway: Gateway) -> None:
    """Somebody took this gateway for dead: it says that it is not."""
    match_id, phones = await table(house, gateway)
    await say(house, None, partition_of(match_id), m.GatewayLost(gateway=gateway.id))
    back = [await phones[1].record(match_id, event="player.present") for _ in phones]
    assert {e["line"]["gateway"] for record in back for e in record["events"]} == {gateway.id}
    for phone in phones:
        assert await presence(house, match_id, phone.player_id) == ["away", "present"]
        assert not [f for f in phone.frames if f.get("type") in {"refused", "taken_over"}]


async def test_a_late_word_of_an_old_line_changes_nothing(house: House, gateway: Gateway) -> None:
    match_id, phones = await table(house, gateway)
    first = Line(gateway=gateway.id, number=1)
    newer = await house.again(phones[0], gateway)
    await watch(newer, match_id)
    await phones[0].take("taken_over")
    down = m.LineDown(player_id=newer.player_id, line=first)
    await say(house, match_id, partition_of(match_id), down)
    await house.settled(match_id)
    assert await presence(house, match_id, newer.player_id) == ["present"]


async def test_not_watching_ones_own_match_is_being_away(house: House, gateway: Gateway) -> None:
    match_id, phones = await table(house, gateway)
    await phones[0].send(type="unwatch", match_id=match_id)
    await phones[1].record(match_id, event="player.away")
    before = len(phones[0].records[match_id])
    await watch(phones[0], match_id)
    await phones[1].record(match_id, event="player.present")
    assert len(phones[0].records[match_id]) >= before + 1


async def test_who_only_looks_on_is_nobodys_line(house: House, gateway: Gateway) -> None:
    match_id, phones = await table(house, gateway)
    looker = await house.phone(gateway, "متفرجة")
    assert (await watch(looker, match_id))["line"] is None
    looker.cut()
    await looker.closed()
    await house.settled(match_id)
    for phone in phones:
        assert await presence(house, match_id, phone.player_id) == []


async def test_a_clean_stop_says_that_all_lines_are_gone(house: House, gateway: Gateway) -> None:
    match_id, phones = await table(house, gateway)
    other = await house.gateway("second")
    looker = await house.phone(other, "متفرجة")
    await watch(looker, match_id)
    await house.stop("gateway")
    for phone in phones:
        assert await phone.closed() == Closing.GOING_AWAY
    away = await looker.record(match_id, event="player.away")
    assert len(away["events"]) == 2  # both, by one intent for the whole partition
    lost = [i for i in await house.intents() if i.intent.type in {"gateway.lost", "line.down"}]
    assert [i.intent.type for i in lost] == ["gateway.lost"]
    back = await house.again(phones[0], other)
    await watch(back, match_id)
    await looker.record(match_id, event="player.present")


async def test_a_killed_gateway_leaves_no_ghosts(house: House, gateway: Gateway) -> None:
    """The timer misses its pulse for six seconds; who is back elsewhere by then stays present."""
    match_id, phones = await table(house, gateway)
    other = await house.gateway("second")
    looker = await house.phone(other, "متفرجة")
    await watch(looker, match_id)
    await house.kill("gateway")
    back = await house.again(phones[0], other)
    await watch(back, match_id)
    await looker.record(match_id, event="player.present")
    away = await looker.until(
        lambda f: any(e["type"] == "player.away" for e in f.get("events", ())), wait_s=15
    )
    assert [e["player_id"] for e in away["events"]] == [phones[1].player_id]


async def test_an_open_table_shows_who_lost_his_line_while_the_opening_was_on_its_way(
    house: House, gateway: Gateway
) -> None:
    """The line is said to be down after the intent that named it: no seat keeps a dead line."""
    phone = await house.phone(gateway)
    await house.kill("rules")
    await phone.wish("open", game="ludo", options={"fill_seconds": 60})
    await asyncio.sleep(0.1)
    phone.cut()
    await phone.closed()
    await asyncio.sleep(0.2)
    house.rules()
    looker = await house.phone(gateway, "متفرجة")
    await looker.send(type="lobby", on=True)
    shown = await looker.until(lambda f: f.get("type") == "lobby" and f["open"] == 1)
    match_id = shown["tables"][0]["match_id"]
    await house.settled(match_id)
    assert await presence(house, match_id, phone.player_id) == ["away"]
