"""Intents and events of Carrom. Rule numbers are those of `rules.md`.

An event says what happened, with all that a client needs to draw it and an auditor to check it.
Lengths are whole micrometres, speeds um/s; places are in the board's frame, shots in the shooter's.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from sahrat.games.carrom import board
from sahrat.messages.base import Count, Digest, Message, Seat

_ANY: Final = 2**31
"""What a wish may hold; which shots there are the rules say, and why another one is none."""

Any32 = Annotated[int, Field(gt=-_ANY, lt=_ANY)]
Disc = Annotated[int, Field(ge=board.STRIKER, lt=board.DISCS)]
Length = Annotated[int, Field(ge=-board.HALF_UM, le=board.HALF_UM)]
LineX = Annotated[int, Field(ge=-board.LINE_HALF_UM, le=board.LINE_HALF_UM)]
Direction = Annotated[int, Field(ge=-board.DIRECTION_LIMIT, le=board.DIRECTION_LIMIT)]
Speed = Annotated[int, Field(ge=board.SPEED_UM_S[0], le=board.SPEED_UM_S[1])]
Coins = Annotated[int, Field(ge=0, le=2 * board.COINS_EACH)]
Down = Annotated[tuple[Coins, ...], Field(min_length=2, max_length=board.SEATS)]
"""Coins down, white and black; where everybody plays for points, by seat."""
Seats = Annotated[tuple[Seat, ...], Field(max_length=board.SEATS)]
Colour = Literal["white", "black"]
Owed = Annotated[tuple[Count, ...], Field(min_length=2, max_length=board.SEATS)]
"""Coins that are still to go back, white and black; where everybody plays for points, by seat."""
Points = Annotated[tuple[Count, ...], Field(max_length=board.SEATS)]
"""By seat; empty where nobody plays for points."""
Score = Annotated[tuple[Count, ...], Field(min_length=2, max_length=2)]
"""Of the first seat's side, and of the other, in a match of several boards."""
Queen = Literal["board", "held", "pending", "covered"]
"""Where she is: `held` is down too early, while the turn lasts; `pending` waits for a cover."""
Before = Literal["B0", "B1", "P", "C"]
Row = Literal[
    "S1", "S2", "N1", "N2", "N3", "N4", "N5", "Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7",
    "P1", "P2", "P3", "P4", "P5", "C1", "C2", "C3", "C4",
]  # fmt: skip
FoulReason = Literal["striker", "last_own", "last_other", "last_of_both", "other_coin"]
ShotReason = Literal["chosen", "clock"]
AgainReason = Literal["earned", "untouched"]
PassReason = Literal["no_own_coin", "foul", "left"]
WinReason = Literal["all_down", "left", "last_coin"]
MatchReason = Literal["score", "left"]

# ---- intents


class Shoot(Message):
    """Place the striker at x on the own line and push it: in the direction (dx, dy), a vector of
    any length, so fast.
    """

    type: Literal["carrom.shoot"] = "carrom.shoot"
    x: Any32
    dx: Any32
    dy: Any32
    speed: Any32


# ---- events


class Placed(Message):
    """A disc and where it lies."""

    disc: Disc
    x: Length
    y: Length


Layout = Annotated[tuple[Placed, ...], Field(max_length=board.DISCS)]


class BoardLaid(Message):
    """A board begins: who breaks, whose colours are whose (nobody's where everybody plays for
    points), where everything lies, and the hash of that (rules K2, K3).
    """

    type: Literal["carrom.board_laid"] = "carrom.board_laid"
    board: Annotated[int, Field(ge=1)]
    breaker: Seat
    white: Seats
    black: Seats
    places: Layout
    hash: Digest


class StrikerShot(Message):
    """The seat on turn shot, or the game for it because the time was over (`why`).

    Attributes:
        index: Shots of the match are counted from 0.
        x, dx, dy, speed: In the shooter's frame: the whole of what the shot is computed from.
    """

    type: Literal["carrom.striker_shot"] = "carrom.striker_shot"
    index: Count
    seat: Seat
    x: LineX
    dx: Direction
    dy: Direction
    speed: Speed
    why: ShotReason


class StrikerBlocked(Message):
    """The time was over, and coins left no place for the striker: a shot in which nothing fell
    (rule K8).
    """

    type: Literal["carrom.striker_blocked"] = "carrom.striker_blocked"
    index: Count
    seat: Seat


class DiscsRested(Message):
    """What fell, in order, and where everything rests, the striker too unless it fell.

    Attributes:
        steps: How many steps of 1/256 s the shot took.
        hash: Of the places (rule K3), with the striker where it rests.
    """

    type: Literal["carrom.discs_rested"] = "carrom.discs_rested"
    pocketed: Annotated[tuple[Disc, ...], Field(max_length=board.DISCS)]
    places: Layout
    steps: Count
    hash: Digest


