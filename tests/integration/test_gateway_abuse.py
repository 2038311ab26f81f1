"""Phones that send too much, read nothing, or send what is no message: nobody else notices."""

from __future__ import annotations

import asyncio
import contextlib
import random
import resource
import sys
import time
import zlib
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import orjson
import pytest

from services.gateway.host import Gateway
from services.gateway.session import Closing
from services.gateway.sessions import Limits
from tests.integration.gateway_house import PATIENT_S, House, memory_house, table
from tests.integration.phone import WAIT_S, Phone, answer_to, seat_of

ROLL = {"type": "ludo.roll", "number": "7"}
ID = "01980f6e-5c00-7b2a-9d3e-4f5061728394"


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with memory_house() as house:
        yield house


@pytest.fixture
async def gateway(house: House) -> Gateway:
    return await house.gateway(limits=Limits(lag_s=PATIENT_S))


def rss_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# ---- too large, too deep


@pytest.mark.parametrize(
    "size", [pytest.param(16 * 1024, id="16-kb"), pytest.param(2_000_000, id="C33-2-mb")]
)
async def test_C33_what_is_far_too_large_is_cut_off_unread(
    house: House, gateway: Gateway, size: int
) -> None:
    others = [await house.phone(gateway, f"لاعبة {n}") for n in range(2)]
    phone = await house.phone(gateway)
    half = size // 2
    await phone.socket.send_str("[" * half + "]" * half)
    assert await phone.closed() == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
    for other in others:
        await other.send(type="ping")
        await other.take("pong")


async def test_C33_what_is_deep_is_no_json(house: House, gateway: Gateway) -> None:
    phone = await house.phone(gateway)
    await phone.socket.send_str("[" * 1025 + "]" * 1025)
    assert (await phone.take("refused"))["reason"] == "bad_json"
    await phone.send(type="ping")
    await phone.take("pong")


async def test_text_that_is_no_utf_8_is_no_json(house: House, gateway: Gateway) -> None:
    phone = await house.phone(gateway)
    await phone.socket.send_frame(b'{"type":"ping","x":"\xc3\x28"}', aiohttp.WSMsgType.TEXT)
    assert (await phone.take("refused"))["reason"] == "bad_json"


async def test_T12_nothing_compressed_is_unpacked(gateway: Gateway) -> None:
    """A megabyte that would be a gigabyte: compression is never agreed on."""
    bomb = zlib.compressobj(wbits=-15)
    packed = bomb.compress(bytes(1024 * 1024)) + bomb.flush(zlib.Z_SYNC_FLUSH)
    before = rss_mb()
    async with aiohttp.ClientSession() as http:
        socket = await http.ws_connect(f"{gateway.url}/play", compress=15)
        assert socket.compress == 0
        assert socket._writer is not None
        socket._writer._write_websocket_frame(packed, aiohttp.WSMsgType.TEXT, 0x40)
        assert (await socket.receive()).type in {
            aiohttp.WSMsgType.CLOSE,
            aiohttp.WSMsgType.CLOSED,
        }
    assert rss_mb() - before < 10


