"""What an audit says."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Given:
    """Coins that a person, or the development set-up, gave. `operator` empty: a welcome."""

    entry: int
    player_id: str
    coins: int
    operator: str
    reason: str


@dataclass(frozen=True, slots=True)
class Stop:
    """A match that an operator stopped, and what he said."""

    match_id: str
    record: int
    operator: str
    reason: str


@dataclass(frozen=True, slots=True)
class Returned:
    """Entries that an operator gave back for a match whose records are damaged."""

    entry: int
    match_id: str
    coins: int
    operator: str
    reason: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something that a match's record asks for and the journal has not yet."""

    match_id: str
    record: int
    asks: str
    since_ms: int


@dataclass(slots=True)
class Report:
    """The counts and sums of a sound log.

    Attributes:
        entries, digest: Of the journal's last one.
        refused_entries: Those that moved nothing, by reason.
        commands, repeated_commands: Read, and of these taken before.
        unread_commands: What stands among the commands and is none.
        waiting_commands: Behind the last entry.
        players: With an account.
        available_coins: In players' hands.
        held_coins, fee_coins, granted_coins: So W1 says granted = available + held + fee.
        welcome_coins, operator_coins, earned_coins: What was granted, by cause.
        coin_matches, free_matches: Opened.
        settled, refunded, released: Holds, by how they ended.
        rewarded: Free matches that paid somebody.
        holds: Open ones.
        funding, playing: Coin tables that are there now.
        pending: Asked for, and not in the journal yet.
        damaged: Matches whose records are, with why; as for every other reader they stand still.
        returned: By operators, for such.
        given: By operators and as welcomes.
        stops: By operators; what the house itself stops is no choice of anybody's.
        records: Of matches, read.
        snapshots, broken_snapshots: See `Snapshots`.
        tables_entry: The entry at which PostgreSQL has the same balances; None: not compared.
        tables_said: Why not.
    """

    entries: int = 0
    digest: str = ""
    refused_entries: dict[str, int] = field(default_factory=dict)
    repeated_entries: int = 0
    commands: int = 0
    repeated_commands: int = 0
    unread_commands: int = 0
    waiting_commands: int = 0
    players: int = 0
    available_coins: int = 0
    held_coins: int = 0
    fee_coins: int = 0
    granted_coins: int = 0
    welcome_coins: int = 0
    operator_coins: int = 0
    earned_coins: int = 0
    coin_matches: int = 0
    free_matches: int = 0
    settled: int = 0
    refunded: int = 0
    released: int = 0
    rewarded: int = 0
    holds: int = 0
    funding: int = 0
    playing: int = 0
    pending: list[Waiting] = field(default_factory=list)
    damaged: dict[str, str] = field(default_factory=dict)
    returned: list[Returned] = field(default_factory=list)
    given: list[Given] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    records: int = 0
    snapshots: int = 0
    broken_snapshots: list[int] = field(default_factory=list)
    tables_entry: int | None = None
    tables_said: str = ""
