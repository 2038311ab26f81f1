"""How a process is: `/health` for whoever supervises it, `/metrics` for Prometheus."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Final

import orjson
from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

HOST: Final = "127.0.0.1"
SHUTDOWN_S: Final = 1.0
FINE: Final = "ok"

Check = Callable[[], str | None]
"""Returns None while a part can do its work, else what is wrong, in a few words."""


class Health:
    """The parts of a process, each with its check.

    Args:
        name: The process.
        notes: What is to be said besides, for people: it makes nothing red.
    """

    def __init__(self, name: str, notes: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.notes = dict(notes or {})
        self._checks: dict[str, Check] = {}
        self._optional: list[str] = []
        self._started = time.monotonic()
        self.registry = CollectorRegistry()
        self.registry.register(_Gauges(self))

    def watch(self, part: str, check: Check, *, optional: bool = False) -> None:
        """Show a part from now on; an optional one that is red leaves the whole green."""
        self._checks[part] = check
        if optional:
            self._optional.append(part)

    def parts(self) -> dict[str, str]:
        """Return each part with `ok`, or what is wrong with it."""
        return {part: _ask(check) or FINE for part, check in self._checks.items()}

    def reason(self) -> str | None:
        """Return None while the whole can do its work, else what is wrong."""
        red = [
            f"{part}: {said}"
            for part, said in self.parts().items()
            if said != FINE and part not in self._optional
        ]
        return "; ".join(red) or None

    def report(self) -> dict[str, object]:
        """Return what `/health` says."""
        report: dict[str, object] = {
            "name": self.name,
            "healthy": self.reason() is None,
            "reason": self.reason() or "",
            "parts": self.parts(),
            "up_s": int(time.monotonic() - self._started),
        }
        return report | ({"notes": self.notes} if self.notes else {})


def _ask(check: Check) -> str | None:
    try:
        return check()
    except Exception as fault:  # a health page that fails says less than one that says this
        return f"its check failed: {type(fault).__name__}"


class _Gauges(Collector):
    """Makes the gauges at the moment when they are asked for."""

    def __init__(self, health: Health) -> None:
        self._health = health

    def collect(self) -> Iterable[Metric]:
        gauge = GaugeMetricFamily(
            "sahrat_healthy", "1 while the part can do its work", labels=["part"]
        )
        for part, said in self._health.parts().items():
            gauge.add_metric([part], float(said == FINE))
        yield gauge


class HealthPage:
    """Serves a process's health on 127.0.0.1 alone."""

    def __init__(self, health: Health) -> None:
        self._health = health
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def start(self, port: int) -> str:
        """Listen on a port (0: any free one) and return the address of the page.

        Raises:
            OSError: The port is taken.
        """
        app = web.Application()
        app.router.add_get("/health", self._answer)
        app.router.add_get("/metrics", self._metrics)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=SHUTDOWN_S)
        await self._runner.setup()
        listening = socket.create_server((HOST, port))
        await web.SockSite(self._runner, listening).start()
        self.url = f"http://{HOST}:{listening.getsockname()[1]}/health"
        return self.url

    async def close(self) -> None:
        """Stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _answer(self, _: web.Request) -> web.Response:
        return answer(self._health)

    async def _metrics(self, _: web.Request) -> web.Response:
        return metrics(self._health)


def answer(health: Health) -> web.Response:
    """Return `/health`: 200 while all that matters works, else 503, with the parts in JSON."""
    report = health.report()
    status = HTTPStatus.OK if report["healthy"] else HTTPStatus.SERVICE_UNAVAILABLE
    return web.Response(
        body=orjson.dumps(report, option=orjson.OPT_INDENT_2),
        status=status,
        content_type="application/json",
        headers={"Cache-Control": "no-store"},
    )


def metrics(health: Health) -> web.Response:
    """Return `/metrics`: the process's memory, time and files, and whether each part is fine."""
    body = generate_latest(REGISTRY) + generate_latest(health.registry)
    return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE_LATEST})
