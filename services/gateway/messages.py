"""What phones and the gateway say to each other. `PROTOCOL.md` tells it with examples.

Every message of a phone names its `type`. What the gateway sends without a `type` is a record of
`match.events`, the very bytes that the log holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, cast

from pydantic import Field, StringConstraints, TypeAdapter, field_validator

from sahrat.games import wire
from sahrat.match.view import Snapshot
from sahrat.messages.base import (
    Coins,
    Count,
    Detail,
    Digest,
    Id,
    Line,
    Message,
    Name,
    Nickname,
    Number64,
    Options,
    Seat,
    UnixMs,
)
from sahrat.messages.reasons import Reason
from services.gateway import coins
from services.gateway.tables import Lobby, Size

if TYPE_CHECKING:
    GameIntent = Message
else:
    GameIntent = wire.any_of(wire.GAME_INTENT_TYPES)

BEARER_TEXT: Final = r"^[A-Za-z0-9_.-]{1,1024}$"
Token = Annotated[str, StringConstraints(pattern=BEARER_TEXT)]
RecoveryCode = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z -]{55,80}$")]
RawNickname = Annotated[str, StringConstraints(max_length=200)]
"""A nickname as it comes in; what it may be is `core.nickname`'s."""

# ---- what phones send over the socket


class SignIn(Message):
    type: Literal["sign_in"]
    token: Token


class Watch(Message):
    """See a match: the records after `seq` (0: from the beginning, or a snapshot), then live ones.
    Who sits there takes control of his seat.
    """

    type: Literal["watch"]
    match_id: Id
    seq: Count


class Unwatch(Message):
    """See no more of a match; one's own seat counts as away then."""

    type: Literal["unwatch"]
    match_id: Id


class WatchLobby(Message):
    """See the open tables now and whenever they change (`on`), or no more."""

    type: Literal["lobby"]
    on: bool


class PlayNow(Message):
    """Sit down at an open free table of this game with these options, or open one."""

    type: Literal["play_now"]
    intent_id: Id
    game: Name
    options: Options = Field(default_factory=dict)
    seat_number: Number64


class Open(Message):
    """Open a table and sit down at it."""

    type: Literal["open"]
    intent_id: Id
    game: Name
    options: Options = Field(default_factory=dict)
    entry_coins: Coins = 0
    seat_number: Number64


class Join(Message):
    """Sit down at an open table, or take one's seat in a running match again."""

    type: Literal["join"]
    intent_id: Id
    match_id: Id
    seat_number: Number64


class Leave(Message):
    """Get up."""

    type: Literal["leave"]
    intent_id: Id
    match_id: Id


class Act(Message):
    """Do something in a game. `step` is the step of the match that the phone saw."""

    type: Literal["act"]
    intent_id: Id
    match_id: Id
    step: Count
    intent: GameIntent

    @field_validator("intent")
    @classmethod
    def _with_a_number(cls, intent: Message) -> Message:
        """Rule D: each roll that a player asks for has a number of his own."""
        if getattr(intent, "number", None) == "":
            raise ValueError("a player gives a number to his roll")
        return intent


class Ping(Message):
    """Ask for the house's time."""

    type: Literal["ping"]


CLIENT_TYPES: Final[tuple[type[Message], ...]] = (
    SignIn,
    Watch,
    Unwatch,
    WatchLobby,
    PlayNow,
    Open,
    Join,
    Leave,
    Act,
    Ping,
)
ClientMessage: TypeAlias = Annotated[
    SignIn | Watch | Unwatch | WatchLobby | PlayNow | Open | Join | Leave | Act | Ping,
    Field(discriminator="type"),
]
CLIENT: Final[TypeAdapter[ClientMessage]] = TypeAdapter(ClientMessage)

# ---- what the gateway sends


class SignedIn(Message):
    """`time_ms`: the log's time, in which all deadlines are. `rate`: messages a second that a
    socket and a player may send, twice as many at once. `matches`: live ones in which the player
    has a seat.
    """

    type: Literal["signed_in"] = "signed_in"
    player_id: Id
    nickname: Nickname
    gateway: Id
    time_ms: UnixMs
    expires_ms: UnixMs
    rate: Count
    matches: tuple[Id, ...]


class Watching(Message):
    """The answer to `watch`; it also comes before the first record of a match that the phone
    entered. `seq` is the match's newest record here. `line`: the line that is to hold the seat,
    None for who only looks on.
    """

    type: Literal["watching"] = "watching"
    match_id: Id
    seq: Count
    line: Line | None


class Unwatched(Message):
    """No more of this match comes: it is parked, or long over."""

    type: Literal["unwatched"] = "unwatched"
    match_id: Id
    reason: Reason


class TakenOver(Message):
    """Another line of the same player holds the seat now; this one may look on."""

    type: Literal["taken_over"] = "taken_over"
    match_id: Id


