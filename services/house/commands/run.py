"""`sahrat run`: the whole house on this machine, until it is told to stop."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Final

import click
import structlog
from pydantic import SecretStr

from sahrat.runtime import logs, process
from sahrat.runtime.database import named_database
from sahrat.runtime.keys import new_master_keys
from sahrat.runtime.settings import (
    LOG_LEVEL,
    PAUSE_LIMIT_MS,
    PORT,
    PORT_LIMIT,
    RATE_LIMIT,
    BadSetting,
    Settings,
)
from services.gateway.accounts import new_keys_text
from services.house.embedded import Embedded
from services.house.folder import Folder, LogKind, default_folder
from services.house.local.lock import Busy
from services.house.numbers import Whole
from services.house.plan import Plan, keys_for, listen_port, why_other_port, with_welcome
from services.house.problem import Problem
from services.house.supervise import Supervisor
from services.house.workers import WORKERS, parse_workers

SUPERVISOR_STOP_S: Final = 90.0  # workers, then a database that writes its pages, and the broker

_log = structlog.get_logger("house")


@click.command(short_help="Start the house on this machine.")
@click.option(
    "--log",
    "kind",
    type=click.Choice(["embedded", "kafka"]),
    default="embedded",
    show_default=True,
    help="Everything in one process on a log in a file; or each worker a process, on Kafka.",
)
@click.option("--host", help="Where to listen.  [default: 127.0.0.1]")
@click.option(
    "--port",
    type=Whole(0, PORT_LIMIT),
    help="The port; 0 is any free one.  [default: 8000, or a free one if that is taken]",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder that keeps everything.  [default: .sahrat in the checkout]",
)
@click.option(
    "--bot-pause-ms",
    type=Whole(0, PAUSE_LIMIT_MS),
    help="How long a bot thinks, in ms.  [default: 1000]",
)
@click.option(
    "--rate",
    type=Whole(1, RATE_LIMIT),
    help="Messages a second that a phone may send; twice as many in a burst.  [default: 20]",
)
@click.option(
    "--workers",
    metavar="NAME=N",
    multiple=True,
    help=f"How many processes of a worker, on Kafka: {', '.join(WORKERS)}.  [default: 1]",
)
@click.option("--open/--no-open", "browser", default=False, help="Show it in a browser.")
def command(
    kind: LogKind,
    host: str | None,
    port: int | None,
    data: Path | None,
    bot_pause_ms: int | None,
    rate: int | None,
    workers: tuple[str, ...],
    browser: bool,
) -> None:
    """Start the house on this machine, and run it until Ctrl-C.

    Says its address on standard output when it is ready. Everything is kept in its folder, so that
    the next start goes on where this one ended, however it ended. On Kafka it uses the broker and
    the database that SAHRAT_KAFKA and SAHRAT_POSTGRES name, or else starts its own.

    A house on keys of its own is for development: it gives each new player 1,000 coins, to try coin
    tables with (SAHRAT_WELCOME=0: nothing).

    The embedded house is one process, whose parts share memory with the keys of the dice: whoever
    can read that can foretell rolls. On Kafka only the rules workers have them.
    """
    folder = Folder((data or default_folder()).resolve())
    try:
        settings = _with_options(Settings.read(), host, bot_pause_ms, rate)
        named_database(settings)  # so that a bad one is told before anything is started
        if port is None and os.environ.get(PORT, "").strip():
            port = settings.port
        plan = Plan(folder, settings, port, parse_workers(workers, kind), browser)
        with folder.hold():  # until this process is gone
            _run(plan, kind)
    except BadSetting as fault:
        raise Problem(str(fault)) from None
    except Busy as fault:
        found = folder.address()
        where = f", at {found.url}" if found else ""
        raise Problem(f"{fault}{where}: stop it, or choose another --data") from None
    except OSError as fault:
        raise Problem(f"{fault.filename or folder.path}: {fault.strerror}") from None


def _with_options(
    settings: Settings, host: str | None, bot_pause_ms: int | None, rate: int | None
) -> Settings:
    """Return the settings with the options in their place, where given."""
    return replace(
        settings,
        host=settings.host if host is None else host,
        bot_pause_ms=settings.bot_pause_ms if bot_pause_ms is None else bot_pause_ms,
        rate=settings.rate if rate is None else rate,
    )


def _run(plan: Plan, kind: LogKind) -> None:
    port = listen_port(plan.settings.host, plan.port)
    if kind == "embedded" or plan.settings.kafka is None:
        plan = replace(plan, settings=_with_keys(with_welcome(plan)))
    else:  # somebody's broker: nobody but its owner may choose keys that others must have too
        plan.settings.master_keys.read()
        plan.settings.gateway_keys.read()
    if plan.form == "console" and not os.environ.get(LOG_LEVEL, "").strip():
        # On a terminal the one line with the address is not to be lost among others.
        plan = replace(plan, settings=replace(plan.settings, log_level="warning"))
    logs.configure("house", level=plan.settings.log_level, form=plan.form)
    other = why_other_port(plan.port, port)
    if other:
        _log.warning(other, port=port)
    if kind == "embedded":
        process.run(Embedded(plan, port).run)
    process.run(Supervisor(plan, port).run, stop_limit_s=SUPERVISOR_STOP_S)


def _with_keys(plan: Plan) -> Settings:
    """Return the settings with keys of the house's own, made at its first start."""
    settings, folder = plan.settings, plan.folder
    return replace(
        settings,
        master_keys=keys_for(plan, settings.master_keys, folder.master_keys, new_master_keys),
        gateway_keys=keys_for(
            plan, settings.gateway_keys, folder.gateway_keys, lambda: SecretStr(new_keys_text())
        ),
    )
