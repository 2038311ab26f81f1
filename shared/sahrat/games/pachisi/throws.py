"""What a throw is worth, and which open throws it adds (rules P2, P4, P5)."""

from __future__ import annotations

from sahrat.games.pachisi import board
from sahrat.games.pachisi.options import ON, PachisiOptions
from sahrat.games.pachisi.parts import OpenThrow
from sahrat.games.pachisi.state import State, mover, plays_at_the_end


def values(options: PachisiOptions) -> tuple[int, ...]:
    """Return what so many mouths up are worth, from none on (rules P2, P5.2 to P5.4)."""
    listed = board.THROWS[options.cowries, options.schedule]
    return tuple([options.six_up if value == board.TOP else value for value in listed])


def again(value: int) -> bool:
    """Tell whether a throw gives another one (rule P2)."""
    return value not in board.PLAIN_THROWS


def enters(options: PachisiOptions, value: int) -> bool:
    """Tell whether a throw may bring in a piece (rules P2, P5.13)."""
    name = options.enter_on
    if name == "table":
        return value in board.ENTERING[board.TABLE_ENTERING[options.cowries, options.schedule]]
    return value in board.ENTERING[name]


def is_void(state: State, value: int) -> bool:
    """Tell whether a throw needs a piece on the board that is not there (rule P5.15)."""
    if value not in board.NEED_A_PIECE or state.options.seven_needs_piece != ON:
        return False
    on_board = any(board.CHARKONI < p < board.HOME for p in state.pieces[mover(state)])
    graced = state.graced
    if plays_at_the_end(state.options):
        graced = any(item.enters for item in state.items)
    return not (on_board or graced)


def opened(state: State, value: int) -> tuple[OpenThrow, ...]:
    """Return the open throws that a throw adds, in order (rules P5.12, P5.26, P5.27)."""
    options, throw = state.options, state.throws
    enter = enters(options, value)
    pyada = _brings_pyada(state, value)
    steps = value
    if pyada and options.pyada_unit == "joined":
        steps += board.PYADA
    if enter and options.grace_use == "bonus":
        items = [
            OpenThrow(throw=throw, part="enter", value=value, enters=True),
            OpenThrow(throw=throw, part="move", value=steps, enters=False),
        ]
    else:
        items = [OpenThrow(throw=throw, part="whole", value=steps, enters=enter)]
    if pyada and options.pyada_unit == "separate":
        items.append(OpenThrow(throw=throw, part="pyada", value=board.PYADA, enters=False))
    return tuple(items)


def _brings_pyada(state: State, value: int) -> bool:
    if state.options.pyada != ON or value not in board.HIGH:
        return False
    return board.CHARKONI not in state.pieces[mover(state)]


def run_after(state: State, value: int) -> tuple[board.Run, int]:
    """Return of what kind the last throws of the turn are after this one, and how many there are in
    a row (rule P5.24); the limit makes them void.
    """
    kind = board.RUNS.get(value)
    if state.options.cancel_three != ON or kind is None:
        return "", 0
    return kind, state.run + 1 if kind == state.run_of else 1
