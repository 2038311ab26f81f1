"""What is known of a match: a frozen value, folded from its events alone."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sahrat.games.game import TableOptions
from sahrat.messages.base import Line


class Phase(StrEnum):
    """Where a table is in its life (rule T)."""

    OPEN = "open"
    FUNDING = "funding"
    PLAYING = "playing"
    ENDED = "ended"
    STOPPED = "stopped"
    CLOSED = "closed"


LIVE = frozenset({Phase.OPEN, Phase.FUNDING, Phase.PLAYING})


class Sitter(Struct, frozen=True):
    """Who sits at the table.

    Attributes:
        player_id: Empty for a bot that filled a seat.
        number: The player's number for the dice (rule D); a bot has none.
        line: The connection that holds the seat; None while away.
        away_ms: Deadline of the away clock; 0 when it does not run.
        bot: A bot plays the seat now.
        left: He got up himself, missed too many steps, or (coin table) is gone for good: only a
            join brings him back.
        kept: He left a coin table with a place already, and keeps it with its prize (rule M.7).
        missed: Steps in a row that the clock played for him (rule K.5); 0 where there is no limit.

    """

    player_id: str
    nickname: str
    number: str
    line: Line | None
    away_ms: int = 0
    bot: bool = False
    left: bool = False
    kept: bool = False
    missed: int = 0


class State(Struct, frozen=True):
    """A match.

    Attributes:
        sitters: In order of sitting down; in seat order once play began.
        seats: The seat numbers of `sitters`, one each; empty before play began.
        board: The game's own state; None before play began.
        step: Number of the step that is awaited; 0 before play began.
        timed_out: Whether the clock has played it, and the next step is still to be opened.
        step_ms, fill_ms, idle_ms: Deadlines as append times; 0 when the clock does not run.
        attempt: The funding under way or, once play began, the one whose entries are held: the
            seq of the record that began it. 0 while there is none.

    """

    phase: Phase
    rules: str
    options: TableOptions
    size: int
    entry_coins: int
    key_id: str
    fill_ms: int
    idle_ms: int
    sitters: tuple[Sitter, ...] = ()
    seats: tuple[int, ...] = ()
    board: Any = None
    step: int = 0
    step_seat: int = 0
    step_ms: int = 0
    timed_out: bool = False
    places: tuple[tuple[int, int], ...] = ()
    attempt: int = 0

    @property
    def live(self) -> bool:
        """Whether anything can still happen."""
        return self.phase in LIVE

    @property
    def free(self) -> bool:
        """Whether it is a free table: bots may sit here, and nobody leaves for good (rule S)."""
        return self.entry_coins == 0

    def chair(self, player_id: str) -> int | None:
        """Return the index in `sitters` of a player; None when he does not sit here."""
        for index, sitter in enumerate(self.sitters):
            if sitter.player_id == player_id:
                return index
        return None

    def chair_of_seat(self, seat: int) -> int:
        """Return the index in `sitters` of a seat number of a match in play."""
        return self.seats.index(seat)

    def with_sitter(self, chair: int, sitter: Sitter) -> State:
        """Return the state with one sitter replaced."""
        sitters = (*self.sitters[:chair], sitter, *self.sitters[chair + 1 :])
        return replace(self, sitters=sitters)
