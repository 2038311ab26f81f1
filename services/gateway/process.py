"""The gateway with all that a running house has for it: settings, keys, health, read models."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from typing_extensions import override

from sahrat.log.port import Log
from sahrat.runtime.health import Health
from sahrat.runtime.settings import PORT, BadSetting, Settings
from sahrat.runtime.worker import Worker
from services.gateway.host import Gateway
from services.gateway.keys import accounts
from services.gateway.past import Past
from services.gateway.sessions import Limits

WELCOME_COINS: Final = 1_000


class GatewayProcess(Worker):
    """A gateway, and the read models that its pages show. Made while its loop runs.

    Args:
        settings: Where it listens, its keys, and what phones may do.
        log: Where everything is read and written.
        health: How the house is, for its page.
        dsn: Returns the read models' database; None while it has not come up.

    Raises:
        BadSetting: Its keys are missing or wrong.
    """

    name = Gateway.name

    def __init__(
        self, settings: Settings, log: Log, health: Health, dsn: Callable[[], str | None]
    ) -> None:
        self._past = Past(dsn)
        self._where = f"{settings.host} port {settings.port}"
        self._gateway = Gateway(
            log,
            accounts(settings),
            host=settings.host,
            port=settings.port,
            limits=Limits(
                rate=settings.rate,
                origins=settings.origins,
                welcome_coins=WELCOME_COINS if settings.welcome else 0,
            ),
            reads=self._past,
            health=health,
        )

    @property
    def opened(self) -> asyncio.Event:
        """Set once phones can come in."""
        return self._gateway.opened

    @override
    async def run(self, stop: asyncio.Event) -> None:
        try:
            await self._gateway.run(stop)
        except OSError as fault:
            raise BadSetting(f"{PORT}: {self._where}: {fault.strerror}") from fault
        finally:
            await self._past.close()

    @override
    def health(self) -> str | None:
        return self._gateway.health()
