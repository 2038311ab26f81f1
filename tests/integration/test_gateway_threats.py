"""What the pages and the sockets of a gateway stand, at the numbers of the list of threats."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final
from urllib.parse import quote

import aiohttp
import psycopg
import pytest
import structlog
from psycopg import sql
from yarl import URL

from sahrat.runtime.ids import new_id
from sahrat.storage.pool import make_pool
from sahrat.storage.reads import Reads, ReadsAway
from services.gateway.host import Gateway
from services.gateway.past import Past
from services.gateway.sessions import Limits
from services.projection.rebuild import build
from tests.fuzz import attacks
from tests.fuzz.attacks import Enemy
from tests.integration.gateway_house import PATIENT_S, House, memory_house, table
from tests.integration.operator import token
from tests.integration.projecting import filled
from tests.unit.projection.stories import many

AT_ONCE: Final = 8


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with memory_house() as house:
        yield house


# ---- T09: statements of a database in the place of a value

_QUOTES: Final = ("", "'", '"', "')", "'))", "`", "\\'", "%27", "1'", "$$")
_STATEMENTS: Final = (
    *(" or 1=1--", " or ''='", " and 1=0--", " order by 99--", ";select pg_sleep(30)--"),
    *("||(select pg_sleep(30))||'", " and (select pg_sleep(30)) is not null--"),
    *(" union select null--", " union all select null,null,null,null,null,null,null--"),
    *(
        ";drop table live.matches--",
        ";delete from live.matches--",
        ";copy (select 1) to '/tmp/x'--",
    ),
    *("/**/or/**/1=1", " or 1::int=1/0--", " and extractvalue(1,concat(0x7e,version()))--"),
    *(" or exists(select * from pg_shadow)--", ";set default_transaction_read_only=off--"),
    *("%s", "%(id)s", "{0}"),
)
SQL: Final = [f"{quote}{statement}" for quote in _QUOTES for statement in _STATEMENTS]
PLACES: Final = {
    "/api/matches/{id}": "/api/matches/{}",
    "/api/matches/{id}/records": "/api/matches/{}/records",
    "/api/players/{id}/history": "/api/players/{}/history",
    "/api/operator/stops/{id}": "/api/operator/stops/{}",
    "/api/operator/players/{id}": "/api/operator/players/{}",
    "/api/wallet/history": "/api/wallet/history?before={}",
    "/api/operator/stops": "/api/operator/stops?after={}",
}
"""Every page with a parameter, and how that is given."""


async def everything(postgres: str) -> list[object]:
    """Of every table how many rows it has, and a digest of them all."""
    found: list[object] = []
    async with await psycopg.AsyncConnection.connect(postgres) as connection:
        tables = await connection.execute(
            "select tablename from pg_tables where schemaname = 'live' order by 1"
        )
        for (name,) in await tables.fetchall():
            count = sql.SQL("select count(*), md5(string_agg(t::text, ',' order by t::text)) from ")
            cursor = await connection.execute(count + sql.Identifier("live", name) + sql.SQL(" t"))
            found.append(await cursor.fetchone())
    return found


async def test_T09_two_hundred_statements_in_every_parameter_are_no_values(
    house: House, postgres: str
) -> None:
    assert len(SQL) == len({*SQL}) == 200
    story = many(3, 8, steps=200)
    await build(await filled({3: story.drafts}), postgres, "live")
    before = await everything(postgres)
    past = Past(lambda: postgres)
    gateway = await house.gateway(reads=past)
    phone = await house.phone(gateway)
    served = {resource.canonical for resource in gateway._web._app.router.resources()}
    assert {path for path in served if "{" in path} <= {*PLACES} <= served
    limit = asyncio.Semaphore(AT_ONCE)
    async with aiohttp.ClientSession() as http:

        async def ask(place: str, text: str) -> int:
            whose = token() if "operator" in place else phone.token
            url = URL(gateway.url + place.format(quote(text, safe="")), encoded=True)
            headers = {"Authorization": f"Bearer {whose}"}
            async with limit, http.get(url, headers=headers) as answer:
                assert "syntax" not in await answer.text()
                return answer.status

        for page, place in PLACES.items():
            found = await asyncio.gather(*(ask(place, text) for text in SQL))
            due = {200, 400} if page == "/api/operator/stops" else {400, 404}
            assert {*found} <= due, page  # and none is 503: nobody waited for a statement
    assert await everything(postgres) == before
    await past.close()


async def test_T09_what_reads_can_neither_be_told_to_write_nor_asked_for_all(
    postgres: str,
) -> None:
    """Also where a string came as far as the storage: it is a parameter there."""
    await build(await filled({3: many(3, 8, steps=200).drafts}), postgres, "live")
    reads = Reads(postgres)
    await reads.open()
    for text in SQL:
        assert await reads.match(text) is None
        assert await reads.history(text) == []
        assert len(await reads.recent(5, text)) <= 5
    for statement in ("delete from matches", "create table live.x (y int)", "drop table matches"):
        with pytest.raises(ReadsAway, match="read-only"):
            await reads._rows(statement, ())
    await reads.close()
    writer = make_pool(postgres, name="test", most=1)
    await writer.open()
    async with writer.connection() as connection:  # whoever may write is not held back
        await connection.execute("create table live.x (y int)")
    await writer.close()


# ---- T22: pages of other sites


async def test_T22_no_cookie_makes_anybody_somebody(house: House) -> None:
    """So no page of another site can act for a player: his browser has nothing to send along."""
    gateway = await house.gateway()
    phone = await house.phone(gateway)
    async with aiohttp.ClientSession() as http:
        async with http.post(f"{gateway.url}/api/guests", json={"nickname": "x"}) as answer:
            assert "Set-Cookie" not in answer.headers
            assert "Access-Control-Allow-Origin" not in answer.headers
        cookies = {"token": phone.token, "Authorization": f"Bearer {phone.token}"}
        async with http.get(f"{gateway.url}/api/wallet", cookies=cookies) as answer:
            assert answer.status == 401


# ---- T19: what is not there, and what is not the asker's


async def test_T19_what_is_not_there_and_what_is_anothers_answer_alike(
    house: House, postgres: str
) -> None:
    await build(await filled({}), postgres, "live")
    past = Past(lambda: postgres)
    gateway = await house.gateway(reads=past)
    phone, other = await house.phone(gateway), await house.phone(gateway, "هدى")
    headers = {"Authorization": f"Bearer {phone.token}"}
    said = set()
    async with aiohttp.ClientSession(headers=headers) as http:
        for path in (
            f"players/{other.player_id}/history",
            f"players/{new_id()}/history",
            "players/x/history",
            f"matches/{new_id()}",
            f"matches/{new_id()}/records",
            "matches/x",
        ):
            async with http.get(f"{gateway.url}/api/{path}") as answer:
                shown = {k: v for k, v in answer.headers.items() if k != "Date"}
                said.add((answer.status, await answer.text(), str(shown)))
    assert len(said) == 1
    await past.close()


# ---- T10, T11, T12, T24: every attack of `make fuzz`, in small


@pytest.mark.parametrize("attack", [*attacks.ATTACKS, attacks.comings], ids=lambda a: a.__name__)
async def test_T24_F16_an_attack_leaves_the_gateway_and_its_players_as_they_were(
    house: House,
    monkeypatch: pytest.MonkeyPatch,
    attack: Callable[[Enemy], Awaitable[None]],
) -> None:
    monkeypatch.setattr(attacks, "COMINGS", 100)
    monkeypatch.setattr(attacks, "HALVES", 12)
    monkeypatch.setattr(attacks, "SLOW", 3)
    monkeypatch.setattr(attacks, "SLOW_S", 1.0)
    gateway = await house.gateway(limits=Limits(lag_s=PATIENT_S))
    match_id, phones = await table(house, gateway)
    enemy = Enemy(gateway.url, random.Random(24), match_id)
    with structlog.testing.capture_logs() as logged:
        await attack(enemy)
        await gone(gateway, len(phones))
    assert [entry for entry in logged if entry["log_level"] in ("error", "critical")] == []
    assert enemy.counts["status 500"] == 0
    assert sum(enemy.counts.values()) > 0
    for phone in phones:
        assert phone.code is None
        await phone.send(type="ping")
        await phone.take("pong")


async def gone(gateway: Gateway, stay: int) -> None:
    """Wait until nobody is there any more but those who stay."""
    for _ in range(600):
        if len(gateway._hub.parts.sessions) == stay:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("somebody stays")
