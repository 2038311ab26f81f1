"""Runs one worker as a process of its own, on Kafka."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

import structlog

from sahrat.log.kafka import KafkaLog
from sahrat.log.port import Log
from sahrat.runtime import logs, process
from sahrat.runtime.ending import EndingLog
from sahrat.runtime.exits import Exit
from sahrat.runtime.health import Health, HealthPage
from sahrat.runtime.settings import HEALTH_PORT, BadSetting, Settings
from sahrat.runtime.worker import Worker

Build = Callable[[Settings, Log, Health], Worker]
"""Makes the worker; reads what only this worker may know. May raise BadSetting."""

_log = structlog.get_logger("process")


def main(name: str, build: Build) -> NoReturn:
    """Run a worker until it is told to stop, and end the process. See `exits` for the codes.

    Arguments on the command line are not read: they tell whoever lists processes whose this is.
    """
    try:
        settings = Settings.read()
        broker = settings.need_kafka()
    except BadSetting as fault:
        sys.stderr.write(f"{name}: {fault}\n")  # logs are set up by settings
        sys.exit(Exit.USAGE)
    called = settings.name or name
    logs.configure(called, level=settings.log_level, form=settings.log_form)
    health = Health(called)

    async def work(stop: asyncio.Event) -> None:
        log = KafkaLog(broker, flush=settings.kafka_flush, name=called)
        if settings.supervised:  # the supervisor has said it, once for all
            log.quiet()
        ending = EndingLog(log, process.fail)
        worker = build(settings, ending, health)
        await serve(worker, ending, health, settings.health_port, stop)

    process.run(work, supervised=settings.supervised)


async def serve(worker: Worker, log: Log, health: Health, port: int, stop: asyncio.Event) -> None:
    """Run a worker and its health page until the worker returns.

    Raises:
        BadSetting: The health page's port is taken.
        LogFault: The log can't be used; whoever calls ends the process.
        RuntimeError: The worker returned though nobody had told it to.
    """
    starting = True
    health.watch("log", lambda: "starting" if starting else log.healthy())
    health.watch(worker.name, lambda: "starting" if starting else worker.health())
    page = HealthPage(health)
    try:
        _log.info("started", health=await page.start(port))
    except OSError as fault:
        raise BadSetting(f"{HEALTH_PORT}: port {port}: {fault.strerror}") from None
    if await _done_before(log.start(), stop):
        starting = False
        await worker.run(stop)
        if not stop.is_set():
            raise RuntimeError(f"{worker.name} returned by itself")
    await log.close()
    await page.close()
    _log.info("stopped")


async def _done_before(work: Coroutine[Any, Any, None], stop: asyncio.Event) -> bool:
    """Do something that may take long; return whether it was done before `stop`, which ends it."""
    doing, stopping = asyncio.create_task(work), asyncio.create_task(stop.wait())
    await asyncio.wait((doing, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if doing.done():
        doing.result()
        return True
    doing.cancel()
    await asyncio.wait((doing,))
    return False
