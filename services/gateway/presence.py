"""Lines to seats: said to the log when they come and go, and held only while the log says so.

The newest `line.up` holds a seat. A line is named by this gateway's id and a number that is used
for one claim, so whatever comes late about an old line changes nothing for a new one.
"""

from __future__ import annotations

from sahrat.match.match import Match
from sahrat.messages import match as m
from sahrat.messages.base import Line
from sahrat.messages.reasons import Reason
from services.gateway.matches import has_seat
from services.gateway.messages import TakenOver
from services.gateway.outbox import Outbox
from services.gateway.session import Claim, Session


class Presence:
    """The lines of one gateway.

    Args:
        gateway: Its id.
        outbox: Where what is said of lines goes.
    """

    def __init__(self, gateway: str, outbox: Outbox) -> None:
        self._gateway = gateway
        self._outbox = outbox
        self._number = 0
        self._claimed: dict[int, None] = {}
        self._going_up: dict[str, tuple[Session, str]] = {}
        self._going_down: dict[str, int] = {}
        self._ending: dict[int, str] = {}

    # ---- claims

    def claim(self, session: Session, match: Match) -> Claim | None:
        """Take control of the session's own seat, unless it has it or has none there."""
        claim = session.claims.get(match.match_id)
        if claim is not None:
            return claim
        if session.player is None or not match.live:
            return None
        if not has_seat(match.known, session.player.player_id):
            return None
        claim = self._new(session, match.match_id)
        self._up(session, match.match_id, claim)
        return claim

    def promise(self, session: Session, match_id: str, by: str) -> Claim:
        """Return the line that intent `by` names, so that it holds the seat if that is accepted."""
        claim = session.claims.get(match_id) or self._new(session, match_id)
        claim.by[by] = None
        return claim

    def down(self, session: Session, match_id: str) -> None:
        """Say that a session's line to a seat is gone. After the intents that named it, which the
        log may still accept.
        """
        claim = self.forget(session, match_id)
        if claim is not None and session.player is not None:
            self.end(match_id, session.player.player_id, claim.line)

    def forget(self, session: Session, match_id: str) -> Claim | None:
        """Take a claim away from a session, and return it."""
        claim = session.claims.pop(match_id, None)
        if claim is not None:
            del self._claimed[claim.line.number]
        return claim

    def _new(self, session: Session, match_id: str) -> Claim:
        self._number += 1
        self._claimed[self._number] = None
        claim = session.claims[match_id] = Claim(Line(gateway=self._gateway, number=self._number))
        return claim

    def _up(self, session: Session, match_id: str, claim: Claim) -> None:
        if session.player is not None:
            intent = m.LineUp(player_id=session.player.player_id, line=claim.line)
            intent_id = self._outbox.tell(match_id, intent)
            claim.by[intent_id] = None
            self._going_up[intent_id] = (session, match_id)

    # ---- what the log says

    def accepted(self, session: Session, match: Match, intent_id: str) -> None:
        """Take it that a session's wish got the player his seat, which a line of another session
        may hold by it: who asked last has control.
        """
        claim = session.claims.get(match.match_id)
        if claim is not None:
            claim.by.pop(intent_id, None)
            if not claim.by and _line_of(session, match) != claim.line:
                self._up(session, match.match_id, claim)

    def refused(self, session: Session, match_id: str, intent_id: str) -> None:
        """Take it that an intent did nothing; forget a claim that nothing else stands for."""
        claim = session.claims.get(match_id)
        if claim is not None:
            claim.by.pop(intent_id, None)
            if not claim.held and not claim.by:
                self.forget(session, match_id)

    def answered(self, intent_id: str, reason: Reason | None) -> None:
        """Take the answer to one of the gateway's own intents; `reason` None: it is done."""
        number = self._going_down.pop(intent_id, None)
        if number is not None and self._ending.get(number) == intent_id:
            del self._ending[number]
        session, match_id = self._going_up.pop(intent_id, (None, ""))
        if session is None:
            return
        claim = session.claims.get(match_id)
        if reason is None or reason is Reason.STALE_LINE:  # stale: it is up already
            if claim is not None:
                claim.by.pop(intent_id, None)
            return
        if session.open and claim is not None:
            session.refuse(reason, "the seat is not yours any more", match_id=match_id)
        self.refused(session, match_id, intent_id)

    def check(self, session: Session, match: Match) -> None:
        """Compare a session's claim with what the log says now."""
        claim = session.claims.get(match.match_id)
        if claim is None or session.player is None:
            return
        line, had = _line_of(session, match), claim.held
        claim.held = match.live and line == claim.line
        if claim.held:
            return
        if not match.live:
            self.forget(session, match.match_id)
        elif had and line is None and has_seat(match.known, session.player.player_id):
            self._up(session, match.match_id, claim)  # somebody took the line for lost: it is not
        elif had and line is not None:
            session.tell(TakenOver(match_id=match.match_id))
        if not claim.by and match.match_id in session.claims:
            self.forget(session, match.match_id)  # the seat is no more, or another's

    # ---- lines that nobody claims

    def is_ghost(self, line: Line | None) -> bool:
        """Return whether the log shows a line of this gateway that no session claims, and whose
        end has not been said: it would stand for ever.
        """
        return (
            line is not None
            and line.gateway == self._gateway
            and line.number not in self._claimed
            and line.number not in self._ending
        )

    def end(self, match_id: str, player_id: str, line: Line) -> None:
        """Say that a line is gone."""
        intent_id = self._outbox.tell(match_id, m.LineDown(player_id=player_id, line=line))
        self._going_down[intent_id] = line.number
        self._ending[line.number] = intent_id


def _line_of(session: Session, match: Match) -> Line | None:
    """Return the line that holds the seat of a session's player; None while none does."""
    player_id = "" if session.player is None else session.player.player_id
    chair = match.known.chair(player_id)
    return None if chair is None else match.known.sitters[chair].line
