"""Who somebody is: tokens, accounts, names, and pages of other sites. The log hears of none."""

from __future__ import annotations

import base64
import hmac
import time
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import jwt
import orjson
import pytest

from sahrat.runtime.ids import new_id
from services.gateway.accounts import AUDIENCE, Accounts
from services.gateway.host import Gateway
from services.gateway.session import Closing
from services.gateway.sessions import Limits
from tests.integration.gateway_house import ACCOUNTS, House, memory_house
from tests.integration.phone import Phone

ME = "01980f6e-5c00-7b2a-9d3e-4f5061728394"
NOW_S = 1_796_000_000
SIGNING = ACCOUNTS._keys[0].token
CLAIMS: dict[str, Any] = {
    "sub": ME,
    "name": "سالم",
    "iat": NOW_S,
    "exp": NOW_S + 10**9,
    "aud": AUDIENCE,
}


def signed(key: bytes = SIGNING, **claims: Any) -> str:
    values = {name: value for name, value in (CLAIMS | claims).items() if value is not None}
    return jwt.encode(values, key, algorithm="HS256")


def part(value: object) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(value)).rstrip(b"=").decode()


def unsigned(alg: str) -> str:
    return f"{part({'alg': alg, 'typ': 'JWT'})}.{part(CLAIMS)}."


def signed_with(key: bytes, algorithm: str = "HS256", digest_name: str = "sha256") -> str:
    """A token signed with what no library signs with: nothing, a public key, another digest."""
    text = f"{part({'alg': algorithm, 'typ': 'JWT'})}.{part(CLAIMS)}"
    digest = hmac.digest(key, text.encode(), digest_name)
    return f"{text}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def tokens() -> dict[str, object]:
    """Cases C30 and C31: none of these is anybody."""
    good = signed()
    head, body, signature = good.split(".")
    return {
        "null": None,
        "empty": "",
        "blank": " ",
        "a-number": 7,
        "no-token": "x",
        "alg-none": unsigned("none"),
        "alg-None": unsigned("None"),
        "alg-NONE": unsigned("NONE"),
        "empty-signature": f"{head}.{body}.",
        "no-signature": f"{head}.{body}",
        "truncated": good[:-2],
        "other-body": f"{head}.{part(CLAIMS | {'sub': new_id()})}.{signature}",
        "empty-key": signed_with(b""),
        "other-key": signed(key=bytes(32)),
        "public-text": signed_with(b"-----BEGIN PUBLIC KEY-----"),
        "other-algorithm": signed_with(SIGNING, "HS512", "sha512"),
        "expired": signed(exp=NOW_S - 1),
        "no-expiry": signed(exp=None),
        "other-audience": signed(aud="sahrat-admin"),
        "many-audiences": signed(aud=[AUDIENCE, "other"]),
        "no-audience": signed(aud=None),
        "no-player": signed(sub=None),
        "player-of-another-kind": signed(sub="admin"),
        "more-than-it-should-say": signed(admin=True),
        "key-from-the-header": jwt.encode(
            CLAIMS, bytes(32), algorithm="HS256", headers={"kid": "0", "jku": "http://127.0.0.1/"}
        ),
    }


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with memory_house() as house:
        yield house


@pytest.fixture
async def gateway(house: House) -> Gateway:
    return await house.gateway()


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def bare(house: House, gateway: Gateway, **kw: Any) -> Phone:
    """A phone that has not signed in."""
    phone = Phone(gateway.url)
    house.phones.append(phone)
    await phone.connect(sign_in=False, **kw)
    return phone


@pytest.mark.parametrize("case", tokens())
async def test_C30_C31_a_token_that_is_none_reaches_nothing(
    house: House, gateway: Gateway, http: aiohttp.ClientSession, case: str
) -> None:
    token = tokens()[case]
    phone = await bare(house, gateway)
    await phone.send(type="sign_in", token=token)
    refused = await phone.take("refused")
    assert refused["reason"] in {"not_signed_in", "out_of_bounds", "wrong_type"}
    assert str(token) not in refused["detail"] or token in {None, "", " ", 7, "x"}
    if refused["reason"] == "not_signed_in":
        assert await phone.closed() == Closing.NOT_SIGNED_IN
    else:
        await phone.wish("open", game="ludo")
        assert await phone.closed() == Closing.NOT_SIGNED_IN
    headers = {"Authorization": f"Bearer {token}"}
    async with http.get(f"{gateway.url}/api/players/{ME}/history", headers=headers) as answer:
        assert answer.status == 401
        assert (await answer.json())["reason"] == "not_signed_in"
    assert await house.intents() == []


