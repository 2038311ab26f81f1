"""The gateway worker as a process: `python -m services.gateway`."""

from __future__ import annotations

from sahrat.log.port import Log
from sahrat.runtime import runner
from sahrat.runtime.database import named_database
from sahrat.runtime.health import Health
from sahrat.runtime.settings import Settings
from services.gateway.process import GatewayProcess


def build(settings: Settings, log: Log, health: Health) -> GatewayProcess:
    """Make the worker; it alone reads the gateway's keys. Raises BadSetting."""
    dsn = named_database(settings)
    return GatewayProcess(settings, log, health, lambda: dsn)


if __name__ == "__main__":
    runner.main(GatewayProcess.name, build)
