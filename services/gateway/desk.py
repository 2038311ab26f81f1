"""What phones say, message by message: checked in the order of `Reason`, then passed on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, assert_never

from sahrat.messages import match as m
from sahrat.messages.base import Message
from sahrat.messages.reasons import Reason
from services.gateway.accounts import Identity
from services.gateway.core.inbound import Inbound, Unread
from services.gateway.entering import Entering
from services.gateway.messages import (
    CLIENT,
    Act,
    ClientMessage,
    Join,
    Leave,
    Open,
    Ping,
    PlayNow,
    Pong,
    SignedIn,
    SignIn,
    Unwatch,
    Watch,
    WatchLobby,
)
from services.gateway.parts import Parts
from services.gateway.session import Closing, Session
from services.gateway.waiting import Waiting, WaitingRoom

WAITING: Final = 200  # intents of one session that the log has not answered
_INBOUND: Final[Inbound[ClientMessage]] = Inbound(CLIENT)

Drop = Callable[[Session, Closing], None]


class Desk:
    """Serves the sessions of one gateway.

    Args:
        parts: The gateway's.
        entering: Where wishes for a seat go.
        waiting: Where wishes wait for their answers.
        drop: Ends a session.
    """

    def __init__(self, parts: Parts, entering: Entering, waiting: WaitingRoom, drop: Drop) -> None:
        self._parts = parts
        self._entering = entering
        self._waiting = waiting
        self._drop = drop

    def receive(self, session: Session, data: bytes) -> None:
        """Take one message of a phone. Whatever it is, it is answered or passed on, at once."""
        allowed = self._parts.sessions.may_send(session)
        message = _INBOUND.read(data)
        if isinstance(message, Unread):
            session.refuse(message.reason, message.detail, message.intent_id, message.match_id)
        elif isinstance(message, SignIn):
            self._sign_in(session, message, allowed=allowed)
        elif session.player is None:
            session.refuse(Reason.NOT_SIGNED_IN, "the first message is sign_in", *_ids(message))
            self._drop(session, Closing.NOT_SIGNED_IN)
        elif session.player.expires_ms <= self._parts.times.now_ms():
            session.refuse(Reason.NOT_SIGNED_IN, "the token has expired", *_ids(message))
            self._drop(session, Closing.NOT_SIGNED_IN)
        elif not allowed:
            session.refuse(Reason.TOO_FAST, "", *_ids(message))
        else:
            self._serve(session, session.player, message)
        if session.open and self._parts.sessions.is_abusive(session):
            self._drop(session, Closing.TOO_FAST)

    def _sign_in(self, session: Session, message: SignIn, *, allowed: bool) -> None:
        if not allowed:
            session.refuse(Reason.TOO_FAST)
            return
        player = self._parts.accounts.identify(message.token, self._parts.times.now_ms())
        if player is None:
            session.refuse(Reason.NOT_SIGNED_IN, "the token is no good (any more)")
            self._drop(session, Closing.NOT_SIGNED_IN)
            return
        if session.player is not None and session.player.player_id != player.player_id:
            session.refuse(Reason.NOT_SIGNED_IN, "a socket is one player's")
            self._drop(session, Closing.NOT_SIGNED_IN)
            return
        session.tell(
            SignedIn(
                player_id=player.player_id,
                nickname=player.nickname,
                gateway=self._parts.gateway,
                time_ms=self._parts.times.now_ms(),
                expires_ms=player.expires_ms,
                rate=self._parts.sessions.limits.rate,
                matches=tuple(self._parts.matches.seats_of(player.player_id)),
            )
        )
        oldest = self._parts.sessions.sign_in(session, player)
        self._parts.wallets.greet(session, player.player_id)
        if oldest is not None:
            self._drop(oldest, Closing.TOO_MANY)

    def _serve(self, session: Session, player: Identity, message: ClientMessage) -> None:
        match message:
            case Watch():
                self._parts.watchers.watch(session, message.match_id, message.seq)
            case Unwatch():
                self._parts.watchers.unwatch(session, message.match_id)
            case WatchLobby():
                self._parts.lobby.watch(session, on=message.on)
            case Ping():
                session.tell(Pong(time_ms=self._parts.times.now_ms()))
            case PlayNow() | Open() | Join() | Leave() | Act():
                self._wish(session, player, message)
            case SignIn():
                raise TypeError("a sign-in has been taken before")
            case _:
                assert_never(message)

    def _wish(
        self, session: Session, player: Identity, wish: PlayNow | Open | Join | Leave | Act
    ) -> None:
        if isinstance(wish, Leave | Act) and wish.match_id not in session.claims:
            match = self._parts.matches.get(wish.match_id)
            if match is None or not (match.live or match.parked):
                session.refuse(Reason.UNKNOWN_MATCH, "", *_ids(wish))
            else:
                detail = "watch the match first, to take your seat"
                session.refuse(Reason.NOT_IN_CONTROL, detail, *_ids(wish))
        elif self._waiting.of(session) >= WAITING:
            session.refuse(Reason.HOUSE_BUSY, "too much of yours is not answered", *_ids(wish))
        elif isinstance(wish, Leave):
            self._pass_on(session, player, wish, m.LeaveTable(), None)
        elif isinstance(wish, Act):
            self._pass_on(session, player, wish, wish.intent, wish.step)
        elif isinstance(wish, Join):
            self._entering.join(session, player, wish)
        elif isinstance(wish, Open):
            self._entering.open(session, player, wish)
        else:
            self._entering.play_now(session, player, wish)

    def _pass_on(
        self,
        session: Session,
        player: Identity,
        wish: Leave | Act,
        intent: Message,
        step: int | None,
    ) -> None:
        waiting = Waiting(session, player.player_id, wish, wish.match_id)
        if self._waiting.follow(waiting):
            return
        if self._parts.outbox.full(wish.match_id):
            session.refuse(Reason.HOUSE_BUSY, "too much waits to be stored", *_ids(wish))
            return
        self._waiting.add(waiting)
        self._parts.outbox.wish(player.player_id, wish.match_id, wish.intent_id, intent, step)


def _ids(message: Message) -> tuple[str | None, str | None]:
    """Return the intent id and the match id that a message names, if any."""
    return getattr(message, "intent_id", None), getattr(message, "match_id", None)