async def test_C30_a_token_left_out_is_nobody(
    house: House, gateway: Gateway, http: aiohttp.ClientSession
) -> None:
    phone = await bare(house, gateway)
    await phone.send(type="sign_in")
    assert (await phone.take("refused"))["reason"] == "missing_field"
    await phone.wish("play_now", game="ludo")
    assert (await phone.take("refused"))["reason"] == "not_signed_in"
    assert await phone.closed() == Closing.NOT_SIGNED_IN
    async with http.get(f"{gateway.url}/api/players/{ME}/history") as answer:
        assert answer.status == 401
    assert await house.intents() == []


async def test_a_token_in_the_address_counts_for_nothing(house: House, gateway: Gateway) -> None:
    phone = Phone(gateway.url)
    house.phones.append(phone)
    await phone.register("سالم")
    phone.url = f"{gateway.url}/play?token={phone.token}#"
    await phone.connect(sign_in=False)
    await phone.wish("open", game="ludo")
    assert (await phone.take("refused"))["reason"] == "not_signed_in"


async def test_a_socket_stays_one_players(house: House, gateway: Gateway) -> None:
    phone, other = await house.phone(gateway), await house.phone(gateway, "هدى")
    await phone.send(type="sign_in", token=phone.token)  # a token of his own again
    await phone.take("signed_in", player_id=phone.player_id)
    await phone.send(type="sign_in", token=other.token)
    assert (await phone.take("refused"))["reason"] == "not_signed_in"
    assert await phone.closed() == Closing.NOT_SIGNED_IN


async def test_a_token_of_an_older_key_counts_until_that_key_goes(house: House) -> None:
    older, newer = bytes(32), bytes([1]) * 32
    token, _ = Accounts([older]).token(ME, "سالم", NOW_S * 1000)
    assert Accounts([newer, older]).identify(token, NOW_S * 1000) is not None
    assert Accounts([newer]).identify(token, NOW_S * 1000) is None


# ---- accounts


async def post(
    http: aiohttp.ClientSession, gateway: Gateway, path: str, body: object
) -> tuple[int, Any]:
    data = body if isinstance(body, bytes) else orjson.dumps(body)
    async with http.post(f"{gateway.url}/api/{path}", data=data) as answer:
        return answer.status, await answer.json()


async def test_a_player_comes_back_as_himself(
    house: House, gateway: Gateway, http: aiohttp.ClientSession
) -> None:
    phone = await house.phone(gateway)
    by_key = {"player_id": phone.player_id, "account_key": phone.account_key}
    by_code = {"recovery_code": phone.recovery_code.lower().replace("-", " ").replace("0", "o")}
    for proof in (by_key, by_code):
        status, account = await post(http, gateway, "tokens", {"nickname": "سليم", **proof})
        assert (status, account["player_id"]) == (201, phone.player_id)
        assert account["account_key"] == phone.account_key
        assert account["recovery_code"] == phone.recovery_code
        other = await bare(house, gateway)
        await other.send(type="sign_in", token=account["token"])
        said = await other.take("signed_in", player_id=phone.player_id)
        assert said["nickname"] == "سليم"


