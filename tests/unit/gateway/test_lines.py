"""Lines to seats on virtual time: none holds a seat without somebody behind it (rules S.1, S.5)."""

from __future__ import annotations

import asyncio
import random

import pytest

from sahrat.match.state import Sitter
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.base import Line
from sahrat.messages.codec import encode
from sahrat.messages.stored import Draft
from sahrat.messages.topics import partition_of
from services.gateway.outbox import Envelope
from services.gateway.sessions import Limits
from tests.house.house import House
from tests.unit.gateway.phones import Gateway, Phone, act, gateway, table
from tests.unit.gateway.story import story
from tests.unit.match.desk import player

A, B, C = player(1), player(2), player(3)


def away(house: House, match_id: str) -> list[str]:
    """Who has lost his line, each time."""
    return [event.player_id for _, event in house.happened(match_id, m.PlayerAway)]


def sitter(house: House, match_id: str, player_id: str) -> Sitter:
    (found,) = [s for s in house.match(match_id).known.sitters if s.player_id == player_id]
    return found


def refusals(house: House, hub: Gateway) -> list[str]:
    """Why what this gateway itself said was refused."""
    return [
        answer.reason
        for partition in range(topics.MATCH_PARTITIONS)
        for answer in house.answers(partition)
        if answer.type == "refused" and answer.sender == "gateway"
    ]


# ---- giving up a seat and taking it again, without waiting for answers


@story
async def test_S5_leave_and_join_at_once_keep_control_in_play(house: House) -> None:
    hub = await gateway(house)
    phones = [hub.phone(A), hub.phone(B)]
    match_id = await table(house, *phones)
    phones[0].wish("leave", match_id=match_id)
    phones[0].wish("join", match_id=match_id)
    await house.settle()
    assert len(phones[0].events(match_id, "player.left")) == 1
    assert len(phones[0].events(match_id, "player.present")) == 1
    for _ in range(20):  # each is on turn in turn, and acts
        act(house, match_id, phones)
        await house.settle()
    assert not phones[0].of("refused")
    phones[0].hang_up()
    await house.settle()
    assert away(house, match_id) == [A]
    assert not refusals(house, hub)


@story
async def test_S1_leave_and_join_at_once_at_an_open_table(house: House) -> None:
    hub = await gateway(house)
    one, two = hub.phone(A), hub.phone(B)
    match_id = await table(house, one, players=4, fill_seconds=60)
    two.wish("join", match_id=match_id)
    await house.settle()
    two.wish("leave", match_id=match_id)
    two.wish("join", match_id=match_id)
    await house.settle()
    assert len(two.events(match_id, "seat.freed")) == 1
    assert len(two.events(match_id, "seat.taken")) == 3
    two.hang_up()
    await house.settle()
    assert away(house, match_id) == [B]


@story
async def test_S5_join_leave_and_join_again_before_the_first_answer(house: House) -> None:
    hub = await gateway(house)
    one, two = hub.phone(A), hub.phone(B)
    match_id = await table(house, one, players=4, fill_seconds=60)
    for kind in ("join", "leave", "join", "leave", "join"):
        two.wish(kind, match_id=match_id)
    await house.settle()
    two.hang_up()
    await house.settle()
    assert away(house, match_id) == [B]


@pytest.mark.parametrize("seen", [False, True], ids=["before the answer", "after the answer"])
def test_S5_who_joins_again_and_is_refused_still_has_his_line(seen: bool) -> None:
    @story
    async def tell(house: House) -> None:
        hub = await gateway(house)
        phones = [hub.phone(A), hub.phone(B)]
        match_id = await table(house, *phones)
        wish = phones[0].wish("join", match_id=match_id)
        if seen:
            await house.settle()
            assert phones[0].reason(wish) == "already_seated"
        phones[0].hang_up()
        await house.settle()
        assert away(house, match_id) == [A]

    tell()


@story
async def test_S5_a_line_taken_over_and_a_join_on_its_way(house: House) -> None:
    """The other line is gone before the join is judged: the join has the seat, and its line."""
    one, two = await gateway(house, "gateway-1"), await gateway(house, "gateway-2")
    phones = [one.phone(A), one.phone(B)]
    match_id = await table(house, *phones)
    other = two.phone(A)
    other.say(type="watch", match_id=match_id, seq=0)
    other.wish("leave", match_id=match_id)
    phones[0].wish("join", match_id=match_id)
    await house.settle()
    other.hang_up()
    await house.settle()
    phones[0].hang_up()
    await house.settle()
    assert away(house, match_id)[-1] == A
    assert sitter(house, match_id, A).line is None


