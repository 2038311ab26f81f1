"""A match as anybody may see it at one moment: for a phone that missed too many records.

It holds nothing that the records do not show to everyone, no secret, and no number of a player:
those are for checking a match, which needs its records anyway.
"""

from __future__ import annotations

from typing import Annotated, Generic, Literal, TypeVar

from pydantic import Field

from sahrat.games.game import Game
from sahrat.match.match import Match
from sahrat.match.state import Phase, State
from sahrat.messages.base import (
    Coins,
    Count,
    Digest,
    Id,
    Message,
    Name,
    Nickname,
    Options,
    Seat,
    UnixMs,
)
from sahrat.messages.match import Place

BoardT = TypeVar("BoardT", bound=Message)


class SitterView(Message):
    """Who sits at the table.

    Attributes:
        seat: None before play began: the seats are dealt then.
        player_id: Empty for a bot that filled a seat.
        bot: A bot plays the seat now, and is labelled so wherever it is shown (rule B).
        present: He has a line. A player whose seat a bot plays is not present.
        away_ms: Until when his seat is kept; 0 when no away clock runs.
        left: He got up himself, missed too many steps, or is gone for good.
        forfeited: He left a coin table for good before he had a place: his entry is lost, unless
            the match is stopped (rules S.3, M.8).
    """

    seat: Seat | None
    player_id: Id | Literal[""]
    nickname: Nickname
    bot: bool
    present: bool
    away_ms: UnixMs
    left: bool
    forfeited: bool = False


class MatchView(Message, Generic[BoardT]):
    """The match around the game. Deadlines are append times, 0 when the clock does not run.

    Attributes:
        size: Seats of the table.
        sitters: In order of sitting down; in seat order once play began.
        step: Number of the step that is awaited, which an intent names; 0 before play began.
        step_seat: Whose step it is; None when nobody is awaited.
        board: The game's own; None before play began.
    """

    phase: Phase
    rules: Name
    options: Options
    size: Annotated[int, Field(ge=1, le=4)]
    entry_coins: Coins
    sitters: Annotated[tuple[SitterView, ...], Field(max_length=4)]
    step: Count
    step_seat: Seat | None
    step_ms: UnixMs
    fill_ms: UnixMs
    idle_ms: UnixMs
    places: Annotated[tuple[Place, ...], Field(max_length=4)]
    board: BoardT | None


class Snapshot(Message, Generic[BoardT]):
    """A match after its record `seq`, whose digest is `digest`: the next record's `prev`."""

    type: Literal["snapshot"] = "snapshot"
    match_id: Id
    seq: Count
    digest: Digest
    state: MatchView[BoardT]


def snapshot(match: Match) -> Snapshot[Message]:
    """Return a match that has been opened, as it is."""
    return Snapshot[Message](
        match_id=match.match_id,
        seq=match.seq,
        digest=match.digest,
        state=view(match.game, match.known),
    )


def view(game: Game, state: State) -> MatchView[Message]:
    """Return a state as anybody may see it."""
    return MatchView[Message](
        phase=state.phase,
        rules=state.rules,
        options=state.options.model_dump(),
        size=state.size,
        entry_coins=state.entry_coins,
        sitters=tuple(_sitter(state, chair) for chair in range(len(state.sitters))),
        step=state.step,
        step_seat=state.step_seat if state.step_ms else None,
        step_ms=state.step_ms,
        fill_ms=state.fill_ms,
        idle_ms=state.idle_ms,
        places=tuple(Place(seat=seat, place=place) for seat, place in state.places),
        board=None if state.board is None else game.view(state.board),
    )


def _sitter(state: State, chair: int) -> SitterView:
    sitter = state.sitters[chair]
    return SitterView(
        seat=state.seats[chair] if state.seats else None,
        player_id=sitter.player_id,
        nickname=sitter.nickname,
        bot=sitter.bot,
        present=sitter.line is not None,
        away_ms=sitter.away_ms,
        left=sitter.left,
        forfeited=not state.free and sitter.left and not sitter.kept,
    )
