"""The parts of one gateway, made once and known to each other."""

from __future__ import annotations

from dataclasses import dataclass

from services.gateway.accounts import Accounts
from services.gateway.lobby import LobbyBoard
from services.gateway.matches import Matches
from services.gateway.outbox import Outbox
from services.gateway.presence import Presence
from services.gateway.sessions import Sessions
from services.gateway.ticks import Ticks
from services.gateway.times import Times
from services.gateway.wallets import Wallets
from services.gateway.watching import Watchers


@dataclass(frozen=True, slots=True)
class Parts:
    """What whoever serves a phone's message may need. `gateway`: its id, new at each start."""

    gateway: str
    accounts: Accounts
    times: Times
    ticks: Ticks
    outbox: Outbox
    matches: Matches
    presence: Presence
    watchers: Watchers
    lobby: LobbyBoard
    sessions: Sessions
    wallets: Wallets
