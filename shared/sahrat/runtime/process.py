"""The life of a process: its loop, its signals, its limit for stopping, and how it ends."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Final, NoReturn

import structlog
import uvloop

from sahrat.runtime.exits import Exit
from sahrat.runtime.failures import exit_of, reason_of

FILES: Final = 65_536  # open at once; more than any part of the house needs
STOP_LIMIT_S: Final = 20.0  # more than a worker needs to hand over its partitions
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)

Work = Callable[[asyncio.Event], Coroutine[Any, Any, None]]
"""All that a process does, until the event is set."""

_log = structlog.get_logger("process")


def run(work: Work, *, supervised: bool = False, stop_limit_s: float = STOP_LIMIT_S) -> NoReturn:
    """Run `work` on a loop of its own until it returns, and end the process. It may have as many
    files open as the system lets it.

    SIGTERM and SIGINT set the event; a second one, or the time limit, ends the process at once. So
    does any failure: nothing is flushed, closed or handed over then, as after a crash.

    Args:
        work: What to do.
        supervised: Standard input is a pipe from the supervisor, whose end says that it is gone.
        stop_limit_s: How long `work` may take once the event is set.
    """
    _raise_files()
    gc.freeze()  # what was imported stays: a sixth of a start was to look for garbage in it
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_until_told(work, supervised, stop_limit_s))
    except BaseException as failure:
        fail(failure)
    end(Exit.DONE)


def _raise_files() -> None:
    """The usual limit of 1,024 open files is there for programs that could not do with more."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if most == resource.RLIM_INFINITY else min(FILES, most)
    if now == resource.RLIM_INFINITY or now >= wanted:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
    except (OSError, ValueError) as fault:
        _log.warning("few files may be open at once", files=now, fault=str(fault))


def fail(failure: BaseException) -> NoReturn:
    """Log what ended this process, and end it at once with the code that belongs to it."""
    code = exit_of(failure)
    if code is Exit.FAULT:
        _log.critical("a fault ends the process", exc_info=failure, exit=int(code))
    else:
        _log.critical(
            "the process ends",
            reason=reason_of(failure),
            exit=int(code),
            alarm=code is Exit.NEWER,
        )
    end(code)


def end(code: Exit) -> NoReturn:
    """End the process without a further word to anybody."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


async def _until_told(work: Work, supervised: bool, stop_limit_s: float) -> None:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()

    def told(why: str) -> None:
        if stop.is_set():
            _log.warning("told again: ending at once", why=why)
            end(Exit.SLOW)
        _log.info("stopping", why=why)
        stop.set()
        loop.call_later(stop_limit_s, _too_slow, stop_limit_s)

    for number in SIGNALS:
        loop.add_signal_handler(number, told, number.name)
    if supervised:
        _watch_supervisor(loop, told, stop_limit_s)
    await work(stop)


def _too_slow(limit_s: float) -> NoReturn:
    _log.error("not stopped in time", limit_s=limit_s)
    end(Exit.SLOW)


def _watch_supervisor(
    loop: asyncio.AbstractEventLoop, told: Callable[[str], None], limit_s: float
) -> None:
    """Stop when the supervisor is gone, however it went, and though this loop may be stuck."""

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 1):
            pass
        loop.call_soon_threadsafe(told, "the supervisor is gone")
        threading.Event().wait(2 * limit_s)
        os._exit(Exit.SLOW)

    threading.Thread(target=watch, name="supervisor", daemon=True).start()
