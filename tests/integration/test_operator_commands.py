"""`sahrat operator`, `grant` and `stop`, as an operator calls them, at a house in this process."""

from __future__ import annotations

import asyncio
import re
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sahrat.messages.match import StopMatch
from sahrat.runtime.ids import new_id
from sahrat.runtime.secret_files import make_secret
from services.gateway.host import Gateway
from tests.integration.command import sahrat
from tests.integration.gateway_house import ACCOUNTS, House, memory_house
from tests.integration.operator import FAR_S, errands
from tests.integration.phone import Phone
from tests.integration.test_gateway_coins import coin_table, entries, rich

KEYS = f'{{"keys":["{bytes(range(32)).hex()}"]}}'  # those of the house in this process


MATCH = "01980f6e-5c00-7b2a-9d3e-4f5061728395"  # no match of any house here


@pytest.fixture
async def house() -> AsyncIterator[House]:
    async with memory_house() as house:
        house.wallet()
        yield house


@pytest.fixture
async def gateway(house: House) -> Gateway:
    return await house.gateway()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A house's folder with keys."""
    keys = tmp_path / "keys" / "gateway.json"
    keys.parent.mkdir()
    keys.write_text(KEYS)
    keys.chmod(0o600)
    return tmp_path


async def run(*arguments: str) -> tuple[int, str, str]:
    code, out, err = await asyncio.to_thread(sahrat, *arguments)
    return code, out.decode(), err


@pytest.fixture
def amal(folder: Path) -> Path:
    file = folder / "operators" / "amal.token"
    make_secret(file, ACCOUNTS.operator_token("amal", 1_796_000_000_000, FAR_S))
    return file


# ---- the token


def test_a_token_is_in_a_file_of_its_owners_alone_and_nowhere_else(folder: Path) -> None:
    code, out, err = sahrat("operator", "amal", "--data", str(folder), "--days", "2")
    file = folder / "operators" / "amal.token"
    token = file.read_text()
    assert code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert token not in out.decode() + err
    assert str(file) in out.decode()
    assert ACCOUNTS.operator(token, 0) == "amal"
    assert ACCOUNTS.operator(token, 4 * 10**12) is None  # it ends
    code, _, err = sahrat("operator", "amal", "--data", str(folder))
    assert (code, file.read_text()) == (2, token)
    assert "--renew" in err
    code, _, _ = sahrat("operator", "amal", "--data", str(folder), "--renew", "--days", "3")
    assert code == 0
    assert file.read_text() != token
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_token_makes_no_folder_that_was_named_by_mistake(folder: Path) -> None:
    file = folder / "none" / "amal.token"
    code, _, err = sahrat("operator", "amal", "--data", str(folder), "--file", str(file))
    assert (code, "there is no folder" in err, file.parent.exists()) == (2, True, False)


@pytest.mark.parametrize("name", ["", "../amal", "أمل"])
def test_a_name_that_is_none_gets_no_token(folder: Path, name: str) -> None:
    code, _, err = sahrat("operator", "--data", str(folder), "--", name)
    assert code == 2
    assert "operator's name" in err
    assert not (folder / "operators").exists()


def test_without_keys_there_is_no_token(tmp_path: Path) -> None:
    code, _, err = sahrat("operator", "amal", "--data", str(tmp_path))
    assert code == 2
    assert "no keys" in err


async def test_no_token_a_players_or_somebody_elses_does_nothing(
    house: House, gateway: Gateway, folder: Path, tmp_path: Path
) -> None:
    before = await errands(house)
    grant = ("grant", new_id(), "5", "--reason", "x", "--url", gateway.url)
    code, _, err = await run(*grant, "--data", str(folder))
    assert (code, "no operator has a token" in err) == (2, True)
    file = tmp_path / "t"
    for text, why in (
        (ACCOUNTS.token(new_id(), "سالم", 10**13)[0], "the token is a player's"),
        ("nonsense", "not_signed_in: "),
    ):
        file.write_text(text)
        file.chmod(0o600)
        code, out, err = await run(*grant, "--token", str(file))
        assert (code, why in err) == (2, True), err
        assert text not in out + err
    file.chmod(0o644)
    code, _, err = await run(*grant, "--token", str(file))
    assert (code, "chmod 600" in err) == (2, True)
    assert await errands(house) == before


