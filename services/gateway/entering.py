"""How a player comes to a table: opens one, joins one, or is found one at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pydantic import ValidationError

from sahrat import games
from sahrat.match import limits
from sahrat.match.match import Match
from sahrat.match.state import Phase
from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.dead import plain
from sahrat.messages.reasons import Reason, Refused
from sahrat.messages.topics import partition_of
from sahrat.messages.words import say_where
from services.gateway.accounts import Identity
from services.gateway.core import openings
from services.gateway.matches import SEATS
from services.gateway.messages import Accepted, Join, Open, PlayNow
from services.gateway.parts import Parts
from services.gateway.session import Session
from services.gateway.waiting import Table, Waiting, WaitingRoom

TRIES: Final = 3  # tables that a play_now is refused at before it opens its own
LOST_RACES: Final = (
    Reason.UNKNOWN_MATCH,  # it was closed meanwhile
    Reason.ALREADY_SEATED,
    Reason.NOT_OPEN,
    Reason.TABLE_FULL,
)


class Entering:
    """Takes the wishes for a seat, and what becomes of them."""

    def __init__(self, parts: Parts, waiting: WaitingRoom) -> None:
        """Take the gateway's parts, and where wishes wait for their answers."""
        self._parts = parts
        self._waiting = waiting

    # ---- wishes

    def join(self, session: Session, player: Identity, wish: Join) -> None:
        """Ask for a seat at a table."""
        if not self._is_short(session, player, wish) and not self._has_too_many(
            session, player, wish
        ):
            self._send(player, Waiting(session, player.player_id, wish, wish.match_id))

    def open(self, session: Session, player: Identity, wish: Open) -> None:
        """Open a table; the same intent never opens two."""
        if not self._came_before(session, player, wish):
            self._open(player, Waiting(session, player.player_id, wish, "", opens=True))

    def play_now(self, session: Session, player: Identity, wish: PlayNow) -> None:
        """Find a table, or open one; the same intent gets one seat through this gateway."""
        if not self._came_before(session, player, wish):
            self._choose(player, Waiting(session, player.player_id, wish, ""))

    def _came_before(self, session: Session, player: Identity, wish: Open | PlayNow) -> bool:
        """Return whether a wish for a new seat was answered: it is done, on its way, or too old."""
        if self._is_known(session, player, wish):
            return True
        if not openings.is_of_this_moment(wish.intent_id, self._parts.times.now_ms()):
            detail = (
                "for a new seat the intent's id is a UUIDv7 of this moment, by the house's time"
            )
            session.refuse(Reason.STALE_OPENING, detail, wish.intent_id)
            return True
        return self._is_short(session, player, wish) or self._has_too_many(session, player, wish)

    def _is_short(self, session: Session, player: Identity, wish: Open | PlayNow | Join) -> bool:
        """Refuse who can't pay the entry of a coin table, as far as is known here. The ledger would
        refuse to hold it, but only once the table is full.
        """
        entry_coins, player_id = self._entry_of(player.player_id, wish), player.player_id
        least, most = limits.ENTRY_COINS
        if not least <= entry_coins <= most:
            return False  # a free table; or none that there could be, as rules will say
        has = self._parts.wallets.state.available(player_id)
        if has >= entry_coins:
            return False
        match_id = wish.match_id if isinstance(wish, Join) else None
        detail = f"the entry is {entry_coins} coins, and {has} are there"
        session.refuse(Reason.NOT_ENOUGH_COINS, detail, wish.intent_id, match_id)
        return True

    def _entry_of(self, player_id: str, wish: Open | PlayNow | Join) -> int:
        """Return the entry that a wish has yet to pay, in coins."""
        if isinstance(wish, Open):
            return wish.entry_coins
        match = self._parts.matches.get(wish.match_id) if isinstance(wish, Join) else None
        if match is None or not match.live or match.known.phase is not Phase.OPEN:
            return 0
        came = match.accepted.find(f"player:{player_id}", wish.intent_id) is not None
        seated = match.known.chair(player_id) is not None
        return 0 if came or seated else match.known.entry_coins

    def _is_known(self, session: Session, player: Identity, wish: Open | PlayNow) -> bool:
        """Return whether a wish for a new seat is done, and say so, or on its way, and wait."""
        made = self._parts.matches.made_by(player.player_id, wish.intent_id)
        if made is not None:
            self.repeated(Waiting(session, player.player_id, wish, made[0]), made[1])
            return True
        sent = self._waiting.place(player.player_id, wish.intent_id)
        return sent is not None and self._waiting.follow(replace(sent, session=session))

    def _has_too_many(
        self, session: Session, player: Identity, wish: Open | PlayNow | Join
    ) -> bool:
        seats = self._parts.matches.seats_of(player.player_id)
        joined = isinstance(wish, Join) and wish.match_id in seats  # he comes back
        if len(seats) < SEATS or joined:
            return False
        session.refuse(Reason.HOUSE_BUSY, f"at most {SEATS} tables at once", wish.intent_id)
        return True

    def _choose(self, player: Identity, waiting: Waiting) -> None:
        wish = waiting.wish
        assert isinstance(wish, PlayNow)
        game = games.current(wish.game)
        if game is None:
            waiting.session.refuse(Reason.UNKNOWN_RULES, "no such game", wish.intent_id)
            return
        try:
            options = game.options.model_validate(wish.options)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            detail = plain(say_where(first, game.options.model_fields))
            waiting.session.refuse(Reason.BAD_OPTIONS, detail, wish.intent_id)
            return
        table = None
        if len(waiting.tried) < TRIES:
            table = self._parts.matches.table_for(
                game.rules,
                options,
                player.player_id,
                taken=self._waiting.sitting_down,
                but=waiting.tried,
            )
            table = table or self._waiting.table_for(
                game.rules, options, player.player_id, waiting.tried
            )
        if table is None:
            waiting.opens = True
            waiting.table = Table(game.rules, options, len(game.seats(options)))
            self._open(player, waiting)
        else:
            waiting.match_id = table
            self._send(player, waiting)

    def _open(self, player: Identity, waiting: Waiting) -> None:
        intent_id = waiting.wish.intent_id
        digest = self._parts.accounts.opening_digest(player.player_id, intent_id)
        waiting.match_id = openings.match_id(intent_id, digest)
        busy = self._parts.ticks.busy(partition_of(waiting.match_id))
        if busy:
            waiting.session.refuse(Reason.HOUSE_BUSY, busy, intent_id)
        else:
            self._send(player, waiting)

    def _send(self, player: Identity, waiting: Waiting) -> None:
        session, wish = waiting.session, waiting.wish
        if self._waiting.follow(waiting):
            return
        if self._parts.outbox.full(waiting.match_id):
            detail = "too much waits to be stored"
            session.refuse(Reason.HOUSE_BUSY, detail, wish.intent_id, waiting.match_id)
            return
        intent = self._intent(player, waiting)
        if intent is None:
            session.refuse(Reason.UNKNOWN_RULES, "no such game", wish.intent_id)
            return
        self._waiting.add(waiting)
        self._parts.outbox.wish(player.player_id, waiting.match_id, wish.intent_id, intent, None)

    def _intent(self, player: Identity, waiting: Waiting) -> Message | None:
        wish, session = waiting.wish, waiting.session
        assert isinstance(wish, PlayNow | Open | Join)
        if not waiting.opens:
            claim = self._parts.presence.promise(session, waiting.match_id, wish.intent_id)
            return m.JoinTable(
                nickname=player.nickname, seat_number=wish.seat_number, line=claim.line
            )
        assert isinstance(wish, PlayNow | Open)
        game = games.current(wish.game)
        if game is None:
            return None
        claim = self._parts.presence.promise(session, waiting.match_id, wish.intent_id)
        return m.OpenTable(
            rules=game.rules,
            options=wish.options,
            entry_coins=wish.entry_coins if isinstance(wish, Open) else 0,
            nickname=player.nickname,
            seat_number=wish.seat_number,
            line=claim.line,
        )

    # ---- what becomes of them

    def accepted(self, waiting: Waiting, match: Match, seq: int) -> None:
        """A wish made record `seq` of a match, its newest: who got a seat sees the match from now
        on. Whom the record does not reach is told.
        """
        session, watchers = waiting.session, self._parts.watchers
        if isinstance(waiting.wish, PlayNow | Open | Join):
            self._parts.presence.accepted(session, match, waiting.wish.intent_id)
            self._parts.presence.claim(session, match)  # who waited along named no line
            reached = watchers.enter(session, match)
        else:
            reached = watchers.reaches(session, match)
        if not reached:
            self._tell(waiting, seq)

    def repeated(self, waiting: Waiting, seq: int) -> None:
        """A wish had made record `seq` before: who got a seat by it gets it back."""
        session, match = waiting.session, self._parts.matches.get(waiting.match_id)
        self._tell(waiting, seq)
        if isinstance(waiting.wish, PlayNow | Open | Join) and match is not None:
            self._parts.presence.refused(session, waiting.match_id, waiting.wish.intent_id)
            if waiting.match_id not in session.watches:
                self._parts.watchers.watch(session, waiting.match_id, 0)
            else:
                self._parts.presence.claim(session, match)

    def refused(self, waiting: Waiting, player: Identity, refused: Refused) -> None:
        """A wish was refused: the player is told, or another table is found for him."""
        session, match_id, wish = waiting.session, waiting.match_id, waiting.wish
        self._parts.presence.refused(session, match_id, wish.intent_id)
        if isinstance(wish, PlayNow) and not waiting.opens and refused.reason in LOST_RACES:
            waiting.tried[match_id] = None
            if not self._is_known(session, player, wish):  # else another socket of his goes on
                self._choose(player, waiting)
            return
        session.refuse(refused.reason, refused.detail, wish.intent_id, match_id)
        match = self._parts.matches.get(match_id)
        if match_id in session.watches and match is not None and match.live:
            self._parts.presence.claim(session, match)  # it may have asked for the seat meanwhile

    def _tell(self, waiting: Waiting, seq: int) -> None:
        waiting.session.tell(
            Accepted(intent_id=waiting.wish.intent_id, match_id=waiting.match_id, seq=seq)
        )
