"""How long a match is checked on the Verify page, in a real browser.

From a file that is chosen until the verdict stands there, everything drawn; on this machine's CPU,
and slowed four times, as a cheap phone's is. The match is a whole one that was kept.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path
from typing import Final

from playwright.async_api import Page, async_playwright

from tests.bench.ask import Ask
from tests.bench.places import LogKind
from tests.bench.processes import Failed
from tests.bench.report import Report, Row
from tests.integration.gateway_house import memory_house
from tests.page.browser import arguments, chromium

VERIFY: Final = "verify"
MATCH: Final = Path(__file__).parents[2] / "schemas" / "samples" / "matches" / "ludo-1-free.jsonl"
SLOWED: Final = (1, 4)
TIMES: Final = 7
AWAY_MS: Final = 60_000.0


def verify(ask: Ask, kind: LogKind, report: Report) -> None:
    """Measure one match; without a log."""
    del ask, kind
    program = chromium()
    if program is None:
        raise Failed("there is no Chromium here")
    report.add(*asyncio.run(_measured(program)))


async def _measured(program: str) -> list[Row]:
    records = MATCH.read_bytes().count(b"\n")
    rows = []
    async with memory_house() as house, async_playwright() as playwright:
        gateway = await house.gateway()
        browser = await playwright.chromium.launch(executable_path=program, args=arguments())
        page = await browser.new_page()
        page.set_default_timeout(AWAY_MS)
        await page.goto(f"{gateway.url}/verify")
        await page.wait_for_selector("form")
        devtools = await page.context.new_cdp_session(page)
        for slowed in SLOWED:
            await devtools.send("Emulation.setCPUThrottlingRate", {"rate": slowed})
            times_ms = [await _checked(page) for _ in range(TIMES)]
            cpu = "" if slowed == 1 else f", CPU slowed {slowed} times"
            name = f"a match of {records} records{cpu}"
            note = f"median of {TIMES}, {max(times_ms):.0f} at worst"
            rows.append(Row(VERIFY, "", name, statistics.median(times_ms), "ms", note=note))
        await browser.close()
    return rows


async def _checked(page: Page) -> float:
    """Return how many milliseconds it takes until the page says that everything fits."""
    begun = time.perf_counter()
    await page.set_input_files("#file", MATCH)
    await page.wait_for_selector(".verdict.good #verdict:focus")
    took_ms = (time.perf_counter() - begun) * 1000
    await page.evaluate("document.activeElement.blur()")
    return took_ms
