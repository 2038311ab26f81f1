"""Phones play at a real gateway: over the log, with rules and the timer behind it."""

from __future__ import annotations

import asyncio
import importlib.util
import random
import re
from collections.abc import AsyncIterator
from pathlib import Path

import orjson
import pytest

import services.gateway
from sahrat.games.ludo.options import LudoOptions
from sahrat.log.memory import MemoryLog
from sahrat.log.sqlite import SqliteLog
from sahrat.runtime.ids import new_id
from services.gateway.host import Gateway
from tests.integration.gateway_house import House, house_on, memory_house, table
from tests.integration.phone import Phone, seat_of


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with memory_house() as house:
        yield house


@pytest.fixture
async def gateway(house: House) -> Gateway:
    return await house.gateway()


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_a_whole_match_reaches_every_phone_as_the_log_has_it(
    kind: str, tmp_path: Path
) -> None:
    log = MemoryLog() if kind == "memory" else SqliteLog(tmp_path)
    async with house_on(log) as house:
        gateway = await house.gateway()
        match_id, phones = await table(house, gateway)
        onlooker = await house.phone(gateway, "متفرجة")
        await onlooker.send(type="watch", match_id=match_id, seq=0)
        ends = await asyncio.gather(
            *(phone.play(match_id, random.Random(seat)) for seat, phone in enumerate(phones))
        )
        assert all(end["events"][-1]["type"] == "match.ended" for end in ends)
        await onlooker.record(match_id, event="match.ended")
        stored = await house.records(match_id)
        for phone in (*phones, onlooker):
            assert phone.records[match_id] == stored  # each once, in order, byte by byte
            assert not [frame for frame in phone.frames if frame.get("type") == "refused"]


async def test_a_player_is_told_who_he_is(house: House, gateway: Gateway) -> None:
    phone = await house.phone(gateway, "  سالم   الأول ")
    other = Phone(gateway.url)
    house.phones.append(other)
    other.token = phone.token
    await other.connect(sign_in=False)
    await other.send(type="sign_in", token=phone.token)
    said = await other.take("signed_in")
    assert (said["player_id"], said["nickname"]) == (phone.player_id, "سالم الأول")
    assert said["gateway"] == gateway.id
    await other.send(type="ping")
    assert (await other.take("pong"))["time_ms"] >= said["time_ms"]


# ---- coming back


async def test_C16_a_phone_gets_exactly_what_it_missed(house: House, gateway: Gateway) -> None:
    match_id, phones = await table(house, gateway)
    there = phones[0]
    before = len(there.records[match_id])
    watcher = await house.phone(gateway, "غائبة")
    await watcher.send(type="watch", match_id=match_id, seq=0)
    await watcher.take("watching", match_id=match_id)
    await watcher.until(lambda frame: frame.get("seq") == before and "events" in frame)
    watcher.cut()
    await watcher.closed()
    seat = {seat_of(p.history(match_id), p.player_id): p for p in phones}
    for _ in range(3):
        step = there.step(match_id)
        phone = seat[step["seat"]]
        last = there.history(match_id)[-1]["events"]
        intent: dict[str, object] = {"type": "ludo.roll", "number": "7"}
        if last[-2]["type"] == "ludo.rolled":  # a choice is open: two sixes bring it about
            intent = {"type": "ludo.move", "pawn": last[-2]["movable"][0]}
        await there.record(match_id, await phone.act(match_id, step["step"], intent))
    await watcher.connect()
    await watcher.send(type="watch", match_id=match_id, seq=before)
    assert (await watcher.take("watching"))["seq"] == before + 3
    await watcher.until(lambda frame: frame.get("seq") == before + 3 and "events" in frame)
    assert watcher.records[match_id] == await house.records(match_id)
    assert watcher.seen == {match_id: there.seen[match_id]}


