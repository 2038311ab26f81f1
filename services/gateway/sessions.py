"""All sessions: how many there may be, how fast they may send, and whether they are still there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from sahrat.messages.reasons import Reason
from services.gateway.accounts import Identity
from services.gateway.core.rate import Bucket
from services.gateway.session import Closing, Outlet, Session

PING_S: Final = 5.0
SILENCE_S: Final = 10.0  # a line without a sign of life for so long is closed
SIGN_IN_S: Final = 10.0
ABUSE_S: Final = 3  # whoever is refused as too fast so many seconds' worth of messages is closed


@dataclass(frozen=True, slots=True)
class Limits:
    """What phones may do.

    Attributes:
        rate: Messages a second of a socket, and of a player; twice as many at once after a pause.
        player_sockets: Of one player; a further one closes the oldest.
        address_sockets: From one address; many phones may share one.
        connections: At once in all, whatever is said over them, and three quarters of them from one
            address; 0: three quarters of the files that the process may have open.
        stalled_s: For so long somebody may read nothing of what waits for him.
        guests: New accounts and tokens a second from one address, ten times as many at once.
        origins: Of pages on other hosts that may connect: `https://play.example`.
        lag_s: How far the house may be behind before no new table is opened.
        welcome_coins: What a player is given whom the journal does not know; 0 for nothing.
    """

    rate: int = 20
    player_sockets: int = 8
    address_sockets: int = 5_000
    connections: int = 0
    stalled_s: float = 30.0
    guests: int = 50
    origins: tuple[str, ...] = ()
    lag_s: float = 0.5
    welcome_coins: int = 0


class Sessions:
    """The sessions of one gateway, oldest first."""

    def __init__(self, limits: Limits, monotonic: Callable[[], float]) -> None:
        """Take the limits, and seconds that never go back."""
        self.limits = limits
        self._monotonic = monotonic
        self._number = 0
        self._all: dict[int, Session] = {}
        self._of_player: dict[str, dict[int, Session]] = {}
        self._at_address: dict[str, int] = {}
        self._buckets: dict[str, Bucket] = {}
        self._pinged_s = monotonic()

    def __iter__(self) -> Iterator[Session]:
        """Yield the sessions; they may come and go meanwhile."""
        yield from [*self._all.values()]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._all)

    def of(self, player_id: str) -> list[Session]:
        """Return a player's sessions, oldest first."""
        return [*self._of_player.get(player_id, {}).values()]

    def has_room(self, address: str) -> bool:
        """Return whether one more may come from an address."""
        return self._at_address.get(address, 0) < self.limits.address_sockets

    def add(self, outlet: Outlet, address: str) -> Session:
        """Begin a session."""
        self._number += 1
        now_s = self._monotonic()
        session = Session(self._number, outlet, address, self._bucket(), now_s, now_s)
        self._all[session.number] = session
        self._at_address[address] = self._at_address.get(address, 0) + 1
        return session

    def remove(self, session: Session) -> None:
        """End a session."""
        del self._all[session.number]
        self._at_address[session.address] -= 1
        if not self._at_address[session.address]:
            del self._at_address[session.address]
        if session.player is not None:
            theirs = self._of_player[session.player.player_id]
            del theirs[session.number]
            if not theirs:
                del self._of_player[session.player.player_id]

    def sign_in(self, session: Session, player: Identity) -> Session | None:
        """Say whose a session is; return his oldest one if he has too many now."""
        session.player = player
        theirs = self._of_player.setdefault(player.player_id, {})
        theirs[session.number] = session
        self._buckets.setdefault(player.player_id, self._bucket())
        if len(theirs) > self.limits.player_sockets:
            return next(iter(theirs.values()))
        return None

    def may_send(self, session: Session) -> bool:
        """Count a message against the limits; `session.excess` tells how much was too much."""
        now_ms = self._now_ms()
        if session.bucket.full(now_ms):
            session.excess = 0
        allowed = session.bucket.take(now_ms)
        if allowed and session.player is not None:
            allowed = self._buckets[session.player.player_id].take(now_ms)
        if not allowed:
            session.excess += 1
        return allowed

    def is_abusive(self, session: Session) -> bool:
        """Return whether a session has been refused so much that it is closed."""
        return session.excess > ABUSE_S * self.limits.rate

    def tend(self, now_ms: int) -> Iterator[tuple[Session, Closing]]:
        """Ping all, and yield those that are to be closed. `now_ms`: the log's time."""
        now_s = self._monotonic()
        pings = now_s - self._pinged_s >= PING_S
        if pings:
            self._pinged_s = now_s
            self._forget_buckets()
        for session in self:
            stranger = session.player is None and now_s - session.since_s > SIGN_IN_S
            if stranger or now_s - session.heard_s > SILENCE_S:
                yield session, Closing.SILENT
            elif session.player is not None and session.player.expires_ms <= now_ms:
                session.refuse(Reason.NOT_SIGNED_IN, "the token has expired")
                yield session, Closing.NOT_SIGNED_IN
            elif pings:
                session.outlet.ping()

    def _forget_buckets(self) -> None:
        """A bucket outlives its player's sockets until it is like a new one: coming back gives
        nobody a new burst.
        """
        now_ms = self._now_ms()
        for player_id in [*self._buckets]:
            if player_id not in self._of_player and self._buckets[player_id].full(now_ms):
                del self._buckets[player_id]

    def _bucket(self) -> Bucket:
        return Bucket(self.limits.rate, 2 * self.limits.rate, self._now_ms())

    def _now_ms(self) -> int:
        return int(self._monotonic() * 1000)