async def test_nobody_comes_back_as_somebody_else(
    house: House, gateway: Gateway, http: aiohttp.ClientSession
) -> None:
    phone, other = await house.phone(gateway), await house.phone(gateway, "هدى")
    code = phone.recovery_code
    slip = ("1" if code[3] != "1" else "2").join([code[:3], code[4:]])
    wrong: list[dict[str, Any]] = [
        {"player_id": phone.player_id, "account_key": other.account_key},
        {"player_id": phone.player_id, "account_key": "0" * 64},
        {"recovery_code": slip},
        {"recovery_code": "0" * 55},
    ]
    for proof in wrong:
        status, said = await post(http, gateway, "tokens", {"nickname": "سالم", **proof})
        assert (status, said["reason"]) == (401, "not_signed_in")
    unproved: list[dict[str, Any]] = [{}, {"player_id": phone.player_id}, {**wrong[0], **wrong[2]}]
    for proof in unproved:
        status, said = await post(http, gateway, "tokens", {"nickname": "سالم", **proof})
        assert (status, said["reason"]) == (422, "missing_field")


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        pytest.param(b'{"nickname":"ab\\u0000c"}', 422, "bad_nickname", id="C35-nul"),
        pytest.param({"nickname": "لاعب آلي"}, 422, "bad_nickname", id="bot"),
        pytest.param({"nickname": "س" * 21}, 422, "bad_nickname", id="21-letters"),
        pytest.param({"nickname": "\u202eabc"}, 422, "bad_nickname", id="bidi"),
        pytest.param({"nickname": "x" * 300}, 422, "out_of_bounds", id="300-letters"),
        pytest.param({"nickname": 7}, 422, "wrong_type", id="number"),
        pytest.param({"nickname": "a", "admin": True}, 422, "unknown_field", id="field"),
        pytest.param({}, 422, "missing_field", id="nothing"),
        pytest.param(b"{", 400, "bad_json", id="json"),
        pytest.param(b"\xff", 400, "bad_json", id="utf-8"),
        pytest.param(b'{"nickname":"a","nickname":"b"}', 400, "bad_json", id="twice"),
        pytest.param(b'{"nickname":"' + b"a" * 5000 + b'"}', 413, "too_large", id="5-kb"),
    ],
)
async def test_what_is_no_account(
    gateway: Gateway, http: aiohttp.ClientSession, body: object, status: int, reason: str
) -> None:
    assert (await post(http, gateway, "guests", body))[0] == status
    assert (await post(http, gateway, "guests", body))[1]["reason"] == reason


async def test_accounts_are_not_made_by_the_thousand(
    house: House, http: aiohttp.ClientSession
) -> None:
    gateway = await house.gateway(limits=Limits(guests=1))
    began = time.monotonic()
    said = [(await post(http, gateway, "guests", {"nickname": "سالم"}))[0] for _ in range(30)]
    assert 10 <= said.count(201) <= 11 + time.monotonic() - began
    assert set(said) == {201, 429}


# ---- other sites


@pytest.mark.parametrize(
    ("origin", "enters"),
    [
        (None, True),
        ("http://{host}", True),
        ("https://{host}", True),  # behind a proxy that speaks TLS
        ("https://play.example", True),
        ("https://evil.example", False),
        ("https://play.example.evil.example", False),
        ("http://{host}.evil.example", False),
        ("http://{host}@evil.example", False),
        ("null", False),
        ("", False),
    ],
)
async def test_pages_of_other_sites_do_not_come_in(
    house: House, http: aiohttp.ClientSession, origin: str | None, enters: bool
) -> None:
    gateway = await house.gateway(limits=Limits(origins=("https://play.example",)))
    host = gateway.url.removeprefix("http://")
    headers = {} if origin is None else {"Origin": origin.format(host=host)}
    if enters:
        async with http.ws_connect(f"{gateway.url}/play", headers=headers):
            pass
    else:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await http.ws_connect(f"{gateway.url}/play", headers=headers)
        assert refused.value.status == 403
    async with http.post(
        f"{gateway.url}/api/guests", json={"nickname": "سالم"}, headers=headers
    ) as answer:
        assert answer.status == (201 if enters else 403)


async def test_one_address_and_one_player_have_so_many_sockets(
    house: House, http: aiohttp.ClientSession
) -> None:
    gateway = await house.gateway(limits=Limits(rate=1000, player_sockets=2, address_sockets=3))
    first = await house.phone(gateway)
    second, _ = await house.again(first, gateway), await house.again(first, gateway)
    assert await first.closed() == Closing.TOO_MANY  # the oldest of the player's makes room
    await second.send(type="ping")
    await second.take("pong")
    await bare(house, gateway)
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await http.ws_connect(f"{gateway.url}/play")
    assert refused.value.status == 429
