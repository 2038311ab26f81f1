"""The timer worker as a process: `python -m services.timer`."""

from __future__ import annotations

from sahrat.log.port import Log
from sahrat.runtime import runner
from sahrat.runtime.health import Health
from sahrat.runtime.ids import new_id
from sahrat.runtime.settings import Settings
from services.timer.host import Timer


def build(_: Settings, log: Log, __: Health) -> Timer:
    """Make the worker."""
    return Timer(log, new_id)


if __name__ == "__main__":
    runner.main(Timer.name, build)
