"""What the Pachisi tests have in common: loaded cowries, and positions written down by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from sahrat.games.game import fold
from sahrat.games.pachisi import PACHISI, board, throws
from sahrat.games.pachisi.messages import (
    DeclineThrow,
    MoveGroup,
    MovePiece,
    SplitThrow,
    ThrowCowries,
)
from sahrat.games.pachisi.options import PachisiOptions
from sahrat.games.pachisi.parts import Share
from sahrat.games.pachisi.state import State, player
from sahrat.messages.base import Message
from sahrat.messages.reasons import Reason, Refused

SOUTH, EAST, NORTH, WEST = range(4)
WAITING = (0, 0, 0, 0)
SEVEN: dict[str, Any] = {**PachisiOptions.presets["seven"]}


@dataclass
class Loaded:
    """Cowries that fall as they are told, and keep what they were asked."""

    mouths: list[int]
    asked: list[tuple[int, int, str, int]] = field(default_factory=list)

    def die(self, index: int, seat: int, number: str) -> int:
        raise AssertionError(f"no die here: {index} {seat} {number}")

    def lot(self, among: int) -> int:
        raise AssertionError(f"no lot here: {among}")

    def cowries(self, index: int, seat: int, number: str, shells: int) -> int:
        self.asked.append((index, seat, number, shells))
        return self.mouths.pop(0)


def opened(**options: Any) -> State:
    """Return a match before its first throw; the first seat is on turn."""
    return PACHISI.initial(PachisiOptions.model_validate(options))


def position(pieces: Mapping[int, tuple[int, ...]], *, turn: int = SOUTH, **options: Any) -> State:
    """Return a state; seats that are not named have all pieces in the Charkoni. Whoever has a piece
    on the way has brought in his first one, and whoever has all home is done.
    """
    state = opened(**options)
    rows = tuple(pieces.get(seat, row) for seat, row in enumerate(state.pieces))
    return replace(
        state,
        pieces=rows,
        turn=turn,
        entered=tuple(seat for seat in state.seats if any(rows[seat])),
        done=tuple(seat for seat in state.seats if set(rows[seat]) == {board.HOME}),
    )


def progress_on(seat: int, square: int) -> int:
    """Return a seat's progress on a shared square; at its tip, going out."""
    return (square - board.ARM * seat) % board.TRACK + board.TIP


class Match:
    """A match in play from a position on."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.log: list[Message] = []

    def throws(self, *worth: int) -> tuple[Message, ...]:
        """The seat on turn throws so much, once for each value; return the last throw's events."""
        events: tuple[Message, ...] = ()
        for value in worth:
            mouths = throws.values(self.state.options).index(value)
            events = self._done(self.decide(ThrowCowries(number="7"), Loaded([mouths])))
        return events

    def moves(self, piece: int, item: int = 0, *, lap: bool = False) -> tuple[Message, ...]:
        """Use an open throw with a piece."""
        return self._done(self.decide(MovePiece(item=item, piece=piece, lap=lap)))

    def moves_together(self, *pieces: int, item: int = 0, lap: bool = False) -> list[str]:
        """Use an open throw with a group."""
        return kinds(self._done(self.decide(MoveGroup(item=item, pieces=pieces, lap=lap))))

    def shares(self, *parts: tuple[int, int], item: int = 0) -> list[str]:
        """Share an open throw: (piece, squares)."""
        return kinds(self._done(self.decide(self.split(*parts, item=item))))

    @staticmethod
    def split(*parts: tuple[int, int], item: int = 0) -> SplitThrow:
        """Return the intent to share an open throw."""
        shares = tuple(Share(piece=p, steps=steps, lap=False) for p, steps in parts)
        return SplitThrow(item=item, shares=shares)

    def declines(self, item: int = 0) -> tuple[Message, ...]:
        """Leave an open throw unused."""
        return self._done(self.decide(DeclineThrow(item=item)))

    def leaves(self, seat: int) -> tuple[Message, ...]:
        """A player leaves for good."""
        return self._done(PACHISI.leave(self.state, seat, Loaded([])))

    def times_out(self, *mouths: int) -> tuple[Message, ...]:
        """The clock plays for the seat on turn."""
        return self._done(PACHISI.time_out(self.state, Loaded(list(mouths))))

    def decide(
        self, intent: Message, chance: Loaded | None = None
    ) -> tuple[Message, ...] | Refused:
        """Ask the rules, without playing."""
        seat = player(self.state.options, self.state.turn)
        return PACHISI.decide(self.state, seat, intent, chance or Loaded([]))

    def refuses(self, intent: Message, reason: Reason = Reason.ILLEGAL_MOVE) -> bool:
        """Tell whether the seat on turn is refused, without the cowries being asked."""
        decided = self.decide(intent)
        return isinstance(decided, Refused) and decided.reason is reason

    def may(self, item: int = 0) -> tuple[int, ...]:
        """Return the pieces that can use an open throw alone."""
        shown = PACHISI.view(self.state).choices
        return shown[item].pieces if item < len(shown) else ()

    def open(self) -> str:
        """Return the open throws, as values; `e` what may enter."""
        return " ".join(f"{i.value}{'e' * i.enters}" for i in self.state.items)

    def _done(self, decided: tuple[Message, ...] | Refused) -> tuple[Message, ...]:
        assert not isinstance(decided, Refused), decided
        assert decided
        self.log += decided
        self.state = fold(PACHISI, self.state, decided)
        return decided


def piece(number: int, item: int = 0, *, lap: bool = False) -> MovePiece:
    """Return the intent to use an open throw with a piece."""
    return MovePiece(item=item, piece=number, lap=lap)


def kinds(events: tuple[Message, ...]) -> list[str]:
    """Return the events' names, for what happened at a glance."""
    return [str(getattr(event, "type", "")).removeprefix("pachisi.") for event in events]
