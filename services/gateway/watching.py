"""Who sees which match: the records go out as stored, in order, each once to each session."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import structlog

from sahrat.match.match import Match
from sahrat.match.view import snapshot
from sahrat.messages.envelope import Record
from sahrat.messages.reasons import Reason
from services.gateway.matches import Matches
from services.gateway.messages import PieceWay, Unwatched, Watching, Ways
from services.gateway.presence import Presence
from services.gateway.session import Seen, Session

WATCHES: Final = 50  # matches that one session may see at once

_log = structlog.get_logger("gateway")


class Watchers:
    """All sessions' views of all matches."""

    def __init__(self, matches: Matches, presence: Presence) -> None:
        """Take what is known of matches, and the lines."""
        self._matches = matches
        self._presence = presence
        self._by_match: dict[str, dict[int, Session]] = {}

    def watch(self, session: Session, match_id: str, seq: int) -> None:
        """Show a match to a session that has its records up to `seq`, and give it its seat."""
        match = self._matches.get(match_id)
        refused = self._unwatchable(session, match, match_id)
        if refused is not None or match is None:
            reason, detail = refused or (Reason.UNKNOWN_MATCH, "")
            session.refuse(reason, detail, match_id=match_id)
            return
        seen = self._add(session, match_id, seq)
        if match.seq >= seq:
            self._presence.claim(session, match)
        else:  # another gateway has read more than this one: what it saw decides about the seat
            seen.claim_at = seq
        self._show(session, match, seen)

    def enter(self, session: Session, match: Match) -> bool:
        """Show a match to a session that has just got a seat there, unless it sees it already;
        return whether its newest record reaches the session as such.
        """
        if match.match_id in session.watches:
            return self.reaches(session, match)
        return self._show(session, match, self._add(session, match.match_id, 0))

    def reaches(self, session: Session, match: Match) -> bool:
        """Return whether a match's newest record, which is about to go out, goes to a session: it
        sees the match, and has not said that it has the record.
        """
        seen = session.watches.get(match.match_id)
        return seen is not None and seen.seq < match.seq

    def unwatch(self, session: Session, match_id: str) -> None:
        """Show no more of a match; a line to a seat there is gone."""
        self._presence.down(session, match_id)
        self._remove(session, match_id)

    def drop(self, session: Session) -> None:
        """Forget a session; its lines are somebody else's to end."""
        for match_id in [*session.watches]:
            self._remove(session, match_id)

    def took(self, match: Match, record: Record[Any], value: bytes) -> None:
        """Send a new record to all who see its match, and see to their lines."""
        watchers = self._by_match.get(match.match_id)
        for session in [*watchers.values()] if watchers else ():
            seen = session.watches[match.match_id]
            if record.seq > seen.seq:
                seen.seq = record.seq
                _tell_ways(session, match)
                session.outlet.send(value)
            if seen.claim_at and match.seq >= seen.claim_at:
                seen.claim_at = 0
                self._presence.claim(session, match)
            self._presence.check(session, match)
        if match.live:
            self._end_ghosts(match)

    def end(self, match_id: str, reason: Reason) -> None:
        """Tell all who see a match that nothing more comes."""
        for session in [*self._by_match.get(match_id, {}).values()]:
            self._presence.forget(session, match_id)
            self._remove(session, match_id)
            session.tell(Unwatched(match_id=match_id, reason=reason))

    def _end_ghosts(self, match: Match) -> None:
        """Let no line of this gateway hold a seat without somebody behind it. Whoever looks on
        from that seat takes it; else the player is away, and his clock runs (rules S.1, S.5).
        """
        for sitter in match.known.sitters:
            if sitter.line is None or not self._presence.is_ghost(sitter.line):
                continue
            _log.warning("a line that nobody claims", match=match.match_id, line=sitter.line.number)
            watchers = [*self._by_match.get(match.match_id, {}).values()]
            for session in reversed(watchers):
                if session.player is not None and session.player.player_id == sitter.player_id:
                    self._presence.claim(session, match)
                    break
            self._presence.end(match.match_id, sitter.player_id, sitter.line)

    def _unwatchable(
        self, session: Session, match: Match | None, match_id: str
    ) -> tuple[Reason, str] | None:
        if match is None:
            return Reason.UNKNOWN_MATCH, "no such match is live, or was a short while ago"
        if match.parked:
            return Reason.PARKED, "its log is damaged; people are on it"
        if match_id not in session.watches and len(session.watches) >= WATCHES:
            return Reason.HOUSE_BUSY, f"at most {WATCHES} matches at once"
        return None

    def _add(self, session: Session, match_id: str, seq: int) -> Seen:
        seen = session.watches[match_id] = Seen(seq)
        self._by_match.setdefault(match_id, {})[session.number] = session
        return seen

    def _remove(self, session: Session, match_id: str) -> None:
        session.watches.pop(match_id, None)
        watchers = self._by_match.get(match_id, {})
        watchers.pop(session.number, None)
        if not watchers:
            self._by_match.pop(match_id, None)

    def _show(self, session: Session, match: Match, seen: Seen) -> bool:
        """Send what is missing: the records, or where too many are, a snapshot (False)."""
        claim = session.claims.get(match.match_id)
        line = None if claim is None else claim.line
        session.tell(Watching(match_id=match.match_id, seq=match.seq, line=line))
        if match.seq > seen.seq:
            _tell_ways(session, match)
        missing = self._matches.after(match, seen.seq)
        if missing is None:
            session.tell(snapshot(match))
        else:
            for value in missing:
                session.outlet.send(value)
        seen.seq = max(seen.seq, match.seq)
        return missing is not None


def _tell_ways(session: Session, match: Match) -> None:
    """Tell a player who is to choose a piece where each would come to."""
    state = match.known
    if session.player is None or state.step_ms == 0 or state.board is None:
        return
    if state.chair(session.player.player_id) != state.chair_of_seat(state.step_seat):
        return
    ways = match.game.ways(state.board)
    if ways:
        told = tuple(PieceWay(**dataclasses.asdict(way)) for way in ways)
        session.tell(Ways(match_id=match.match_id, seq=match.seq, ways=told))
