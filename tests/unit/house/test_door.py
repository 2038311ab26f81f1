"""Whoever asks at an address where no house is, is told so, and what to do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer as Server

from services.house.door import reach
from services.house.problem import Problem
from services.house.source import House, open_source
from tests.unit.house.test_cli import end

MATCH = "01890a5d-ac96-774b-bcce-b302099a8057"
NOBODY = "http://127.0.0.1:9"


@pytest.fixture
async def page() -> AsyncIterator[str]:
    """A server that answers everything, and is no house."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(text="<html>welcome</html>")

    app = web.Application()
    app.router.add_get("/{name:.*}", answer)
    async with Server(app) as server:
        yield str(server.make_url("")).rstrip("/")


async def test_a_server_that_is_no_house_is_told_from_one(page: str) -> None:
    with pytest.raises(Problem, match="is it a house"):
        await reach(page)
    with pytest.raises(Problem, match="is it a house"):
        async with open_source(House(page)):
            raise AssertionError("it was opened")


async def test_a_server_without_such_a_page_is_none() -> None:
    async with Server(web.Application()) as empty:
        with pytest.raises(Problem, match="answers 404: is it a house"):
            await reach(str(empty.make_url("")).rstrip("/"))


@pytest.mark.parametrize(
    "arguments",
    [("export", MATCH), ("verify", MATCH), ("replay", MATCH), ("play",), ("grant", MATCH, "1")],
)
def test_where_nobody_answers_every_command_says_what_to_do(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    token = tmp_path / "token"
    token.write_text("x")
    token.chmod(0o600)
    more = ("--reason", "x", "--token", str(token)) if arguments[0] == "grant" else ()
    code, out, err = end(capsys, *arguments, *more, "--url", NOBODY)
    assert (code, out) == (2, "")
    hint = "start one with `sahrat run`, or name another with --url"
    assert err == f"sahrat: no house answers at {NOBODY}: {hint}\n"


def test_a_command_without_a_url_does_not_advise_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in ("rebuild", "audit"):
        code, _, err = end(capsys, name, "--data", str(tmp_path / "none"))
        assert code == 2
        assert "--data" in err
        assert "--url" not in err
