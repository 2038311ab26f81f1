"""What the gateway decides by itself: what is a message, an account, an opening, too fast."""

from __future__ import annotations

import json
import random
import time
from typing import Any, Final
from unittest.mock import ANY
from uuid import UUID

import orjson
import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from sahrat.messages.base import DETAIL_CHARS
from sahrat.messages.reasons import Reason
from services.gateway.accounts import Accounts, new_keys_text
from services.gateway.connections import Room
from services.gateway.core import openings, recovery
from services.gateway.core.address import whence
from services.gateway.core.inbound import DEPTH, KEYS, MESSAGE_BYTES, Inbound, Unread
from services.gateway.core.rate import Bucket
from services.gateway.matches import TAIL_BYTES, TAIL_RECORDS, Tail
from services.gateway.messages import CLIENT, Act, ClientMessage, Ping
from tests.unit.match.desk import START_MS, player, uuid7

INBOUND: Final[Inbound[ClientMessage]] = Inbound(CLIENT)
ID: Final = uuid7(START_MS, 7)
ACT: Final[dict[str, Any]] = {
    "type": "act",
    "intent_id": ID,
    "match_id": ID,
    "step": 3,
    "intent": {"type": "ludo.move", "pawn": 2},
}

# ---- messages

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=40)
    | st.sampled_from([ID, "act", "ludo.roll", "join"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "intent", "intent_id", "match_id", "step", "number"])
            | st.text(max_size=8),
            inner,
            max_size=6,
        )
    ),
    max_leaves=20,
)


def told(data: bytes) -> Unread | ClientMessage:
    found = INBOUND.read(data)
    if isinstance(found, Unread):
        assert found.reason in [*Reason][:7]
        assert len(found.detail) <= DETAIL_CHARS
        assert found.detail.isprintable()
    return found


@given(st.binary(max_size=MESSAGE_BYTES + 10))
def test_any_bytes_are_a_message_or_a_reason(data: bytes) -> None:
    """F16: the parser never raises."""
    told(data)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"[" * 9 + b'"' + b'\\"' * 2040, id="a-text-of-quotes"),
        pytest.param(b"[" * 9 + b'"\\' * 2040, id="texts-of-one-quote"),
        pytest.param(b"[" * 9 + b'"' * 4080, id="empty-texts"),
        pytest.param(b"[" * 9 + b'"' + b"\\" * 4080, id="a-text-of-backslashes"),
        pytest.param(
            b'{"type":"open","options":{' + b",".join(b'"%x":-1' % n for n in range(440)) + b"}}",
            id="as-many-wrong-options-as-fit",
        ),
    ],
)
def test_T24_the_worst_that_fits_into_a_message_costs_little(data: bytes) -> None:
    """Who sends needs no account. Each took from 8 to 170 ms, now a tenth of one."""
    assert len(data) <= MESSAGE_BYTES
    begun = time.process_time()
    for _ in range(100):
        assert told(data) == Unread(Reason.BAD_JSON, ANY)
    assert time.process_time() - begun < 0.5


def test_an_object_has_so_many_keys() -> None:
    def ping(keys: int) -> bytes:
        return orjson.dumps({"type": "ping", **{f"k{n}": 1 for n in range(keys - 1)}})

    most, more = told(ping(KEYS)), told(ping(KEYS + 1))
    assert isinstance(most, Unread)
    assert most.reason is Reason.UNKNOWN_FIELD
    assert more == Unread(Reason.BAD_JSON, f"more than {KEYS} keys in one object")


@given(json_values)
def test_any_json_is_a_message_or_a_reason(value: Any) -> None:
    told(json.dumps(value).encode())


@given(st.dictionaries(st.sampled_from([*ACT]), json_values), st.text(max_size=5))
def test_an_act_with_any_fields_is_itself_or_a_reason(change: dict[str, Any], name: str) -> None:
    value = {**ACT, **change, **({name: 1} if name else {})}
    found = told(json.dumps(value).encode())
    assert isinstance(found, Unread | Act) or change.get("type") is not None


def test_the_size_that_is_just_allowed() -> None:
    text = b'{"type":"ping"' + b" " * (MESSAGE_BYTES - 15) + b"}"
    assert len(text) == MESSAGE_BYTES
    assert isinstance(told(text), Ping)
    found = told(text + b" ")
    assert isinstance(found, Unread)
    assert found.reason is Reason.TOO_LARGE


