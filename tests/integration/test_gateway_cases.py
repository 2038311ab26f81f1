"""Races of phones, through one gateway and through two: what the log says first holds."""

from __future__ import annotations

import asyncio
import base64
import random
import time
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import orjson
import pytest

from sahrat import dice
from sahrat.messages.topics import INTENTS, MATCH_PARTITIONS
from sahrat.runtime.ids import new_id
from services.gateway.host import Gateway
from tests.integration.gateway_house import MASTER, House, memory_house, table
from tests.integration.phone import Frame, Phone, answer_to, seat_of

ROLL: Frame = {"type": "ludo.roll", "number": "7"}


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with memory_house() as house:
        yield house


@pytest.fixture
async def gateway(house: House) -> Gateway:
    return await house.gateway()


def by_seat(phones: list[Phone], match_id: str) -> dict[int, Phone]:
    return {seat_of(p.history(match_id), p.player_id): p for p in phones}


def events(values: list[bytes], kind: str) -> list[dict[str, Any]]:
    return [e for value in values for e in orjson.loads(value)["events"] if e["type"] == kind]


async def two_lines(house: House, phone: Phone, match_id: str, second: Gateway) -> Phone:
    """The same player on another gateway, in control there; the first line only looks on."""
    other = await house.again(phone, second)
    await other.send(type="watch", match_id=match_id, seq=0)
    await phone.take("taken_over")
    return other


async def test_C09_the_same_roll_twice_is_one_roll(house: House) -> None:
    """A double click: the same id through two gateways, then another id in the same instant."""
    one, two = await house.gateway("one"), await house.gateway("two")
    match_id, phones = await table(house, one)
    step = phones[0].step(match_id)
    phone = by_seat(phones, match_id)[step["seat"]]
    intent_id = new_id()
    await phone.act(match_id, step["step"], ROLL, intent_id)
    other = await two_lines(house, phone, match_id, two)
    await other.act(match_id, step["step"], ROLL, intent_id)
    first = await phone.record(match_id, intent_id)
    answer = await other.take("accepted", intent_id=intent_id)
    assert answer["seq"] == first["seq"]
    again = await other.act(match_id, step["step"], ROLL)
    assert await other.refused(again) in {"stale_step", "not_your_turn", "move_expected"}
    assert len(events(await house.records(match_id), "ludo.rolled")) == 1


async def test_C09_two_clicks_in_one_segment_are_one_roll(house: House, gateway: Gateway) -> None:
    match_id, phones = await table(house, gateway)
    step = phones[0].step(match_id)
    phone = by_seat(phones, match_id)[step["seat"]]
    first = await phone.act(match_id, step["step"], ROLL)
    second = await phone.act(match_id, step["step"], ROLL)
    await phone.record(match_id, first)
    assert await phone.refused(second) == "stale_step"
    assert len(events(await house.records(match_id), "ludo.rolled")) == 1


async def test_C18_of_two_moves_at_once_the_earlier_in_the_log_counts(house: House) -> None:
    """One player's two phones on two gateways: one has control and acts, while the other takes
    control over and acts too.
    """
    one, two = await house.gateway("one"), await house.gateway("two")
    match_id, phones = await table(house, one)
    rng, seats = random.Random(18), by_seat(phones, match_id)
    holders = dict(seats)
    others = {seat: await house.again(phone, two) for seat, phone in seats.items()}
    stale = {"stale_step", "not_your_turn", "not_in_control"}
    for _ in range(100):
        last = orjson.loads((await house.records(match_id))[-1])
        while (steps := [e for e in last["events"] if e["type"] == "step.opened"]) == []:
            last = orjson.loads((await house.records(match_id))[last["seq"] - 2])
        seat = steps[0]["seat"]
        holder, other = holders[seat], others[seat]
        step, intent = answer_to(last, seat, rng) or (0, ROLL)
        first, second = new_id(), new_id()
        await asyncio.gather(
            holder.act(match_id, step, intent, first), take_and_act(other, match_id, second, step)
        )
        done = [
            await outcome(holder, match_id, first),
            await outcome(other, match_id, second),
        ]
        assert sorted(kind in stale for kind in done) == [False, True], done
        holders[seat], others[seat] = other, holder
        if "match.ended" in done:
            break
    made = [orjson.loads(v)["caused_by"]["intent_id"] for v in await house.records(match_id)]
    assert len(made) == len(set(made))


async def take_and_act(phone: Phone, match_id: str, intent_id: str, step: int) -> None:
    seq, _ = phone.seen.get(match_id, (0, ""))
    await phone.send(type="watch", match_id=match_id, seq=seq)
    await phone.act(match_id, step, ROLL, intent_id)


async def outcome(phone: Phone, match_id: str, intent_id: str) -> str:
    """What became of a wish: the reason of its refusal, or the last event that it caused."""

    def about_it(frame: Frame) -> bool:
        if frame.get("type") == "refused":
            return bool(frame["intent_id"] == intent_id)
        caused = frame.get("caused_by", {}).get("intent_id") == intent_id
        return caused and bool(frame["match_id"] == match_id)

    frame = await phone.until(about_it)
    return str(frame.get("reason") or frame["events"][-1]["type"])


