"""The gateway on virtual time: what it does when phones, the log or the house stand still."""

from __future__ import annotations

import asyncio

import pytest

from sahrat.log.port import AppendFailed
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.topics import Topic, partition_of
from services.gateway.session import Closing
from services.gateway.sessions import Limits
from services.house.simulation.loop import run
from tests.house.audit import audit
from tests.house.house import House
from tests.unit.gateway.phones import Phone, act, gateway, table
from tests.unit.gateway.story import story
from tests.unit.match.desk import player

A, B, C = player(1), player(2), player(3)


# ---- phones


@story
async def test_a_phone_is_pinged_and_a_silent_one_is_closed(house: House) -> None:
    """Its seat is away ten seconds after it was last heard, and no sooner."""
    hub = await gateway(house)
    lively, silent = hub.phone(A), hub.phone(B, deaf=True)
    match_id = await table(house, lively, silent)
    silent_s = house.loop.time()
    await house.until(lambda: silent.code is not None, 20)
    assert silent.code is Closing.SILENT
    assert 10 <= house.loop.time() - silent_s <= 10.6
    await house.settle()
    ((at_ms, away),) = house.happened(match_id, m.PlayerAway)
    assert away.player_id == B
    assert at_ms >= house.true_ms() - 1000
    await asyncio.sleep(60)
    assert lively.code is None
    gaps = [b - a for a, b in zip(lively.pings, lively.pings[1:], strict=False)]
    assert all(5 <= gap <= 5.5 for gap in gaps)


@story
async def test_who_does_not_sign_in_is_closed(house: House) -> None:
    hub = await gateway(house)
    stranger = Phone(hub, A)
    await asyncio.sleep(9.9)
    assert stranger.code is None
    await asyncio.sleep(0.5)
    assert stranger.code is Closing.SILENT


@story
async def test_a_token_that_expires_ends_the_session(house: House) -> None:
    hub = await gateway(house)
    phone, renewed = Phone(hub, A), Phone(hub, B)
    for each in (phone, renewed):
        each.say(type="sign_in", token=each.token(left_s=20))
    await asyncio.sleep(10)
    renewed.say(type="sign_in", token=renewed.token())
    await asyncio.sleep(12)
    assert phone.code is Closing.NOT_SIGNED_IN
    assert phone.of("refused")[-1]["detail"] == "the token has expired"
    assert renewed.code is None


@story
async def test_limits_are_those_of_the_loops_time(house: House) -> None:
    hub = await gateway(house)
    phone = hub.phone(A)
    for _ in range(50):
        phone.say(type="ping")
    assert len(phone.of("pong")) == 39  # forty at once, and one of them was the sign-in
    await asyncio.sleep(1)
    for _ in range(30):
        phone.say(type="ping")
    assert len(phone.of("pong")) == 39 + 20
    await asyncio.sleep(2)
    for _ in range(40 + 61):
        phone.say(type="ping")
    assert phone.code is Closing.TOO_FAST
    assert not hub.hub.parts.sessions


@story
async def test_C15_C21_what_a_phone_is_told_is_what_the_log_says(house: House) -> None:
    """Back at 59.0 to 60.1 s: the seat was kept if his return came first, else a bot had it."""
    hub = await gateway(house)
    delays = [59.0, 59.9, 60.0, 60.1, 61.5]
    away: list[tuple[float, str, Phone]] = []
    for number, delay in enumerate(delays):
        phones = [hub.phone(player(10 + number)), hub.phone(player(20 + number))]
        away.append((delay, await table(house, *phones), phones[0]))
    for _, _, phone in away:
        phone.hang_up()
    began_s = house.loop.time()
    for delay, match_id, phone in away:
        await asyncio.sleep(began_s + delay - house.loop.time())
        back = hub.phone(phone.player_id)
        back.seen = dict(phone.seen)
        back.say(type="watch", match_id=match_id, seq=back.seen[match_id][0])
        await house.settle()
        happened = [
            event.type
            for record in house.records(match_id)
            for event in record.events
            if getattr(event, "player_id", "") == phone.player_id
        ]
        kept = "player.left" not in happened
        (present,) = back.events(match_id, "player.present")
        assert present["returned"] is not kept
        assert kept is (delay < 60)
        board = house.match(match_id)
        assert back.seen[match_id] == (board.seq, board.digest)  # the fold of the log


# ---- the log stands still


def held(house: House, wanted: Topic) -> asyncio.Event:
    """Hold all appends to a topic until the event is set."""
    release = asyncio.Event()

    async def gate(topic: Topic, _: int) -> None:
        if topic is wanted:
            await release.wait()

    house.log.gate = gate
    return release


@story
async def test_without_acknowledgements_for_three_seconds_nobody_stays(house: House) -> None:
    """They might sit at a gateway that the house counts as dead; elsewhere they can play."""
    hub = await gateway(house)
    phones = [hub.phone(A), hub.phone(B)]
    await table(house, *phones)
    release = held(house, topics.PULSE)
    stuck_s = house.loop.time()
    await house.until(lambda: phones[0].code is not None, 10)
    assert 3 <= house.loop.time() - stuck_s <= 4.5
    assert {phone.code for phone in phones} == {Closing.TRY_AGAIN}
    assert hub.hub.shut() == "the log does not answer"
    assert hub.health() is not None
    release.set()
    await asyncio.sleep(0.5)
    assert hub.hub.shut() == ""
    house.pardoned += 1


