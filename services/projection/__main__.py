"""The projection worker as a process: `python -m services.projection`."""

from __future__ import annotations

from sahrat.log.port import Log
from sahrat.runtime import runner
from sahrat.runtime.database import named_database
from sahrat.runtime.health import Health
from sahrat.runtime.settings import POSTGRES, BadSetting, Settings
from services.projection.both import Projections


def build(settings: Settings, log: Log, _: Health) -> Projections:
    """Make the worker for the database that the settings name. Raises BadSetting."""
    dsn = named_database(settings)
    if dsn is None:
        raise BadSetting(f"no database: set {POSTGRES} to its DSN")
    return Projections(log, dsn)


if __name__ == "__main__":
    runner.main(Projections.name, build)
