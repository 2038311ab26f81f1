"""`sahrat run`, embedded: what it promises to whoever starts it, and that nothing is lost."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from services.house.source import locate, open_source
from tests.integration.command import sahrat
from tests.integration.phone import Phone
from tests.integration.running import (
    PATIENCE,
    READY_S,
    Running,
    come_back,
    get,
    open_table,
    processes,
    running,
)

pytestmark = [pytest.mark.postgres, pytest.mark.slow, pytest.mark.usefixtures("own_postgres")]
EMBEDDED = ("--port", "0", "--bot-pause-ms", "0")
NOWHERE = {"SAHRAT_POSTGRES": "postgresql://127.0.0.1:1/none"}  # where play alone is looked at


async def test_a_match_survives_a_kill_and_a_new_start(data: Path) -> None:
    with running(data, *EMBEDDED) as house:
        assert house.ready_s < READY_S * PATIENCE
        assert (await get(house.url + "/"))[0] == 200
        status, body = await get(house.url + "/health")
        assert status == 200, body
        phone, match_id = await open_table(house.url)
        house.kill()
        assert await phone.closed() == 1006
        await phone.close()

    with running(data, *EMBEDDED) as house:
        again = await come_back(house.url, phone, match_id)
        await again.close()
        assert house.stop()[0] == 0, house.said()


async def test_records_are_the_same_from_the_house_and_from_its_folder(data: Path) -> None:
    with running(data, *EMBEDDED) as house:
        phone, match_id = await open_table(house.url)
        seen = phone.records[match_id]
        await _database(house)
        async with open_source(locate(house.url, None, None)) as source:
            assert list(await source.records(match_id))[: len(seen)] == seen
        async with open_source(locate(None, data, None)) as source:
            assert list(await source.records(match_id))[: len(seen)] == seen
            assert await source.records(phone.player_id) == ()
        await phone.close()
        assert house.stop()[0] == 0
    async with open_source(locate(None, data, None)) as source:
        assert list(await source.records(match_id))[: len(seen)] == seen


async def test_a_second_house_on_the_same_folder_is_refused_in_one_line(data: Path) -> None:
    with running(data, *EMBEDDED, **NOWHERE) as house:
        command = [sys.executable, "-m", "services.house", "run", "--data", str(data)]
        second = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, text=True, check=False
        )
        assert second.returncode == 2
        assert second.stderr.count("\n") == 1
        assert f"in use by process {house.process.pid}, at {house.url}" in second.stderr
        assert (await get(house.url + "/health"))[0] == 200
        assert house.address["url"] == house.url


async def test_it_ends_cleanly_within_seconds_and_leaves_nobody_behind(data: Path) -> None:
    with running(data, *EMBEDDED) as house:
        phone, _ = await open_table(house.url)
        assert await _database(house) in {int(line.split()[0]) for line in processes(data)}
        code, took_s = house.stop()
        assert (code, took_s < 10) == (0, True), house.said()
        assert processes(data) == []
        assert not (data / "address.json").exists()
        assert await phone.closed() == 1001
        await phone.close()


async def _database(house: Running) -> int:
    """Wait until the read models are there; return the database's process."""
    async with asyncio.timeout(60):
        while True:
            status, body = await get(house.url + "/health")
            assert status == 200
            parts = orjson.loads(body)["parts"]
            if parts["database"] == parts["projection"] == "ok":
                return await asyncio.to_thread(_database_process, house.data)
            await asyncio.sleep(0.1)


def _database_process(data: Path) -> int:
    (noted,) = data.glob("postgres-embedded/**/postmaster.pid")
    return int(noted.read_text().split()[0])


async def test_without_a_database_play_goes_on_and_health_says_so(data: Path) -> None:
    (data / "postgres-embedded").write_text("not a folder")
    with running(data, *EMBEDDED) as house:
        phone, match_id = await open_table(house.url)
        status, body = await get(house.url + "/health")
        assert status == 200
        assert "postgres" in orjson.loads(body)["parts"]["database"]
        said = [line for line in house.log if '"part": "database"' in line]
        assert len(said) == 1
        assert (await get(f"{house.url}/api/matches/{match_id}/records"))[0] == 503
        await phone.close()
        assert house.stop()[0] == 0


async def test_a_database_that_dies_is_started_again(data: Path) -> None:
    with running(data, *EMBEDDED) as house:
        os.kill(await _database(house), signal.SIGKILL)
        phone, match_id = await open_table(house.url)
        async with asyncio.timeout(60):
            while (status := (await get(f"{house.url}/api/matches/{match_id}/records"))[0]) != 200:
                assert status in {404, 503}
                await asyncio.sleep(0.1)
        await phone.close()


async def test_a_house_for_development_welcomes_players_and_obeys_its_operators(data: Path) -> None:
    async def come(url: str) -> Phone:
        phone = Phone(url)
        await phone.register("Salim")
        await phone.connect()
        return phone

    with running(data, *EMBEDDED, **NOWHERE) as house:
        phone = await come(house.url)
        await phone.take("wallet", available_coins=1_000)
        code, _, err = await asyncio.to_thread(sahrat, "operator", "amal", "--data", str(data))
        assert code == 0, err
        grant = ("grant", phone.player_id, "7", "--yes", "--reason", "a test", "--data", str(data))
        code, _, err = await asyncio.to_thread(sahrat, *grant)
        assert code == 0, err
        await phone.take("wallet", available_coins=1_007)
        await phone.close()
        house.stop()
    with running(data, *EMBEDDED, **NOWHERE, SAHRAT_WELCOME="0") as house:
        again = Phone(house.url)
        again.token, again.player_id = phone.token, phone.player_id
        await again.connect()
        await again.take("wallet", available_coins=1_007)  # it is in the log, not in a process
        other = await come(house.url)
        await other.take("wallet", available_coins=0)
        for one in (again, other):
            await one.close()
