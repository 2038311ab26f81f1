"""The pages: what there is to read, without a database as far as that goes, and with one."""

from __future__ import annotations

import asyncio
import logging
import random
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any

import aiohttp
import pytest
import structlog
from yarl import URL

from sahrat.messages.base import Message
from sahrat.runtime.health import Health
from sahrat.runtime.ids import new_id
from sahrat.storage.reads import ReadsAway
from services.gateway import static_files
from services.gateway.coins import WalletChange
from services.gateway.host import Gateway
from services.gateway.messages import PastSitting
from services.gateway.past import Past
from services.gateway.reads import Reads
from services.projection.host import Projection
from services.projection.store import PostgresModels
from tests.integration.gateway_house import House, memory_house, table
from tests.integration.phone import Phone


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


async def get(
    http: aiohttp.ClientSession, gateway: Gateway, path: str, phone: Phone | None = None
) -> tuple[int, Any]:
    headers = {} if phone is None else {"Authorization": f"Bearer {phone.token}"}
    async with http.get(f"{gateway.url}{path}", headers=headers) as answer:
        kind = answer.headers["Content-Type"]
        return answer.status, await answer.json() if "/json" in kind else await answer.text()


async def test_every_answer_forbids_what_it_does_not_need(
    gateway: Gateway, http: aiohttp.ClientSession
) -> None:
    """Threat T14: scripts of nobody but the house, no frames, no guessing of types."""
    for path in ("/", "/style.css", "/health", "/api/games", "/api/nothing", "/play"):
        async with http.get(f"{gateway.url}{path}") as answer:
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'self'" in policy
            assert "unsafe" not in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_the_first_page_has_nothing_inline(
    gateway: Gateway, http: aiohttp.ClientSession
) -> None:
    """Threat T14: what the policy forbids is not needed by any page."""
    for path in (path for path, file in static_files.files().items() if file.kind == "text/html"):
        status, page = await get(http, gateway, path)
        assert status == 200
        assert "سهرة" in page
        assert not re.findall(r"<script(?![^>]* src=)|<style| style=| on[a-z]+=", page)


async def test_files_are_served_from_the_list_alone(
    gateway: Gateway, http: aiohttp.ClientSession
) -> None:
    """What developers read, and what lies elsewhere, is not there for browsers."""
    for path in ("/README.md", "/..%2fweb.py", "/page/../../web.py", "/page", "/%2e%2e/web.py"):
        url = URL(f"{gateway.url}{path}", encoded=True)
        async with http.get(url) as answer:
            assert (path, answer.status) == (path, 404)


async def test_a_browser_is_shown_a_page_where_there_is_nothing(
    gateway: Gateway, http: aiohttp.ClientSession
) -> None:
    """In both languages; whoever asks for JSON, or below `/api`, gets the usual answer."""
    eyes = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    async with http.get(f"{gateway.url}/nope", headers=eyes) as answer:
        page = await answer.text()
        assert (answer.status, answer.content_type) == (404, "text/html")
        assert "لا شيء هنا" in page
        assert "There is nothing here" in page
    for path, headers in (("/nope", {}), ("/nope", {"Accept": "*/*"}), ("/api/nope", eyes)):
        async with http.get(f"{gateway.url}{path}", headers=headers) as answer:
            said = await answer.json()
            assert (answer.status, said["reason"]) == (404, "not_found")


async def test_a_file_comes_once_while_it_is_the_same(
    gateway: Gateway, http: aiohttp.ClientSession
) -> None:
    for packed in ("gzip", "identity"):
        asked = {"Accept-Encoding": packed}
        async with http.get(f"{gateway.url}/style.css", headers=asked) as answer:
            body, tag = await answer.read(), answer.headers["ETag"]
            assert answer.headers["Content-Type"] == "text/css; charset=utf-8"
            assert answer.headers["Cache-Control"] == "no-cache"
            assert answer.headers.get("Content-Encoding", "identity") == packed
            assert body == static_files.files()["/style.css"].body
        again = {**asked, "If-None-Match": tag}
        async with http.get(f"{gateway.url}/style.css", headers=again) as answer:
            assert (answer.status, await answer.read()) == (304, b"")
        other = {**asked, "If-None-Match": '"another"'}
        async with http.get(f"{gateway.url}/style.css", headers=other) as answer:
            assert answer.status == 200


async def test_health_turns_red_with_the_house(house: House, http: aiohttp.ClientSession) -> None:
    health, wrong = Health("house"), ["rules: away"]
    health.watch("rules", lambda: wrong[0] or None)
    gateway = await house.gateway(health=health)
    assert (await get(http, gateway, "/health"))[0] == 503
    wrong[0] = ""
    status, report = await get(http, gateway, "/health")
    assert (status, report["parts"]) == (200, {"rules": "ok"})


async def test_the_games_and_their_options(gateway: Gateway, http: aiohttp.ClientSession) -> None:
    status, listed = await get(http, gateway, "/api/games")
    assert status == 200
    (ludo,) = [game for game in listed["games"] if game["name"] == "ludo"]
    assert ludo["rules"] == "ludo/2"
    assert ludo["options"]["properties"]["players"]["default"] == 2


