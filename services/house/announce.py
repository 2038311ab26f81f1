"""How a house says that it is ready, and where."""

from __future__ import annotations

import contextlib
import sys
import webbrowser

import structlog

from services.house.folder import Address
from services.house.plan import Plan

_log = structlog.get_logger("house")


def announce(plan: Plan, address: Address) -> None:
    """Write the address into the house's folder, and on standard output as one line.

    Raises:
        OSError: The folder can't be written to.
    """
    plan.folder.publish(address)
    with contextlib.suppress(OSError):  # nobody need listen
        sys.stdout.write(f"Sahrat is at {address.url}\n")
        sys.stdout.flush()
    _log.info("ready", url=address.url, folder=str(plan.folder.path), health=address.health)
    if plan.open:
        webbrowser.open(address.url)
