"""The open tables and the matches in play, as the lobby shows them."""

from __future__ import annotations

from collections.abc import Callable
from heapq import nlargest
from typing import Final

from sahrat.match.match import Match
from sahrat.messages.codec import encode
from services.gateway.matches import Matches
from services.gateway.session import Session
from services.gateway.tables import Lobby, OpenTable, RunningMatch, RunningSeat

EVERY_S: Final = 1.0
SHOWN: Final = 100
RUNNING: Final = 20
RUNNING_S: Final = 5.0  # every step changes a match in play: phones hear of it so often at the most


class LobbyBoard:
    """What the lobby's watchers are sent, at most once a second, when it has changed.

    Args:
        matches: What is known of matches.
        now_s: Returns the loop's time, in seconds.
    """

    def __init__(self, matches: Matches, now_s: Callable[[], float]) -> None:
        self._matches = matches
        self._now_s = now_s
        self._running: tuple[RunningMatch, ...] = ()
        self._looked_s = -RUNNING_S
        self._watchers: dict[int, Session] = {}
        self._sent = b""
        self._sent_s = 0.0

    def lobby(self) -> Lobby:
        """Return the lobby as it is."""
        tables = [*self._matches.open_tables.values()]
        return Lobby(
            tables=tuple(_table(match) for match in tables[:SHOWN]),
            running=self._newest(),
            open=len(tables),
            playing=len(self._matches.playing),
        )

    def _newest(self) -> tuple[RunningMatch, ...]:
        """Return the matches in play that were opened last, as they were a few seconds ago."""
        if self._now_s() - self._looked_s >= RUNNING_S:
            self._looked_s = self._now_s()
            playing = self._matches.playing
            newest = nlargest(RUNNING, playing)  # an id begins with the moment of its opening
            self._running = tuple(_running(playing[match_id]) for match_id in newest)
        return self._running

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

    def tend(self) -> None:
        """Send what has changed, if the last time is long enough ago."""
        now_s = self._now_s()
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


def _running(match: Match) -> RunningMatch:
    state = match.known
    return RunningMatch(
        match_id=match.match_id,
        rules=state.rules,
        entry_coins=state.entry_coins,
        seats=tuple(RunningSeat(nickname=one.nickname, bot=one.bot) for one in state.sitters),
        step=state.step,
    )
