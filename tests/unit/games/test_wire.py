"""The codecs: what is a message, what is from the future, and what is poison."""

from __future__ import annotations

import copy
import json
from typing import Any, Final

import pytest
from pydantic import BaseModel

from sahrat import games
from sahrat.games import wire
from sahrat.games.ludo.messages import DieRolled, MovePawn, TurnPassed
from sahrat.messages.base import DETAIL_CHARS
from sahrat.messages.codec import Codec, FromTheFuture, Poison, encode
from sahrat.messages.envelope import DeadLetter, IntentEnvelope, Record
from sahrat.messages.match import LineUp

ID: Final = "01980f6e-5c00-7b2a-9d3e-4f5061728394"
ROLLED: Final = {
    "type": "ludo.rolled",
    "index": 4,
    "seat": 0,
    "number": "18446744073709551615",
    "value": 3,
    "movable": [0, 2],
}
PASSED: Final = {"type": "ludo.turn_passed", "seat": 2, "why": "moved"}
RECORD: Final = {
    "v": 1,
    "match_id": ID,
    "seq": 9,
    "at_ms": 1_750_000_000_000,
    "caused_by": {
        "intent_id": ID,
        "sender": f"player:{ID}",
        "partition": 11,
        "offset": 0,
        "at_ms": 1_750_000_000_000,
    },
    "rules": "ludo/1",
    "prev": "0" * 64,
    "events": [ROLLED, PASSED],
}
INTENT: Final = {
    "v": 1,
    "intent_id": ID,
    "match_id": ID,
    "player_id": ID,
    "system": None,
    "step": 3,
    "not_after_ms": 1_750_000_000_000,
    "sent_by": ID,
    "intent": {"type": "ludo.move", "pawn": 3},
}
ANSWER: Final = {
    "type": "refused",
    "v": 1,
    "match_id": None,
    "intent_id": ID,
    "sender": "system:timer",
    "sent_by": ID,
    "offset": 5,
    "reason": "late",
    "detail": "",
}


def _changed(whole: dict[str, Any], path: str, value: object) -> bytes:
    """Return the message's bytes with one value changed or added; `-`: taken out."""
    whole = copy.deepcopy(whole)
    *parents, last = (int(part) if part.isdigit() else part for part in path.split("."))
    place: Any = whole
    for part in parents:
        place = place[part]
    if value == "-":
        del place[last]
    else:
        place[last] = value
    return json.dumps(whole).encode()


def _fault(codec: Codec[Any], value: bytes) -> Poison:
    with pytest.raises(Poison) as caught:
        codec.decode(value)
    fault = caught.value
    # A dead letter takes the reason and the detail as they are.
    DeadLetter(
        reader="test",
        topic="test",
        partition=0,
        offset=0,
        reason=fault.reason,
        detail=fault.detail,
        key_base64="",
        value_base64="",
    )
    assert len(fault.detail) <= DETAIL_CHARS
    return fault


# ---- messages


def test_a_record_holds_the_concrete_events() -> None:
    record = wire.RECORDS.decode(json.dumps(RECORD).encode())
    assert isinstance(record, Record)
    assert record.events == (
        DieRolled(index=4, seat=0, number="18446744073709551615", value=3, movable=(0, 2)),
        TurnPassed(seat=2, why="moved"),
    )
    assert [type(event) for event in record.events] == [DieRolled, TurnPassed]


def test_an_intent_holds_the_concrete_wish() -> None:
    envelope = wire.INTENTS.decode(json.dumps(INTENT).encode())
    assert isinstance(envelope, IntentEnvelope)
    assert type(envelope.intent) is MovePawn
    assert envelope.sender == f"player:{ID}"


@pytest.mark.parametrize(
    ("codec", "value"),
    [(wire.RECORDS, RECORD), (wire.INTENTS, INTENT), (wire.ANSWERS, ANSWER)],
    ids=["record", "intent", "answer"],
)
def test_bytes_are_the_same_however_a_message_was_made(
    codec: Codec[BaseModel], value: dict[str, Any]
) -> None:
    compact = json.dumps(value, separators=(",", ":")).encode()
    turned = json.dumps(dict(reversed(value.items()))).encode()
    assert encode(codec.decode(compact)) == encode(codec.decode(turned)) == compact


