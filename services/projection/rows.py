"""What the projection writes, as plain values: a match's rows, and what a batch adds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from sahrat.messages.stored import Draft

START: Final = -1  # below every offset


@dataclass(frozen=True, slots=True)
class Place:
    """How far the read models have come in one partition of `match.events`, or in the journal.

    Attributes:
        high: The cause offset of the last record taken, or in the journal the last entry.
        digest: SHA-256 of the value before `next_offset`, in hex; empty before the first.
    """

    partition: int
    next_offset: int = 0
    high: int = START
    digest: str = ""


@dataclass(frozen=True, slots=True)
class SeatRow:
    """Somebody at the table.

    Attributes:
        seat: The seat's number; None until the seats are dealt.
        player_id: Empty for a bot that filled the seat.
        bot: A bot plays the seat now.
        left: The player got up himself, or has lost the seat for good.
        sat_ms: When he sat down, in ms since 1970.
    """

    seat: int | None
    player_id: str
    nickname: str
    bot: bool
    left: bool
    sat_ms: int


@dataclass(frozen=True, slots=True)
class View:
    """A match as its rows tell it, after record `seq` with this digest. Times in ms since 1970.

    Attributes:
        options: The table's options, as JSON text.
        seats: In order of sitting down; a seat freed before play is gone.
        places: (seat, place) at the end; not read back from the tables.
    """

    match_id: str
    partition: int
    game: str
    rules: str
    options: str
    size: int
    entry_coins: int
    key_id: str
    commitment: str
    phase: str
    opened_ms: int
    started_ms: int | None
    ended_ms: int | None
    end_reason: str | None
    stopped_by: str | None
    end_detail: str | None
    secret: str | None
    seq: int
    digest: str
    seats: tuple[SeatRow, ...] = ()
    places: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class RecordRow:
    """A record's bytes as stored."""

    match_id: str
    seq: int
    partition: int
    offset: int
    value: bytes


@dataclass(frozen=True, slots=True)
class ParkedRow:
    """A match of which nothing more is taken, and the record that showed why."""

    match_id: str
    partition: int
    offset: int
    reason: str
    appended_ms: int


@dataclass(frozen=True, slots=True)
class UnreadableRow:
    """A record that is none."""

    topic: str
    partition: int
    offset: int
    reason: str
    detail: str
    appended_ms: int


@dataclass(frozen=True, slots=True)
class Letter:
    """The dead letter of the record at an offset."""

    partition: int
    offset: int
    draft: Draft


@dataclass(frozen=True, slots=True)
class Alarm:
    """What people should look at, and the record that showed it (topic/partition@offset)."""

    where: str
    what: str


@dataclass(frozen=True, slots=True)
class Writes:
    """All that one batch changes, to be committed together with its place or not at all.

    Attributes:
        place: Where the partition stands after it.
        matches: Every match that it touched, as it is now.
        seated: Those of them whose seats changed.
        played: Those whose play began or ended.
    """

    place: Place
    records: list[RecordRow] = field(default_factory=list)
    matches: list[View] = field(default_factory=list)
    seated: list[View] = field(default_factory=list)
    played: list[View] = field(default_factory=list)
    parked: list[ParkedRow] = field(default_factory=list)
    unreadable: list[UnreadableRow] = field(default_factory=list)
    letters: list[Letter] = field(default_factory=list)
    alarms: list[Alarm] = field(default_factory=list)
