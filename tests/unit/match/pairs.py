"""A game for two pairs, made for tests: seats 0 and 2 against 1 and 3, and whoever says so is done.

A pair has won as soon as both of it are done or the other pair has nobody left who plays. Leaving
loses nothing for the partner here, so that a pair of which one has left can win.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from sahrat.games.game import Awaited, Chance, Draw, TableOptions, Way
from sahrat.messages.base import Message, Seat
from sahrat.messages.reasons import Refused


class BeDone(Message):
    type: Literal["pairs.be_done"] = "pairs.be_done"


class SeatDone(Message):
    type: Literal["pairs.seat_done"] = "pairs.seat_done"
    seat: Seat


class SeatGone(Message):
    type: Literal["pairs.seat_gone"] = "pairs.seat_gone"
    seat: Seat


class PairsBoard(Message):
    type: Literal["pairs.board"] = "pairs.board"


@dataclass(frozen=True)
class Board:
    done: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()

    @property
    def winners(self) -> tuple[int, ...]:
        for pair in ((0, 2), (1, 3)):
            others = [seat for seat in range(4) if seat not in pair]
            done = all(seat in self.done or seat in self.gone for seat in pair)
            if (done and any(seat in self.done for seat in pair)) or all(
                seat in self.gone for seat in others
            ):
                return pair
        return ()


class Pairs:
    """The `Game` protocol for it."""

    name = "pairs"
    rules = "pairs/1"
    options: type[TableOptions] = TableOptions
    intents: tuple[type[Message], ...] = (BeDone,)
    events: tuple[type[Message], ...] = (SeatDone, SeatGone)
    board: type[Message] = PairsBoard
    heavy = None

    def seats(self, options: Any) -> tuple[int, ...]:
        return (0, 1, 2, 3)

    def refused(self, options: Any, entry_coins: int) -> str:
        return ""

    def initial(self, options: Any) -> Board:
        return Board()

    def begin(self, state: Board, chance: Chance) -> tuple[Message, ...]:
        return ()

    def awaited(self, state: Board) -> Awaited | None:
        if state.winners:
            return None
        return Awaited(next(s for s in range(4) if s not in state.done + state.gone), "be_done")

    def decide(
        self, state: Board, seat: int, intent: Message, chance: Chance
    ) -> tuple[Message, ...] | Refused:
        return (SeatDone(seat=seat),)

    def time_out(self, state: Board, chance: Chance) -> tuple[Message, ...]:
        awaited = self.awaited(state)
        assert awaited is not None
        return (SeatDone(seat=awaited.seat),)

    def leave(self, state: Board, seat: int, chance: Chance) -> tuple[Message, ...]:
        return () if state.winners else (SeatGone(seat=seat),)

    def bot(self, state: Board, seed: str) -> Message:
        return BeDone()

    def evolve(self, state: Board, event: Message) -> Board:
        match event:
            case SeatDone(seat=seat):
                return replace(state, done=(*state.done, seat))
            case SeatGone(seat=seat):
                return replace(state, gone=(*state.gone, seat))
            case _:
                raise TypeError(f"{type(event).__name__} is no event of pairs")

    def asked(self, event: Message) -> Message | None:
        return BeDone() if isinstance(event, SeatDone) else None

    def number(self, intent: Message) -> str | None:
        return None

    def draw(self, event: Message, chance: Chance) -> Draw | None:
        return None

    def view(self, state: Board) -> PairsBoard:
        return PairsBoard()

    def ways(self, state: Board) -> tuple[Way, ...]:
        return ()

    def places(self, state: Board) -> tuple[tuple[int, int], ...]:
        winners = state.winners
        if not winners:
            return ()
        others = [seat for seat in range(4) if seat not in winners]
        return (*((seat, 1) for seat in winners), *((seat, 2) for seat in others))
