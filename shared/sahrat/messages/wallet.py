"""Commands to the ledger and the entries of its journal (rule M of `match/rules.md`).

A command is what a match's record, an operator or the house asks of the ledger; an entry is what
became of it: balanced postings, or a refusal. The journal alone explains every balance.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from sahrat.messages.base import (
    INT_LIMIT,
    Count,
    Detail,
    Digest,
    Id,
    Message,
    Name,
    SomeCoins,
    UnixMs,
)
from sahrat.messages.codec import Codec
from sahrat.messages.envelope import RECORD_BYTES, VERSION, Partition, Version
from sahrat.messages.match import SEATS

LEDGER: Final = "main"  # the record key of commands and journal: one ledger, one order
FEE: Final = "fee"
GRANTS: Final = "grants"
SNAPSHOT_CHARS: Final = 256 * 1024  # of a part; each takes two bytes at most, so a record holds it
_UUID: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

Account = Annotated[
    str,
    StringConstraints(pattern=rf"^(fee|grants|player:{_UUID}|hold:{_UUID}:[1-9][0-9]{{0,15}})$"),
]
"""`player:ID` (what he may spend), `hold:MATCH:N` (the entries of a match's funding N), `fee`, or
`grants`, the one that may be below zero: all coins come from there.
"""
CommandId = Annotated[
    str,
    StringConstraints(
        pattern=rf"^(hold|release|settle|reward|grant|welcome):{_UUID}(:[0-9]{{1,16}})?$"
    ),
]
"""Derived from the cause, so that one sent again is the same: `hold:MATCH:N`, `release:MATCH:N`,
`settle:MATCH` (settlement and refund alike: one of the two), `reward:MATCH`, `grant:INTENT`,
`welcome:PLAYER`.
"""


def player_account(player_id: str) -> str:
    """Return a player's account."""
    return f"player:{player_id}"


def hold_account(match_id: str, attempt: int) -> str:
    """Return the account of the entries of a match's funding."""
    return f"hold:{match_id}:{attempt}"


# ---- causes


class MatchCause(Message):
    """A record of a match; partition and offset are those of the record's own cause."""

    kind: Literal["match"] = "match"
    match_id: Id
    seq: Annotated[int, Field(ge=1, lt=INT_LIMIT)]
    at_ms: UnixMs
    partition: Partition
    offset: Count


class OperatorCause(Message):
    """An operator, with his reason."""

    kind: Literal["operator"] = "operator"
    operator: Name
    reason: Annotated[Detail, StringConstraints(min_length=1)]


class WelcomeCause(Message):
    """The development set-up, which gives each new player some coins to try coin tables with."""

    kind: Literal["welcome"] = "welcome"


Cause = Annotated[MatchCause | OperatorCause | WelcomeCause, Field(discriminator="kind")]

# ---- commands


class HoldEntries(Message):
    """Hold the entry of every player of a funding, or none."""

    type: Literal["hold"] = "hold"
    match_id: Id
    attempt: Count
    entry_coins: SomeCoins
    players: Annotated[tuple[Id, ...], Field(min_length=1, max_length=SEATS)]


class ReleaseEntries(Message):
    """Give a failed funding's entries back, whether they had been held or not."""

    type: Literal["release"] = "release"
    match_id: Id
    attempt: Count


class PlayerCoins(Message):
    """Coins of one player."""

    player_id: Id
    coins: SomeCoins


class SettleEntries(Message):
    """Pay the prizes of a match that has ended; what is left of the pot is the fee."""

    type: Literal["settle"] = "settle"
    match_id: Id
    attempt: Count
    fee_coins: Count
    prizes: Annotated[tuple[PlayerCoins, ...], Field(min_length=1, max_length=SEATS)]


class RefundEntries(Message):
    """Give every entry of a stopped match back.

    An operator's, for a match whose log is damaged, names no attempt: all its open holds.
    """

    type: Literal["refund"] = "refund"
    match_id: Id
    attempt: Count | None


class RewardPlayers(Message):
    """Reward those who played a free match to its end, as far as their day allows."""

    type: Literal["reward"] = "reward"
    match_id: Id
    rewards: Annotated[tuple[PlayerCoins, ...], Field(min_length=1, max_length=SEATS)]


class GrantCoins(Message):
    """Give a player coins from the house's grants."""

    type: Literal["grant"] = "grant"
    player_id: Id
    coins: SomeCoins


Command = Annotated[
    HoldEntries | ReleaseEntries | SettleEntries | RefundEntries | RewardPlayers | GrantCoins,
    Field(discriminator="type"),
]


class WalletCommand(Message):
    """What somebody asks of the ledger, as it stands in `wallet.commands`."""

    v: Version = VERSION
    id: CommandId
    cause: Cause
    command: Command


# ---- the journal


class WalletReason(StrEnum):
    """Why a command moved nothing. Wire values, in the order of the checks; only ever added to."""

    WRONG_CAUSE = "wrong_cause"
    ID_REUSED = "id_reused"
    ALREADY_SETTLED = "already_settled"
    ALREADY_HELD = "already_held"
    NOTHING_HELD = "nothing_held"
    NOT_ENOUGH = "not_enough"
    BAD_AMOUNTS = "bad_amounts"
    DAY_IS_FULL = "day_is_full"
    TOO_MUCH = "too_much"


class Posting(Message):
    """Coins that go from one account to another."""

    source: Account
    destination: Account
    coins: SomeCoins


class Balance(Message):
    """What an account holds after an entry. Only the grants are ever below zero."""

    account: Account
    coins: Annotated[int, Field(gt=-INT_LIMIT, lt=INT_LIMIT)]


class JournalEntry(Message):
    """One command that was taken, and what it moved.

    Attributes:
        entry: 1, 2, 3 .. without gaps.
        at_ms: Append time of the command.
        offset: Where the command stands in `wallet.commands`.
        prev: SHA-256 of the previous entry's value bytes; 64 zeros in the first.
        reason: Why nothing moved; None when it did, or when there was nothing to move.
        short: Of a refused hold: who has not enough.
        postings: In order; each is possible after those before it.
        balances: Of every account that the postings touch, after all of them.
    """

    type: Literal["entry"] = "entry"
    v: Version = VERSION
    entry: Annotated[int, Field(ge=1, lt=INT_LIMIT)]
    at_ms: UnixMs
    offset: Count
    prev: Digest
    id: CommandId
    cause: Cause
    command: Command
    reason: WalletReason | None
    short: Annotated[tuple[Id, ...], Field(max_length=SEATS)]
    postings: tuple[Posting, ...]
    balances: tuple[Balance, ...]


class JournalSnapshot(Message):
    """A part of the whole ledger as it stood after an entry, so that nobody need read from the
    first one. It says nothing that the entries before it do not.

    Attributes:
        entry, digest: The entry, and SHA-256 of its value bytes.
        part: 1 to `parts`.
        sha256: Of the text.
        text: JSON: the rows of this part. One that was written by the first version is a piece of a
            JSON text, and `sha256` is of all pieces together; readers pass such over.
    """

    type: Literal["snapshot"] = "snapshot"
    v: Version = VERSION
    entry: Annotated[int, Field(ge=1, lt=INT_LIMIT)]
    digest: Digest
    part: Annotated[int, Field(ge=1, lt=INT_LIMIT)]
    parts: Annotated[int, Field(ge=1, lt=INT_LIMIT)]
    sha256: Digest
    text: Annotated[str, StringConstraints(min_length=1, max_length=SNAPSHOT_CHARS)]


COMMANDS: Final[Codec[WalletCommand]] = Codec(WalletCommand, RECORD_BYTES)
"""What stands in `wallet.commands`."""
JOURNAL: Final[Codec[JournalEntry | JournalSnapshot]] = Codec(
    Annotated[JournalEntry | JournalSnapshot, Field(discriminator="type")]
)
"""What stands in `wallet.journal`."""
