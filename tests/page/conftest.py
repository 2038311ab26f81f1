"""One browser for all tests of pages that a worker runs, and one house for those who play."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser

from tests.page.site import Site, chromium, site


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_site(browser: Browser) -> AsyncIterator[Site]:
    async with site(browser) as shared:
        yield shared


@pytest_asyncio.fixture(loop_scope="session")
async def place(shared_site: Site) -> AsyncIterator[Site]:
    """The house and the browser, with nobody there yet; nothing may fail in any page."""
    shared_site.faults.clear()
    yield shared_site
    await shared_site.clear()
    assert not shared_site.faults
