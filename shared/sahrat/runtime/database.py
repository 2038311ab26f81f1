"""The database that the settings name, for those who need one: most processes load no driver."""

from __future__ import annotations

from sahrat.runtime.settings import POSTGRES, BadSetting, Settings
from sahrat.storage.pool import BadDsn, check_dsn


def named_database(settings: Settings) -> str | None:
    """Return the DSN of the database that is named, which may hold a password; None for none.

    Raises:
        BadSetting: What is named is no DSN.
    """
    if settings.dsn is None:
        return None
    try:
        check_dsn(settings.dsn)
    except BadDsn as fault:
        raise BadSetting(f"{POSTGRES}: {fault}") from None
    return settings.dsn