@pytest.mark.parametrize(
    ("depth", "reason"), [(DEPTH - 1, Reason.UNKNOWN_FIELD), (DEPTH, Reason.BAD_JSON)]
)
def test_the_depth_that_is_just_allowed(depth: int, reason: Reason) -> None:
    found = told(b'{"type":"ping","x":' + b"[" * depth + b"]" * depth + b"}")
    assert isinstance(found, Unread)
    assert found.reason is reason


def test_brackets_in_a_text_are_no_depth() -> None:
    found = told(b'{"type":"ping","x":"' + b"[{" * 50 + rb"\"[[[[[[[[[" + b'"}')
    assert isinstance(found, Unread)
    assert found.reason is Reason.UNKNOWN_FIELD


def test_of_several_faults_the_first_of_the_list_is_told() -> None:
    wrong: dict[str, Any] = {**ACT, "step": -1}
    order = [(wrong, Reason.OUT_OF_BOUNDS)]
    order.append(({**wrong, "intent_id": 7}, Reason.WRONG_TYPE))
    missing = {name: value for name, value in order[-1][0].items() if name != "match_id"}
    order.append((missing, Reason.MISSING_FIELD))
    order.append(({**missing, "x": 1}, Reason.UNKNOWN_FIELD))
    order.append(({**missing, "x": 1, "intent": {"type": "dance"}}, Reason.UNKNOWN_TYPE))
    for value, reason in order:
        found = told(orjson.dumps(value))
        assert isinstance(found, Unread)
        assert found.reason is reason


def test_a_refusal_names_the_intent_even_of_a_message_that_is_none() -> None:
    found = told(orjson.dumps({**ACT, "step": "3"}))
    assert isinstance(found, Unread)
    assert (found.intent_id, found.match_id) == (ID, ID)
    found = told(orjson.dumps({**ACT, "intent_id": "7", "match_id": None}))
    assert isinstance(found, Unread)
    assert (found.intent_id, found.match_id) == (None, None)


# ---- accounts

ACCOUNTS: Final = Accounts([bytes(range(32)), bytes(32)])


@given(st.uuids(), st.binary(min_size=32, max_size=32))
def test_a_recovery_code_comes_back(player_id: UUID, key: bytes) -> None:
    assert recovery.read(recovery.write(str(player_id), key)) == (str(player_id), key[:16])


@given(st.integers(0, 54), st.sampled_from(recovery.ALPHABET))
def test_a_slip_of_the_pen_is_told(place: int, letter: str) -> None:
    code = recovery.write(player(1), bytes(range(32))).replace("-", "")
    slipped = code[:place] + letter + code[place + 1 :]
    assert (recovery.read(slipped) is None) == (slipped != code)


def test_letters_swapped_are_told_and_what_looks_alike_is_read() -> None:
    code = recovery.write(player(1), bytes(range(32)))
    for place in range(len(code) - 1):
        left, right = code[place], code[place + 1]
        if "-" not in (left, right) and left != right:
            assert recovery.read(code[:place] + right + left + code[place + 2 :]) is None
    alike = code.lower().replace("0", "o").replace("1", "l")
    assert recovery.read(f" {alike} ") == recovery.read(code)
    assert recovery.read(code + "0") is None
    assert recovery.read(code.replace(code[0], "U", 1)) is None


def test_accounts_are_their_players_alone() -> None:
    keys = {ACCOUNTS.account_key(player(n)) for n in range(100)}
    assert len(keys) == 100
    assert ACCOUNTS.owns(player(1), ACCOUNTS.account_key(player(1)))
    assert not ACCOUNTS.owns(player(2), ACCOUNTS.account_key(player(1)))
    assert ACCOUNTS.recover(ACCOUNTS.recovery_code(player(1))) == player(1)
    foreign = recovery.write(player(1), bytes.fromhex(ACCOUNTS.account_key(player(2))))
    assert ACCOUNTS.recover(foreign) is None


def test_keys_rotate_and_accounts_stay() -> None:
    older = Accounts([bytes(32)])
    assert ACCOUNTS.owns(player(1), older.account_key(player(1)))
    assert ACCOUNTS.recover(older.recovery_code(player(1))) == player(1)
    assert ACCOUNTS.account_key(player(1)) != older.account_key(player(1))
    assert not older.owns(player(1), ACCOUNTS.account_key(player(1)))


def test_keys_are_read_and_never_shown() -> None:
    text = new_keys_text()
    accounts = Accounts.parse(text)
    secret = text.split('"')[3]
    assert secret not in repr(accounts) + repr(accounts._keys)
    for wrong in ("", "{}", '{"keys":[]}', '{"keys":["00"]}', '{"keys":["' + "x" * 64 + '"]}'):
        with pytest.raises(ValueError, match="key") as fault:
            Accounts.parse(wrong)
        assert "x" * 64 not in str(fault.value)


