"""The projection worker as a process: `python -m services.projection`."""

from __future__ import annotations

from sahrat.log.port import Log
from sahrat.runtime import runner
from sahrat.runtime.health import Health
from sahrat.runtime.settings import POSTGRES, BadSetting, Settings
from sahrat.storage.pool import BadDsn
from services.projection.both import Projections


def build(settings: Settings, log: Log, _: Health) -> Projections:
    """Make the worker for the database that the settings name. Raises BadSetting."""
    try:
        return Projections(log, settings.need_postgres())
    except BadDsn as fault:
        raise BadSetting(f"{POSTGRES}: {fault}") from None


if __name__ == "__main__":
    runner.main(Projections.name, build)
