"""What the intents and events of Pachisi are made of. Rule numbers are those of `rules.md`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sahrat.games.pachisi import board
from sahrat.messages.base import Count, Message

Piece = Annotated[int, Field(ge=0, lt=board.PIECES)]
Progress = Annotated[int, Field(ge=board.CHARKONI, le=board.HOME)]
Steps = Annotated[int, Field(ge=1, le=board.STEPS_LIMIT)]
Shells = Literal[6, 7]
Mouths = Annotated[int, Field(ge=0, le=7)]
Square = Annotated[int, Field(ge=0, lt=board.TRACK)]
Place = Annotated[int, Field(ge=1, le=board.SEATS)]
MaybePlace = Annotated[int, Field(ge=0, le=board.SEATS)]
Item = Annotated[int, Field(ge=0, lt=board.OPEN_LIMIT)]
"""The number of an open throw or part of one, counted from 0 in the order thrown."""
Items = Annotated[tuple[Item, ...], Field(min_length=1, max_length=board.OPEN_LIMIT)]
Pieces = Annotated[tuple[Piece, ...], Field(max_length=board.PIECES)]
Group = Annotated[tuple[Piece, ...], Field(min_length=2, max_length=board.PIECES)]
Part = Literal["whole", "enter", "move", "pyada"]
How = Literal["piece", "group", "split"]
UseWhy = Literal["chosen", "clock"]
LapseWhy = Literal["useless", "overshoot"]
AgainWhy = Literal["grace", "capture"]
PassWhy = Literal["played", "useless", "overshoot", "no_piece", "cancelled", "finished", "left"]


class OpenThrow(Message):
    """A throw, or a part of one, that waits to be used.

    Attributes:
        throw: The index of the throw that it comes from.
        part: All of it; its entering or its moving half (rule P5.12); or a pyada (rule P5.26).
        value: So many squares; with a joined pyada one more than was thrown (rule P5.27). Of an
            entering half what was thrown.
        enters: It may bring a piece in (rule P4.2).
    """

    throw: Count
    part: Part
    value: Steps
    enters: bool


class Share(Message):
    """A part of a throw that one piece moves by (rule P5.17); `lap`: round again (rule P5.28)."""

    piece: Piece
    steps: Steps
    lap: bool


Shares = Annotated[tuple[Share, ...], Field(min_length=2, max_length=board.PIECES)]


class Choice(Message):
    """What may be done with one open throw; nothing of it all: not now, or not at all.

    Attributes:
        item: Its number.
        pieces: Those that can use it alone, ascending.
        laps: Those that can use it to go round again (rule P5.28), ascending.
        groups: Pieces that can use it together, or any two or more of them (rule P5.17).
        split: One way to share it among pieces (rule P5.17), where there is one; empty otherwise.
        may_decline: It may be left unused (rule P4.1).
    """

    item: Item
    pieces: Pieces
    laps: Pieces
    groups: Annotated[tuple[Group, ...], Field(max_length=2)]
    split: Annotated[tuple[Share, ...], Field(max_length=board.PIECES)]
    may_decline: bool


class Moved(Message):
    """A piece went from `start` to `progress`; from 0 it came in.

    Attributes:
        steps: What it took of the throw.
        lap: It went round again as its owner wished (rule P5.28).
    """

    piece: Piece
    start: Progress
    progress: Progress
    steps: Steps
    lap: bool
