"""The envelopes: an intent on its way in, a record of what happened, an answer, a dead letter."""

from __future__ import annotations

from typing import Annotated, Final, Generic, Literal, Self, TypeVar

from pydantic import Field, StringConstraints, model_validator

from sahrat.messages.base import Count, Detail, Digest, Id, Message, Name, UnixMs
from sahrat.messages.reasons import Reason

VERSION: Final = 1
IntentT = TypeVar("IntentT")
EventT = TypeVar("EventT")
GENESIS: Final = "0" * 64  # `prev` of a match's first record
EVENTS_PER_RECORD: Final = 200
RECORD_BYTES: Final = 64 * 1024
"""Of a match's record, and of every other message but dead letters and snapshots. Far below the
topic's limit of 1 MiB, and so far above what is ever written that a larger one is none of ours.
"""

Version = Annotated[int, Field(ge=1, le=VERSION)]
"""Not a literal, which would take `true` and `1.0` for 1."""
SystemName = Literal["gateway", "timer", "bots", "wallet", "operator"]
Sender = Annotated[str, StringConstraints(pattern=r"^(player:[0-9a-f-]{36}|system:[a-z]{1,20})$")]
Partition = Annotated[int, Field(ge=0, lt=10_000)]


class IntentEnvelope(Message, Generic[IntentT]):
    """What somebody wants, as it stands in `match.intents`.

    Attributes:
        match_id: None only in an intent for a whole partition.
        player_id: Set by the gateway from the token, never by the phone; or None and `system` is.
        step: The step that the sender saw; None in an intent that belongs to no step.
        not_after_ms: An append time past it is refused as late; in players' intents only.
        sent_by: The gateway (or other process) that wrote it, to whom the answer goes.
    """

    v: Version = VERSION
    intent_id: Id
    match_id: Id | None
    player_id: Id | None
    system: SystemName | None
    step: Count | None
    not_after_ms: UnixMs | None
    sent_by: Id
    intent: IntentT

    @model_validator(mode="after")
    def _one_sender(self) -> Self:
        if (self.player_id is None) == (self.system is None):
            raise ValueError("a player or a part of the house, exactly one of the two")
        return self

    @property
    def sender(self) -> str:
        """`player:ID` or `system:NAME`."""
        return f"player:{self.player_id}" if self.player_id else f"system:{self.system}"


class Cause(Message):
    """The intent that a record comes from; `at_ms` is the append time that the broker gave it."""

    intent_id: Id
    sender: Sender
    partition: Partition
    offset: Count
    at_ms: UnixMs


class Record(Message, Generic[EventT]):
    """One accepted intent's events, as it stands in `match.events`: whole or not at all.

    Attributes:
        seq: 1, 2, 3 .. within the match, without gaps.
        at_ms: For people; never goes back within a match.
        rules: Game and rules version, which stands for the game, match code and encoding.
        prev: SHA-256 of the previous record's value bytes; 64 zeros in the first.
    """

    v: Version = VERSION
    match_id: Id
    seq: Annotated[int, Field(ge=1, lt=2**53)]
    at_ms: UnixMs
    caused_by: Cause
    rules: Name
    prev: Digest
    events: Annotated[tuple[EventT, ...], Field(min_length=1, max_length=EVENTS_PER_RECORD)]


class IntentRefused(Message):
    """An intent was refused; nothing happened."""

    type: Literal["refused"] = "refused"
    v: Version = VERSION
    match_id: Id | None
    intent_id: Id
    sender: Sender
    sent_by: Id
    offset: Count
    reason: Reason
    detail: Detail


class IntentRepeated(Message):
    """An intent that had been accepted came again: its record is the one with this `seq`."""

    type: Literal["repeated"] = "repeated"
    v: Version = VERSION
    match_id: Id
    intent_id: Id
    sender: Sender
    sent_by: Id
    offset: Count
    seq: Count


class TickAnswered(Message):
    """A tick went through the whole loop. `tick_ms` is its append time (rule K)."""

    type: Literal["ticked"] = "ticked"
    v: Version = VERSION
    intent_id: Id
    sent_by: Id
    offset: Count
    tick_ms: UnixMs
    resumed: bool
    live: Count
    """Live matches in the partition."""


Answer = Annotated[IntentRefused | IntentRepeated | TickAnswered, Field(discriminator="type")]
"""What stands in `match.refusals`."""


class Pulse(Message):
    """A gateway's heartbeat, one a second."""

    v: Version = VERSION
    gateway: Id


class DeadLetter(Message):
    """A record that a reader could not read, kept for people."""

    v: Version = VERSION
    reader: Name
    topic: Name
    partition: Partition
    offset: Count
    reason: Name
    detail: Detail
    key_base64: Annotated[str, StringConstraints(max_length=2_000_000)]
    value_base64: Annotated[str, StringConstraints(max_length=2_000_000)]
