"""What the projection writes of the journal, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field

from services.projection.rows import Alarm, Letter, Place, UnreadableRow


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An entry. `offset`: where it stands in the journal; `cause`, `command`: as JSON text."""

    entry: int
    offset: int
    appended_ms: int
    command_offset: int
    command_id: str
    kind: str
    match_id: str | None
    cause: str
    command: str
    reason: str | None
    short: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class PostingRow:
    """What an entry moved; `posting` counts from 0."""

    entry: int
    posting: int
    source: str
    destination: str
    coins: int


@dataclass(frozen=True, slots=True)
class Purse:
    """What a player has: to spend, and held."""

    available: int = 0
    held: int = 0


@dataclass(frozen=True, slots=True)
class AccountRow:
    """An account after its last entry; a hold's that is empty is gone."""

    account: str
    coins: int
    held_coins: int
    entry: int


@dataclass(frozen=True, slots=True)
class HoldRow:
    """A player's part of a match's hold; `outcome` None while it is open."""

    match_id: str
    attempt: int
    player_id: str
    amount_coins: int
    held_entry: int
    outcome: str | None = None
    closed_entry: int | None = None


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """What an entry did to one player, and what he had after it."""

    player_id: str
    entry: int
    available_change: int
    held_change: int
    available: int
    held: int


@dataclass(frozen=True, slots=True)
class JournalWrites:
    """All that one batch of the journal changes, to be committed with its place or not at all."""

    place: Place
    entries: list[EntryRow] = field(default_factory=list)
    postings: list[PostingRow] = field(default_factory=list)
    accounts: list[AccountRow] = field(default_factory=list)
    holds: list[HoldRow] = field(default_factory=list)
    changes: list[ChangeRow] = field(default_factory=list)
    unreadable: list[UnreadableRow] = field(default_factory=list)
    letters: list[Letter] = field(default_factory=list)
    alarms: list[Alarm] = field(default_factory=list)
