"""Intents and events of a match around any game: table, seats, presence, clock, end.

Intents are what somebody wants, events are what happened. Rule letters (T, K, S, B, D) are those
of `match/rules.md`.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from sahrat.messages.base import (
    Coins,
    Count,
    Detail,
    Digest,
    Id,
    Line,
    MaybeNumber64,
    Message,
    Name,
    Nickname,
    Number64,
    Options,
    Seat,
    SomeCoins,
    UnixMs,
)

SEATS: Final = 4  # at any table

# ---- intents of players


class OpenTable(Message):
    """Open a table and sit down at it; the match id in the envelope is new."""

    type: Literal["table.open"] = "table.open"
    rules: Name
    options: Options
    entry_coins: Coins
    nickname: Nickname
    seat_number: Number64
    line: Line


class JoinTable(Message):
    """Sit down at an open table, or come back to the own seat of a running match."""

    type: Literal["table.join"] = "table.join"
    nickname: Nickname
    seat_number: Number64
    line: Line


class LeaveTable(Message):
    """Get up."""

    type: Literal["table.leave"] = "table.leave"


# ---- intents of the house's own parts


class LineUp(Message):
    """A gateway has a line to a seated player."""

    type: Literal["line.up"] = "line.up"
    player_id: Id
    line: Line


class LineDown(Message):
    """A gateway's line to a seated player is gone."""

    type: Literal["line.down"] = "line.down"
    player_id: Id
    line: Line


class GatewayLost(Message):
    """A gateway is gone with all its lines. For a whole partition."""

    type: Literal["gateway.lost"] = "gateway.lost"
    gateway: Id


class Tick(Message):
    """Everything that a step needs is alive. For a whole partition; `last_ms`: rule K."""

    type: Literal["clock.tick"] = "clock.tick"
    last_ms: UnixMs


class Due(Message):
    """A deadline of this match has passed, says the timer; rules judges by the append time."""

    type: Literal["clock.due"] = "clock.due"
    last_ms: UnixMs


StopReason = Literal["stood_still", "too_long", "fault", "operator"]


class StopMatch(Message):
    """End the match without a winner; every entry goes back (rule T)."""

    type: Literal["match.stop"] = "match.stop"
    reason: StopReason
    operator: Detail = ""
    detail: Detail = ""


class EntriesHeld(Message):
    """Every entry of funding `attempt` is held, says the wallet (rule M)."""

    type: Literal["entries.held"] = "entries.held"
    attempt: Count


class EntriesRefused(Message):
    """No entry of funding `attempt` is held: these players have not enough coins."""

    type: Literal["entries.refused"] = "entries.refused"
    attempt: Count
    players: Annotated[tuple[Id, ...], Field(min_length=1, max_length=SEATS)]


PLAYER_INTENTS: Final = (OpenTable, JoinTable, LeaveTable)
SYSTEM_INTENTS: Final = (
    LineUp,
    LineDown,
    GatewayLost,
    Tick,
    Due,
    StopMatch,
    EntriesHeld,
    EntriesRefused,
)
PARTITION_INTENTS: Final = (GatewayLost, Tick)
"""Intents for all live matches of a partition: their key is `@N` and they name no match."""

# ---- events


class TableOpened(Message):
    """The match's first event: what is played, and the commitment to the dice secret (rule D)."""

    type: Literal["table.opened"] = "table.opened"
    game: Name
    options: Options
    seats: Annotated[int, Field(ge=1, le=4)]
    entry_coins: Coins
    key_id: Name
    commitment: Digest
    fill_ms: UnixMs
    idle_ms: UnixMs


class SeatTaken(Message):
    """A player, or a bot (which has no id, name, number or line), sat down."""

    type: Literal["seat.taken"] = "seat.taken"
    player_id: Id | Literal[""]
    nickname: Nickname
    seat_number: MaybeNumber64
    line: Line | None
    bot: bool
    idle_ms: UnixMs


class SeatFreed(Message):
    """A player got up, was away too long, or had not enough coins, before play began."""

    type: Literal["seat.freed"] = "seat.freed"
    player_id: Id
    why: Literal["left", "away", "refused"]
    idle_ms: UnixMs


class FundingBegan(Message):
    """The last seat of a coin table was taken: every player's entry is to be held, or none.

    `attempt` is the seq of this record; the funding's hold is named by it (rule M).
    """

    type: Literal["funding.began"] = "funding.began"
    attempt: Count
    entry_coins: SomeCoins
    players: Annotated[tuple[Id, ...], Field(min_length=1, max_length=SEATS)]


class FundingFailed(Message):
    """The table is open again: somebody left, is away or has not enough coins. What was held for
    this attempt is released.
    """

    type: Literal["funding.failed"] = "funding.failed"
    attempt: Count


