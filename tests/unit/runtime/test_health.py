from collections.abc import AsyncIterator

import aiohttp
import pytest

from sahrat.runtime.health import Health, HealthPage


@pytest.fixture
def health() -> Health:
    return Health("rules-1", {"statistics": "not in this house"})


@pytest.fixture
async def url(health: Health) -> AsyncIterator[str]:
    page = HealthPage(health)
    yield await page.start(0)
    await page.close()


async def _get(url: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as http, http.get(url) as answer:
        return answer.status, await answer.text()


async def test_green_while_every_part_can_work(health: Health, url: str) -> None:
    health.watch("log", lambda: None)
    async with aiohttp.ClientSession() as http, http.get(url) as answer:
        assert answer.status == 200
        said = await answer.json()
    assert said["healthy"] is True
    assert said["parts"] == {"log": "ok"}
    assert said["notes"] == {"statistics": "not in this house"}


async def test_red_with_the_reason_and_green_again(health: Health, url: str) -> None:
    wrong: list[str | None] = ["away for 4 s"]
    health.watch("log", lambda: wrong[0])
    health.watch("rules", lambda: None)
    async with aiohttp.ClientSession() as http, http.get(url) as answer:
        assert answer.status == 503
        assert (await answer.json())["reason"] == "log: away for 4 s"
    wrong[0] = None
    assert (await _get(url))[0] == 200


async def test_a_part_that_play_goes_on_without_is_shown_and_makes_nothing_red(
    health: Health, url: str
) -> None:
    health.watch("log", lambda: None)
    health.watch("database", lambda: "can't start", optional=True)
    async with aiohttp.ClientSession() as http, http.get(url) as answer:
        assert answer.status == 200
        assert (await answer.json())["parts"]["database"] == "can't start"


async def test_a_check_that_raises_is_red_and_not_silent(health: Health, url: str) -> None:
    def broken() -> str | None:
        raise LookupError("no partition")

    health.watch("rules", broken)
    status, text = await _get(url)
    assert status == 503
    assert "LookupError" in text


async def test_metrics_show_the_parts(health: Health, url: str) -> None:
    health.watch("log", lambda: None)
    health.watch("rules", lambda: "stuck")
    status, text = await _get(url.replace("/health", "/metrics"))
    assert status == 200
    assert 'sahrat_healthy{part="log"} 1.0' in text
    assert 'sahrat_healthy{part="rules"} 0.0' in text
    assert "process_resident_memory_bytes" in text


async def test_a_port_that_is_taken_is_said(url: str) -> None:
    port = int(url.split(":")[2].split("/", maxsplit=1)[0])
    with pytest.raises(OSError, match="in use"):
        await HealthPage(Health("other")).start(port)
