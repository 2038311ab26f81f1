"""What a shot means: the table of rule K5, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from sahrat.games.carrom.messages import Before, FoulReason, Queen, Row

Fell = Literal["0", "+", "L"]
"""Coins of one colour in a shot: none, some, or the last of the colour, the ninth, among them."""
Back = Literal["none", "last", "all"]
"""Which of a colour's coins of the shot go back."""
Turn = Literal["again", "pass", "end"]
Side = Literal["own", "other"]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a shot is judged by.

    Attributes:
        before: The queen and the shooter's colour before it.
        own, other: What fell of the shooter's colour, and of the other one.
        queen, striker: Whether they fell.
        held: Whether the queen is down since an earlier shot of this turn (rule K7).
    """

    before: Before
    own: Fell
    other: Fell
    queen: bool
    striker: bool
    held: bool = False


@dataclass(frozen=True, slots=True)
class Effect:
    """What a row says.

    Attributes:
        queen: Where she is after the shot.
        turn: Who shoots next; at the end `winner` says whose colour has won.
        foul: Why it is a foul; None where it is none.
        own, other: The coins of the shot that go back.
        penalty: How many own coins from before go back, as far as there are any.
    """

    queen: Queen
    turn: Turn
    foul: FoulReason | None = None
    own: Back = "none"
    other: Back = "none"
    penalty: int = 0
    winner: Side | None = None


EFFECTS: Final[Mapping[Row, Effect]] = MappingProxyType(
    {
        "S1": Effect("board", "pass", "striker", own="all", other="all", penalty=1),
        "S2": Effect("covered", "pass", "striker", own="all", other="all", penalty=1),
        "N1": Effect("board", "pass"),
        "N2": Effect("board", "again"),
        "N3": Effect("board", "pass", "last_own", own="last"),
        "N4": Effect("board", "pass", "last_other", other="last"),
        "N5": Effect("board", "pass", "last_of_both", own="last", other="last"),
        "Q1": Effect("board", "pass"),
        "Q2": Effect("board", "pass", "last_other", other="last"),
        "Q3": Effect("covered", "again"),
        "Q4": Effect("covered", "end", winner="other"),
        "Q5": Effect("pending", "again"),
        "Q6": Effect("board", "pass", "last_other", other="last"),
        "Q7": Effect("covered", "end", winner="own"),
        "P1": Effect("covered", "again"),
        "P2": Effect("covered", "end", winner="other"),
        "P3": Effect("covered", "end", winner="own"),
        "P4": Effect("board", "pass"),
        "P5": Effect("board", "pass", "last_other", other="last"),
        "C1": Effect("covered", "pass"),
        "C2": Effect("covered", "again"),
        "C3": Effect("covered", "end", winner="other"),
        "C4": Effect("covered", "end", winner="own"),
    }
)


def row_of(shown: Shown) -> Row:
    """Return the one row that fits: the striker is looked at first, then the queen, then last coins
    while she is not covered, then who has won.
    """
    if shown.striker:
        return "S2" if shown.before == "C" else "S1"
    if shown.before == "C":
        return _queen_covered(shown)
    if shown.before == "P":
        return _queen_pending(shown)
    return _queen_falls(shown) if shown.queen else _queen_stays(shown)


def _queen_covered(shown: Shown) -> Row:
    if shown.own == "L":
        return "C4"
    if shown.other == "L":
        return "C3"
    return "C2" if shown.own == "+" else "C1"


def _queen_pending(shown: Shown) -> Row:
    if shown.own == "L":
        return "P3"
    if shown.own == "+":
        return "P2" if shown.other == "L" else "P1"
    return "P5" if shown.other == "L" else "P4"


def _queen_falls(shown: Shown) -> Row:
    if shown.own == "L":
        return "Q7"
    if shown.own == "+":
        return "Q4" if shown.other == "L" else "Q3"
    if shown.before == "B0":
        return "Q2" if shown.other == "L" else "Q1"
    return "Q6" if shown.other == "L" else "Q5"


def _queen_stays(shown: Shown) -> Row:
    if shown.own == "L":
        return "N5" if shown.other == "L" else "N3"
    if shown.other == "L":
        return "N4"
    return "N2" if shown.own == "+" else "N1"
