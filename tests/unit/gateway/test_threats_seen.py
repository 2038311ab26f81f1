"""What is seen of a match, and by whom; what was allowed once, and what others write into the log
(threats T19 to T21, T23); on virtual time.
"""

from __future__ import annotations

import random
from typing import Any, Final

import orjson

from sahrat.match.state import Phase
from sahrat.match.view import snapshot
from sahrat.messages import topics
from sahrat.messages.codec import encode
from sahrat.messages.reasons import Reason
from sahrat.messages.stored import Draft
from sahrat.messages.topics import INTENTS, partition_of
from services.gateway.session import Closing
from services.gateway.sessions import Limits
from tests.house.house import House
from tests.unit.gateway.phones import Gateway, Phone, act, gateway, table
from tests.unit.gateway.story import story
from tests.unit.match.desk import player

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
