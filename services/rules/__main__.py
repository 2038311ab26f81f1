"""The rules worker as a process: `python -m services.rules`."""

from __future__ import annotations

from sahrat import games
from sahrat.log.port import Log
from sahrat.runtime import runner
from sahrat.runtime.apart import Apart
from sahrat.runtime.health import Health
from sahrat.runtime.keys import match_keys
from sahrat.runtime.settings import Settings
from services.rules.host import Rules


def build(settings: Settings, log: Log, _: Health) -> Rules:
    """Make the worker; it alone reads the master keys. Raises BadSetting."""
    return Rules(log, match_keys(settings.master_keys), Apart(games.get_ready))


if __name__ == "__main__":
    runner.main(Rules.name, build)
