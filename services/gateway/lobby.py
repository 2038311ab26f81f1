"""The open tables, as the lobby shows them."""

from __future__ import annotations

from typing import Final

from sahrat.match.match import Match
from sahrat.messages.codec import encode
from services.gateway.matches import Matches
from services.gateway.messages import Lobby, OpenTable
from services.gateway.session import Session

EVERY_S: Final = 1.0
SHOWN: Final = 100


class LobbyBoard:
    """What the lobby's watchers are sent, at most once a second, when it has changed."""

    def __init__(self, matches: Matches) -> None:
        """Take what is known of matches."""
        self._matches = matches
        self._watchers: dict[int, Session] = {}
        self._sent = b""
        self._sent_s = 0.0

    def lobby(self) -> Lobby:
        """Return the lobby as it is."""
        tables = [*self._matches.open_tables.values()]
        return Lobby(
            tables=tuple(_table(match) for match in tables[:SHOWN]),
            open=len(tables),
            playing=self._matches.playing,
        )

    def watch(self, session: Session, *, on: bool) -> None:
        """Show a session the lobby now and from now on, or no more."""
        if on:
            self._watchers[session.number] = session
            session.outlet.send(encode(self.lobby()))
        else:
            self.drop(session)

    def drop(self, session: Session) -> None:
        """Forget a session."""
        self._watchers.pop(session.number, None)

    def tend(self, now_s: float) -> None:
        """Send what has changed, if the last time is long enough ago."""
        if not self._watchers or now_s - self._sent_s < EVERY_S:
            return
        self._sent_s = now_s
        frame = encode(self.lobby())
        if frame != self._sent:
            self._sent = frame
            for session in [*self._watchers.values()]:
                session.outlet.send(frame)


def _table(match: Match) -> OpenTable:
    state = match.known
    return OpenTable(
        match_id=match.match_id,
        rules=state.rules,
        options=state.options.model_dump(),
        size=state.size,
        entry_coins=state.entry_coins,
        players=tuple(sitter.nickname for sitter in state.sitters),
        fill_ms=state.fill_ms,
    )