class MatchStarted(Message):
    """Play began; `dealt[k]` says which sitter, by order of sitting down, has `seats[k]`."""

    type: Literal["match.started"] = "match.started"
    seats: Annotated[tuple[Seat, ...], Field(max_length=SEATS)]
    dealt: Annotated[tuple[Seat, ...], Field(max_length=SEATS)]


class StepOpened(Message):
    """A seat is awaited until the deadline (append time)."""

    type: Literal["step.opened"] = "step.opened"
    step: Count
    seat: Seat
    deadline_ms: UnixMs


class StepTimedOut(Message):
    """The time was over; what follows in the record was played by the game itself."""

    type: Literal["step.timed_out"] = "step.timed_out"
    step: Count
    seat: Seat


class PlayerPresent(Message):
    """A seated player has a line (again); `returned` when a bot had been playing his seat."""

    type: Literal["player.present"] = "player.present"
    player_id: Id
    line: Line
    returned: bool


class PlayerAway(Message):
    """A seated player has no line; until the deadline his seat is kept."""

    type: Literal["player.away"] = "player.away"
    player_id: Id
    until_ms: UnixMs


class PlayerLeft(Message):
    """A player left, was away for too long, or missed too many steps, while the match was on."""

    type: Literal["player.left"] = "player.left"
    player_id: Id
    seat: Seat
    why: Literal["left", "away", "missed"]
    bot: bool
    """A bot plays the seat from now on (free table); otherwise the seat is gone for good."""
    kept: bool = False
    """He had a place already, and keeps it with its prize (rule M)."""


class AwayClock(Message):
    """One player's away deadline."""

    player_id: Id
    until_ms: UnixMs


class MatchResumed(Message):
    """The house stood still and is back (rule K): all deadlines anew."""

    type: Literal["match.resumed"] = "match.resumed"
    last_ms: UnixMs
    step_ms: UnixMs
    fill_ms: UnixMs
    idle_ms: UnixMs
    away: Annotated[tuple[AwayClock, ...], Field(max_length=SEATS)]


class Place(Message):
    """A seat's place at the end: 1 is best."""

    seat: Seat
    place: Annotated[int, Field(ge=1, le=4)]


class Prize(Message):
    """What a player wins."""

    seat: Seat
    player_id: Id
    coins: SomeCoins


class EntriesSettled(Message):
    """The pot of a coin table is shared out; stands before `match.ended` (rule M).

    The prizes, best place first, and the fee are the whole pot.
    """

    type: Literal["entries.settled"] = "entries.settled"
    attempt: Count
    pot_coins: SomeCoins
    fee_coins: Count
    prizes: Annotated[tuple[Prize, ...], Field(min_length=1, max_length=SEATS)]


class EntriesRefunded(Message):
    """Every entry goes back in full, those of leavers too; stands before `match.stopped`."""

    type: Literal["entries.refunded"] = "entries.refunded"
    attempt: Count
    entry_coins: SomeCoins
    players: Annotated[tuple[Id, ...], Field(min_length=1, max_length=SEATS)]


class CoinsEarned(Message):
    """Who played a free match to its end earns coins, as far as his day allows; stands before
    `match.ended` (rule M).
    """

    type: Literal["coins.earned"] = "coins.earned"
    rewards: Annotated[tuple[Prize, ...], Field(min_length=1, max_length=SEATS)]


class MatchEnded(Message):
    """The match is over by its rules; the dice secret is revealed."""

    type: Literal["match.ended"] = "match.ended"
    places: Annotated[tuple[Place, ...], Field(max_length=SEATS)]
    secret: Digest


class MatchStopped(Message):
    """The match was stopped by the house or an operator; nobody loses."""

    type: Literal["match.stopped"] = "match.stopped"
    reason: StopReason
    operator: Detail
    detail: Detail
    secret: Digest


class TableClosed(Message):
    """The table was given up before play began."""

    type: Literal["table.closed"] = "table.closed"
    why: Literal["empty", "idle"]
    secret: Digest


EVENTS: Final = (
    TableOpened,
    SeatTaken,
    SeatFreed,
    FundingBegan,
    FundingFailed,
    MatchStarted,
    StepOpened,
    StepTimedOut,
    PlayerPresent,
    PlayerAway,
    PlayerLeft,
    MatchResumed,
    EntriesSettled,
    EntriesRefunded,
    CoinsEarned,
    MatchEnded,
    MatchStopped,
    TableClosed,
)
MovesCoins = FundingBegan | FundingFailed | EntriesSettled | EntriesRefunded | CoinsEarned
MOVES_COINS: Final = (FundingBegan, FundingFailed, EntriesSettled, EntriesRefunded, CoinsEarned)
"""At most one of them stands in a record: the wallet is asked for one thing at a time."""
FINAL_EVENTS: Final = (MatchEnded, MatchStopped, TableClosed)
