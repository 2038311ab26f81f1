"""One phone's connection, as the hub sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

from sahrat.messages.base import Line, Message
from sahrat.messages.codec import encode
from sahrat.messages.reasons import Reason
from services.gateway.accounts import Identity
from services.gateway.core.rate import Bucket
from services.gateway.messages import NotDone


class Closing(IntEnum):
    """Why a socket is closed: WebSocket codes, of which those from 4000 up are ours."""

    GOING_AWAY = 1001  # the gateway stops: come back, to another one
    TRY_AGAIN = 1013  # the log does not answer: come back in a while
    NOT_SIGNED_IN = 4401  # no token, or one that is no good (any more): get another
    TOO_MANY = 4403  # this player has too many sockets, and this was the oldest
    SILENT = 4408  # no sign-in or no pong for 10 s
    TOO_SLOW = 4413  # it did not read what was sent: come back with the last seq
    TOO_FAST = 4429  # it sent far too much


class Outlet(Protocol):
    """The way to one phone. Nothing here waits, whatever the phone does."""

    def send(self, frame: bytes) -> None:
        """Send a text frame, after those before it."""

    def ping(self) -> None:
        """Ask for a pong."""

    def close(self, code: Closing) -> None:
        """Send what is on its way, and close."""


@dataclass(slots=True)
class Claim:
    """A line of this session to a seat.

    Attributes:
        line: Named by its intents.
        by: Intents on their way that name it, each of which may make it hold the seat. While there
            is one the claim stays, whatever the log says meanwhile: a seat that is given up may be
            taken again by what is on its way.
        held: The log says that it does.
    """

    line: Line
    by: dict[str, None] = field(default_factory=dict)
    held: bool = False


@dataclass(slots=True)
class Seen:
    """How much of a match a session has.

    Attributes:
        seq: The last record that it has, or that is on its way to it.
        claim_at: The seat is claimed once the match has this record; 0 when nothing waits.
    """

    seq: int
    claim_at: int = 0


@dataclass(slots=True, eq=False)
class Session:
    """One connection.

    Attributes:
        number: Of its own within this gateway.
        heard_s, since_s: When the phone last showed a sign of life, and when it came; seconds of
            the loop.
        excess: Messages refused as too fast since it was last calm.
        watches: Matches that it sees, by id.
        claims: Seats that it has, or is about to have, a line to, by match.
        open: False once it is being closed: nothing it says counts any more.
    """

    number: int
    outlet: Outlet
    address: str
    bucket: Bucket
    heard_s: float
    since_s: float
    player: Identity | None = None
    excess: int = 0
    open: bool = True
    watches: dict[str, Seen] = field(default_factory=dict)
    claims: dict[str, Claim] = field(default_factory=dict)

    def tell(self, message: Message) -> None:
        """Send a message."""
        self.outlet.send(encode(message))

    def refuse(
        self,
        reason: Reason,
        detail: str = "",
        intent_id: str | None = None,
        match_id: str | None = None,
    ) -> None:
        """Say that something did not happen, and why."""
        self.tell(NotDone(intent_id=intent_id, match_id=match_id, reason=reason, detail=detail))
