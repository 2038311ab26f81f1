"""Wishes on virtual time: each is answered, and counts once, however often it is sent."""

from __future__ import annotations

import asyncio

from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.stored import Draft
from sahrat.messages.topics import Topic, partition_of
from tests.house.house import House
from tests.unit.gateway.phones import Phone, act, gateway, table
from tests.unit.gateway.story import story
from tests.unit.match.desk import player

A, B, C, D = (player(number) for number in range(1, 5))
WAITS = {"players": 2, "fill_seconds": 60}


def seats_of(house: House, player_id: str, *tables: str) -> list[str]:
    """The tables where a player sits, of these and of those that he opened."""
    opened = [stored.key.decode() for stored in house.intents(m.OpenTable)]
    return [
        match_id
        for match_id in dict.fromkeys((*tables, *opened))
        if house.match(match_id).known.chair(player_id) is not None
    ]


def written(house: House, intent_id: str) -> int:
    """How often an intent stands in the log."""
    return sum(
        intent_id.encode() in stored.value
        for partition in range(topics.MATCH_PARTITIONS)
        for stored in house.topic(topics.INTENTS, partition)
    )


# ---- one wish, one seat


@story
async def test_a_wish_of_two_sockets_that_is_refused_goes_on_as_one(house: House) -> None:
    one, two = await gateway(house, "gateway-1"), await gateway(house, "gateway-2")
    first = await table_of_one(house, one.phone(B))
    second = await table_of_one(house, one.phone(C))
    phones = [one.phone(A), one.phone(A)]
    two.phone(D).wish("join", match_id=first)  # comes first: the seat is gone
    wish = phones[0].wish("play_now", game="ludo", options=WAITS)
    phones[1].wish("play_now", game="ludo", options=WAITS, intent_id=wish)
    await house.settle()
    assert house.match(first).known.chair(D) is not None
    assert seats_of(house, A) == [second]
    assert written(house, wish) == 2  # at each table once
    for phone in phones:
        assert not phone.of("refused")
        assert phone.events(second, "match.started")


async def table_of_one(house: House, phone: Phone) -> str:
    phone.wish("open", game="ludo", options=WAITS)
    await house.settle()
    (match_id,) = phone.records
    return match_id


@story
async def test_a_wish_sent_again_over_a_new_line_goes_where_it_is_on_its_way(house: House) -> None:
    one, two = await gateway(house, "gateway-1"), await gateway(house, "gateway-2")
    host = two.phone(B)
    first = await table_of_one(house, host)
    second = await table_of_one(house, two.phone(C))
    lost = one.phone(A)
    held: list[int] = []
    release = asyncio.Event()

    async def gate(topic: Topic, partition: int) -> None:
        if topic is topics.INTENTS and partition == partition_of(first) and not held:
            held.append(partition)
            await release.wait()

    await house.ready()
    await house.kill("timer")  # its ticks would be held instead
    house.log.gate = gate
    wish = lost.wish("play_now", game="ludo", options=WAITS)
    await asyncio.sleep(0.1)
    assert held
    lost.hang_up()
    host.hang_up()  # nobody is sent to him any more
    await asyncio.sleep(0.1)
    back = one.phone(A)
    back.wish("play_now", game="ludo", options=WAITS, intent_id=wish)
    release.set()
    house.start("timer")
    await house.settle()
    assert seats_of(house, A) == [first]
    assert house.match(second).known.chair(A) is None
    assert back.events(first, "match.started")
    present = [event.player_id for _, event in house.happened(first, m.PlayerPresent)]
    assert present[-1:] == [A]


@story
async def test_what_is_sent_again_before_its_answer_is_written_once(house: House) -> None:
    hub = await gateway(house)
    phones = [hub.phone(A), hub.phone(B)]
    match_id = await table(house, *phones)
    other = hub.phone(phones[0].player_id)
    other.say(type="watch", match_id=match_id, seq=0)
    await house.settle()
    before = house.match(match_id).seq
    phone, wish = act(house, match_id, [other, phones[1]])
    state = house.match(match_id).known
    for again in (phone, phone):
        again.wish(
            "act",
            intent_id=wish,
            match_id=match_id,
            step=state.step,
            intent={"type": "ludo.roll", "number": "7"},
        )
    await house.settle()
    assert house.match(match_id).seq == before + 1
    assert sum(wish.encode() in intent.value for intent in rolls(house, match_id)) == 1
    assert not phone.of("refused")


def rolls(house: House, match_id: str) -> list[Draft]:
    return [
        Draft(stored.key, stored.value)
        for stored in house.topic(topics.INTENTS, partition_of(match_id))
        if b'"ludo.roll"' in stored.value
    ]


@story
async def test_a_refused_wish_may_come_again_under_the_same_id(house: House) -> None:
    hub = await gateway(house)
    host, phone = hub.phone(B), hub.phone(A)
    match_id = await table(house, host, hub.phone(C))
    wish = phone.wish("join", match_id=match_id)
    await house.settle()
    assert phone.reason(wish) == "not_open"
    phone.wish("join", match_id=match_id, intent_id=wish)
    await house.settle()
    assert [f["reason"] for f in phone.of("refused")] == ["not_open", "not_open"]


# ---- each is answered


@story
async def test_a_wish_at_a_match_that_is_parked_here_is_refused(house: House) -> None:
    """Rules may well accept it: what it makes of it can't be told from here."""
    hub = await gateway(house)
    match_id = await table(house, hub.phone(B), players=4, fill_seconds=60)
    house.damaged = match_id
    house.pardoned += 1
    phone = hub.phone(A)
    draft = Draft(match_id.encode(), b"{}")
    await house.log.append(topics.EVENTS, partition_of(match_id), (draft,))
    wish = phone.wish("join", match_id=match_id)
    await house.settle()
    assert phone.reason(wish) == "parked"


@story
async def test_who_says_he_has_what_the_log_has_not_is_answered(house: House) -> None:
    hub = await gateway(house)
    host, phone = hub.phone(B), hub.phone(A)
    match_id = await table_of_one(house, host)
    phone.say(type="watch", match_id=match_id, seq=5000)
    wish = phone.wish("join", match_id=match_id)
    await house.settle()
    (joined,) = phone.of("accepted")
    assert (joined["intent_id"], joined["seq"]) == (wish, 2)
    wishes = []
    for _ in range(6):
        actor, wish = act(house, match_id, [host, phone])
        await house.settle()
        wishes += [wish] if actor is phone else []
    assert wishes
    assert [answer["intent_id"] for answer in phone.of("accepted")[1:]] == wishes
    assert phone.records.get(match_id) is None
    phone.say(type="watch", match_id=match_id, seq=0)
    await house.settle()
    assert len(phone.records[match_id]) == house.match(match_id).seq


@story
async def test_who_leaves_and_looks_away_is_answered(house: House) -> None:
    hub = await gateway(house)
    phone = hub.phone(A)
    match_id = await table(house, hub.phone(B), players=4, fill_seconds=60)
    phone.wish("join", match_id=match_id)
    await house.settle()
    wish = phone.wish("leave", match_id=match_id)
    phone.say(type="unwatch", match_id=match_id)
    await house.settle()
    assert [(f["intent_id"], f["seq"]) for f in phone.of("accepted")] == [(wish, 3)]
