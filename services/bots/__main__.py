"""The bots worker as a process: `python -m services.bots`."""

from __future__ import annotations

from sahrat import games
from sahrat.log.port import Log
from sahrat.runtime import runner
from sahrat.runtime.apart import Apart
from sahrat.runtime.health import Health
from sahrat.runtime.ids import new_id
from sahrat.runtime.settings import Settings
from services.bots.host import Bots


def build(settings: Settings, log: Log, _: Health) -> Bots:
    """Make the worker."""
    return Bots(log, settings.bot_pause_ms, new_id, Apart(games.get_ready))


if __name__ == "__main__":
    runner.main(Bots.name, build)