async def test_a_phone_that_missed_too_much_gets_a_snapshot(house: House, gateway: Gateway) -> None:
    match_id, phones = await table(house, gateway)
    await asyncio.gather(*(p.play(match_id, random.Random(n)) for n, p in enumerate(phones)))
    late = await house.phone(gateway, "متأخرة")
    await late.send(type="watch", match_id=match_id, seq=1)
    shown = await late.take("snapshot", match_id=match_id)
    assert (shown["seq"], shown["digest"]) == phones[0].seen[match_id]
    assert shown["state"]["phase"] == "ended"
    assert [place["place"] for place in shown["state"]["places"]] == [1, 2]


async def test_after_a_snapshot_the_chain_goes_on(house: House, gateway: Gateway) -> None:
    """A new gateway has no records at hand, and the digest of its snapshot is the next `prev`."""
    match_id, phones = await table(house, gateway)
    second = await house.gateway("second")
    late = await house.phone(second, "متأخرة")
    await late.send(type="watch", match_id=match_id, seq=0)
    await late.take("snapshot", match_id=match_id)
    step = phones[0].step(match_id)
    for phone in phones:
        await phone.act(match_id, step["step"], {"type": "ludo.roll", "number": "1"})
    await late.record(match_id, event="ludo.rolled")  # which checks that it continues the snapshot


async def test_a_phone_that_has_everything_gets_nothing(house: House, gateway: Gateway) -> None:
    match_id, phones = await table(house, gateway)
    seq, _ = phones[0].seen[match_id]
    again = await house.again(phones[0], gateway)
    again.seen = dict(phones[0].seen)
    await again.send(type="watch", match_id=match_id, seq=seq)
    assert (await again.take("watching"))["seq"] == seq
    present = await again.record(match_id, event="player.present")
    assert present["seq"] == seq + 1  # his own line, and nothing before it


async def test_signing_in_names_the_matches_in_which_one_sits(
    house: House, gateway: Gateway
) -> None:
    match_id, phones = await table(house, gateway)
    again = await house.again(phones[1], gateway, sign_in=False)
    await again.send(type="sign_in", token=again.token)
    assert (await again.take("signed_in"))["matches"] == [match_id]


# ---- the lobby, and being found a table


async def test_the_lobby_shows_open_tables_as_they_come_and_go(
    house: House, gateway: Gateway
) -> None:
    looker = await house.phone(gateway, "متفرجة")
    await looker.send(type="lobby", on=True)
    assert (await looker.take("lobby"))["tables"] == []
    opener = await house.phone(gateway, "سالم")
    await opener.wish("open", game="ludo", options={"players": 2, "fill_seconds": 60})
    shown = await looker.until(lambda f: f.get("type") == "lobby" and f["open"] == 1)
    (listed,) = shown["tables"]
    assert (listed["players"], listed["size"]) == (["سالم"], 2)
    assert listed["options"] == {**LudoOptions().model_dump(), "players": 2, "fill_seconds": 60}
    await looker.wish("join", match_id=listed["match_id"])
    shown = await looker.until(lambda f: f.get("type") == "lobby" and f["playing"] == 1)
    assert (shown["tables"], shown["open"]) == ([], 0)
    shown = await looker.until(lambda f: f.get("type") == "lobby" and f["running"])
    assert [one["match_id"] for one in shown["running"]] == [listed["match_id"]]


async def test_play_now_joins_a_table_that_fits_and_opens_one_else(
    house: House, gateway: Gateway
) -> None:
    first, second, third = [await house.phone(gateway, f"لاعب {n}") for n in "123"]
    await first.wish("play_now", game="ludo", options={"players": 2})
    opened = await first.until(lambda f: "events" in f)
    intent_id = await third.wish("play_now", game="ludo", options={"players": 4})
    other = await third.until(lambda f: "events" in f)
    assert other["match_id"] != opened["match_id"]
    assert other["caused_by"]["intent_id"] == intent_id
    await second.wish("play_now", game="ludo")
    started = await second.record(opened["match_id"], event="match.started")
    assert started["seq"] == 2