async def test_C19_a_queue_is_judged_on_the_fold_and_not_on_a_view(
    house: House, gateway: Gateway
) -> None:
    """Rules stands still; roll, move and the other's roll wait: each is judged in its turn."""
    match_id, phones = await table(house, gateway)
    step = phones[0].step(match_id)
    seats = by_seat(phones, match_id)
    await house.kill("rules")
    wishes = []
    for offset in range(3):  # nobody can see yet whose step these are: both seats ask for each
        for phone in seats.values():
            number = step["step"] + offset
            wishes.append((phone, await phone.act(match_id, number, ROLL)))
            await asyncio.sleep(0.1)  # so that the log has them in this order
    assert not [f for phone in phones for f in phone.frames if f.get("type") == "refused"]
    house.rules()
    await house.settled(match_id)
    values = await house.records(match_id)
    made = {orjson.loads(value)["caused_by"]["intent_id"] for value in values}
    reasons = [await phone.refused(wish) for phone, wish in wishes if wish not in made]
    # One of the two got each step; but after two sixes a choice may be open instead of a roll.
    assert len(events(values, "ludo.rolled")) == 3 - reasons.count("move_expected")
    assert set(reasons) <= {"not_your_turn", "stale_step", "move_expected"}


async def test_C20_a_move_and_a_leave_in_the_same_instant_both_count(
    house: House, gateway: Gateway
) -> None:
    match_id, phones = await table(house, gateway)
    step = phones[0].step(match_id)
    seats = by_seat(phones, match_id)
    mover = seats.pop(step["seat"])
    (leaver,) = seats.values()
    began = time.monotonic()
    await mover.send(type="ping")
    await mover.take("pong")
    second = max(1, 20 * (time.monotonic() - began))  # on a machine that does other things too
    began = time.monotonic()
    rolled, left = await asyncio.gather(
        mover.act(match_id, step["step"], ROLL), leaver.wish("leave", match_id=match_id)
    )
    await mover.record(match_id, rolled)
    assert (await mover.record(match_id, left))["events"][0]["type"] == "player.left"
    assert time.monotonic() - began < second
    refused = await leaver.act(match_id, step["step"], ROLL)
    began = time.monotonic()
    assert await leaver.refused(refused) == "not_in_control"
    assert time.monotonic() - began < second


async def test_T03_a_match_recorded_and_sent_again_does_nothing(
    house: House, gateway: Gateway
) -> None:
    """Every wish of a whole match again: while it runs, after it, and into another match."""
    match_id, phones = await table(house, gateway)
    sent: list[tuple[Phone, str, Frame]] = []
    plain = Phone.send

    async def noted(self: Phone, **message: Any) -> None:
        if "intent_id" in message:
            sent.append((self, match_id, message))
        await plain(self, **message)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Phone, "send", noted)
        rng, seats = random.Random(3), by_seat(phones, match_id)
        last = phones[0].history(match_id)[-1]
        for _ in range(40):
            answers = ((phone, answer_to(last, seat, rng)) for seat, phone in seats.items())
            phone, (step, intent) = next((p, a) for p, a in answers if a is not None)
            last = await phone.record(match_id, await phone.act(match_id, step, intent))
    before = await house.records(match_id)
    other_id, _ = await table(house, gateway)
    for phone, _, message in sent:
        await plain(phone, **message)
        await phone.take("accepted", intent_id=message["intent_id"])
        if "match_id" in message:
            await plain(phone, **{**message, "match_id": other_id})
            await phone.take("refused", intent_id=message["intent_id"], match_id=other_id)
    assert await house.records(match_id) == before
    assert len(await house.records(other_id)) == 2
    for phone in phones:
        await phone.record(match_id, await phone.wish("leave", match_id=match_id))
    after = len(await house.records(match_id))
    for phone, _, message in sent:
        await plain(phone, **message)
    await house.settled(match_id)
    assert len(await house.records(match_id)) == after


async def test_C25_no_secret_leaves_before_the_end(
    house: House, gateway: Gateway, capsys: pytest.CaptureFixture[str]
) -> None:
    """In no frame, page, topic or log line, in no form, until the last event shows it."""
    match_id, phones = await table(house, gateway)
    secret = MASTER.secret("k1", match_id)
    forms = [
        secret.key(),
        secret.reveal().encode(),
        base64.b64encode(secret.key()).rstrip(b"="),
        base64.urlsafe_b64encode(secret.key()).rstrip(b"="),
        str(int.from_bytes(secret.key())).encode(),
    ]
    seen: list[bytes] = []
    async with aiohttp.ClientSession() as http:
        for path in (f"api/matches/{match_id}", "api/lobby", "health"):
            async with http.get(f"{gateway.url}/{path}") as answer:
                seen.append(await answer.read())
    late = await house.phone(gateway, "متأخرة")
    await late.send(type="watch", match_id=match_id, seq=0)
    await late.take("watching")
    await asyncio.gather(*(p.play(match_id, random.Random(n)) for n, p in enumerate(phones)))
    stored = await house.records(match_id)
    seen += stored[:-1]
    seen += [orjson.dumps(frame) for phone in (*phones, late) for frame in phone.frames[:-1]]
    for partition in range(MATCH_PARTITIONS):
        seen += [record.value for record in await house.stored(INTENTS, partition)]
    said = capsys.readouterr()
    seen += [said.out.encode(), said.err.encode(), repr(MASTER).encode(), repr(secret).encode()]
    before = [text for text in seen if b"match.ended" not in text]
    assert not [form for form in forms for text in before if form in text]
    (end,) = events(stored, "match.ended")
    assert end["secret"] == secret.reveal()
    opened = events(stored, "table.opened")[0]
    assert dice.commitment(secret, match_id) == opened["commitment"]
