"""`sahrat run --log kafka`: each worker a process of its own, and any of them may be killed."""

import asyncio
import contextlib
import json
import os
import signal
import time
from pathlib import Path
from typing import Final

import orjson
import pytest

from services.house.folder import Folder
from services.house.source import Kafka, locate, open_source
from tests.integration.running import (
    Running,
    come_back,
    get,
    gone,
    open_table,
    processes,
    running,
)

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.postgres,
    pytest.mark.slow,
    pytest.mark.usefixtures("own_kafka", "own_postgres"),
]
OPTIONS: Final = ("--log", "kafka", "--port", "0", "--bot-pause-ms", "0", "--workers", "rules=2")
WORKERS: Final = {
    "rules-1",
    "rules-2",
    "timer-1",
    "bots-1",
    "wallet-1",
    "projection-1",
    "gateway-1",
}
AGAIN_S: Final = 90.0


def _workers(data: Path) -> dict[str, int]:
    """Each worker's process id as the house has noted it; one that is being started has none."""
    found: dict[str, int] = {}
    for path in data.glob("run/*.json"):
        with contextlib.suppress(FileNotFoundError):
            found[path.stem] = int(json.loads(path.read_bytes())["pid"])
    return found


async def _all_well(house: Running, but: int = 0) -> dict[str, int]:
    """Wait until every part is well and worker `but` has a successor; return the processes."""
    deadline = time.monotonic() + AGAIN_S
    parts: dict[str, str] = {}
    while time.monotonic() < deadline:
        workers = _workers(house.data)  # first: one that is noted is no longer taken for the last
        status, body = await get(house.address["health"])
        parts = orjson.loads(body)["parts"]
        well = status == 200 and set(parts.values()) == {"ok"}
        if well and set(workers) == WORKERS and but not in workers.values():
            return workers
        await asyncio.sleep(0.1)
    raise AssertionError(f"not well: {parts}; {house.said()}")


async def test_a_match_survives_the_end_of_every_part(data: Path) -> None:
    with running(data, *OPTIONS) as house:
        assert (await get(house.url + "/"))[0] == 200
        assert (await get(house.url + "/health"))[0] == 200
        workers = await _all_well(house)
        assert set(workers) == WORKERS
        phone, match_id = await open_table(house.url)

        for name in ("rules-1", "gateway-1"):
            os.kill(workers[name], signal.SIGKILL)
            workers = await _all_well(house, but=workers[name])
        assert await phone.closed() == 1006
        await phone.close()
        phone = await come_back(house.url, phone, match_id)

        async with open_source(locate(None, data, None)) as source:
            seen = await source.records(match_id)
        assert len(seen) >= 1
        house.kill()
        assert gone(data) == []
        await phone.close()

    assert locate(None, data, None) == Kafka(None, Folder(data))
    with running(data, *OPTIONS) as house:
        again = await come_back(house.url, phone, match_id)
        async with open_source(locate(house.url, None, None)) as source:
            assert tuple(await source.records(match_id))[: len(seen)] == tuple(seen)
        await again.close()
        assert house.stop()[0] == 0, house.said()
        assert processes(data) == []
        assert not (data / "address.json").exists()
        assert _workers(data) == {}
