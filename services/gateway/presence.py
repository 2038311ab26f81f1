"""Lines to seats: said to the log when they come and go, and held only while the log says so.

The newest `line.up` holds a seat. A line is named by this gateway's id and a number that is used
once, so whatever comes late about an old line changes nothing for a new one.
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
        self._going_up: dict[str, tuple[Session, str]] = {}

    def claim(self, session: Session, match: Match) -> Claim | None:
        """Take control of the session's own seat, unless it has it or has none there."""
        claim = session.claims.get(match.match_id)
        if claim is not None:
            return claim
        if session.player is None or not match.live:
            return None
        if not has_seat(match.known, session.player.player_id):
            return None
        claim = self.promise(session, match.match_id, by="")
        self.up(session, match.match_id)
        return claim

    def promise(self, session: Session, match_id: str, by: str) -> Claim:
        """Return the line that intent `by` names, so that it holds the seat if that is accepted."""
        claim = session.claims.get(match_id)
        if claim is None:
            self._number += 1
            claim = Claim(Line(gateway=self._gateway, number=self._number), by)
            session.claims[match_id] = claim
        return claim

    def up(self, session: Session, match_id: str) -> None:
        """Say that a session has a line to its seat."""
        claim = session.claims[match_id]
        if session.player is not None:
            intent = m.LineUp(player_id=session.player.player_id, line=claim.line)
            claim.by = self._outbox.tell(match_id, intent)
            self._going_up[claim.by] = (session, match_id)

    def down(self, session: Session, match_id: str) -> None:
        """Say that a session's line to a seat is gone. After the intents that named it, which the
        log may still accept.
        """
        claim = session.claims.pop(match_id, None)
        if claim is not None and session.player is not None:
            intent = m.LineDown(player_id=session.player.player_id, line=claim.line)
            self._outbox.tell(match_id, intent)

    def refused(self, session: Session, match_id: str, intent_id: str) -> None:
        """Forget a claim whose own intent was refused."""
        claim = session.claims.get(match_id)
        if claim is not None and not claim.held and claim.by == intent_id:
            del session.claims[match_id]

    def answered(self, intent_id: str, reason: Reason | None) -> None:
        """Take the answer to one of the gateway's own intents; `reason` None: it is done."""
        session, match_id = self._going_up.pop(intent_id, (None, ""))
        if session is None or reason is None or reason is Reason.STALE_LINE:
            return  # stale: it is up already
        if session.open and match_id in session.claims:
            session.refuse(reason, "the seat is not yours any more", match_id=match_id)
        self.refused(session, match_id, intent_id)

    def check(self, session: Session, match: Match) -> None:
        """Compare a session's claim with what the log says now."""
        claim, state = session.claims.get(match.match_id), match.known
        if claim is None or session.player is None:
            return
        chair = state.chair(session.player.player_id)
        sitter = None if chair is None else state.sitters[chair]
        if sitter is not None and sitter.line == claim.line:
            claim.held = True
        if not state.live or (claim.held and (sitter is None or sitter.left)):
            del session.claims[match.match_id]  # the seat is no more
        elif claim.held and sitter is not None and sitter.line is None:
            claim.held = False  # somebody took the line for lost: it is not
            self.up(session, match.match_id)
        elif claim.held and sitter is not None and sitter.line != claim.line:
            del session.claims[match.match_id]
            session.tell(TakenOver(match_id=match.match_id))
