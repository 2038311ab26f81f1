"""What players try who are not what they say, at the numbers of the list of threats; on virtual
time, from the socket to the log. Nothing of it leaves a trace in a match.
"""

from __future__ import annotations

import random
from typing import Any, Final

import orjson

from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.base import Line
from sahrat.messages.stored import Draft
from sahrat.messages.topics import INTENTS, partition_of
from services.gateway.session import Closing
from services.gateway.sessions import Limits
from tests.house.house import House
from tests.unit.gateway.phones import Frame, Gateway, Phone, act, gateway, table
from tests.unit.gateway.story import story
from tests.unit.match.desk import START_MS, player, uuid7

A, B, C, D, E = (player(n) for n in range(1, 6))
ROLL: Final = {"type": "ludo.roll", "number": "7"}
TRIES: Final = 1_000
FAST: Final = Limits(rate=10_000_000)  # how fast somebody may try is another threat's


# ---- T01: the seat of another


@story
async def test_T01_a_thousand_wrong_tokens_are_nobodys(house: House) -> None:
    """Each differs from a good one in one letter somewhere before the signature's last."""
    hub, rng = await gateway(house, limits=FAST), random.Random(1)
    good = Phone(hub, A).token()
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
    for _ in range(TRIES):
        at = rng.randrange(len(good) - 1)
        other = rng.choice([letter for letter in letters if letter != good[at]])
        phone = Phone(hub, A)
        phone.say(type="sign_in", token=good[:at] + other + good[at + 1 :])
        assert phone.code is Closing.NOT_SIGNED_IN
        assert [frame["reason"] for frame in phone.frames] == ["not_signed_in"]