async def test_F16_any_bytes_leave_the_gateway_as_it_was(house: House, gateway: Gateway) -> None:
    rng = random.Random(16)
    wish = {"type": "act", "intent_id": ID, "match_id": ID, "step": 1, "intent": ROLL}
    good = orjson.dumps(wish)
    before = rss_mb()
    for _ in range(20):
        phone = await house.phone(gateway)
        for _ in range(15):
            data = bytearray(good)
            for _ in range(rng.randint(1, 6)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            await phone.socket.send_frame(bytes(data), aiohttp.WSMsgType.TEXT)
            answer = await phone.take("refused")
            assert answer["reason"] != "fault"
    assert rss_mb() - before < 10
    assert await house.intents() == []


# ---- too much


FLOOD = """
import asyncio, json, sys, aiohttp

async def main(url, token, match_id):
    codes = []
    wish = {"type": "join", "intent_id": match_id, "match_id": match_id, "seat_number": "7"}
    async with aiohttp.ClientSession() as http:
        while len(codes) < 3:
            async with http.ws_connect(f"{url}/play") as socket:
                await socket.send_json({"type": "sign_in", "token": token})
                reading = asyncio.create_task(anext(x async for x in closing(socket)))
                while not reading.done():
                    try:
                        for _ in range(50):
                            await socket.send_json(wish)
                    except ConnectionError:
                        break
                    await asyncio.sleep(0)
                codes.append(await reading)
    print(json.dumps(codes))

async def closing(socket):
    async for _ in socket:
        pass
    yield socket.close_code

asyncio.run(main(*sys.argv[1:]))
"""
"""Joins an unknown match, which only rules can refuse, without waiting for answers; each time that
it is closed it comes back. Says with what codes it was closed.
"""


async def test_C34_a_flood_is_closed_and_its_neighbours_do_not_notice(
    house: House, gateway: Gateway
) -> None:
    """Scaled down: 8 phones play while one sends as fast as the socket takes it, and comes back
    each time that it is closed.
    """
    tables = [await table(house, gateway) for _ in range(4)]
    flooder = await house.phone(gateway, "طوفان")
    began = time.monotonic()
    flooding = await asyncio.create_subprocess_exec(
        sys.executable, "-c", FLOOD, gateway.url, flooder.token, ID, stdout=asyncio.subprocess.PIPE
    )
    talking = asyncio.create_task(flooding.communicate())
    await asyncio.gather(*(go_on(match_id, phones, talking) for match_id, phones in tables))
    said, _ = await talking
    codes = orjson.loads(said)
    assert codes == [Closing.TOO_FAST] * 3
    passed = [i for i in await house.intents() if i.player_id == flooder.player_id]
    assert 0 < len(passed) <= 40 + 20 * (time.monotonic() - began)
    for _, phones in tables:
        assert not any(phone.code for phone in phones)


async def go_on(match_id: str, phones: list[Phone], flood: asyncio.Task[Any]) -> None:
    """Play, slowly enough for the limits, until the flood is over: each act has its record."""
    rng = random.Random(1)
    seats = {seat_of(p.history(match_id), p.player_id): p for p in phones}
    last = phones[0].history(match_id)[-1]
    while not flood.done():
        answers = ((phone, answer_to(last, seat, rng)) for seat, phone in seats.items())
        phone, (step, intent) = next((p, a) for p, a in answers if a is not None)
        last = await phone.record(match_id, await phone.act(match_id, step, intent))
        await asyncio.sleep(0.1)


async def test_a_player_cannot_flood_by_coming_back(house: House, gateway: Gateway) -> None:
    """What he may send is his, not his socket's."""
    phone = await house.phone(gateway)
    began, passed = time.monotonic(), 0
    for _ in range(4):
        for _ in range(40):
            await phone.send(type="ping")
        for _ in range(40):
            answer = await phone.until(lambda f: f["type"] in {"pong", "refused"})
            passed += answer["type"] == "pong"
        phone.cut()
        await phone.closed()
        await phone.connect()
    assert passed <= 41 + 20 * (time.monotonic() - began)


async def test_many_that_come_and_go_leave_nothing_behind(house: House, gateway: Gateway) -> None:
    phone = await house.phone(gateway)
    async with aiohttp.ClientSession() as http:
        for _ in range(200):
            socket = await http.ws_connect(f"{gateway.url}/play")
            await socket.close()
    for _ in range(100):
        if len(gateway._hub.parts.sessions) == 1:
            break
        await asyncio.sleep(0.02)
    assert len(gateway._hub.parts.sessions) == 1
    await phone.send(type="ping")
    await phone.take("pong")


# ---- slow


async def test_T11_who_does_not_read_is_closed_and_holds_nobody_up(house: House) -> None:
    gateway = await house.gateway()
    match_id, phones = await table(house, gateway)
    await asyncio.gather(*(p.play(match_id, random.Random(n)) for n, p in enumerate(phones)))
    most = phones[0].seen[match_id][0] - 40  # so that each question gets forty records
    before = rss_mb()
    slow = [await house.phone(gateway, f"بطيء {n}", read=False) for n in range(5)]
    for phone in slow:
        assert phone.transport is not None
        phone.transport.pause_reading()
    began = time.monotonic()
    while len(gateway._hub.parts.sessions) > len(phones):
        assert time.monotonic() - began < WAIT_S
        for phone in slow:
            with contextlib.suppress(ConnectionError):
                await phone.send(type="watch", match_id=match_id, seq=most)
        await phones[1].send(type="ping")
        await phones[1].take("pong")
    assert rss_mb() - before < 40  # 5 queues and buffers; what the kernel holds is not ours
    # Who reads again in time is told why, so that he comes back with his seq.
    assert phone.transport is not None
    phone.transport.resume_reading()
    while True:
        message = await phone.socket.receive()
        if message.type is not aiohttp.WSMsgType.TEXT:
            break
    assert phone.socket.close_code == Closing.TOO_SLOW
