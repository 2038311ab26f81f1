"""What a phone of ours does about a house that does not answer, loses it, or tells it wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import orjson
import pytest

from sahrat.match.match import digest_of
from services.house import network, phone, reach
from services.house.line import Internet
from services.house.network import NoAccount
from services.house.phone import Phone
from services.house.wishes import Refused
from tests.unit.house.odd_house import Message, OddHouse, odd_house
from tests.unit.match.desk import player


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "FIRST_PAUSE_S", 0.02)
    monkeypatch.setattr(phone, "AGAIN_S", 0.3)
    monkeypatch.setattr(phone, "LOOK_S", 0.02)
    monkeypatch.setattr(phone, "LATER_S", 0.05)
    monkeypatch.setattr(reach, "LOOK_S", 0.02)


@pytest.fixture
async def house() -> AsyncIterator[OddHouse]:
    async with odd_house() as house:
        yield house


@pytest.fixture
async def guest(house: OddHouse) -> AsyncIterator[Phone]:
    guest = Phone(Internet(house.url), "p0", seed="1")
    yield guest
    await guest.close()


async def seated(house: OddHouse, guest: Phone) -> str:
    """The phone sees its match, and it is its turn."""
    await guest.start()
    await guest.watch(house.desk.match_id)
    await house.until(lambda: guest.tables[house.desk.match_id].seq >= 2)
    await house.others_turn()
    await house.until(lambda: guest.tables[house.desk.match_id].seq == len(house.desk.values))
    return house.desk.match_id


async def done(house: OddHouse, guest: Phone) -> None:
    """Something that the phone asked for has happened, and it has seen that."""
    sender = f"player:{player(0)}"
    known = guest.tables[house.desk.match_id]
    await house.until(
        lambda: any(record.caused_by.sender == sender for record in house.desk.records[2:])
    )
    await house.until(lambda: known.seq == len(house.desk.values))


async def test_it_plays_when_it_is_on_turn(house: OddHouse, guest: Phone) -> None:
    match_id = await seated(house, guest)
    for _ in range(400):
        await house.until(lambda: len(house.desk.values) == guest.tables[match_id].seq)
        if not house.desk.match.live:
            break
        await house.others_turn()
        await asyncio.sleep(0)
    await guest.over(match_id)
    assert guest.problems == []
    assert guest.tables[match_id].digest == digest_of(house.desk.values[-1])
    assert guest.counts.acts == len(house.said("act")) > 10
    assert guest.rate == 1000


async def test_without_an_answer_the_very_same_message_goes_out_again(
    house: OddHouse, guest: Phone
) -> None:
    house.answers = lambda _: len(house.said("act")) == 3
    await seated(house, guest)
    await done(house, guest)
    acts = [data for data in house.heard if b'"act"' in data]
    assert acts[0] == acts[1] == acts[2]
    assert guest.counts.repeats == 2
    assert guest.problems == []


async def test_an_intent_that_had_been_accepted_is_not_done_twice(
    house: OddHouse, guest: Phone
) -> None:
    """Its record was lost on the way, and the house says where it is."""
    lost: list[bytes] = []

    def lose(act: Message) -> bool:
        if not lost:
            known = len(house.desk.values)
            kinds = {str(k.model_fields["type"].default): k for k in house.desk.match.game.intents}
            intent = kinds[act["intent"]["type"]].model_validate(act["intent"])
            envelope = house.desk.envelope(
                intent, who=0, step=act["step"], intent_id=act["intent_id"]
            )
            house.desk.put(envelope)
            lost.append(house.desk.values[known])
            house.cut()
            return False
        return True

    house.answers = lose
    match_id = await seated(house, guest)
    await house.until(
        lambda: guest.tables[match_id].digest == digest_of(lost[0]) if lost else False
    )
    assert house.said("watch")[-1]["seq"] == len(house.desk.values) - 1
    assert guest.problems == []


async def test_after_a_lost_line_it_comes_back_with_its_last_record(
    house: OddHouse, guest: Phone
) -> None:
    guest.plays = False
    match_id = await seated(house, guest)
    seq = guest.tables[match_id].seq
    house.cut()
    house.desk.wait(15).due()
    house.desk.wait(15).due()
    await house.until(lambda: guest.tables[match_id].seq == seq + 2)
    assert [watch["seq"] for watch in house.said("watch")] == [0, seq]
    assert house.connections == 2
    assert house.guests == 1
    assert guest.problems == []


@pytest.mark.parametrize("silently", [False, True])
async def test_it_can_lose_its_line_for_a_while(
    house: OddHouse, guest: Phone, silently: bool
) -> None:
    guest.plays = False
    match_id = await seated(house, guest)
    loop = asyncio.get_running_loop()
    gone_s = loop.time()
    await guest.lose_line(0.4, silently=silently)
    house.desk.wait(15).due()
    await house.until(lambda: len(house.said("watch")) == 2)
    assert loop.time() - gone_s >= 0.4
    await house.until(lambda: guest.tables[match_id].seq == len(house.desk.values))
    assert guest.problems == []


async def test_a_token_that_is_no_good_any_more_is_renewed_by_the_key(
    house: OddHouse, guest: Phone
) -> None:
    guest.plays = False
    match_id = await seated(house, guest)
    house.token = "t2"
    house.cut()
    await house.until(lambda: len(house.said("watch")) == 2)
    assert (house.guests, house.tokens) == (1, 1)
    assert house.said("sign_in")[-1]["token"] == "t2"
    assert guest.tables[match_id].me == player(0)
    assert guest.problems == []


async def test_a_house_that_is_busy_is_asked_again(house: OddHouse, guest: Phone) -> None:
    house.refusing = 3
    await guest.start()
    assert house.guests == 1


async def test_a_house_that_refuses_for_good_is_told(house: OddHouse) -> None:
    guest = Phone(Internet(house.url + "/elsewhere"), "p0", seed="1")
    with pytest.raises(NoAccount):
        await guest.start()
    await guest.close()


async def test_a_house_that_is_not_there_is_told_after_a_while(house: OddHouse) -> None:
    guest = Phone(Internet("http://127.0.0.1:9"), "p0", seed="1")
    with pytest.raises(OSError, match=r"127\.0\.0\.1"):
        await guest.start(patience_s=0.1)
    await guest.close()


# ---- refusals


async def refused_at_first(house: OddHouse, reason: str, times: int = 1) -> None:
    """Refuse the first acts, without asking rules."""
    told: list[asyncio.Task[None]] = []

    def refuse(act: Message) -> bool:
        if len(told) < times:
            told.append(asyncio.create_task(house.refuse(act, reason)))
            return False
        return True

    house.answers = refuse


@pytest.mark.parametrize("reason", ["late", "house_busy", "too_fast", "not_in_control"])
async def test_what_is_refused_for_the_moment_is_asked_for_again_under_the_same_id(
    house: OddHouse, guest: Phone, reason: str
) -> None:
    await refused_at_first(house, reason, times=2)
    await seated(house, guest)
    await done(house, guest)
    acts = house.said("act")
    assert acts[0] == acts[1] == acts[2]
    assert guest.counts.refusals == {reason: 2}
    assert guest.problems == []


async def test_what_was_refused_and_came_through_by_another_copy_counts_once(
    house: OddHouse, guest: Phone
) -> None:
    """The first copy was too long on its way. The second one was not, and is heard of later."""
    told: list[asyncio.Task[None]] = []

    def refuse_a_copy(act: Message) -> bool:
        if not told:
            kinds = {str(k.model_fields["type"].default): k for k in house.desk.match.game.intents}
            intent = kinds[act["intent"]["type"]].model_validate(act["intent"])
            house.desk.put(
                house.desk.envelope(intent, who=0, step=act["step"], intent_id=act["intent_id"])
            )
            told.append(asyncio.create_task(house.refuse(act, "late")))
            return False
        if len(told) == 1:
            told.append(asyncio.create_task(house.send(house.desk.values[-1])))
        return True

    house.answers = refuse_a_copy
    await seated(house, guest)
    await house.until(lambda: len(house.said("act")) == 2)
    await done(house, guest)
    assert guest.counts.refusals == {"late": 1}
    assert guest.problems == []


async def test_who_gets_up_does_nothing_that_he_was_still_thinking_of(house: OddHouse) -> None:
    guest = Phone(Internet(house.url), "p0", seed="1", think_s=0.1)
    match_id = await seated(house, guest)
    leaving = asyncio.create_task(guest.leave(match_id))
    await house.until(lambda: bool(house.said("leave")))
    await asyncio.sleep(0.2)
    assert house.said("act") == []
    leaving.cancel()
    await guest.close()


async def test_what_was_on_its_way_when_one_got_up_may_be_refused(
    house: OddHouse, guest: Phone
) -> None:
    house.answers = lambda _: False
    match_id = await seated(house, guest)
    await house.until(lambda: bool(house.said("act")))
    leaving = asyncio.create_task(guest.leave(match_id))
    await house.until(lambda: bool(house.said("leave")))
    await house.refuse(house.said("act")[0], "not_seated")
    await house.until(lambda: guest.counts.refusals == {"not_seated": 1})
    assert guest.problems == []
    leaving.cancel()


@pytest.mark.parametrize("reason", ["illegal_move", "unknown_field", "fault", "not_seated"])
async def test_a_refusal_that_should_not_be_is_a_problem(
    house: OddHouse, guest: Phone, reason: str
) -> None:
    await refused_at_first(house, reason)
    await seated(house, guest)
    await house.until(lambda: bool(guest.problems))
    assert reason in guest.problems[0]


async def test_K_stale_is_fine_for_whom_the_clock_overtook(house: OddHouse, guest: Phone) -> None:
    await refused_at_first(house, "stale_step")
    match_id = await seated(house, guest)
    await house.until(lambda: bool(guest.problems))
    assert "stale_step" in guest.problems[0]  # as far as the phone can know
    house.desk.wait(15).due()
    await house.send(house.desk.values[-1])
    await house.until(lambda: guest.tables[match_id].seq == len(house.desk.values))
    assert guest.problems == []


async def test_a_seat_that_is_refused_is_told_to_who_asked(house: OddHouse, guest: Phone) -> None:
    await guest.start()
    asked = asyncio.create_task(guest.join(house.desk.match_id))
    await house.until(lambda: bool(house.said("join")))
    await house.refuse(house.said("join")[0], "table_full")
    with pytest.raises(Refused, match="table_full"):
        await asked
    assert int(house.said("join")[0]["seat_number"]) < 2**64


# ---- what does not fit


async def test_a_changed_record_is_a_problem(house: OddHouse, guest: Phone) -> None:
    guest.plays = False
    match_id = await seated(house, guest)
    house.desk.wait(15).due()
    changed = orjson.loads(house.desk.values[-1])
    changed["prev"] = "0" * 64
    await house.send(orjson.dumps(changed))
    await house.until(lambda: bool(guest.problems))
    assert "does not continue" in guest.problems[0]
    assert match_id in guest.problems[0]


@pytest.mark.parametrize("kind", ["taken_over", "unwatched"])
async def test_a_seat_that_somebody_else_takes_is_a_problem(
    house: OddHouse, guest: Phone, kind: str
) -> None:
    match_id = await seated(house, guest)
    await house.send({"type": kind, "match_id": match_id, "reason": "parked"})
    await house.until(lambda: bool(guest.problems))
    assert kind in guest.problems[0]


@pytest.mark.parametrize(("code", "problems"), [(1001, 0), (1013, 0), (4413, 0), (4429, 1)])
async def test_a_house_may_close_a_line_for_some_reasons(
    house: OddHouse, guest: Phone, code: int, problems: int
) -> None:
    guest.plays = False
    await seated(house, guest)
    assert house.socket is not None
    await house.socket.close(code=code)
    await house.until(lambda: house.connections == 2)
    assert len(guest.problems) == problems


async def test_what_the_phone_can_not_understand_is_a_problem(
    house: OddHouse, guest: Phone
) -> None:
    await seated(house, guest)
    await house.send(b'{"no":"record"}')
    await house.until(lambda: bool(guest.problems))
    assert "the phone itself failed" in guest.problems[0]


async def test_a_line_on_which_nothing_comes_any_more_is_left(
    house: OddHouse, guest: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "SILENCE_S", 0.3)
    guest.plays = False
    await seated(house, guest)
    await house.until(lambda: house.connections >= 2)
    assert guest.problems == []