@story
async def test_T01_a_thousand_tries_at_the_seats_of_others_move_nothing(house: House) -> None:
    hub, rng = await gateway(house, limits=FAST), random.Random(2)
    phones = [hub.phone(A), hub.phone(B)]
    match_id = await table(house, *phones)
    before = house.match(match_id)
    seq, step = before.seq, before.known.step
    for number in range(TRIES // 10):
        stranger = hub.phone(player(100 + number))
        stranger.say(type="watch", match_id=match_id, seq=rng.choice([0, seq, seq + 5, 2**40]))
        wishes = [stranger.wish("act", match_id=match_id, step=step, intent=ROLL) for _ in range(8)]
        wishes.append(stranger.wish("leave", match_id=match_id))
        wishes.append(stranger.wish("join", match_id=match_id))
        await house.settle()
        assert {stranger.reason(wish) for wish in wishes} == {"not_in_control", "not_open"}
        assert [frame["line"] for frame in stranger.of("watching")] == [None]
        stranger.hang_up()
    await house.settle()
    assert house.match(match_id).seq == seq


@story
async def test_T01_a_thousand_words_of_lines_that_are_not_the_seats_own_change_nothing(
    house: House,
) -> None:
    """An older line of the same gateway, another gateway's, a later one: none is the seat's."""
    hub, rng = await gateway(house), random.Random(3)
    phones = [hub.phone(A), hub.phone(B)]
    match_id = await table(house, *phones)
    await house.settle()
    seq = house.match(match_id).seq
    lines = {sitter.player_id: sitter.line for sitter in house.match(match_id).known.sitters}
    liar = await house.gateway()
    for _ in range(TRIES):
        victim = rng.choice([A, B])
        line = lines[victim]
        assert line is not None
        wrong = Line(
            gateway=rng.choice([line.gateway, liar.id, uuid7(START_MS, rng.randrange(2**60))]),
            number=rng.choice([line.number + 1, 0, 2**53 - 1, rng.randrange(2**50) + 100]),
        )
        down = m.LineDown(player_id=victim, line=wrong)
        draft = liar.envelope(match_id, down)
        await liar.put(draft)
    await house.settle()
    assert house.match(match_id).seq == seq
    assert {sitter.player_id: sitter.line for sitter in house.match(match_id).known.sitters} == (
        lines
    )


@story
async def test_T01_the_older_socket_is_told_and_has_no_control(house: House) -> None:
    hub = await gateway(house)
    older, other = hub.phone(A), hub.phone(B)
    match_id = await table(house, older, other)
    newer = hub.phone(A)
    newer.say(type="watch", match_id=match_id, seq=0)
    await house.settle()
    assert older.of("taken_over")
    seq, step = house.match(match_id).seq, house.match(match_id).known.step
    for intent in (ROLL, {"type": "ludo.move", "pawn": 0}):
        wish = older.wish("act", match_id=match_id, step=step, intent=intent)
        assert older.reason(wish) == "not_in_control"
    await house.settle()
    assert house.match(match_id).seq == seq


# ---- T02: acting for another

MOVES: Final[dict[str, Frame]] = {
    f"move-{pawn}": {"type": "act", "intent": {"type": "ludo.move", "pawn": pawn}}
    for pawn in range(4)
}
WISHES: Final[dict[str, Frame]] = {
    "roll": {"type": "act", "intent": ROLL},
    **MOVES,
    "leave": {"type": "leave"},
    "join": {"type": "join", "seat_number": "7"},
    "watch": {"type": "watch", "seq": 1_000},
    "unwatch": {"type": "unwatch"},
}


def naming(wish: Frame, victim: str, seat: int) -> list[Frame]:
    """The same wish in every way in which a body could name somebody else."""
    said: list[Frame] = [{}, {"player_id": victim}, {"seat": seat}, {"sender": f"player:{victim}"}]
    said += [{"system": "gateway"}, {"line": {"gateway": E, "number": 1}}, {"bot": True}]
    found = [{**wish, **more} for more in said]
    if "intent" in wish:
        inner: list[Frame] = [{"player_id": victim}, {"seat": seat}]
        found += [{**wish, "intent": {**wish["intent"], **more}} for more in inner]
    return found


@story
async def test_T02_C29_whoever_acts_acts_for_himself_alone(house: House) -> None:
    """All pairs of an actor and a victim, all wishes, and all ways to name the victim in them; the
    actor is each other player, somebody who looks on, and nobody at all.
    """
    hub = await gateway(house, limits=FAST)
    seated = [A, B, C, D]
    phones = {player_id: hub.phone(player_id) for player_id in (*seated, E)}
    match_id = await table(house, *(phones[player_id] for player_id in seated), fill_seconds=60)
    phones[E].say(type="watch", match_id=match_id, seq=0)
    state = house.match(match_id).known
    on_turn = state.sitters[state.chair_of_seat(state.step_seat)].player_id
    seq, tried = house.match(match_id).seq, 0
    for victim in seated:
        seat = state.seats[state.chair(victim) or 0]
        for actor in (*seated, E, ""):
            if actor == victim:
                continue
            phone = phones[actor] if actor else Phone(hub, "")
            for name, wish in WISHES.items():
                if name in ("leave", "unwatch") or (name == "roll" and actor == on_turn):
                    wishes = naming(wish, victim, seat)[1:]  # these he may do, as himself
                else:
                    wishes = naming(wish, victim, seat)
                for each in wishes:
                    await tries(house, hub, phone, actor, match_id, state.step, each)
                    tried += 1
    assert tried > 4 * 5 * 8 * 7
    assert house.match(match_id).seq == seq


async def tries(
    house: House, hub: Gateway, phone: Phone, actor: str, match_id: str, step: int, wish: Frame
) -> None:
    """Send a wish, which must be refused, or show what anybody may see."""
    phone = Phone(hub, "") if not actor else phone
    heard = len(phone.frames)
    ids = {"intent_id": house.match_id()} if wish["type"] in ("act", "leave", "join") else {}
    steps = {"step": step} if wish["type"] == "act" else {}
    phone.say(match_id=match_id, **ids, **steps, **wish)
    await house.settle()
    answers = phone.frames[heard:]
    kinds = {frame.get("type", "record") for frame in answers}
    if wish["type"] == "watch" and len(wish) == 2 and actor:
        assert "refused" not in kinds
    else:
        assert "refused" in kinds, (actor, wish, answers)
    assert actor or kinds == {"refused"}


# ---- T03: once more


@story
async def test_T03_a_whole_match_sent_again_during_after_and_elsewhere_makes_nothing(
    house: House,
) -> None:
    """Every message of a whole match: while it goes on, when it is over, and with another
    match's id. And the stored intents themselves, appended once more as they are.
    """
    hub, said = await gateway(house, limits=FAST), list[tuple[str, bytes]]()
    phones = [hub.phone(A), hub.phone(B)]

    def say(phone: Phone, **message: Any) -> None:
        said.append((phone.player_id, orjson.dumps(message)))
        hub.hub.receive(phone.session, said[-1][1])

    for phone in phones:
        vars(phone)["say"] = lambda phone=phone, **message: say(phone, **message)
    match_id = await table(house, *phones, pawns_to_win=1)
    for number in range(5_000):
        if not house.match(match_id).live:
            break
        act(house, match_id, phones)
        await house.settle()
        if number % 20 == 19:
            await again(house, phones, said)
    assert not house.match(match_id).live
    assert len(said) > 30
    await again(house, phones, said)
    strangers = [hub.phone(C), hub.phone(D)]
    other_id = await table(house, *strangers)
    old, new = match_id.encode(), other_id.encode()
    moved = [(who, data.replace(old, new)) for who, data in said]
    await again(house, phones, moved)
    before = {each: house.match(each).seq for each in (match_id, other_id)}
    partition = partition_of(match_id)
    for stored in [*house.topic(INTENTS, partition)]:
        if stored.key == old:
            await house.log.append(INTENTS, partition, (Draft(stored.key, stored.value),))
    await house.settle()
    assert {each: house.match(each).seq for each in (match_id, other_id)} == before


async def again(house: House, phones: list[Phone], said: list[tuple[str, bytes]]) -> None:
    """Let each player send all that he said once more."""
    before = [len(house.topic(topics.EVENTS, p)) for p in range(topics.MATCH_PARTITIONS)]
    of = {phone.player_id: phone for phone in phones}
    for who, data in [*said]:
        of[who].gateway.hub.receive(of[who].session, data)
    await house.settle()
    assert before == [len(house.topic(topics.EVENTS, p)) for p in range(topics.MATCH_PARTITIONS)]