class ShotJudged(Message):
    """What the shot meant (rule K5).

    Attributes:
        before: The state that it was judged in.
        row: The row that fits.
        foul_reason: None where it was no foul.
        returned: The pieces that went back and where to, in the order in which they were put down.
        queen: Where she is now.
        down: Coins down now.
        owed: What each still owes for its striker.
        points: Each seat's now.
        hash: Of the layout now; the striker is lifted.
    """

    type: Literal["carrom.shot_judged"] = "carrom.shot_judged"
    seat: Seat
    before: Before
    row: Row
    foul: bool
    foul_reason: FoulReason | None
    returned: Layout
    queen: Queen
    down: Down
    owed: Owed
    points: Points
    hash: Digest


class DebtsPaid(Message):
    """Coins went back that were owed for a striker that fell earlier (rule K7).

    Attributes:
        returned: In the order in which they were put down.
        down: Coins down now.
        owed: What is still owed.
        points: Each seat's now.
        hash: Of the layout now.
    """

    type: Literal["carrom.debts_paid"] = "carrom.debts_paid"
    returned: Layout
    down: Down
    owed: Owed
    points: Points
    hash: Digest


class ShootsAgain(Message):
    """The seat on turn shoots again: it earned that, or its break touched nothing (rule K7)."""

    type: Literal["carrom.shoots_again"] = "carrom.shoots_again"
    seat: Seat
    why: AgainReason


class TurnPassed(Message):
    """The turn is this seat's now."""

    type: Literal["carrom.turn_passed"] = "carrom.turn_passed"
    seat: Seat
    why: PassReason


class QueenReturned(Message):
    """The queen that a leaver had down, not covered, went back there (rule K7); with the hash of
    the layout now.
    """

    type: Literal["carrom.queen_returned"] = "carrom.queen_returned"
    returned: Layout
    hash: Digest


class SeatLeft(Message):
    """A seat left for good: its side loses, or the others go on for points (rule K8)."""

    type: Literal["carrom.seat_left"] = "carrom.seat_left"
    seat: Seat


class BoardWon(Message):
    """A colour has won the board, and its seats the match if that is one board.

    Attributes:
        points: What it brings them in a match of several (rule K7).
    """

    type: Literal["carrom.board_won"] = "carrom.board_won"
    colour: Colour
    seats: Seats
    why: WinReason
    points: Count = 0


class MatchWon(Message):
    """A side has won a match of several boards (rule K7)."""

    type: Literal["carrom.match_won"] = "carrom.match_won"
    seats: Seats
    score: Score
    why: MatchReason


class Ranked(Message):
    """A seat's place and points."""

    seat: Seat
    place: Annotated[int, Field(ge=1, le=board.SEATS)]
    points: Count


class PointsWon(Message):
    """Everybody played for points, and it is over: the places, the best first. Whoever drew shares
    one, and as many behind it have nobody (rule K7).
    """

    type: Literal["carrom.points_won"] = "carrom.points_won"
    ranks: Annotated[tuple[Ranked, ...], Field(max_length=board.SEATS)]
    why: WinReason


# ---- views


class CarromBoard(Message):
    """The game at one moment, for whoever did not see the records before.

    Attributes:
        seats: The seats that play began with, ascending.
        white, black: Whose colours are whose; nobody's where everybody plays for points.
        score: What the first seat's side and the other have won of a match of several boards.
        points: Each seat's, in order.
        turn: The seat on turn; None once the game is over.
        before: The state that its shot will be judged in; None once the game is over.
        tries: Shots that are left to the breaker, the next one among them; 0 once it broke.
        first: Whether white and black, or each seat, have had their first coin down (rule K5).
        shots: Shots of the match so far, which is the index of the next.
        hash: Of the places.
        winner: Of the board; None while there is none.
    """

    type: Literal["carrom.board"] = "carrom.board"
    board: Annotated[int, Field(ge=0)]
    seats: Seats
    white: Seats
    black: Seats
    places: Layout
    hash: Digest
    turn: Seat | None
    before: Before | None
    queen: Queen
    first: Annotated[tuple[bool, ...], Field(min_length=2, max_length=board.SEATS)]
    down: Down
    owed: Owed
    score: Score
    points: Points
    tries: Count
    shots: Count
    winner: Colour | None


INTENTS: Final = (Shoot,)
EVENTS: Final = (
    BoardLaid,
    StrikerShot,
    StrikerBlocked,
    DiscsRested,
    ShotJudged,
    DebtsPaid,
    ShootsAgain,
    TurnPassed,
    QueenReturned,
    SeatLeft,
    BoardWon,
    MatchWon,
    PointsWon,
)
