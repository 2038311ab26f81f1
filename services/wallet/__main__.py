"""The wallet worker as a process: `python -m services.wallet`."""

from __future__ import annotations

from sahrat.log.port import Log
from sahrat.runtime import runner
from sahrat.runtime.health import Health
from sahrat.runtime.ids import new_id
from sahrat.runtime.settings import Settings
from services.wallet.host import Wallet


def build(_: Settings, log: Log, __: Health) -> Wallet:
    """Make the worker, which needs nothing but the log."""
    return Wallet(log, new_id)


if __name__ == "__main__":
    runner.main(Wallet.name, build)
