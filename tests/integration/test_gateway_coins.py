"""Coins through a gateway: everybody is told his own, and coin tables take only who can pay."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import psycopg
import pytest

from sahrat.messages import topics
from sahrat.messages import wallet as w
from sahrat.runtime.ids import new_id
from services.gateway.host import Gateway
from services.gateway.past import Past
from services.gateway.sessions import Limits
from services.projection.both import Projections
from tests.integration.gateway_house import PATIENT_S, House, memory_house
from tests.integration.operator import Operator
from tests.integration.phone import Frame, Phone
from tests.integration.projecting import equals_a_rebuild, rows

DEVELOPMENT = Limits(rate=1000, lag_s=PATIENT_S, welcome_coins=1_000)


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with memory_house() as house:
        house.wallet()
        yield house


@pytest.fixture
async def gateway(house: House) -> Gateway:
    return await house.gateway()


async def rich(house: House, gateway: Gateway, coins: int, name: str = "سالم") -> Phone:
    """A phone whose player has so many coins, and knows it."""
    phone = await house.phone(gateway, name)
    await Operator(gateway).grant(phone.player_id, coins)
    await phone.take("wallet", available_coins=coins)
    return phone


async def coin_table(house: House, gateway: Gateway, *phones: Phone, entry: int) -> str:
    """Open a coin table for two and let all sit down."""
    opened = await phones[0].wish("open", game="ludo", entry_coins=entry)
    match_id = str((await phones[0].until(lambda f: _made_by(f, opened)))["match_id"])
    for phone in phones[1:]:
        await phone.record(match_id, await phone.wish("join", match_id=match_id))
    return match_id


def _made_by(frame: Frame, intent_id: str) -> bool:
    return "type" not in frame and bool(frame["caused_by"]["intent_id"] == intent_id)


async def entries(house: House) -> list[w.JournalEntry]:
    stored = await house.stored(topics.WALLET_JOURNAL, 0)
    found = [w.JOURNAL.decode(record.value) for record in stored]
    return [entry for entry in found if isinstance(entry, w.JournalEntry)]


# ---- one's own, and nobody else's


async def test_a_player_is_told_his_coins_on_all_his_lines_and_nobody_else(
    house: House, gateway: Gateway
) -> None:
    """Case C29."""
    phone, other = await house.phone(gateway), await house.phone(gateway, "هدى")
    assert (await phone.take("wallet"))["available_coins"] == 0
    await other.take("wallet")
    second = await house.again(phone, gateway)
    await second.take("wallet")
    entry = await Operator(gateway).grant(phone.player_id, 70)
    for line in (phone, second):
        told = await line.take("wallet", entry=entry)
        assert (told["available_coins"], told["held_coins"], told["holds"]) == (70, 0, [])
    await other.send(type="ping")
    await other.take("pong")
    assert [frame for frame in other.frames if frame.get("type") == "wallet"] == []
    await second.hang_up()
    third = await house.again(phone, gateway)  # what he has is told to each new line
    await third.take("wallet", entry=entry, available_coins=70)


async def test_every_gateway_knows_the_journal(house: House, gateway: Gateway) -> None:
    phone = await rich(house, gateway, 70)
    later = await house.gateway("later")
    again = await house.again(phone, later)
    await again.take("wallet", available_coins=70)
    await Operator(gateway).grant(phone.player_id, 30)
    await again.take("wallet", available_coins=100)


async def test_C29_C30_a_wallet_is_read_with_its_owners_token_alone(
    house: House, gateway: Gateway
) -> None:
    phone, other = await rich(house, gateway, 70), await house.phone(gateway, "هدى")
    async with aiohttp.ClientSession() as http:
        for path in ("/api/wallet", "/api/wallet/history"):
            for bearer in ("", "Bearer ", "Bearer x", f"Bearer {phone.token[:-1]}", phone.token):
                headers = {"Authorization": bearer} if bearer else {}
                async with http.get(f"{gateway.url}{path}", headers=headers) as answer:
                    assert answer.status == 401
                    assert (await answer.json())["reason"] == "not_signed_in"
        for whose, coins in ((phone, 70), (other, 0)):
            headers = {"Authorization": f"Bearer {whose.token}"}
            for query in ("", f"?player_id={phone.player_id}"):
                url = f"{gateway.url}/api/wallet{query}"
                async with http.get(url, headers=headers) as answer:
                    assert (await answer.json())["available_coins"] == coins
        headers = {"Authorization": f"Bearer {phone.token}"}
        for before, status in (("0", 400), ("-1", 400), ("x", 400), ("9" * 16, 400), ("7", 503)):
            url = f"{gateway.url}/api/wallet/history?before={before}"
            async with http.get(url, headers=headers) as answer:
                assert answer.status == status


# ---- the welcome


async def test_a_development_house_welcomes_each_player_once(house: House) -> None:
    one = await house.gateway("one", limits=DEVELOPMENT)
    two = await house.gateway("two", limits=DEVELOPMENT)
    phone = await house.phone(one)
    others = await asyncio.gather(*(house.again(phone, gateway) for gateway in (one, two, two)))
    for line in (phone, *others):
        await line.take("wallet", available_coins=1_000)
    await (await house.again(phone, two)).take("wallet", available_coins=1_000)
    welcomes = [entry for entry in await entries(house) if entry.id.startswith("welcome:")]
    assert [entry.id for entry in welcomes] == [f"welcome:{phone.player_id}"]
    assert welcomes[0].cause == w.WelcomeCause()
    async with aiohttp.ClientSession() as http, http.get(f"{one.url}/api/games") as answer:
        assert (await answer.json())["welcome_coins"] == 1_000


async def test_who_has_had_coins_is_not_welcomed(house: House, gateway: Gateway) -> None:
    phone = await rich(house, gateway, 10)
    later = await house.gateway("later", limits=DEVELOPMENT)
    await (await house.again(phone, later)).take("wallet", available_coins=10)
    await Operator(later).grant(phone.player_id, 1)
    assert [entry.id[:6] for entry in await entries(house)] == ["grant:", "grant:"]


async def test_no_other_house_welcomes_anybody(house: House, gateway: Gateway) -> None:
    phone = await house.phone(gateway)
    await phone.take("wallet", available_coins=0)
    await Operator(gateway).grant(new_id(), 1)  # whatever was asked before it is in the journal
    assert [entry.id[:6] for entry in await entries(house)] == ["grant:"]


# ---- coin tables


@pytest.mark.parametrize("entry", [1, 9, 1_000_001, 2**53 - 1])
async def test_an_entry_out_of_bounds_is_refused_and_told_the_bounds(
    house: House, gateway: Gateway, entry: int
) -> None:
    phone = await house.phone(gateway)
    refused = await phone.take(
        "refused", intent_id=await phone.wish("open", game="ludo", entry_coins=entry)
    )
    assert refused["reason"] == "bad_entry"
    assert "10 to 1000000" in refused["detail"]


@pytest.mark.parametrize("entry", [-1, 0.5, 100.0, "100", True, None, 2**53])
async def test_an_entry_that_is_no_amount_reaches_nothing(
    house: House, gateway: Gateway, entry: Any
) -> None:
    phone = await house.phone(gateway)
    intent_id = await phone.wish("open", game="ludo", entry_coins=entry)
    assert await phone.refused(intent_id) in {"wrong_type", "out_of_bounds"}
    assert await house.intents() == []


async def test_who_has_not_enough_is_told_at_once(house: House, gateway: Gateway) -> None:
    host, poor = await rich(house, gateway, 100), await rich(house, gateway, 59, "هدى")
    match_id = await coin_table(house, gateway, host, entry=60)
    before = len(await house.intents())
    for wish in (
        await poor.wish("join", match_id=match_id),
        await poor.wish("open", game="ludo", entry_coins=60),
    ):
        refused = await poor.take("refused", intent_id=wish)
        assert refused["reason"] == "not_enough_coins"
        assert refused["detail"] == "the entry is 60 coins, and 59 are there"
    assert len(await house.intents()) == before
    await Operator(gateway).grant(poor.player_id, 1)
    await poor.take("wallet", available_coins=60)
    await poor.record(match_id, await poor.wish("join", match_id=match_id))
    await poor.record(match_id, event="match.started")


async def test_a_join_that_comes_again_is_answered_as_the_first(
    house: House, gateway: Gateway
) -> None:
    """Its coins are held by now, and it is no second join."""
    phones = [await rich(house, gateway, 60), await rich(house, gateway, 60, "هدى")]
    match_id = await coin_table(house, gateway, phones[0], entry=60)
    intent_id = await phones[1].wish("join", match_id=match_id)
    await phones[1].record(match_id, event="match.started")
    await phones[1].take("wallet", available_coins=0, held_coins=60)
    await phones[1].wish("join", match_id=match_id, intent_id=intent_id)
    await phones[1].take("accepted", intent_id=intent_id)


async def test_the_lobby_shows_the_entry_and_play_now_pays_none(
    house: House, gateway: Gateway
) -> None:
    host = await rich(house, gateway, 100)
    match_id = await coin_table(house, gateway, host, entry=60)
    await host.send(type="lobby", on=True)
    (shown,) = (await host.take("lobby"))["tables"]
    assert (shown["match_id"], shown["entry_coins"]) == (match_id, 60)
    other = await rich(house, gateway, 100, "هدى")
    wish = await other.wish("play_now", game="ludo", options={"players": 2})
    record = await other.until(lambda frame: _made_by(frame, wish))
    assert record["match_id"] != match_id
    assert record["events"][0]["entry_coins"] == 0


async def test_entries_are_held_and_the_prize_is_told(house: House, gateway: Gateway) -> None:
    phones = [await rich(house, gateway, 100), await rich(house, gateway, 100, "هدى")]
    match_id = await coin_table(house, gateway, *phones, entry=100)
    for phone in phones:
        held = await phone.take("wallet", available_coins=0, held_coins=100)
        assert held["holds"] == [{"match_id": match_id, "coins": 100}]
        await phone.record(match_id, event="match.started")
    await phones[0].wish("leave", match_id=match_id)
    await phones[1].record(match_id, event="entries.settled")
    await phones[1].take("wallet", available_coins=180, held_coins=0, holds=[])
    await phones[0].take("wallet", available_coins=0, held_coins=0, holds=[])


async def test_C40_twenty_joins_at_once_hold_what_there_is(house: House, gateway: Gateway) -> None:
    """One of twenty entries of 60 is held for a player with 100 coins; 40 are left to him."""
    hosts = [await rich(house, gateway, 60, f"مضيف {n}") for n in range(20)]
    tables = [await coin_table(house, gateway, host, entry=60) for host in hosts]
    player = await rich(house, gateway, 100)
    sent = [player.wish("join", match_id=match_id) for match_id in tables]
    await asyncio.gather(*sent)
    ends = ("match.started", "funding.failed")

    def over(frame: Frame) -> bool:
        return "type" not in frame and any(event["type"] in ends for event in frame["events"])

    records = [await player.until(over) for _ in tables]
    events = [event for record in records for event in record["events"]]
    assert [event["type"] for event in events].count("match.started") == 1
    freed = [event for event in events if event["type"] == "seat.freed"]
    assert [(e["player_id"], e["why"]) for e in freed] == [(player.player_id, "refused")] * 19
    await player.take("wallet", available_coins=40, held_coins=60)
    balances: dict[str, int] = {}
    for entry in await entries(house):
        balances |= {balance.account: balance.coins for balance in entry.balances}
        assert all(coins >= 0 for name, coins in balances.items() if name != w.GRANTS)
    held = [entry for entry in await entries(house) if isinstance(entry.command, w.HoldEntries)]
    assert [entry.reason for entry in held].count(None) == 1
    assert [entry.reason for entry in held].count(w.WalletReason.NOT_ENOUGH) == 19
    for wish in await asyncio.gather(*(player.wish("join", match_id=t) for t in tables)):
        # He is at one of them; at all others he is told at once.
        refused = await player.take("refused", intent_id=wish)
        assert refused["reason"] in {"not_enough_coins", "already_seated"}


# ---- from the read models


async def test_a_wallets_history_tells_every_change_with_its_cause(
    house: House, postgres: str
) -> None:
    """Through the real projection, for its owner alone; a table under funding is shown as one."""
    house.start("projection", Projections(house.log, postgres))
    past = Past(lambda: postgres)
    gateway = await house.gateway(reads=past)
    phones = [await rich(house, gateway, 100), await rich(house, gateway, 100, "هدى")]
    await house.stop("wallet")
    match_id = await coin_table(house, gateway, *phones, entry=100)
    async with aiohttp.ClientSession() as http:

        async def page(path: str, phone: Phone) -> Any:
            headers = {"Authorization": f"Bearer {phone.token}"}
            async with http.get(f"{gateway.url}/api/{path}", headers=headers) as answer:
                return await answer.json()

        assert (await page(f"matches/{match_id}", phones[0]))["state"]["phase"] == "funding"
        await _until(postgres, "select phase from matches", [("funding",)])
        house.wallet()
        for phone in phones:
            await phone.record(match_id, event="match.started")
        await phones[0].wish("leave", match_id=match_id)
        await phones[1].take("wallet", available_coins=180, held_coins=0)
        await _until(postgres, "select phase from matches", [("ended",)])
        await _until(postgres, "select max(entry) from journal_entries", [(4,)])
        won = (await page("wallet/history", phones[1]))["changes"]
        lost = (await page("wallet/history", phones[0]))["changes"]
        told = [(c["kind"], c["available_change_coins"], c["held_change_coins"]) for c in won]
        assert told == [("settle", 180, -100), ("hold", -100, 100), ("grant", 100, 0)]
        assert [c["available_coins"] for c in won] == [180, 0, 100]
        assert (lost[0]["kind"], lost[0]["held_change_coins"]) == ("settle", -100)
        settled = won[0]
        assert (settled["id"], settled["match_id"]) == (f"settle:{match_id}", match_id)
        assert settled["cause"]["kind"] == "match"
        record = await phones[1].record(match_id, event="entries.settled")
        assert settled["cause"]["seq"] == record["seq"]
        assert won[2]["cause"] == {"kind": "operator", "operator": "amal", "reason": "a test"}
        older = await page(f"wallet/history?before={settled['entry']}", phones[1])
        assert older["changes"] == won[1:]
        ended = [(await page(f"players/{p.player_id}/history", p))["matches"][0] for p in phones]
        assert [(m["place"], m["has_left"], m["prize_coins"]) for m in ended] == [
            (2, True, 0),
            (1, False, 180),
        ]
        await _refunded(house, gateway, phones[1], postgres)
        back, *_ = (await page("wallet/history", phones[1]))["changes"]
        assert (back["kind"], back["cause"]["kind"]) == ("refund", "match")
        assert back["stop"] == {"reason": "operator", "operator": "amal", "detail": "a test"}
        assert settled["stop"] is None
        last = (await page(f"players/{phones[1].player_id}/history", phones[1]))["matches"][0]
        assert (last["has_left"], last["prize_coins"]) == (False, None)
        other = await house.phone(gateway, "منى")  # nobody else's, whatever he asks for
        query = f"wallet/history?player_id={phones[1].player_id}"
        assert await page(query, other) == {"changes": []}
    await equals_a_rebuild(house.log, postgres)
    await house.stop("projection")
    await past.close()


async def _refunded(house: House, gateway: Gateway, phone: Phone, dsn: str) -> None:
    """Let a player sit at a coin table that an operator stops, until the read models have it."""
    other = await rich(house, gateway, 50, "ليلى")
    match_id = await coin_table(house, gateway, phone, other, entry=50)
    await phone.record(match_id, event="match.started")
    assert (await Operator(gateway).stop(match_id))[1]["state"] == "done"
    newest = "select phase from matches order by match_id desc limit 1"
    await _until(dsn, newest, [("stopped",)])
    newest = "select kind from journal_entries order by entry desc limit 1"
    await _until(dsn, newest, [("refund",)])


async def _until(dsn: str, query: str, wanted: list[tuple[Any, ...]]) -> None:
    found: list[tuple[Any, ...]] = []
    async with asyncio.timeout(60):
        while found != wanted:
            await asyncio.sleep(0.05)
            with contextlib.suppress(psycopg.Error):  # the tables are being made
                found = await rows(dsn, query)
