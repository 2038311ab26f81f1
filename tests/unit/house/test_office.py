"""What `sahrat grant` and `sahrat stop` say when an answer does not come as it should: whatever was
sent may be done, so nobody may be led to ask for it a second time under another id.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer as Server

from tests.integration.command import sahrat

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
PLAYER = "01980f6e-5c00-7b2a-9d3e-4f5061728394"
MATCHES = [f"01980f6e-5c00-7b2a-9d3e-4f506172839{n}" for n in range(3)]


class Desk:
    """A house's pages for operators, which answer as a test tells them.

    Attributes:
        answers: How the next wishes are answered, one each, the last one for ever.
        taken: Every wish that came.
        known: With which status the page of a single match answers.
    """

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.taken: list[dict[str, Any]] = []
        self.url = ""
        self.last: dict[str, Any] | int = 404
        self.known = 404

    async def records(self, _: web.Request) -> web.Response:
        """The records of a match that is not on: the last one has this event, or what is answered
        instead of them.
        """
        if isinstance(self.last, int):
            return web.Response(status=self.last)
        record = {"at_ms": 1_800_000_000_000, "events": [self.last]}
        return web.Response(text=f'{{"events":[]}}\n{json.dumps(record)}\n')

    async def match(self, _: web.Request) -> web.Response:
        return web.json_response({}, status=self.known)

    async def wish(self, request: web.Request) -> web.StreamResponse:
        self.taken.append(await request.json())
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return await answer(request)

    async def stops(self, request: web.Request) -> web.Response:
        stops = [
            {"match_id": one, "phase": "playing", "players": [], "entry_coins": 5,
             "refund_coins": 10}
            for one in MATCHES
        ]  # fmt: skip
        return web.json_response({"stops": stops, "after": None})

    async def run(self, *arguments: str, wait: str = "0") -> tuple[int, str, str]:
        more = ("--url", self.url, "--wait", wait, "--token", str(self.token))
        errand = (arguments[0], "--reason", "x", *arguments[1:])
        code, out, err = await asyncio.to_thread(sahrat, *errand, *more)
        return code, out.decode(), err

    token: Path


async def health(_: web.Request) -> web.Response:
    return web.json_response({"parts": {}})


async def purse(_: web.Request) -> web.Response:
    return web.json_response(
        {"operator": "amal", "player_id": PLAYER, "known": True, "available_coins": 9,
         "held_coins": 2}
    )  # fmt: skip


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    desk, app = Desk(), web.Application()
    desk.token = tmp_path / "t"
    desk.token.write_text("x")
    desk.token.chmod(0o600)
    app.router.add_get("/health", health)
    app.router.add_post("/api/operator/grants", desk.wish)
    app.router.add_get(f"/api/operator/players/{PLAYER}", purse)
    app.router.add_post("/api/operator/stops", desk.wish)
    app.router.add_get("/api/operator/stops", desk.stops)
    app.router.add_get("/api/matches/{id}/records", desk.records)
    app.router.add_get("/api/matches/{id}", desk.match)
    async with Server(app) as server:
        desk.url = str(server.make_url("")).rstrip("/")
        yield desk


async def cut(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def broken(_: web.Request) -> web.Response:
    return web.json_response({"reason": "fault", "detail": ""}, status=500)


async def proxy(_: web.Request) -> web.Response:
    return web.Response(text="<h1>upstream</h1>", status=503)


async def garbled(_: web.Request) -> web.Response:
    return web.Response(text="{")


async def forbidden(_: web.Request) -> web.Response:
    return web.json_response({"reason": "forbidden", "detail": ""}, status=403)


async def waiting(_: web.Request) -> web.Response:
    return web.json_response({"state": "waiting", "entry": None, "reason": None}, status=202)


async def granted(_: web.Request) -> web.Response:
    return web.json_response({"state": "done", "entry": 7, "reason": None})


@pytest.mark.parametrize("errand", [("grant", PLAYER, "5"), ("stop", "--all")], ids=str)
async def test_a_reason_of_blanks_says_nothing(desk: Desk, errand: tuple[str, ...]) -> None:
    desk.answers = [granted]
    code, _, err = await desk.run(*errand, "--yes", "--reason", " \u00a0")
    assert (code, "reason: says nothing" in err, desk.taken) == (2, True, []), err


@pytest.mark.parametrize("answer", [cut, broken, proxy, garbled])
async def test_a_grant_whose_answer_is_lost_names_its_intent(desk: Desk, answer: Answer) -> None:
    desk.answers = [answer]
    code, out, err = await desk.run("grant", PLAYER, "5", "--yes")
    assert (code, "done" in out) == (1, False), err
    assert "whether it was granted is not known" in err
    intents = {wish["intent_id"] for wish in desk.taken}
    assert len(intents) == 1
    assert set(re.findall(r"--intent ([0-9a-f-]{36})", err)) == intents


async def test_it_is_asked_again_under_the_same_intent_while_there_is_time(desk: Desk) -> None:
    desk.answers = [cut, broken, proxy, waiting, cut, granted]
    code, out, err = await desk.run("grant", PLAYER, "5", "--yes", wait="60")
    assert (code, "entry 7 of the journal" in out) == (0, True), err
    assert len(desk.taken) == 6
    assert len({wish["intent_id"] for wish in desk.taken}) == 1


async def test_a_refusal_after_a_lost_answer_does_not_say_that_nothing_was_done(desk: Desk) -> None:
    desk.answers = [cut, forbidden]
    code, _, err = await desk.run("grant", PLAYER, "5", "--yes", wait="60")
    assert (code, "is not known" in err, "forbidden" in err) == (1, True, True), err
    desk.answers = [forbidden]
    code, _, err = await desk.run("grant", PLAYER, "5", "--yes", wait="60")
    assert (code, "is not known" in err) == (2, False), err


async def test_what_was_stored_stays_so_though_the_next_answer_is_lost(desk: Desk) -> None:
    desk.answers = [waiting, cut]
    code, _, err = await desk.run("grant", PLAYER, "5", "--yes", wait="1")
    assert (code, "it is stored" in err, "/health" in err) == (1, True, True), err


async def stopped(request: web.Request) -> web.Response:
    wish = await request.json()
    return web.json_response(
        {"match_id": wish["match_id"], "state": "done", "seq": 4, "refund_coins": 10, "entry": 3,
         "reason": None}
    )  # fmt: skip


async def test_stops_whose_answers_are_lost_are_each_named(desk: Desk) -> None:
    """The others' are told all the same, and nothing says that nothing was asked."""
    desk.answers = [stopped, cut]
    code, out, err = await desk.run("stop", "--all", "--yes")
    assert code == 1, err
    assert "stopped 1 of 3, 10 coins are back" in out
    (done,) = [one for one in MATCHES if f"{one}  stopped" in out]
    for match_id in {*MATCHES} - {done}:
        assert f"{match_id}  NOT KNOWN" in err
    assert "the same command again" in err
    assert f"{desk.url}/health" in err
    assert "sahrat audit" in err


