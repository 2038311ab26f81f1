"""Operators through a gateway: only with their own token, each thing once, and under their name."""

from __future__ import annotations

import asyncio
import base64
import hmac
from collections.abc import AsyncIterator
from typing import Any

import jwt
import pytest

from sahrat.messages import wallet as w
from sahrat.runtime.ids import new_id
from services.gateway import operating
from services.gateway.accounts import OPERATORS, Accounts
from services.gateway.host import Gateway
from tests.integration.gateway_house import ACCOUNTS, House, memory_house
from tests.integration.operator import FAR_S, Operator, errands, token
from tests.integration.test_gateway_coins import coin_table, entries, rich
from tests.integration.test_gateway_identity import part, signed

NOW_S = 1_796_000_000
KEY = ACCOUNTS._keys[0].operator
PLAYER = new_id()


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with memory_house() as house:
        house.wallet()
        yield house


@pytest.fixture
async def gateway(house: House) -> Gateway:
    return await house.gateway()


# ---- who is none


def forged(key: bytes = KEY, algorithm: str = "HS256", **claims: Any) -> str:
    good = {"sub": "amal", "iat": NOW_S, "exp": NOW_S + FAR_S, "aud": OPERATORS}
    said = {name: value for name, value in (good | claims).items() if value is not None}
    return jwt.encode(said, key if algorithm != "none" else None, algorithm=algorithm)


def sha512() -> str:
    """Signed with the right key, by an algorithm that is not ours."""
    said = {"sub": "amal", "iat": NOW_S, "exp": NOW_S + FAR_S, "aud": OPERATORS}
    text = f"{part({'alg': 'HS512', 'typ': 'JWT'})}.{part(said)}"
    digest = hmac.digest(KEY, text.encode(), "sha512")
    return f"{text}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


BEARERS: dict[str, tuple[str, int]] = {
    "none": ("", 401),
    "blank": (" ", 401),
    "no-token": ("x", 401),
    "unsigned": (forged(algorithm="none"), 401),
    "empty-signature": (forged().rpartition(".")[0] + ".", 401),
    "truncated": (forged()[:-2], 401),
    "expired": (forged(exp=NOW_S - 1), 401),
    "no-expiry": (forged(exp=None), 401),
    "no-name": (forged(sub=None), 401),
    "a-name-that-is-none": (forged(sub="Amal "), 401),
    "players-audience": (forged(aud="sahrat-play"), 401),
    "two-audiences": (forged(aud=[OPERATORS, "sahrat-play"]), 401),
    "says-more": (forged(admin=True), 401),
    "other-key": (forged(key=bytes(32)), 401),
    "other-algorithm": (sha512(), 401),
    "players-key": (forged(key=ACCOUNTS._keys[0].token), 401),
    "players-token-for-operators": (signed(aud=OPERATORS), 401),
    "player": (ACCOUNTS.token(PLAYER, "سالم", NOW_S * 1000 + 10**12)[0], 403),
}


@pytest.mark.parametrize("case", BEARERS)
async def test_a_token_that_is_no_operators_reaches_nothing(
    house: House, gateway: Gateway, case: str
) -> None:
    host = await rich(house, gateway, 100)
    match_id = await coin_table(house, gateway, host, entry=100)
    await house.settled(match_id)
    before = await errands(house)
    bearer, status = BEARERS[case]
    nobody = Operator(gateway, bearer)
    grant = {"intent_id": new_id(), "player_id": PLAYER, "coins": 7, "reason": "mine"}
    said = [
        await nobody.get("stops"),
        await nobody.get(f"stops/{match_id}"),
        await nobody.post("stops", {"intent_id": new_id(), "match_id": match_id, "reason": "x"}),
        await nobody.post("grants", grant),
        await nobody.post("grants", b"{"),  # who it is comes before what it says
    ]
    assert {answer for answer, _ in said} == {status}
    reasons = {401: "not_signed_in", 403: "forbidden"}
    assert {body["reason"] for _, body in said} == {reasons[status]}
    assert await errands(house) == before


async def test_no_header_at_all_is_nobody(gateway: Gateway) -> None:
    """Case C30."""
    nobody = Operator(gateway)
    nobody.headers = {}
    assert (await nobody.get("stops"))[0] == 401
    assert (await nobody.post("grants", {}))[0] == 401