def test_a_token_says_who_somebody_is_until_it_expires() -> None:
    token, expires_ms = ACCOUNTS.token(player(1), "سالم", START_MS)
    assert expires_ms == START_MS + 12 * 3_600_000
    found = ACCOUNTS.identify(token, expires_ms - 1)
    assert found is not None
    assert (found.player_id, found.nickname) == (player(1), "سالم")
    assert ACCOUNTS.identify(token, expires_ms) is None


# ---- openings


def test_the_same_wish_opens_the_same_match_and_nobody_chooses_it() -> None:
    intent = uuid7(START_MS, 5)
    digest = ACCOUNTS.opening_digest(player(1), intent)
    made = openings.match_id(intent, digest)
    assert made == openings.match_id(intent, ACCOUNTS.opening_digest(player(1), intent))
    assert made != openings.match_id(intent, ACCOUNTS.opening_digest(player(2), intent))
    assert made[14] == "7"
    assert made[:13] == intent[:13]  # its time
    assert openings.is_of_this_moment(made, START_MS)


@pytest.mark.parametrize(
    ("age_ms", "good"),
    [(0, True), (300_000, True), (300_001, False), (-30_000, True), (-30_001, False)],
)
def test_an_opening_is_of_this_moment(age_ms: int, good: bool) -> None:
    assert openings.is_of_this_moment(uuid7(START_MS - age_ms, 5), START_MS) is good


def test_an_id_of_another_kind_is_of_no_moment() -> None:
    version_4 = uuid7(START_MS, 5).replace("-7", "-4", 1)
    assert not openings.is_of_this_moment(version_4, START_MS)


# ---- limits


@given(st.lists(st.integers(0, 400), max_size=200), st.integers(1, 50))
def test_a_bucket_lets_no_more_through_than_it_says(pauses: list[int], rate: int) -> None:
    bucket, now_ms, passed = Bucket(rate, 2 * rate, 0), 0, 0
    for pause in pauses:
        now_ms += pause
        passed += bucket.take(now_ms)
        assert passed <= 2 * rate + rate * now_ms // 1000 + 1


def test_a_bucket_comes_back() -> None:
    bucket = Bucket(20, 40, 0)
    assert sum(bucket.take(0) for _ in range(100)) == 40
    assert not bucket.take(49)
    assert bucket.take(50)
    assert not bucket.full(1000)
    assert bucket.full(3000)
    assert bucket.take(2000)  # a clock that goes back gives nothing and takes nothing


@given(st.lists(st.integers(1, 5000), max_size=200), st.randoms(use_true_random=False))
def test_a_tail_has_what_is_missing_or_says_that_it_has_not(
    sizes: list[int], rng: random.Random
) -> None:
    tail, values = Tail(3), [bytes(size) for size in sizes]
    for seq, value in enumerate(values, start=4):
        tail.add(seq, value)
    for _ in range(5):
        seq = rng.randint(3, 3 + len(values))
        found = tail.after(seq)
        wanted = values[seq - 3 :]
        if found is None:
            assert len(wanted) > TAIL_RECORDS or sum(map(len, wanted)) > TAIL_BYTES
        else:
            assert [*found] == wanted


# ---- connections


@pytest.mark.parametrize(
    ("remote", "one"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("a socket file", "a socket file"),
        (None, ""),
    ],
)
def test_whoever_has_many_addresses_counts_as_one(remote: str | None, one: str) -> None:
    assert whence(remote) == one


def test_connections_are_counted_in_all_and_by_address() -> None:
    room = Room(8)
    assert [room.enter("a") for _ in range(8)] == [True] * 6 + [False] * 2
    assert [room.enter("b") for _ in range(4)] == [True] * 2 + [False] * 2
    room.leave("a")
    assert [room.enter("b") for _ in range(2)] == [True, False]
    for address in "aaaaabbb":
        room.leave(address)
    assert [room.enter("a") for _ in range(7)] == [True] * 6 + [False]


def test_a_full_room_is_told_once_until_it_has_emptied() -> None:
    room = Room(8)
    with structlog.testing.capture_logs() as logged:
        for _ in range(20):
            room.enter("a")
        assert [entry["address"] for entry in logged] == ["a"]
        for _ in range(20):
            room.enter("b")
        assert [entry["address"] for entry in logged] == ["a", ""]
        room.leave("a")
        room.enter("a")
        room.enter("a")
        assert len(logged) == 2
        for address in "aaaaaabb":
            room.leave(address)
        for _ in range(20):
            room.enter("a")
        assert [entry["address"] for entry in logged] == ["a", "", "a"]
