"""What an audit says."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Given:
    """Coins that an operator gave."""

    entry: int
    at_ms: int
    player_id: str
    coins: int
    operator: str
    reason: str


@dataclass(slots=True)
class Stop:
    """A match that an operator stopped, and what he said.

    Attributes:
        coins: Its entries, if play had begun for them.
        entry: That gave them back; None: none has yet, or there were none.
    """

    match_id: str
    record: int
    at_ms: int
    operator: str
    reason: str
    coins: int
    entry: int | None = None


@dataclass(frozen=True, slots=True)
class Returned:
    """Entries that an operator gave back for a match whose records are damaged."""

    entry: int
    at_ms: int
    match_id: str
    coins: int
    operator: str
    reason: str


@dataclass(frozen=True, slots=True)
class Refused:
    """What somebody asked for and the ledger refused, so that nothing moved.

    Attributes:
        id, asks: Of the command: its id and what kind it is.
        operator: Whose it was; empty for a match's.
        players: For whom it was; of entries that could not be held, who had not enough.
    """

    entry: int
    at_ms: int
    id: str
    asks: str
    reason: str
    operator: str
    match_id: str | None
    players: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """What an entry did to the one player who was asked about, and what he had after it; `cause`:
    the operator with his reason, `welcome`, or the match's record.
    """

    entry: int
    at_ms: int
    id: str
    kind: str
    match_id: str | None
    cause: str
    available_change_coins: int
    held_change_coins: int
    available_coins: int
    held_coins: int


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
        refused_entries, refused: Those that moved nothing: how many, by reason, and each.
        unread_entries: What stands in the journal and is none, by offset: the chain is whole
            without it.
        commands, repeated_commands: Read, and of these taken before.
        unread_commands: What stands among the commands and is none.
        waiting_commands: Behind the last entry.
        players: With an account.
        available_coins: In players' hands.
        held_coins, fee_coins, granted_coins: So W1 says granted = available + held + fee.
        welcomes: How many players were welcomed.
        welcome_coins, operator_coins, earned_coins: What was granted, by cause.
        coin_matches, free_matches: Opened.
        settled, refunded, released: Holds, by how they ended.
        rewarded: Free matches that paid somebody.
        holds: Open ones.
        open, funding, playing: Coin tables that are there now.
        unplayed: Coin tables that ended before play.
        unsettled: Coin matches that are over, and whose end the journal has not yet.
        stuck: Coin matches among the damaged whose entries no operator has returned.
        pending: Asked for, and not in the journal yet.
        damaged: Matches whose records are, with why; as for every other reader they stand still.
        returned: By operators, for such.
        given: By operators.
        lines: What the journal has about the player who was asked about.
        stops: By operators; what the house itself stops is no choice of anybody's.
        records: Of matches, read.
        snapshots, broken_snapshots: See `Snapshots`.
        tables_entry: The entry at which PostgreSQL has the same balances, and up to which its
            players' histories are the same; None: not compared.
        tables_said: Why not.
    """

    entries: int = 0
    digest: str = ""
    refused_entries: dict[str, int] = field(default_factory=dict)
    refused: list[Refused] = field(default_factory=list)
    repeated_entries: int = 0
    unread_entries: dict[int, str] = field(default_factory=dict)
    commands: int = 0
    repeated_commands: int = 0
    unread_commands: int = 0
    waiting_commands: int = 0
    players: int = 0
    available_coins: int = 0
    held_coins: int = 0
    fee_coins: int = 0
    granted_coins: int = 0
    welcomes: int = 0
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
    open: int = 0
    funding: int = 0
    playing: int = 0
    unplayed: int = 0
    unsettled: int = 0
    stuck: int = 0
    pending: list[Waiting] = field(default_factory=list)
    damaged: dict[str, str] = field(default_factory=dict)
    returned: list[Returned] = field(default_factory=list)
    given: list[Given] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    records: int = 0
    snapshots: int = 0
    broken_snapshots: list[int] = field(default_factory=list)
    tables_entry: int | None = None
    tables_said: str = ""

    def forget_before(self, at_ms: int) -> None:
        """Leave out of all lists what happened before a time; the counts are of all."""
        self.given = [one for one in self.given if one.at_ms >= at_ms]
        self.stops = [one for one in self.stops if one.at_ms >= at_ms]
        self.returned = [one for one in self.returned if one.at_ms >= at_ms]
        self.refused = [one for one in self.refused if one.at_ms >= at_ms]
        self.lines = [one for one in self.lines if one.at_ms >= at_ms]