def test_a_generic_envelope_and_the_decoded_one_are_the_same() -> None:
    decoded = wire.RECORDS.decode(json.dumps(RECORD).encode())
    made = Record(**{**dict(decoded), "events": tuple(decoded.events)})
    assert made == decoded
    assert encode(made) == encode(decoded)


def test_only_messages_are_encoded() -> None:
    broken: Record[object] = Record.model_construct(events=(object(),))
    with pytest.raises(TypeError):
        encode(broken)


def test_a_phone_may_send_its_own_wishes_and_no_part_s_of_the_house() -> None:
    assert wire.PLAYER_INTENTS.decode(b'{"type":"ludo.move","pawn":0}') == MovePawn(pawn=0)
    house = LineUp.model_validate({"player_id": ID, "line": {"gateway": ID, "number": 1}})
    with pytest.raises(Poison):
        wire.PLAYER_INTENTS.decode(encode(house))


def test_the_games_are_found_by_their_version() -> None:
    for rules, game in games.GAMES.items():
        assert games.find(rules) is game
        assert rules == game.rules
        assert set(game.intents) <= set(wire.PLAYER_INTENT_TYPES)
        assert set(game.events) <= set(wire.EVENT_TYPES)
    ludo = games.current("ludo")
    assert ludo is not None
    assert ludo.rules == "ludo/2"
    assert games.find("ludo/1") not in (None, ludo)
    assert games.find("ludo/0") is games.current("chess") is None


# ---- from the future: a newer writer may have written it

FUTURE = [
    pytest.param(wire.RECORDS, _changed(RECORD, "zone", "x"), id="field-of-the-record"),
    pytest.param(wire.RECORDS, _changed(RECORD, "caused_by.zone", 1), id="field-of-a-part"),
    pytest.param(wire.RECORDS, _changed(RECORD, "events.0.glow", {"a": []}), id="field-of-event"),
    pytest.param(wire.RECORDS, _changed(RECORD, "events.1.type", "ludo.won"), id="event-type"),
    pytest.param(wire.RECORDS, _changed(RECORD, "events", [{"type": "ludo.won"}]), id="only-event"),
    pytest.param(wire.RECORDS, _changed(RECORD, "events.1.why", "resigned"), id="value-of-enum"),
    pytest.param(wire.RECORDS, _changed(RECORD, "v", 2), id="version"),
    pytest.param(
        wire.RECORDS,
        json.dumps({"v": 2, "match": 7, "events": "none"}).encode(),
        id="version-that-changed-everything",
    ),
    pytest.param(wire.INTENTS, _changed(INTENT, "intent.type", "ludo.resign"), id="intent-type"),
    pytest.param(wire.INTENTS, _changed(INTENT, "intent.speed", 3), id="field-of-intent"),
    pytest.param(wire.INTENTS, _changed(INTENT, "v", 3), id="version-of-intent"),
    pytest.param(
        wire.INTENTS,
        _changed(json.loads(_changed(INTENT, "player_id", None)), "system", "oracle"),
        id="part-of-the-house",
    ),
    pytest.param(wire.ANSWERS, _changed(ANSWER, "type", "deferred"), id="answer-type"),
    pytest.param(wire.ANSWERS, _changed(ANSWER, "reason", "too_tired"), id="refusal"),
    pytest.param(wire.ANSWERS, _changed(ANSWER, "v", 2), id="version-of-answer"),
    pytest.param(wire.PULSES, json.dumps({"v": 2, "gateway": ID}).encode(), id="version-of-pulse"),
]


@pytest.mark.parametrize(("codec", "value"), FUTURE)
def test_from_the_future(codec: Codec[Any], value: bytes) -> None:
    fault = _fault(codec, value)
    assert isinstance(fault, FromTheFuture)
    assert fault.reason == "unknown"