async def test_play_now_does_not_join_where_somebody_is_away(
    house: House, gateway: Gateway
) -> None:
    first, second = await house.phone(gateway, "هدى"), await house.phone(gateway, "ليلى")
    await first.wish("play_now", game="ludo", options={"fill_seconds": 60})
    opened = (await first.until(lambda f: "events" in f))["match_id"]
    looker = await house.phone(gateway, "متفرجة")
    await looker.send(type="watch", match_id=opened, seq=0)
    first.cut()
    await looker.record(opened, event="player.away")
    await second.wish("play_now", game="ludo", options={"fill_seconds": 60})
    assert (await second.until(lambda f: "events" in f))["match_id"] != opened


async def test_many_who_play_now_at_once_are_all_seated(house: House) -> None:
    """Over two gateways, which both see the same free seat: lost races are tried again."""
    gateways = [await house.gateway(name) for name in ("one", "two")]
    phones = [await house.phone(gateways[n % 2], f"لاعب {n}") for n in range(12)]
    await asyncio.gather(*(phone.wish("play_now", game="ludo") for phone in phones))
    seated = [await phone.until(lambda f: "events" in f) for phone in phones]
    tables: dict[str, int] = {}
    for frame in seated:
        tables[frame["match_id"]] = tables.get(frame["match_id"], 0) + 1
    assert sum(tables.values()) == len(phones)
    assert len(tables) <= 8  # few sit alone, though nobody was there when they came
    assert not [f for phone in phones for f in phone.frames if f.get("type") == "refused"]


# ---- the same intent again


async def test_the_same_opening_through_two_gateways_opens_one_table(house: House) -> None:
    one, two = await house.gateway("one"), await house.gateway("two")
    phone = await house.phone(one)
    other = await house.again(phone, two)
    intent_id = new_id()
    wish = {"game": "ludo", "options": {"fill_seconds": 60}, "seat_number": "5"}
    await asyncio.gather(
        *(p.wish("open", intent_id=intent_id, **wish) for p in (phone, other, phone, other))
    )
    opened = await phone.until(lambda f: "events" in f or f.get("type") == "accepted")
    again = await other.until(lambda f: "events" in f or f.get("type") == "accepted")
    assert opened["match_id"] == again["match_id"]
    await house.settled(opened["match_id"])
    opens = [i for i in await house.intents() if i.intent.type == "table.open"]
    assert len({intent.match_id for intent in opens}) == 1
    first = (await house.records(opened["match_id"]))[0]
    assert [e["type"] for e in orjson.loads(first)["events"]] == ["table.opened", "seat.taken"]


@pytest.mark.parametrize("kind", ["open", "play_now"])
async def test_an_opening_sent_again_later_gets_the_first_answer(
    house: House, gateway: Gateway, kind: str
) -> None:
    phone = await house.phone(gateway)
    wish = {"game": "ludo", "options": {"fill_seconds": 60}, "seat_number": "5"}
    intent_id = await phone.wish(kind, **wish)
    opened = await phone.until(lambda f: "events" in f)
    await phone.wish(kind, intent_id=intent_id, **wish)
    answer = await phone.take("accepted", intent_id=intent_id)
    assert (answer["match_id"], answer["seq"]) == (opened["match_id"], 1)
    phone.cut()
    await phone.closed()
    await phone.connect()
    await phone.wish(kind, intent_id=intent_id, **wish)
    assert (await phone.take("accepted"))["match_id"] == opened["match_id"]
    await phone.take("watching", match_id=opened["match_id"])  # and sees the match again
    assert len({i.match_id for i in await house.intents()}) == 1


async def test_the_client_of_the_protocol_text_plays_a_match(
    gateway: Gateway, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (Path(services.gateway.__file__).parent / "PROTOCOL.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "client.py").write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("client", tmp_path / "client.py")
    assert spec is not None
    assert spec.loader is not None
    client = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(client)
    async with asyncio.timeout(60):
        await asyncio.gather(client.play(gateway.url), client.play(gateway.url))
    first, second = [line for line in capsys.readouterr().out.splitlines() if "place" in line]
    assert first == second  # the same places, and the same last digest
