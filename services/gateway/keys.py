"""The gateway's keys, from where a process's settings say that they are."""

from __future__ import annotations

from sahrat.runtime.settings import BadSetting, Settings
from services.gateway.accounts import Accounts


def accounts(settings: Settings) -> Accounts:
    """Read the keys of tokens and accounts, which no other worker has. Raises BadSetting."""
    try:
        return Accounts.parse(settings.gateway_keys.read().get_secret_value())
    except ValueError as fault:
        raise BadSetting(f"{settings.gateway_keys.place}: {fault}") from None