# ---- poison: nobody of us writes this, in any version

BROKEN = [
    pytest.param(b"", "json-invalid", id="nothing"),
    pytest.param(b"{", "json-invalid", id="half"),
    pytest.param(b'{"v":1}}', "json-invalid", id="more"),
    pytest.param(b'{"v":"\xff"}', "json-invalid", id="no-utf-8"),
    pytest.param(b'{"v":"\\ud800"}', "json-invalid", id="half-a-surrogate"),
    pytest.param(b"[" * 5_000 + b"]" * 5_000, "json-invalid", id="deep"),
    pytest.param(b"[]", "model-type", id="a-list"),
    pytest.param(b"null", "model-type", id="null"),
]


@pytest.mark.parametrize(("value", "reason"), BROKEN)
def test_broken_bytes_are_poison(value: bytes, reason: str) -> None:
    fault = _fault(wire.RECORDS, value)
    assert not isinstance(fault, FromTheFuture)
    assert fault.reason == reason


POISON = [
    # path, value
    ("v", "1"),
    ("v", True),
    ("v", 1.0),
    ("v", 0),
    ("v", -1),
    ("v", None),
    ("match_id", "-"),
    ("match_id", None),
    ("match_id", ID.upper()),
    ("match_id", ID + "\n"),
    ("seq", 0),
    ("seq", "9"),
    ("seq", 9.0),
    ("seq", float("nan")),
    ("seq", 2**53),
    ("seq", 10**30),
    ("at_ms", -1),
    ("caused_by.sender", "player:me"),
    ("rules", "Ludo"),
    ("prev", "0" * 63),
    ("events", []),
    ("events", {}),
    ("events", [PASSED] * 201),
    ("events.0", 7),
    ("events.0.type", "-"),
    ("events.0.type", 3),
    ("events.0.type", None),
    ("events.0.type", []),
    ("events.0.type", "no word\x00"),
    ("events.0.value", 7),
    ("events.0.value", True),
    ("events.0.value", "3"),
    ("events.0.number", 5),
    ("events.0.number", "05"),
    ("events.0.number", "18446744073709551616"),
    ("events.0.movable", [4]),
    ("events.0.movable", "02"),
    ("events.0.movable", [0, 1, 2, 3, 0]),
    ("events.0.seat", "-"),
    ("events.1.why", 4),
    ("events.1.why", None),
    ("events.1.why", "Moved\u202e"),
    ("events.1.no field\x00", 1),
]


@pytest.mark.parametrize(("path", "value"), POISON)
def test_wrong_types_and_bounds_are_poison(path: str, value: object) -> None:
    fault = _fault(wire.RECORDS, _changed(RECORD, path, value))
    assert not isinstance(fault, FromTheFuture)


def test_what_is_unknown_and_wrong_is_poison() -> None:
    whole = json.loads(_changed(RECORD, "zone", 1))
    assert not isinstance(_fault(wire.RECORDS, _changed(whole, "seq", "9")), FromTheFuture)
    whole = json.loads(_changed(RECORD, "events.0.type", "ludo.won"))
    fault = _fault(wire.RECORDS, _changed(whole, "events.1.seat", 9))
    assert not isinstance(fault, FromTheFuture)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("player_id", None),
        ("system", "timer"),
        ("system", 3),
        ("intent", None),
        ("intent.pawn", 4),
        ("intent.type", "ludo.rolled\n"),
        ("step", -1),
        ("sent_by", "gateway"),
    ],
)
def test_bad_intents_are_poison(path: str, value: object) -> None:
    assert not isinstance(_fault(wire.INTENTS, _changed(INTENT, path, value)), FromTheFuture)


@pytest.mark.parametrize(("path", "value"), [("reason", 5), ("reason", "Late!"), ("type", 1)])
def test_bad_answers_are_poison(path: str, value: object) -> None:
    assert not isinstance(_fault(wire.ANSWERS, _changed(ANSWER, path, value)), FromTheFuture)
