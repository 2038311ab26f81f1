"""One house and one browser for all tests of the page that a worker runs."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.page.site import Site, site


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_site() -> AsyncIterator[Site]:
    async with site() as shared:
        yield shared


@pytest_asyncio.fixture(loop_scope="session")
async def place(shared_site: Site) -> AsyncIterator[Site]:
    """The house and the browser, with nobody there yet; nothing may fail in any page."""
    shared_site.faults.clear()
    yield shared_site
    await shared_site.clear()
    assert not shared_site.faults
