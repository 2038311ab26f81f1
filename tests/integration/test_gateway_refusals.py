"""Whatever may not happen is answered with a reason from the list, within a second."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest

from sahrat.messages.reasons import Reason
from sahrat.messages.topics import INTENTS, MATCH_PARTITIONS
from sahrat.runtime.ids import new_id
from services.gateway.host import Gateway
from services.gateway.sessions import Limits
from tests.integration.gateway_house import PATIENT_S, House, memory_house, table
from tests.integration.phone import Frame, Phone, answer_to, seat_of

ROLL: Frame = {"type": "ludo.roll", "number": "7"}
ID = "01980f6e-5c00-7b2a-9d3e-4f5061728394"
OLD = "01980f6e-5c00-7b2a-9d3e-4f5061728395"


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with memory_house() as house:
        yield house


@pytest.fixture
async def gateway(house: House) -> Gateway:
    return await house.gateway()


async def by_turn(phones: list[Phone], match_id: str) -> tuple[Phone, Phone, int]:
    """The phone whose step it is, another one, and the step."""
    step = phones[0].step(match_id)
    seats = {seat_of(p.history(match_id), p.player_id): p for p in phones}
    other = next(phone for seat, phone in seats.items() if seat != step["seat"])
    return seats[step["seat"]], other, step["step"]


async def ends(house: House) -> list[int]:
    return [(await house.log.bounds(INTENTS, p)).end for p in range(MATCH_PARTITIONS)]


# ---- by rules


async def test_wrong_turn_and_stale_step(house: House, gateway: Gateway) -> None:
    match_id, phones = await table(house, gateway)
    on_turn, other, step = await by_turn(phones, match_id)
    assert await other.refused(await other.act(match_id, step, ROLL)) == "not_your_turn"
    assert await on_turn.refused(await on_turn.act(match_id, step + 1, ROLL)) == "stale_step"
    assert await on_turn.refused(await on_turn.act(match_id, step - 1, ROLL)) == "stale_step"
    move = {"type": "ludo.move", "pawn": 0}
    assert await on_turn.refused(await on_turn.act(match_id, step, move)) == "roll_first"


async def test_illegal_move_and_a_roll_where_a_move_is_expected(
    house: House, gateway: Gateway
) -> None:
    match_id, phones = await table(house, gateway)
    seats = {seat_of(p.history(match_id), p.player_id): p for p in phones}
    rng, last = random.Random(2), phones[0].history(match_id)[-1]
    while True:
        answers = ((phone, answer_to(last, seat, rng)) for seat, phone in seats.items())
        phone, (step, intent) = next((p, a) for p, a in answers if a is not None)
        movable = last["events"][-2].get("movable", ())
        if 1 < len(movable) < 4:
            break
        last = await phone.record(match_id, await phone.act(match_id, step, intent))
    pawn = next(pawn for pawn in range(4) if pawn not in movable)
    move = {"type": "ludo.move", "pawn": pawn}
    assert await phone.refused(await phone.act(match_id, step, move)) == "illegal_move"
    assert await phone.refused(await phone.act(match_id, step, ROLL)) == "move_expected"
    await phone.record(match_id, await phone.act(match_id, step, intent))  # nothing had changed


async def test_unknown_and_ended_matches_answer_alike(house: House, gateway: Gateway) -> None:
    phone = await house.phone(gateway)
    unknown = new_id()
    assert await phone.refused(await phone.wish("join", match_id=unknown)) == "unknown_match"
    await phone.send(type="watch", match_id=unknown, seq=0)
    assert (await phone.take("refused", match_id=unknown))["reason"] == "unknown_match"
    await phone.wish("open", game="ludo")
    match_id = (await phone.until(lambda f: "events" in f))["match_id"]
    await phone.wish("leave", match_id=match_id)
    await phone.record(match_id, event="table.closed")
    assert await phone.refused(await phone.wish("join", match_id=match_id)) == "unknown_match"
    for gone in (match_id, unknown):
        assert await phone.refused(await phone.act(gone, 1, ROLL)) == "unknown_match"
        leave = await phone.wish("leave", match_id=gone)
        assert await phone.refused(leave) == "unknown_match"


async def test_full_tables_and_seats_that_one_has(house: House, gateway: Gateway) -> None:
    phones = [await house.phone(gateway, f"لاعبة {n}") for n in range(3)]
    await phones[0].wish("open", game="ludo", options={"fill_seconds": 60})
    match_id = (await phones[0].until(lambda f: "events" in f))["match_id"]
    again = await phones[0].wish("join", match_id=match_id)
    assert await phones[0].refused(again) == "already_seated"
    assert await phones[0].refused(await phones[0].act(match_id, 0, ROLL)) == "not_playing"
    await phones[1].record(match_id, await phones[1].wish("join", match_id=match_id))
    # With its last seat play has begun: a full table is one that is not open any more.
    late = await phones[2].refused(await phones[2].wish("join", match_id=match_id))
    assert late in {"table_full", "not_open"}


async def test_who_has_no_seat_has_no_control(house: House, gateway: Gateway) -> None:
    """Case C29: what a phone says of others counts for nothing."""
    match_id, phones = await table(house, gateway)
    _, _, step = await by_turn(phones, match_id)
    stranger = await house.phone(gateway, "غريبة")
    await stranger.send(type="watch", match_id=match_id, seq=0)
    assert (await stranger.take("watching"))["line"] is None
    assert await stranger.refused(await stranger.act(match_id, step, ROLL)) == "not_in_control"
    leave = await stranger.wish("leave", match_id=match_id)
    assert await stranger.refused(leave) == "not_in_control"
    assert await stranger.refused(await stranger.wish("join", match_id=match_id)) == "not_open"


async def test_a_player_who_got_up_has_to_sit_down_again(house: House, gateway: Gateway) -> None:
    match_id, phones = await table(house, gateway)
    await phones[0].record(match_id, await phones[0].wish("leave", match_id=match_id))
    _, _, step = await by_turn(phones, match_id)
    assert await phones[0].refused(await phones[0].act(match_id, step, ROLL)) == "not_in_control"
    join = await phones[0].wish("join", match_id=match_id)
    assert (await phones[0].record(match_id, join))["events"][0]["returned"]


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ({"game": "chess"}, "unknown_rules"),
        ({"game": "ludo", "options": {"players": 5}}, "bad_options"),
        ({"game": "ludo", "options": {"colour": "red"}}, "bad_options"),
        ({"game": "ludo", "intent_id": OLD}, "stale_opening"),
        ({"game": "ludo", "intent_id": "f47ac10b-58cc-4372-a567-0e02b2c3d479"}, "stale_opening"),
    ],
)
@pytest.mark.parametrize("kind", ["open", "play_now"])
async def test_tables_that_cannot_be(
    house: House, gateway: Gateway, kind: str, wish: dict[str, Any], reason: str
) -> None:
    phone = await house.phone(gateway)
    assert await phone.refused(await phone.wish(kind, **wish)) == reason


async def test_M3_an_entry_below_ten_coins_is_refused(house: House, gateway: Gateway) -> None:
    phone = await house.phone(gateway)
    opening = await phone.wish("open", game="ludo", entry_coins=9)
    assert await phone.refused(opening) == "bad_entry"


# ---- by the gateway

WRONG = [
    pytest.param("{", "bad_json", id="no-json"),
    pytest.param('{"type":"ping","type":"ping"}', "bad_json", id="a-key-twice"),
    pytest.param('{"type":"ping","x":' + "[" * 9 + "]" * 9 + "}", "bad_json", id="deep"),
    pytest.param('{"type":"watch","match_id":"' + ID + '","seq":NaN}', "bad_json", id="nan"),
    pytest.param('{"type":"sign_in","token":"\\ud800"}', "bad_json", id="half-a-character"),
    pytest.param("[]", "wrong_type", id="no-object"),
    pytest.param('{"type":"dance"}', "unknown_type", id="unknown-type"),
    pytest.param("{}", "unknown_type", id="no-type"),
    pytest.param('{"type":"ping","now":1}', "unknown_field", id="unknown-field"),
    pytest.param('{"type":"watch","seq":0}', "missing_field", id="missing-field"),
    pytest.param('{"type":"watch","match_id":"' + ID + '","seq":"0"}', "wrong_type", id="type"),
    pytest.param('{"type":"watch","match_id":"' + ID + '","seq":true}', "wrong_type", id="bool"),
    pytest.param('{"type":"watch","match_id":"' + ID + '","seq":0.5}', "wrong_type", id="half"),
    pytest.param('{"type":"watch","match_id":"' + ID + '","seq":-1}', "out_of_bounds", id="-1"),
    pytest.param(
        '{"type":"watch","match_id":"' + ID + '","seq":18446744073709551616}',
        "out_of_bounds",
        id="2**64",
    ),
    pytest.param(
        '{"type":"watch","match_id":"' + ID + '","seq":1' + "0" * 30 + "}",
        "out_of_bounds",
        id="10**30",
    ),
    pytest.param('{"type":"watch","match_id":"x","seq":0}', "out_of_bounds", id="no-id"),
    pytest.param('"' + "x" * 4095 + '"', "too_large", id="4097-bytes"),
    pytest.param('"' + "x" * 5118 + '"', "too_large", id="C47-5-kb"),
]


@pytest.mark.parametrize(("text", "reason"), WRONG)
async def test_what_is_no_message_is_refused_and_the_line_goes_on(
    house: House, gateway: Gateway, text: str, reason: str
) -> None:
    phone = await house.phone(gateway)
    before = await ends(house)
    await phone.socket.send_str(text)
    assert (await phone.take("refused"))["reason"] == reason
    await phone.send(type="ping")
    await phone.take("pong")
    moved = [end - old for end, old in zip(await ends(house), before, strict=True)]
    assert max(moved) <= 2  # ticks: nothing of it reached the log
    assert all(intent.system for intent in await house.intents())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"player_id": ID}, "unknown_field"),
        ({"seat": 2}, "unknown_field"),
        ({"intent": {"type": "ludo.move", "pawn": 4}}, "out_of_bounds"),
        ({"intent": {"type": "ludo.roll", "number": str(2**64)}}, "out_of_bounds"),
        ({"intent": {"type": "ludo.roll", "number": ""}}, "out_of_bounds"),
        ({"intent": {"type": "ludo.roll", "number": 7}}, "wrong_type"),
        ({"intent": {"type": "ludo.roll", "number": "7", "seat": 2}}, "unknown_field"),
        ({"intent": {"type": "table.leave"}}, "unknown_type"),
        ({"intent": {"type": "match.stop"}}, "unknown_type"),
        ({"intent": {"type": "line.up"}}, "unknown_type"),
        ({"intent": {"type": "clock.due", "last_ms": 0}}, "unknown_type"),
    ],
)
async def test_an_act_says_what_its_player_does_and_nothing_else(
    house: House, gateway: Gateway, change: dict[str, Any], reason: str
) -> None:
    """The answer names the intent, so that the phone knows which of its wishes it is."""
    phone = await house.phone(gateway)
    wish = {"type": "act", "intent_id": ID, "match_id": OLD, "step": 1, "intent": ROLL} | change
    await phone.socket.send_str(orjson.dumps(wish).decode())
    answer = await phone.take("refused", intent_id=ID, match_id=OLD)
    assert answer["reason"] == reason


async def test_too_fast_is_told_and_the_rest_goes_through(house: House) -> None:
    gateway = await house.gateway(limits=Limits(lag_s=PATIENT_S))
    phone = await house.phone(gateway)
    began = time.monotonic()
    for _ in range(60):
        await phone.send(type="ping")
    answers = [await phone.until(lambda f: f["type"] in {"pong", "refused"}) for _ in range(60)]
    passed = sum(answer["type"] == "pong" for answer in answers)
    assert 39 <= passed <= 40 + 20 * (time.monotonic() - began)  # the sign-in was one of forty
    assert {a["reason"] for a in answers if a["type"] == "refused"} <= {"too_fast"}
    await asyncio.sleep(0.5)
    await phone.send(type="ping")
    await phone.take("pong")


async def test_a_player_has_one_allowance_for_all_his_sockets(house: House) -> None:
    gateway = await house.gateway(limits=Limits(lag_s=PATIENT_S))
    phone = await house.phone(gateway)
    others = [await house.again(phone, gateway) for _ in range(3)]
    began = time.monotonic()
    for _ in range(30):
        for each in (phone, *others):
            await each.send(type="ping")
    answers = [
        await each.until(lambda f: f["type"] in {"pong", "refused"})
        for each in (phone, *others)
        for _ in range(30)
    ]
    passed = sum(answer["type"] == "pong" for answer in answers)
    assert passed <= 41 + 20 * (time.monotonic() - began)


def test_reasons_are_told_in_their_order() -> None:
    text = "too_large bad_json unknown_type unknown_field missing_field wrong_type out_of_bounds"
    assert [reason.value for reason in Reason][:7] == text.split()