async def test_of_several_operators_one_is_named(
    house: House, gateway: Gateway, folder: Path, amal: Path
) -> None:
    where = ("--url", gateway.url, "--data", str(folder))
    assert (await run("operator", "huda", "--data", str(folder)))[0] == 0
    code, _, err = await run("grant", new_id(), "5", "--yes", "--reason", "x", *where)
    assert (code, "amal, huda" in err) == (2, True)
    grant = ("grant", new_id(), "5", "--yes", "--reason", "x")
    code, _, err = await run(*grant, "--as", "huda", *where)
    assert code == 0, err
    (entry,) = await entries(house)
    assert getattr(entry.cause, "operator", "") == "huda"
    both = ("--as", "huda", "--token", str(amal))
    code, _, err = await run("grant", new_id(), "5", "--yes", "--reason", "x", *both, *where)
    assert (code, "leave one out" in err) == (2, True)


# ---- grants


async def test_a_grant_says_where_it_stands(
    house: House, gateway: Gateway, folder: Path, amal: Path
) -> None:
    phone, intent_id = await house.phone(gateway), new_id()
    shown = ("--url", gateway.url, "--data", str(folder), "--reason", "a prize")
    code, out, err = await run("grant", phone.player_id, "500", *shown)
    assert (code, "add --yes" in err, await entries(house)) == (0, True, [])
    assert f"500 coins for {phone.player_id}, by amal: a prize\nhe has 0 coins\n" in out
    assert "never seen this player" in out
    where = (*shown, "--yes")
    for _ in range(2):  # under one intent it is one grant
        code, out, err = await run("grant", phone.player_id, "500", "--intent", intent_id, *where)
        assert (code, out.splitlines()[-1]) == (0, "done: entry 1 of the journal"), err
    assert "he has 500 coins\n" in out
    assert "never seen" not in out
    await phone.take("wallet", available_coins=500)
    code, _, err = await run("grant", phone.player_id, "501", "--intent", intent_id, *where)
    assert (code, "id_reused: this --intent was used before" in err) == (1, True)
    for player, coins in ((phone.player_id, "-5"), (phone.player_id, "1.5"), ("x", "5")):
        assert (await run("grant", *where, "--", player, coins))[0] == 2
    assert len(await entries(house)) == 2


async def test_a_grant_that_takes_too_long_can_be_asked_for_again(
    house: House, gateway: Gateway, folder: Path, amal: Path
) -> None:
    await house.stop("wallet")
    prize = ("--url", gateway.url, "--data", str(folder), "--reason", "a prize")
    where = (*prize, "--yes", "--wait", "0")
    player_id = new_id()
    code, _, err = await run("grant", player_id, "500", *where)
    assert code == 1
    (intent_id,) = {*re.findall(r"--intent ([0-9a-f-]{36})", err)}
    assert f"{gateway.url}/health" in err
    house.wallet()
    code, out, err = await run("grant", player_id, "500", "--intent", intent_id, *where[:-1], "60")
    assert (code, "entry 1 of the journal" in out) == (0, True), err


# ---- stops


async def two_tables(house: House, gateway: Gateway) -> tuple[list[str], list[Phone]]:
    phones = [await rich(house, gateway, 200), await rich(house, gateway, 200, "هدى")]
    tables = [await coin_table(house, gateway, *phones, entry=100) for _ in range(2)]
    for match_id in tables:
        for phone in phones:
            await phone.record(match_id, event="match.started")
    return tables, phones


