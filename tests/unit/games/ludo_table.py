"""What the Ludo tests have in common: a loaded die, and positions written down by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sahrat.games.game import fold
from sahrat.games.ludo import LUDO, board
from sahrat.games.ludo.messages import DeclineRoll, MovePawn, RollDie
from sahrat.games.ludo.options import LudoOptions
from sahrat.games.ludo.state import State
from sahrat.messages.base import Message
from sahrat.messages.reasons import Reason, Refused

RED, GREEN, YELLOW, BLUE = range(4)
TWO = (RED, YELLOW)
FOUR = (RED, GREEN, YELLOW, BLUE)
IN_BASE = (board.BASE,) * board.PAWNS


@dataclass
class Loaded:
    """A die that falls as it is told, and keeps what it was asked."""

    values: list[int]
    asked: list[tuple[int, int, str]] = field(default_factory=list)

    def die(self, index: int, seat: int, number: str) -> int:
        self.asked.append((index, seat, number))
        return self.values.pop(0)

    def lot(self, among: int) -> int:
        raise AssertionError(f"no lot here: {among}")

    def cowries(self, index: int, seat: int, number: str, shells: int) -> int:
        raise AssertionError(f"no shells here: {index} {seat} {number} {shells}")


def position(
    pawns: Mapping[int, tuple[int, ...]],
    *,
    seats: tuple[int, ...] = TWO,
    turn: int = RED,
    roll: int = 0,
    sixes: int = 0,
    places: Mapping[int, int] | None = None,
    **options: str | int,
) -> State:
    """Return a state; seats that are not named have all pawns in the base. `options`: others than
    the defaults, but for how many play.
    """
    placed = places or {}
    return State(
        options=LudoOptions.model_validate({"players": len(seats), **options}),
        seats=seats,
        pawns=tuple(pawns.get(s, IN_BASE if s in seats else ()) for s in range(board.SEATS)),
        places=tuple(placed.get(s, 0) for s in range(board.SEATS)),
        turn=turn,
        roll=roll,
        sixes=sixes,
        done=tuple(sorted(placed, key=placed.__getitem__)),
    )


def progress_on(seat: int, square: int) -> int:
    """Return a seat's progress on a shared square."""
    return (square - board.STARTS[seat]) % board.TRACK


class Match:
    """A match in play from a position on."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.log: list[Message] = []

    def rolls(self, *values: int) -> tuple[Message, ...]:
        """The seat on turn rolls, once for each value; return the events of the last roll."""
        events: tuple[Message, ...] = ()
        for value in values:
            events = self._done(self.decide(RollDie(number="7"), Loaded([value])))
        return events

    def declines(self) -> tuple[Message, ...]:
        """The seat on turn leaves its roll unused."""
        return self._done(self.decide(DeclineRoll()))

    def moves(self, pawn: int) -> tuple[Message, ...]:
        """The seat on turn moves a pawn."""
        return self._done(self.decide(MovePawn(pawn=pawn)))

    def leaves(self, seat: int) -> tuple[Message, ...]:
        """A seat leaves for good."""
        return self._done(LUDO.leave(self.state, seat, Loaded([])))

    def times_out(self, *values: int) -> tuple[Message, ...]:
        """The clock plays for the seat on turn."""
        return self._done(LUDO.time_out(self.state, Loaded(list(values))))

    def decide(
        self, intent: Message, chance: Loaded | None = None
    ) -> tuple[Message, ...] | Refused:
        """Ask the rules, without playing."""
        return LUDO.decide(self.state, self.state.turn, intent, chance or Loaded([]))

    def refuses(self, intent: Message, reason: Reason) -> bool:
        """Tell whether the seat on turn is refused, without the die being asked."""
        return self.decide(intent) == Refused(reason)

    def _done(self, decided: tuple[Message, ...] | Refused) -> tuple[Message, ...]:
        assert not isinstance(decided, Refused), decided
        self.log += decided
        self.state = fold(LUDO, self.state, decided)
        return decided


def kinds(events: tuple[Message, ...]) -> list[str]:
    """Return the events' names, for what happened at a glance."""
    return [str(getattr(event, "type", "")).removeprefix("ludo.") for event in events]