@story
async def test_S1_the_socket_that_sent_the_same_wish_last_has_control(house: House) -> None:
    hub = await gateway(house)
    host, one = hub.phone(B), hub.phone(A)
    match_id = await table(house, host, players=4, fill_seconds=60)
    two = hub.phone(A)
    wish = one.wish("join", match_id=match_id)
    two.wish("join", match_id=match_id, intent_id=wish)
    await house.settle()
    assert one.of("taken_over")
    assert not two.of("taken_over")
    one.hang_up()
    await house.settle()
    assert not away(house, match_id)
    two.hang_up()
    await house.settle()
    assert away(house, match_id) == [A]


# ---- a line that nobody claims, however it came about


async def haunt(house: House, hub: Gateway, match_id: str) -> Line:
    """Let the log take a join that names a line of this gateway, which knows nothing of it."""
    line = Line(gateway=hub.hub.parts.gateway, number=999)
    envelope = Envelope(
        intent_id=house.new_id(),
        match_id=match_id,
        player_id=A,
        system=None,
        step=None,
        not_after_ms=None,
        sent_by=hub.hub.parts.gateway,
        intent=m.JoinTable(nickname="سالم", seat_number="7", line=line),
    )
    draft = Draft(match_id.encode(), encode(envelope))
    await house.log.append(topics.INTENTS, partition_of(match_id), (draft,))
    await house.settle()
    return line


@story
async def test_S5_a_line_that_nobody_claims_is_ended(house: House) -> None:
    hub = await gateway(house)
    match_id = await table(house, hub.phone(B), players=4, fill_seconds=60)
    line = await haunt(house, hub, match_id)
    ((_, taken),) = [e for e in house.happened(match_id, m.SeatTaken) if e[1].player_id == A]
    assert taken.line == line
    assert away(house, match_id) == [A]
    assert sitter(house, match_id, A).away_ms


@story
async def test_S5_who_looks_on_from_that_seat_takes_it(house: House) -> None:
    hub = await gateway(house)
    match_id = await table(house, hub.phone(B), players=4, fill_seconds=60)
    watching: list[Phone] = [hub.phone(A), hub.phone(A)]
    for phone in watching:
        phone.say(type="watch", match_id=match_id, seq=0)
    await haunt(house, hub, match_id)
    assert not away(house, match_id)
    (present,) = watching[1].events(match_id, "player.present")
    assert present["line"]["number"] != 999
    watching[1].hang_up()
    await house.settle()
    assert away(house, match_id) == [A]


@story
async def test_S5_another_gateways_lines_are_its_own(house: House) -> None:
    one, two = await gateway(house, "gateway-1"), await gateway(house, "gateway-2")
    phones = [one.phone(A), two.phone(B)]
    match_id = await table(house, *phones)
    await house.settle()
    assert not away(house, match_id)
    assert not house.intents(m.LineDown)


# ---- whatever phones do


@pytest.mark.parametrize("seed", range(8))
def test_S5_whatever_phones_do_a_line_has_somebody_behind_it(seed: int) -> None:
    """Two gateways, three players with two sockets each, who send whatever comes to their mind
    without waiting. In the end each line that the log shows is the claim of a phone that is there,
    and each claim is shown.
    """

    @story
    async def tell(house: House) -> None:
        rng = random.Random(seed)
        hubs = [await gateway(house, f"gateway-{n}", Limits(rate=10_000)) for n in (1, 2)]
        phones = [rng.choice(hubs).phone(who) for who in (A, B, C) for _ in range(2)]
        tables = [
            await table(house, hubs[0].phone(player(10 + n)), players=4, fill_seconds=60)
            for n in range(2)
        ]
        for _ in range(150):
            at = rng.randrange(len(phones))
            phone, match_id = phones[at], rng.choice(tables)
            match rng.randrange(8):
                case 0 | 1:
                    phone.wish("join", match_id=match_id)
                case 2 | 3:
                    phone.wish("leave", match_id=match_id)
                case 4:
                    phone.say(
                        type="watch", match_id=match_id, seq=phone.seen.get(match_id, (0,))[0]
                    )
                case 5:
                    phone.say(type="unwatch", match_id=match_id)
                    phone.seen.pop(match_id, None)  # who sits down again sees all from the start
                case 6:
                    phone.hang_up()
                    phones[at] = rng.choice(hubs).phone(phone.player_id)
                case _:
                    await asyncio.sleep(rng.choice((0.001, 0.02, 0.3)))
        await house.settle()
        await house.settle()
        claimed = {
            (match_id, session.player.player_id): (claim.line, claim.held)
            for hub in hubs
            for session in hub.hub.parts.sessions
            if session.player is not None
            for match_id, claim in session.claims.items()
        }
        shown = {
            (match_id, sitter.player_id): (sitter.line, True)
            for match_id in tables
            for sitter in house.match(match_id).known.sitters
            if sitter.line is not None
        }
        assert claimed == shown
        assert not [e for e in house.logged if e["event"] == "a line that nobody claims"]

    tell()