async def test_a_stop_is_shown_first_and_done_with_yes(
    house: House, gateway: Gateway, folder: Path, amal: Path
) -> None:
    tables, phones = await two_tables(house, gateway)
    house_of = ("--url", gateway.url, "--data", str(folder))
    where = (*house_of, "--reason", "the power fails")
    before = await errands(house)
    code, out, err = await run("stop", tables[0], *house_of)
    assert code == 0
    assert "1 match, 200 coins go back" in out
    for phone, name in zip(phones, ("سالم", "هدى"), strict=True):
        assert f"  {phone.player_id}  {name}" in out.splitlines()
    assert "--yes" in err
    code, out, _ = await run("stop", "--all", *where)
    assert (code, "2 matches, 400 coins go back" in out) == (0, True)
    code, _, err = await run("stop", "--all", "--yes", *house_of)
    assert (code, "--reason" in err) == (2, True)
    assert all(match_id in out for match_id in tables)
    assert await errands(house) == before
    code, out, err = await run("stop", tables[0], "--yes", *where)
    assert code == 0, err
    assert "200 coins back, entry" in out
    for phone in phones:
        end = (await phone.record(tables[0], event="match.stopped"))["events"][-1]
        assert (end["operator"], end["detail"]) == ("amal", "the power fails")
        await phone.take("wallet", available_coins=100, held_coins=100)
    code, _, err = await run("stop", tables[0], "--yes", *where)
    assert (code, f"match {tables[0]} is over; " in err) == (1, True)  # no read models here
    code, out, _ = await run("stop", "--all", "--yes", *where)
    assert (code, "stopped 1 of 1, 200 coins are back" in out) == (0, True)
    code, out, _ = await run("stop", "--all", "--yes", *where)
    assert (code, out) == (0, "no match is on\n")
    stops = [one.match_id for one in await house.intents() if isinstance(one.intent, StopMatch)]
    assert sorted(stops) == sorted(tables)
    for phone in phones:
        await phone.take("wallet", available_coins=200, held_coins=0)


async def test_a_stop_that_is_not_done_in_time_says_what_is_missing(
    house: House, gateway: Gateway, folder: Path, amal: Path
) -> None:
    tables, _ = await two_tables(house, gateway)
    await house.stop("wallet")
    where = ("--url", gateway.url, "--data", str(folder), "--reason", "x", "--wait", "0")
    code, out, err = await run("stop", tables[0], "--yes", *where)
    assert (code, "(200 coins) are not back yet" in err) == (1, True)
    assert "stopped 1 of 1, 0 coins are back, 200 not yet" in out
    assert f"{gateway.url}/health" in err
    # Until they are back, it is not as if nothing were left to do.
    code, out, _ = await run("stop", tables[0], *where)
    assert (code, "stopped " in out, "1 match, 200 coins go back" in out) == (0, True, True)
    code, out, err = await run("stop", "--all", "--yes", *where)
    assert (code, "stopped 2 of 2, 0 coins are back, 400 not yet" in out) == (1, True), err
    house.wallet()
    code, out, err = await run("stop", "--all", "--yes", *where[:-1], "60")
    assert code == 0, err
    assert await held_coins(house) == 0
    stops = [one for one in await house.intents() if isinstance(one.intent, StopMatch)]
    assert len(stops) == 2


async def held_coins(house: House) -> int:
    """Return what is held after the journal's last entry, by its postings alone."""
    moved = [posting for entry in await entries(house) for posting in entry.postings]
    held = sum(one.coins for one in moved if one.destination.startswith("hold:"))
    return held - sum(one.coins for one in moved if one.source.startswith("hold:"))


@pytest.mark.parametrize(
    "arguments", [(), (MATCH, "--all"), ("x",), ("--all", "--reason", "")], ids=str
)
async def test_what_is_no_stop_is_refused(
    gateway: Gateway, folder: Path, amal: Path, arguments: tuple[str, ...]
) -> None:
    where = ("--url", gateway.url, "--data", str(folder))
    reason = () if "--reason" in arguments else ("--reason", "x")
    assert (await run("stop", *arguments, *reason, *where))[0] == 2
