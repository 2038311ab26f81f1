"""The gateway worker: a hub and the web server that is its door."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from sahrat.log.port import Log
from sahrat.runtime.health import Health
from sahrat.runtime.ids import new_id
from services.gateway.accounts import Accounts
from services.gateway.hub import Hub
from services.gateway.operator_pages import OperatorPages
from services.gateway.pages import Pages
from services.gateway.reads import Reads
from services.gateway.sessions import Limits
from services.gateway.web import Web

HOST: Final = "127.0.0.1"


class Gateway:
    """One gateway. Made while its loop runs.

    Args:
        log: Started by whoever made it.
        accounts: The keys of tokens and accounts.
        host: The address to listen on.
        port: 0: any free one.
        limits: What phones may do.
        reads: The read models; without them the pages that need them say so, and play goes on.
        health: How the house is, for `/health`; None: as this gateway is.
        new_id: Makes UUIDs.

    Attributes:
        opened: Set once phones can come in.
    """

    name = "gateway"

    def __init__(
        self,
        log: Log,
        accounts: Accounts,
        *,
        host: str = HOST,
        port: int = 0,
        limits: Limits | None = None,
        reads: Reads | None = None,
        health: Health | None = None,
        new_id: Callable[[], str] = new_id,
    ) -> None:
        if health is None:
            health = Health(self.name)
            health.watch(self.name, self.health)
        self._hub = Hub(log, accounts, limits or Limits(), new_id)
        pages, operators = Pages(self._hub, health, reads, new_id), OperatorPages(self._hub, reads)
        self._web = Web(self._hub, [*pages.routes(), *operators.routes()], host, port)
        self.opened = asyncio.Event()

    @property
    def id(self) -> str:
        """The gateway's id, new at each start."""
        return self._hub.parts.gateway

    @property
    def port(self) -> int:
        """The port that it listens on, once `opened` is set."""
        return self._web.port

    @property
    def url(self) -> str:
        """Where it listens, once `opened` is set."""
        return self._web.url

    async def run(self, stop: asyncio.Event) -> None:
        """Serve phones until `stop`; then say that all lines are gone, and close their sockets.

        Raises:
            LogFault: The log is away or damaged; after `AppendFailed` the process ends at once.
            FromTheFuture: A record is newer than this code.
            OSError: The port is taken.
        """
        await self._hub.run(stop, self)

    def health(self) -> str | None:
        """Return None while phones can play through this gateway; else what is wrong."""
        return self._hub.health()

    async def open(self) -> None:
        """Let phones in; the hub's to call."""
        await self._web.open()
        self.opened.set()

    async def close(self) -> None:
        """Let nobody in any more; the hub's to call."""
        await self._web.close()