def test_an_operators_token_is_no_players_and_outlives_no_key() -> None:
    now_ms = NOW_S * 1000
    assert ACCOUNTS.operator(token(), now_ms) == "amal"
    assert ACCOUNTS.identify(token(), now_ms) is None
    assert Accounts([bytes(32)]).operator(token(), now_ms) is None
    assert Accounts([bytes(32), bytes(range(32))]).operator(token(), now_ms) == "amal"
    with pytest.raises(ValueError, match="sub"):
        ACCOUNTS.operator_token("Amal", now_ms, 60)


# ---- grants


async def test_a_grant_is_given_once_with_its_cause(house: House, gateway: Gateway) -> None:
    phone, operator = await house.phone(gateway), Operator(gateway)
    grant = {
        "intent_id": new_id(),
        "player_id": phone.player_id,
        "coins": 70,
        "reason": "جائزة الربيع",
    }
    first = await operator.post("grants", grant)
    assert first == (
        200,
        {
            "id": f"grant:{grant['intent_id']}",
            "player_id": phone.player_id,
            "coins": 70,
            "state": "done",
            "entry": 1,
            "reason": None,
        },
    )
    later = await house.gateway("later")  # knows that it was done, and not where
    again = await Operator(later).post("grants", grant)
    assert (again[0], again[1]["state"]) == (200, "done")
    assert await operator.post("grants", grant) == first
    other = await operator.post("grants", grant | {"coins": 71})
    assert (other[0], other[1]["state"], other[1]["reason"]) == (409, "refused", "id_reused")
    taken = await entries(house)
    assert [(entry.reason, len(entry.postings)) for entry in taken] == [
        (None, 1),
        (w.WalletReason.ID_REUSED, 0),
    ]
    assert taken[0].cause == w.OperatorCause(operator="amal", reason="جائزة الربيع")
    await phone.take("wallet", available_coins=70)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"coins": 0}, "out_of_bounds"),
        ({"coins": -5}, "out_of_bounds"),
        ({"coins": 1.5}, "wrong_type"),
        ({"coins": "7"}, "wrong_type"),
        ({"coins": True}, "wrong_type"),
        ({"coins": 2**53}, "out_of_bounds"),
        ({"coins": 10**30}, "out_of_bounds"),
        ({"reason": ""}, "out_of_bounds"),
        ({"reason": " \u00a0\u3000"}, "out_of_bounds"),
        ({"reason": "ab\u0000c"}, "out_of_bounds"),
        ({"reason": "a\nb"}, "out_of_bounds"),
        ({"reason": "x" * 201}, "out_of_bounds"),
        ({"player_id": "x"}, "out_of_bounds"),
        ({"operator": "somebody"}, "unknown_field"),
    ],
    ids=str,
)
async def test_C35_what_is_no_grant_reaches_nothing(
    house: House, gateway: Gateway, change: dict[str, Any], reason: str
) -> None:
    grant = {"intent_id": new_id(), "player_id": PLAYER, "coins": 7, "reason": "a test"}
    status, said = await Operator(gateway).post("grants", grant | change)
    assert (status, said["reason"]) == (422, reason)
    assert await entries(house) == []


async def test_more_coins_than_a_number_holds_are_refused(house: House, gateway: Gateway) -> None:
    operator = Operator(gateway)
    await operator.grant(PLAYER, 2**53 - 1)
    grant = {"intent_id": new_id(), "player_id": PLAYER, "coins": 1, "reason": "a test"}
    status, said = await operator.post("grants", grant)
    assert (status, said["state"], said["reason"]) == (409, "refused", "too_much")


async def test_a_grant_that_the_ledger_has_not_seen_waits(
    house: House, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operating, "WAIT_S", 0.05)
    await house.stop("wallet")
    grant = {"intent_id": new_id(), "player_id": PLAYER, "coins": 7, "reason": "a test"}
    operator = Operator(gateway)
    for _ in range(2):
        status, said = await operator.post("grants", grant)
        assert (status, said["state"], said["entry"]) == (202, "waiting", None)
    house.wallet()
    async with asyncio.timeout(60):
        while (await operator.post("grants", grant))[1]["state"] != "done":
            await asyncio.sleep(0.05)
    assert len(await entries(house)) == 1