async def test_lost_answers_of_stops_are_asked_for_again(desk: Desk) -> None:
    desk.answers = [cut, cut, cut, stopped]
    code, out, err = await desk.run("stop", "--all", "--yes", wait="60")
    assert (code, "stopped 3 of 3, 30 coins are back" in out) == (0, True), err
    assert len({(wish["match_id"], wish["intent_id"]) for wish in desk.taken}) == 3


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("parked", "refused: parked: its log is damaged"),
        ("nothing_held", "refused: nothing_held: the journal holds nothing"),
        ("id_reused", "refused: id_reused: its entries were given back before"),
        ("stale_step", "refused: stale_step"),
    ],
)
async def test_a_stop_that_is_refused_says_why(desk: Desk, reason: str, told: str) -> None:
    async def refused(request: web.Request) -> web.Response:
        match_id = (await request.json())["match_id"]
        said = {"match_id": match_id, "state": "refused", "reason": reason, "seq": None}
        return web.json_response({**said, "refund_coins": 0, "entry": None}, status=409)

    desk.answers = [refused]
    code, _, err = await desk.run("stop", "--all", "--yes")
    assert (code, err.count(f"NOT DONE: {told}")) == (1, len(MATCHES)), err


STOPPED = {"type": "match.stopped", "reason": "operator", "operator": "badr", "detail": "a fault"}


@pytest.mark.parametrize(
    ("last", "known", "told"),
    [
        (STOPPED, 200, "was stopped by badr at 2027-01-15 08:00:00 UTC: a fault"),
        (
            {**STOPPED, "operator": "", "detail": "", "reason": "too_long"},
            200,
            "was stopped by the house at 2027-01-15 08:00:00 UTC: too_long",
        ),
        ({"type": "match.ended"}, 200, "was played to its end at 2027-01-15 08:00:00 UTC"),
        ({"type": "table.closed", "why": "idle"}, 200, "was closed before play at 2027-01-15"),
        ({"type": "step.opened"}, 200, "its end can't be read yet, or its log is damaged"),
        (503, 200, "is over; its records"),
        (404, 404, "is unknown: this house has never had it"),
        (503, 503, "whether it ever was can't be read now"),
    ],
    ids=str,
)
@pytest.mark.parametrize("yes", [(), ("--yes",)], ids=["shown", "done"])
async def test_of_a_match_that_is_not_on_it_is_said_what_became_of_it(
    desk: Desk, last: dict[str, Any] | int, known: int, told: str, yes: tuple[str, ...]
) -> None:
    desk.last, desk.known = last, known
    code, out, err = await desk.run("stop", MATCHES[0], *yes)
    assert (code, out, desk.taken) == (1, "", [])
    assert f"match {MATCHES[0]} " in err
    assert told in err