@story
async def test_a_wish_that_waited_too_long_is_late(house: House) -> None:
    hub = await gateway(house)
    phone = hub.phone(A)
    release = held(house, topics.INTENTS)
    wish = phone.wish("open", game="ludo")
    await asyncio.sleep(2.9)
    assert phone.of("refused") == []
    release.set()
    await house.settle()
    assert phone.records  # three seconds are nothing
    release = held(house, topics.INTENTS)
    wish = phone.wish("open", game="ludo")
    await asyncio.sleep(11)
    release.set()
    await asyncio.sleep(1)
    assert phone.code is Closing.TRY_AGAIN
    (refused,) = [
        answer
        for partition in range(topics.MATCH_PARTITIONS)
        for answer in house.answers(partition)
        if answer.type == "refused" and answer.intent_id == wish
    ]
    assert refused.reason == "late"


def test_a_failed_append_ends_the_gateway() -> None:
    async def whole() -> None:
        async with House(begin=("rules", "timer")) as house:
            hub = await gateway(house)
            phone = hub.phone(A)

            async def gate(topic: Topic, _: int) -> None:
                if topic is topics.INTENTS:
                    raise AppendFailed("the disk is full")

            await house.kill("timer")
            house.log.gate = gate
            phone.wish("open", game="ludo")
            await asyncio.sleep(1)
            running = house.workers.pop("gateway")
            with pytest.raises(AppendFailed):
                await running.task

    run(whole())


# ---- the house is behind


@story
async def test_no_table_is_opened_while_ticks_lag(house: House) -> None:
    hub = await gateway(house)
    phone = hub.phone(A)
    await house.ready()
    await house.kill("timer")
    await asyncio.sleep(0.9)
    phone.wish("open", game="ludo", options={"fill_seconds": 60})
    await house.settle()
    (match_id,) = phone.records
    await asyncio.sleep(0.3)
    busy = phone.wish("open", game="ludo")
    assert phone.reason(busy) == "house_busy"
    other = hub.phone(B)
    other.wish("join", match_id=match_id)  # tables that are open go on
    await house.settle()
    assert other.events(match_id, "match.started")
    house.start("timer")
    await house.ready()
    phone.wish("open", game="ludo")
    await house.settle()
    assert len(phone.records) == 2


@story
async def test_a_gateway_that_starts_may_open_tables_before_its_first_tick(house: House) -> None:
    hub = await gateway(house)
    phone = hub.phone(A)
    phone.wish("play_now", game="ludo")
    await house.settle()
    assert phone.records


@story
async def test_a_player_sits_at_fifty_tables_and_no_more(house: House) -> None:
    hub = await gateway(house, limits=Limits(rate=1000))
    phone = hub.phone(A)
    opened = [phone.wish("open", game="ludo", options={"fill_seconds": 60}) for _ in range(50)]
    await house.settle()
    assert len(phone.records) == 50
    for kind in ("open", "play_now"):
        assert phone.reason(phone.wish(kind, game="ludo")) == "house_busy"
    phone.wish("open", game="ludo", intent_id=opened[0])  # the first answer again
    assert [a["intent_id"] for a in phone.of("accepted")] == [opened[0]]
    phone.wish("leave", match_id=min(phone.records))
    await house.settle()
    phone.wish("open", game="ludo")
    await house.settle()
    assert len(phone.records) == 51


# ---- matches come to their end


@story
async def test_a_match_that_ended_is_shown_for_twenty_minutes(house: House) -> None:
    hub = await gateway(house)
    phones = [hub.phone(A), hub.phone(B)]
    match_id = await table(house, *phones)
    house.start("bots")
    for phone in phones:
        phone.wish("leave", match_id=match_id)
    await house.until(lambda: house.match(match_id).ended_ms, 600)
    await house.halt("bots")
    end = phones[0].seen[match_id]
    late = hub.phone(C)
    late.say(type="watch", match_id=match_id, seq=end[0])
    assert late.of("watching")[-1]["seq"] == end[0]
    await house.halt("timer")
    await asyncio.sleep(21 * 60)
    late.say(type="watch", match_id=match_id, seq=end[0])
    assert len(late.of("watching")) == 2
    house.start("timer")
    await house.ready()
    while partition_of(await table(house, phones[0], phones[1])) != partition_of(match_id):
        await asyncio.sleep(0.6)
    await asyncio.sleep(15)
    assert late.of("unwatched") == [
        {"type": "unwatched", "match_id": match_id, "reason": "unknown_match"}
    ]
    late.say(type="watch", match_id=match_id, seq=0)
    assert late.of("refused")[-1]["reason"] == "unknown_match"


# ---- the same story again


async def evening(house: House) -> list[bytes]:
    """Three phones on two gateways play, lose their lines, take over; return all intents."""
    one, two = await gateway(house, "gateway-1"), await gateway(house, "gateway-2")
    phones = [one.phone(A), two.phone(B), one.phone(C)]
    match_id = await table(house, *phones)
    for turn in range(60):
        if house.match(match_id).ended_ms:
            break
        phone, _ = act(house, match_id, phones)
        await asyncio.sleep(0.05)
        if turn % 7 == 3:
            phone.hang_up()
            back = (two, one)[turn % 2].phone(phone.player_id)
            back.seen = dict(phone.seen)
            back.say(type="watch", match_id=match_id, seq=back.seen[match_id][0])
            phones[phones.index(phone)] = back
            await asyncio.sleep(0.01)
    for phone in phones:
        assert phone.seen[match_id] == (house.match(match_id).seq, house.match(match_id).digest)
        assert not phone.of("refused")
    audit(house)
    return [
        stored.value
        for partition in range(topics.MATCH_PARTITIONS)
        for stored in house.topic(topics.INTENTS, partition)
    ]


def test_the_same_evening_gives_the_same_intents() -> None:
    """Nothing in the gateway depends on chance, on the wall clock, or on the order of a set."""

    async def whole() -> list[bytes]:
        async with House(begin=("rules", "timer")) as house:
            return await evening(house)

    first = run(whole())
    assert run(whole()) == first