async def test_a_live_match_needs_no_database(
    house: House, gateway: Gateway, http: aiohttp.ClientSession
) -> None:
    match_id, phones = await table(house, gateway)
    status, shown = await get(http, gateway, f"/api/matches/{match_id}")
    assert (status, shown["type"]) == (200, "snapshot")
    assert (shown["seq"], shown["digest"]) == phones[0].seen[match_id]
    assert (await get(http, gateway, "/api/lobby"))[1]["playing"] == 1
    for path in (f"/api/matches/{match_id}/records", f"/api/matches/{new_id()}"):
        status, said = await get(http, gateway, path)
        assert (status, said["reason"]) == (503, "away")
    history = f"/api/players/{phones[0].player_id}/history"
    status, said = await get(http, gateway, history, phones[0])
    assert (status, said["reason"]) == (503, "away")


async def test_what_is_not_there_is_not_found(
    gateway: Gateway, http: aiohttp.ClientSession
) -> None:
    for path in ("/api/matches/1", "/api/matches/x/records", "/nothing", "/api/matches/"):
        status, said = await get(http, gateway, path)
        assert (status, said["reason"]) == (404, "not_found")
    async with http.delete(f"{gateway.url}/api/games") as answer:
        assert answer.status == 405
        assert (await answer.json())["reason"] == "bad_request"
    async with http.get(f"{gateway.url}/play") as answer:
        assert answer.status == 400


async def test_with_read_models_the_past_can_be_read(
    house: House, http: aiohttp.ClientSession, postgres: str
) -> None:
    house.start("projection", Projection(house.log, PostgresModels(postgres)))
    past = Past(lambda: postgres)
    gateway = await house.gateway(reads=past)
    match_id, phones = await table(house, gateway)
    await asyncio.gather(*(p.play(match_id, random.Random(n)) for n, p in enumerate(phones)))
    stored = await house.records(match_id)
    body = ""
    for _ in range(200):
        status, body = await get(http, gateway, f"/api/matches/{match_id}/records")
        if status == 200 and body.count("\n") == len(stored):
            break
        await asyncio.sleep(0.05)
    assert body.encode() == b"".join(value + b"\n" for value in stored)
    for after in (0, 1, len(stored) - 1, len(stored), len(stored) + 9):
        status, body = await get(http, gateway, f"/api/matches/{match_id}/records?after={after}")
        assert (status, body.encode()) == (200, b"".join(v + b"\n" for v in stored[after:]))
    for wrong in ("x", "-1", "1.0", "9" * 40):
        path = f"/api/matches/{match_id}/records?after={wrong}"
        assert (await get(http, gateway, path))[0] == 400
    status, history = await get(
        http, gateway, f"/api/players/{phones[0].player_id}/history", phones[0]
    )
    assert status == 200
    assert [played["match_id"] for played in history["matches"]] == [match_id]
    # What is somebody else's, and what is nobody's, look alike.
    for player_id in (phones[1].player_id, new_id(), "x"):
        answer = await get(http, gateway, f"/api/players/{player_id}/history", phones[0])
        assert answer == (404, {"reason": "not_found", "detail": ""})
    for path in (f"/api/matches/{new_id()}", f"/api/matches/{new_id()}/records"):
        assert await get(http, gateway, path) == (404, {"reason": "not_found", "detail": ""})
    await house.stop("projection")
    await past.close()


class Failing(Reads):
    """Read models that go away in the middle of an answer."""

    away = (ReadsAway,)

    async def match(self, match_id: str) -> Message | None:
        raise ReadsAway(match_id)

    async def records(self, match_id: str, after: int = 0) -> AsyncIterator[bytes]:
        for number in range(200):
            yield b"%d" % number * 500
        raise ReadsAway(match_id)

    async def history(self, player_id: str) -> Sequence[PastSitting]:
        raise ReadsAway(player_id)

    async def wallet(self, player_id: str, before: int | None) -> Sequence[WalletChange]:
        raise ReadsAway(player_id)


async def test_half_an_answer_does_not_pass_for_a_whole_one(
    house: House, http: aiohttp.ClientSession
) -> None:
    gateway = await house.gateway(reads=Failing())
    with pytest.raises(aiohttp.ClientPayloadError):
        await get(http, gateway, f"/api/matches/{new_id()}/records")
    status, said = await get(http, gateway, f"/api/matches/{new_id()}")
    assert (status, said["reason"]) == (503, "away")


class Endless(Failing):
    """Read models with a match so long that nobody reads it to its end."""

    async def records(self, match_id: str, after: int = 0) -> AsyncIterator[bytes]:
        while True:
            yield b"x" * 5_000
            await asyncio.sleep(0)


@pytest.mark.parametrize("abruptly", [True, False])
async def test_a_reader_who_has_enough_and_goes_is_not_logged(
    house: House, caplog: pytest.LogCaptureFixture, abruptly: bool
) -> None:
    """As `curl .. | head` does."""
    gateway = await house.gateway(reads=Endless())
    with structlog.testing.capture_logs() as logged:
        reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
        writer.write(f"GET /api/matches/{new_id()}/records HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert await reader.readexactly(20_000)
        if abruptly:
            writer.transport.abort()
        else:
            writer.close()
        await asyncio.sleep(0.3)
    assert not [entry for entry in logged if entry["log_level"] in ("warning", "error")]
    assert not [entry for entry in caplog.records if entry.levelno >= logging.WARNING]