class PieceWay(Message):
    """Where a piece comes to that may be chosen. `item`: the number of the throw by which; 0 where
    there is but one. `lap`: it goes round again. `progress`: as the game's records have it.
    """

    item: Count
    piece: Count
    lap: bool
    progress: Count


class Ways(Message):
    """What may be chosen after record `seq`, which comes next, or the snapshot of it: for whoever
    chooses, and for nobody else. A piece that only moves with others is not among them.
    """

    type: Literal["ways"] = "ways"
    match_id: Id
    seq: Count
    ways: tuple[PieceWay, ...]


class Accepted(Message):
    """The intent made record `seq`, which does not come because the phone has seen it, or the
    snapshot holds it.
    """

    type: Literal["accepted"] = "accepted"
    intent_id: Id
    match_id: Id
    seq: Count


class NotDone(Message):
    """A message was refused; nothing happened. The ids are those that it named, if any."""

    type: Literal["refused"] = "refused"
    intent_id: Id | None
    match_id: Id | None
    reason: Reason
    detail: Detail


class Pong(Message):
    type: Literal["pong"] = "pong"
    time_ms: UnixMs


SERVER_TYPES: Final[tuple[type[Message], ...]] = (
    SignedIn,
    Watching,
    cast("type[Message]", Snapshot.__class_getitem__(wire.any_of(wire.BOARD_TYPES))),
    Unwatched,
    TakenOver,
    Ways,
    Accepted,
    NotDone,
    Lobby,
    coins.Wallet,
    Pong,
)
SERVER: Final[TypeAdapter[Any]] = TypeAdapter(wire.any_of(SERVER_TYPES))

# ---- what comes and goes by HTTP


class NewGuest(Message):
    nickname: RawNickname


class NewToken(Message):
    """Come back as oneself, and be called so: by the account key that the device keeps, or by the
    recovery code on paper. Exactly one of the two.
    """

    nickname: RawNickname
    player_id: Id | None = None
    account_key: Digest | None = None
    recovery_code: RecoveryCode | None = None


class Account(Message):
    """Who somebody is. The key and the code are for him alone, and for ever."""

    player_id: Id
    nickname: Nickname
    token: Token
    expires_ms: UnixMs
    account_key: Digest
    recovery_code: RecoveryCode


class GameInfo(Message):
    name: Name
    rules: Name
    options: dict[str, Any]
    """JSON Schema; the first value listed of each option is its default."""


class Games(Message):
    """What is played here. `welcome_coins`: what a new player is given at his first sign-in; 0
    everywhere but in a house for development.
    """

    games: tuple[GameInfo, ...]
    welcome_coins: Coins = 0


class PastSeat(Message):
    """Somebody at a table; `player_id` None: a bot that filled the seat. `bot`: one plays it now,
    or played it to the end. `place` None: the match is not over, or has no places.
    """

    seat: Seat | None
    player_id: Id | None
    nickname: Nickname
    bot: bool
    has_left: bool
    place: Annotated[int, Field(ge=1, le=4)] | None


class PastMatch(Message):
    """A match as the read models have it, a moment behind the play. Times that have not come are
    None; `secret`, of the dice, comes with the end. `parked`: why nothing more of it is taken.
    """

    type: Literal["match"] = "match"
    match_id: Id
    game: Name
    rules: Name
    options: Options
    size: Size
    entry_coins: Coins
    key_id: Name
    commitment: Digest
    phase: Name
    opened_ms: UnixMs
    started_ms: UnixMs | None
    ended_ms: UnixMs | None
    end_reason: Name | None
    secret: Digest | None
    seq: Count
    digest: Digest
    parked: str | None
    seated: tuple[PastSeat, ...]


class PastSitting(Message):
    """A match that a player sat in; what the end brings is None until then. `has_left`: he got up
    before its end, or lost his seat for good. `prize_coins`: what he won of the pot, 0 for nothing;
    None at a free table, for a match that was stopped, and until the journal has it.
    """

    match_id: Id
    game: Name
    seat: Seat
    entry_coins: Coins
    started_ms: UnixMs
    ended_ms: UnixMs | None
    end_reason: Name | None
    place: Annotated[int, Field(ge=1, le=4)] | None
    ended_as_bot: bool | None
    has_left: bool = False
    prize_coins: Coins | None = None


class History(Message):
    """The matches that a player sat in, newest first, as the read models have them."""

    matches: tuple[PastSitting, ...]


class Failed(Message):
    """Why a request got nothing. `not_found` is said of what is not there and of what is not the
    asker's alike; `forbidden`: of a player who asks for what is an operator's; `away`: the read
    models are, for a while; `fault`: a fault of the house.
    """

    reason: (
        Reason | Literal["bad_request", "not_found", "foreign_origin", "forbidden", "away", "fault"]
    )
    detail: Detail


HTTP_TYPES: Final[tuple[type[Message], ...]] = (
    NewGuest,
    NewToken,
    Account,
    Games,
    PastMatch,
    History,
    *coins.HTTP_TYPES,
    Failed,
)
