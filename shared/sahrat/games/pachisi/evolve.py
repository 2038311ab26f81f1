"""What each event of Pachisi changes. What the log says happened is never refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from sahrat.games.pachisi import board, throws
from sahrat.games.pachisi.messages import (
    CaptureCounted,
    CaptureVoided,
    ChoiceOpened,
    CowriesThrown,
    PieceCaptured,
    SeatFinished,
    SeatLeft,
    SeatRemained,
    SideWon,
    StartDecided,
    StartThrown,
    ThrowDeclined,
    ThrowsAgain,
    ThrowsCancelled,
    ThrowsLapsed,
    ThrowUsed,
    TurnPassed,
)
from sahrat.games.pachisi.options import ON
from sahrat.games.pachisi.parts import OpenThrow
from sahrat.games.pachisi.state import (
    OVER,
    Captured,
    State,
    captured_last,
    has_sides,
    plays_at_the_end,
)
from sahrat.messages.base import Message

T = TypeVar("T")


def evolve(state: State, event: Message) -> State:
    """Return the match after an event.

    Raises:
        TypeError: It is no event of Pachisi.
    """
    match event:
        case CowriesThrown():
            return _thrown(state, event)
        case ChoiceOpened():
            return replace(state, using=True, run_of="", run=0)
        case ThrowUsed():
            return _used(state, event)
        case PieceCaptured(seat=seat, piece=piece):
            more = state.more
            if more is None and state.options.capture_bonus == ON:
                more = "capture"
            row = _put(state.pieces[seat], piece, board.CHARKONI)
            return replace(state, pieces=_put(state.pieces, seat, row), more=more)
        case ThrowDeclined(item=item):
            return replace(state, items=_without(state.items, (item,)))
        case ThrowsLapsed(items=items):
            return replace(state, items=_without(state.items, items))
        case ThrowsCancelled(items=items):
            return replace(state, items=_without(state.items, items), run_of="", run=0)
        case CaptureCounted() | CaptureVoided():
            return _counted(state, event)
        case ThrowsAgain():
            return replace(state, using=False, more=None)
        case TurnPassed(seat=seat):
            return _turn_of(state, seat)
        case StartThrown():
            return replace(state, throws=state.throws + 1)
        case StartDecided(seat=seat):
            return replace(state, turn=seat)
        case SeatFinished() | SeatLeft() | SeatRemained() | SideWon():
            return _placed(state, event)
        case _:
            raise TypeError(f"{type(event).__name__} is no event of Pachisi")


def _thrown(state: State, event: CowriesThrown) -> State:
    options, value = state.options, event.value
    run_of, run = throws.run_after(state, value)  # of a void throw nothing comes of it
    gate = state.gate
    if options.opening_gate == ON and value in board.GATE_THROWS:
        gate = _with_seat(gate, event.seat)
    at_the_end = plays_at_the_end(options)
    return replace(
        state,
        throws=state.throws + 1,
        items=(*state.items, *event.opened),
        run_of=run_of,
        run=run,
        gate=gate,
        graced=not at_the_end and (state.graced or throws.enters(options, value)),
        more="grace" if event.opened and not at_the_end and throws.again(value) else None,
    )


def _used(state: State, event: ThrowUsed) -> State:
    row = list(state.pieces[event.mover])
    entered = state.entered
    for moved in event.moves:
        row[moved.piece] = moved.progress
        if moved.start == board.CHARKONI:
            entered = _with_seat(entered, event.mover)
    return replace(
        state,
        pieces=_put(state.pieces, event.mover, tuple(row)),
        entered=entered,
        items=_without(state.items, (event.item,)),
    )


def _counted(state: State, event: CaptureCounted | CaptureVoided) -> State:
    """Count a capture, or take one away (rules P5.21, P5.22)."""
    seat, victim = event.seat, event.victim
    if isinstance(event, CaptureVoided):
        return replace(state, credit=_put(state.credit, seat, state.credit[seat] - 1))
    credit = _put(state.credit, seat, state.credit[seat] + 1)
    captures = state.captures
    if state.options.recapture_void != "off":
        before = captured_last(state, seat, victim)
        due, first = state.turns[victim] + 1, before is None
        last = Captured(seat, victim, event.pieces, event.square, due, first)
        others = [c for c in captures if c is not before]
        captures = tuple(sorted([*others, last], key=lambda c: (c.captor, c.victim)))
    return replace(state, credit=credit, captures=captures)


def _turn_of(state: State, seat: int) -> State:
    turns = state.turns
    if state.options.recapture_void != "off":
        turns = _put(turns, seat, turns[seat] + 1)
    return replace(
        state,
        turn=seat,
        turns=turns,
        items=(),
        using=False,
        more=None,
        run_of="",
        run=0,
        graced=False,
    )


def _placed(state: State, event: SeatFinished | SeatLeft | SeatRemained | SideWon) -> State:
    match event:
        case SeatFinished(seat=seat, place=place):
            places = _put(state.places, seat, place)
            state = replace(state, places=places, done=(*state.done, seat))
            only = place and state.options.finish == "first_only"
            return _over(state) if only else state
        case SeatLeft(seat=seat, colours=colours, place=place):
            gone = {colour for colour in colours if colour not in state.done}
            pieces = tuple([() if s in gone else row for s, row in enumerate(state.pieces)])
            left = tuple(sorted({*state.left, *colours}))
            places = _put(state.places, seat, place)
            return replace(state, places=places, pieces=pieces, left=left)
        case SeatRemained(seat=seat, place=place):
            return _over(replace(state, places=_put(state.places, seat, place)))
        case SideWon(seats=seats):
            assert has_sides(state.options)
            second = 0 if state.options.finish == "first_only" else 2
            won = [1 if seat in seats else second for seat in range(board.SEATS)]
            return _over(replace(state, places=tuple(won)))


def _over(state: State) -> State:
    return replace(
        state, turn=OVER, items=(), using=False, more=None, run_of="", run=0, graced=False
    )


def _without(items: tuple[OpenThrow, ...], numbers: Sequence[int]) -> tuple[OpenThrow, ...]:
    return tuple([item for number, item in enumerate(items) if number not in numbers])


def _with_seat(seats: tuple[int, ...], seat: int) -> tuple[int, ...]:
    return seats if seat in seats else tuple(sorted((*seats, seat)))


def _put(values: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return *values[:index], value, *values[index + 1 :]
