"""What is said of coins: to a player of his own, and to operators who act for the house."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from sahrat.messages.base import (
    INT_LIMIT,
    Coins,
    Count,
    Detail,
    Id,
    Message,
    Name,
    Nickname,
    Reasoned,
    SomeCoins,
    UnixMs,
)
from sahrat.messages.match import SEATS
from sahrat.messages.reasons import Reason
from sahrat.messages.wallet import Cause, CommandId, WalletReason

Change = Annotated[int, Field(gt=-INT_LIMIT, lt=INT_LIMIT)]

# ---- a player's own


class HeldCoins(Message):
    """What of a player's is held for a match."""

    match_id: Id
    coins: SomeCoins


class Wallet(Message):
    """A player's coins after the journal's entry with this number; nobody else is sent them.

    `available_coins` he may spend. `holds`, `held_coins` in all: his entries at tables that play,
    or are about to.
    """

    type: Literal["wallet"] = "wallet"
    entry: Count
    available_coins: Coins
    held_coins: Coins
    holds: tuple[HeldCoins, ...]


class StopTold(Message):
    """Why a match was stopped: `operator` by whom and `detail` with which reason, where `reason` is
    `operator`; both are empty where the house stopped it by itself.
    """

    reason: Name
    operator: Detail
    detail: Detail


class WalletChange(Message):
    """An entry of the journal, as far as it is about one player.

    Attributes:
        id: Of the command that made it.
        kind: What was asked for; `match_id` for which match, None for a grant.
        cause: Who asked, as the journal has it.
        available_change_coins, held_change_coins: What it gave him, or took; at the end of a match
            that he lost it takes what was held.
        available_coins, held_coins: What he had after it.
        stop: Of a refund, why its match was stopped; None where that is not known (yet).
    """

    entry: Annotated[int, Field(ge=1, lt=INT_LIMIT)]
    at_ms: UnixMs
    id: CommandId
    kind: Name
    match_id: Id | None
    cause: Cause
    available_change_coins: Change
    held_change_coins: Change
    available_coins: Coins
    held_coins: Coins
    stop: StopTold | None = None


class WalletHistory(Message):
    """What changed a player's coins, newest first, a hundred at most; what is older is asked for
    by the last one's `entry`.
    """

    changes: tuple[WalletChange, ...]


# ---- operators


class PlayerCoins(Message):
    """What an operator is told of a player before he grants: what he has, and whether the journal
    has ever seen him. Accounts are not stored, so of who has never had a coin nobody knows more.
    `operator`: whose token was brought.
    """

    operator: Name
    player_id: Id
    known: bool
    available_coins: Coins
    held_coins: Coins


class NewGrant(Message):
    """Give a player coins from the house's grants. The same `intent_id` again gives nothing."""

    intent_id: Id
    player_id: Id
    coins: SomeCoins
    reason: Reasoned


class Granted(Message):
    """What became of a grant. `waiting`: it is stored, and not in the journal yet; ask again, with
    the same `intent_id`. `entry`: its number in the journal, if that is at hand.
    """

    id: CommandId
    player_id: Id
    coins: SomeCoins
    state: Literal["waiting", "done", "refused"]
    entry: Count | None
    reason: WalletReason | None


class NewStop(Message):
    """Stop a match: nobody wins, and every entry goes back. The same `intent_id` counts once."""

    intent_id: Id
    match_id: Id
    reason: Reasoned


class StopPlayer(Message):
    """Who sits at a table that may be stopped; `player_id` None: a bot."""

    player_id: Id | None
    nickname: Nickname


class Stop(Message):
    """What stopping a match would do. `refund_coins`: the entries that would go back, in all; in
    phase `parked`, whose log is damaged, what the journal says is held for it. In phase `stopped`
    it is stopped already, and these entries are not back yet.
    """

    match_id: Id
    rules: Name
    phase: Name
    players: Annotated[tuple[StopPlayer, ...], Field(max_length=SEATS)]
    entry_coins: Coins
    refund_coins: Coins


class Stops(Message):
    """The matches that may be stopped, by id, some hundreds at most; `after`: the id to ask on
    from, None with the last of them. `matches` and `refund_coins` are of all.
    """

    stops: tuple[Stop, ...]
    after: Id | None
    matches: Count
    refund_coins: Coins


class Stopped(Message):
    """What became of a stop.

    Attributes:
        state: `waiting`: it is stored, and not judged yet; `refunding`: the match is stopped, and
            the journal has yet to say that the entries went back; ask again, with the same
            `intent_id`. `done`: all of it stands in log and journal.
        seq: The record that stopped it; None where there is none, as of a damaged log.
        refund_coins: What goes back in all; once it is done, what went back.
        entry: The journal's entry about it, if there is one and it is at hand.
        reason: Why it was refused.
    """

    match_id: Id
    state: Literal["waiting", "refunding", "done", "refused"]
    seq: Count | None
    refund_coins: Coins
    entry: Count | None
    reason: Reason | WalletReason | None


HTTP_TYPES: Final[tuple[type[Message], ...]] = (
    WalletHistory,
    PlayerCoins,
    NewGrant,
    Granted,
    NewStop,
    Stop,
    Stops,
    Stopped,
)
