"""What players try who are not what they say, at the numbers of the list of threats; on virtual
time, from the socket to the log. Nothing of it leaves a trace in a match.
"""

from __future__ import annotations

import random
from typing import Any, Final

import orjson

from sahrat.match.state import Phase
from sahrat.match.view import snapshot
from sahrat.messages import match as m
from sahrat.messages import topics
from sahrat.messages.base import Line
from sahrat.messages.codec import encode
from sahrat.messages.reasons import Reason
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


async def play(house: House, match_id: str, phones: list[Phone]) -> None:
    """Play a match to its end."""
    for _ in range(5_000):
        match = house.match(match_id)
        if not match.live:
            return
        act(house, match_id, phones)
        await house.settle()
    raise AssertionError("it does not end")


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


# ---- T19: guessing matches


class Ear:
    """A line that keeps what comes as it came."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []

    def send(self, frame: bytes) -> None:
        self.frames.append(frame)

    def ping(self) -> None: ...

    def close(self, code: Closing) -> None:
        raise AssertionError(code)


@story
async def test_T19_a_hundred_thousand_guesses_find_no_match(house: House) -> None:
    """Ids of the very millisecond of a real one, which leave 74 bits to guess; no answer tells one
    from another.
    """
    hub, rng = await gateway(house, limits=FAST), random.Random(19)
    phones = [hub.phone(A), hub.phone(B)]
    match_id = await table(house, *phones)
    ear = Ear()
    session = hub.hub.connect(ear, "192.0.2.7")
    hub.hub.receive(session, b'{"type":"sign_in","token":"%s"}' % Phone(hub, C).token().encode())
    ear.frames.clear()
    begins = match_id[:14]
    for _ in range(100_000):
        free = f"{rng.getrandbits(76):019x}"
        guess = f"{begins}7{free[:3]}-{'89ab'[rng.randrange(4)]}{free[3:6]}-{free[6:18]}"
        hub.hub.receive(session, b'{"type":"watch","match_id":"%s","seq":0}' % guess.encode())
        (answer,) = ear.frames
        ear.frames.clear()
        assert answer == _UNKNOWN % guess.encode()


_UNKNOWN: Final = (
    b'{"type":"refused","intent_id":null,"match_id":"%s","reason":"unknown_match",'
    b'"detail":"no such match is live, or was a short while ago"}'
)


# ---- T20: what is seen of a running match

STATE: Final = (
    "phase rules options size entry_coins sitters step step_seat step_ms fill_ms idle_ms places "
    "board"
)
SITTER: Final = "seat player_id nickname bot present away_ms left forfeited"
OPEN_TABLE: Final = "match_id rules options size entry_coins players fill_ms"
HIDDEN: Final = ("secret", "token", "account_key", "recovery_code", "number", "available_coins")


@story
async def test_T20_each_role_sees_in_each_phase_what_anybody_may(house: House) -> None:
    """Who plays, his opponent, and who only looks on, at an open table, in play and at the end: the
    very same records, or a snapshot of these fields. The secret comes with the end and not before.
    """
    hub = await gateway(house, limits=FAST)
    mine, his = hub.phone(A), hub.phone(B)
    mine.wish("open", game="ludo", options={"players": 2, "pawns_to_win": 1})
    await house.settle()
    (match_id,) = mine.records
    await seen_alike(house, hub, match_id, Phase.OPEN)
    his.wish("join", match_id=match_id)
    await house.settle()
    await seen_alike(house, hub, match_id, Phase.PLAYING)
    mine, his = hub.phone(A), hub.phone(B)
    for phone in (mine, his):
        phone.say(type="watch", match_id=match_id, seq=0)
    await play(house, match_id, [mine, his])
    await seen_alike(house, hub, match_id, Phase.ENDED)
    *before, last = mine.records[match_id]
    assert b'"secret"' not in b"".join(before)
    assert b'"secret"' in last
    assert his.records[match_id] == mine.records[match_id]


async def seen_alike(house: House, hub: Gateway, match_id: str, phase: Phase) -> None:
    """Compare what each role is shown of a match now."""
    shown = []
    for who in (A, B, C):
        phone = hub.phone(who)
        phone.say(type="watch", match_id=match_id, seq=0)
        phone.say(type="lobby", on=True)
        records = phone.records.get(match_id, [])
        kinds = [frame.get("type", "record") for frame in phone.frames]
        assert {*kinds} <= {"signed_in", "wallet", "watching", "lobby", "snapshot", "record"}
        assert [frame["holds"] for frame in phone.of("wallet")] == [[]]
        (lobby,) = phone.of("lobby")
        for listed in lobby["tables"]:
            assert " ".join(listed) == OPEN_TABLE
        shown.append((records, phone.of("snapshot"), lobby))
        await house.settle()
    assert len(shown[0][0]) <= len(shown[1][0]) <= len(shown[2][0])  # they come back meanwhile
    assert shown[2][0][: len(shown[0][0])] == shown[0][0]
    snapped = orjson.loads(encode(snapshot(house.match(match_id))))
    assert snapped["state"]["phase"] == phase.value
    assert " ".join(snapped["state"]) == STATE
    assert {" ".join(sitter) for sitter in snapped["state"]["sitters"]} == {SITTER}
    assert not [name for name in names(snapped) if any(hidden in name for hidden in HIDDEN)]


def names(value: Any) -> list[str]:
    """Every key of a value, however deep."""
    if isinstance(value, dict):
        return [*value, *(name for each in value.values() for name in names(each))]
    return [name for each in value for name in names(each)] if isinstance(value, list) else []


# ---- T21: what was allowed once


@story
async def test_T21_who_has_left_has_no_control_from_then_on(house: House) -> None:
    """Over the line that he played on, over a new one, and by an intent that stands in the log
    already: each of a hundred tries is refused at once.
    """
    hub = await gateway(house, limits=FAST)
    phones = [hub.phone(A), hub.phone(B)]
    match_id = await table(house, *phones)
    stale = house.match(match_id).known.step
    phones[0].wish("leave", match_id=match_id)
    await house.settle()
    seq, begun_s = house.match(match_id).seq, house.loop.time()
    newer = hub.phone(A)
    newer.say(type="watch", match_id=match_id, seq=0)
    for phone in (phones[0], newer):
        for _ in range(50):
            wish = phone.wish("act", match_id=match_id, step=stale, intent=ROLL)
            assert phone.reason(wish) == "not_in_control"
    envelope = (await house.gateway()).move(match_id, A)
    draft = Draft(match_id.encode(), encode(envelope))
    await house.log.append(INTENTS, partition_of(match_id), (draft,))
    await house.settle()
    answer = house.answers(partition_of(match_id))[-1]
    assert answer.intent_id == envelope.intent_id
    assert answer.reason is Reason.NOT_SEATED
    assert house.match(match_id).seq == seq
    assert house.loop.time() - begun_s < 1


# ---- T23: somebody else writes into the log


@story
async def test_T23_a_record_that_rules_has_not_written_parks_its_match_and_calls_people(
    house: House,
) -> None:
    """It continues the chain as rules' next record would, and so does rules' own: nobody can tell
    which is true, so nothing more is sent for that match, and the others go on.
    """
    hub = await gateway(house)
    phones, others = [hub.phone(A), hub.phone(B)], [hub.phone(C), hub.phone(D)]
    match_id, other_id = await table(house, *phones), await table(house, *others)
    house.damaged = match_id
    partition, state = partition_of(match_id), house.match(match_id).known
    on_turn = state.sitters[state.chair_of_seat(state.step_seat)].player_id
    last = orjson.loads(phones[0].records[match_id][-1])
    forged = {**last, "seq": last["seq"] + 1, "prev": phones[0].seen[match_id][1]}
    forged["events"] = [{"type": "step.timed_out", "step": state.step, "seat": state.step_seat}]
    forged["caused_by"] |= {"offset": len(house.topic(INTENTS, partition)) - 1}
    draft = Draft(match_id.encode(), orjson.dumps(forged))
    await house.log.append(topics.EVENTS, partition, (draft,))
    await house.settle()
    phone = next(phone for phone in phones if phone.player_id == on_turn)
    phone.wish("act", match_id=match_id, step=state.step, intent=ROLL)
    act(house, other_id, others)
    await house.settle()
    assert [frame["reason"] for each in phones for frame in each.of("unwatched")] == ["parked"] * 2
    assert {alarm["match"] for alarm in house.alarms()} == {match_id}
    assert [len(each.records[other_id]) for each in others] == [house.match(other_id).seq] * 2
