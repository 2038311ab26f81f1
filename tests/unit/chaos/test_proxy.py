"""F09, F10: what the proxy does to one worker's line, and to nobody else's."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import pytest

from tests.chaos import proxy
from tests.chaos.proxy import DELAY_S, HOST, PRODUCE, Proxy, Way, worker_of

FETCH: Final = 1
STRUCK: Final = "rules-1"
HELD_S: Final = 0.15  # what has not come by then is held up
LIMIT_S: Final = 20.0


def request(api: int, number: int, client: str = f"{STRUCK}-append") -> bytes:
    body = struct.pack(">hhih", api, 9, number, len(client)) + client.encode()
    return struct.pack(">i", len(body)) + body


class Broker:
    """Answers each request with its number, and keeps the numbers."""

    def __init__(self) -> None:
        self.heard: list[int] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                (length,) = struct.unpack(">i", await reader.readexactly(4))
                _, _, number = struct.unpack_from(">hhi", await reader.readexactly(length))
                self.heard.append(number)
                writer.write(struct.pack(">ii", 4, number))
        except (asyncio.IncompleteReadError, OSError):
            writer.close()


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def answer(self) -> int:
        _, number = struct.unpack(">ii", await self.reader.readexactly(8))
        return int(number)

    async def silent(self) -> bool:
        try:
            await asyncio.wait_for(self.reader.readexactly(1), HELD_S)
        except TimeoutError:
            return True
        return False


class Stage:
    def __init__(self, proxy: Proxy, broker: Broker) -> None:
        self.proxy, self.broker = proxy, broker

    async def client(self) -> Client:
        return Client(*await asyncio.open_connection(HOST, self.proxy.port))


@asynccontextmanager
async def standing() -> AsyncIterator[Stage]:
    broker = Broker()
    async with await asyncio.start_server(broker.serve, HOST, 0) as server:
        proxy = Proxy(server.sockets[0].getsockname()[1])
        await proxy.start()
        try:
            async with asyncio.timeout(LIMIT_S):
                yield Stage(proxy, broker)
        finally:
            await proxy.close()


@pytest.mark.parametrize(
    ("name", "worker"),
    [
        ("rules-1-append", "rules-1"),
        ("gateway-12-ask", "gateway-12"),
        ("rules-2-match-rules-1", "rules-2"),
        ("sahrat-read-ask", ""),
        ("", ""),
    ],
)
def test_a_line_is_its_worker_s_by_the_client_s_name(name: str, worker: str) -> None:
    assert worker_of(request(FETCH, 1, name)) == worker


@pytest.mark.parametrize(
    ("way", "heard"), [(Way.CUT, []), (Way.CUT_OUT, []), (Way.CUT_IN, [1])], ids=str
)
async def test_F09_what_is_cut_waits_and_comes_in_its_order(way: Way, heard: list[int]) -> None:
    async with standing() as stage:
        struck, other = await stage.client(), await stage.client()
        for number in (1, 2):
            struck.writer.write(request(FETCH, 0))
            assert await struck.answer() == 0
            stage.broker.heard.clear()
            stage.proxy.strike(STRUCK, way)
            struck.writer.write(request(PRODUCE, number))
            assert await struck.silent()
            assert stage.broker.heard == [number] * len(heard)
            other.writer.write(request(FETCH, 9, "rules-2-append"))
            assert await other.answer() == 9
            stage.proxy.mend(STRUCK)
            assert await struck.answer() == number


async def test_F14_the_way_out_is_cut_when_something_is_to_be_stored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with standing() as stage:
        struck, other = await stage.client(), await stage.client()
        stage.proxy.strike(STRUCK, Way.CUT_OUT)
        struck.writer.write(request(FETCH, 1))
        assert await struck.answer() == 1
        struck.writer.write(request(PRODUCE, 2))
        assert await struck.silent()
        other.writer.write(request(FETCH, 3))
        assert await other.silent()
        stage.proxy.mend(STRUCK)
        assert (await struck.answer(), await other.answer()) == (2, 3)
        monkeypatch.setattr(proxy, "ARMED_S", 0.0)
        stage.proxy.strike(STRUCK, Way.CUT_OUT)
        await asyncio.sleep(HELD_S)
        struck.writer.write(request(FETCH, 4))
        assert await struck.silent(), "it does not wait for ever for that"


async def test_F09_who_connects_while_it_is_cut_is_not_refused_and_waits() -> None:
    async with standing() as stage:
        stage.proxy.strike(STRUCK, Way.CUT)
        struck = await stage.client()
        struck.writer.write(request(FETCH, 1))
        assert await struck.silent()
        stage.proxy.mend(STRUCK)
        assert await struck.answer() == 1


async def test_F14_what_a_dead_worker_had_sent_arrives_when_the_line_is_whole_again() -> None:
    async with standing() as stage:
        struck = await stage.client()
        struck.writer.write(request(PRODUCE, 1))
        assert await struck.answer() == 1
        stage.proxy.strike(STRUCK, Way.CUT_OUT)
        struck.writer.write(request(PRODUCE, 2) + request(PRODUCE, 3))
        assert await struck.silent()
        struck.writer.close()
        await asyncio.sleep(HELD_S)
        assert stage.broker.heard == [1]
        stage.proxy.mend(STRUCK)
        while stage.broker.heard != [1, 2, 3]:
            await asyncio.sleep(0.01)


async def test_F09_a_reset_ends_what_is_open_and_whatever_comes_until_it_is_over() -> None:
    async with standing() as stage:
        struck, other = await stage.client(), await stage.client()
        for client, name in ((struck, "rules-1-ask"), (other, "rules-2-ask")):
            client.writer.write(request(FETCH, 1, name))
            assert await client.answer() == 1
        stage.proxy.strike(STRUCK, Way.RESET)
        with pytest.raises(ConnectionResetError):
            await struck.answer()
        again = await stage.client()
        again.writer.write(request(FETCH, 2))
        assert await again.reader.read() == b""
        other.writer.write(request(FETCH, 3, "rules-2-ask"))
        assert await other.answer() == 3
        stage.proxy.mend(STRUCK)
        again = await stage.client()
        again.writer.write(request(FETCH, 4))
        assert await again.answer() == 4


async def test_F09_a_delay_holds_up_each_message_and_keeps_their_order() -> None:
    async with standing() as stage:
        struck = await stage.client()
        stage.proxy.strike(STRUCK, Way.DELAY)
        loop = asyncio.get_running_loop()
        struck.writer.write(request(FETCH, 0))
        assert await struck.answer() == 0
        begun_s = loop.time()
        struck.writer.write(b"".join(request(FETCH, number) for number in range(20)))
        assert [await struck.answer() for _ in range(20)] == list(range(20))
        assert loop.time() - begun_s >= 2 * DELAY_S


async def test_F10_only_acknowledgements_are_lost_and_what_they_were_for_was_stored() -> None:
    async with standing() as stage:
        stage.proxy.strike(STRUCK, Way.UNACKNOWLEDGED)
        lost = 0
        for number in range(1, 21):
            struck = await stage.client()
            struck.writer.write(request(FETCH, 0))
            assert await struck.answer() == 0
            struck.writer.write(request(PRODUCE, number))
            try:
                assert await struck.answer() == number
            except asyncio.IncompleteReadError:
                lost += 1
            struck.writer.close()
        assert [number for number in stage.broker.heard if number] == list(range(1, 21))
        assert lost == stage.proxy.lost[STRUCK] == 10
