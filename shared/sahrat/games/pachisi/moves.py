"""Where a piece may go, whom it captures there, and what can be done with an open throw (rules P4,
P5).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from sahrat.games.pachisi import board
from sahrat.games.pachisi.options import ON
from sahrat.games.pachisi.parts import Choice, How, Moved, OpenThrow, Share
from sahrat.games.pachisi.state import (
    State,
    mover,
    opponents,
    plays_at_the_end,
    side,
    without_credit,
)


@dataclass(frozen=True, slots=True)
class Use:
    """One way to use an open throw.

    Attributes:
        item: Its number.
        moves: In order; of a group all to one place.
    """

    item: int
    how: How
    moves: tuple[Moved, ...]


# ---- one piece


def landing(
    state: State, seat: int, start: int, steps: int, *, lap: bool = False, together: bool = False
) -> int | None:
    """Return where a piece on a seat's path, 1..83, ends by so many steps; None where it may not.

    Args:
        state: The match.
        seat: Whose piece it is.
        start: Where it stands.
        steps: How far it goes.
        lap: It goes round again by its owner's wish (rule P5.28).
        together: It moves with others (rule P5.17).
    """
    target = destination(state, seat, start, steps, lap=lap)
    if target is None or (target == board.HOME and without_credit(state, seat)):
        return None
    if target == board.LAST and state.options.last_square == "no_stop":
        return None
    square = board.SQUARES[seat][target]
    if square == board.NOWHERE:
        return target
    if square in board.CASTLES:
        return None if stands_on(state, opponents(state, seat), square) else target
    if state.options.own_stacking == "castles_only":
        own = side(state, seat)
        if together or stands_on(state, own, square):
            return None
    return target


def destination(
    state: State, seat: int, start: int, steps: int, *, lap: bool = False
) -> int | None:
    """Return the same, whoever stands there (rules P4.9, P5.21, P5.28)."""
    target = start + steps
    bare = without_credit(state, seat)
    if lap:
        may = state.options.second_lap == ON and start == board.RETURN and not bare
        return target - board.LAP if may else None
    if bare and start <= board.RETURN < target:
        return target - board.LAP
    return target if target <= board.HOME else None


def stands_on(state: State, seats: Sequence[int], square: int) -> bool:
    """Tell whether one of these seats has a piece on a shared square."""
    return any(
        board.SQUARES[seat][progress] == square for seat in seats for progress in state.pieces[seat]
    )


def captured_at(state: State, seat: int, progress: int) -> tuple[tuple[int, int], ...]:
    """Return (seat, piece) of the opponents whom a seat's piece that ends there sends back (rule
    P4.6).
    """
    square = board.SQUARES[seat][progress]
    if square == board.NOWHERE or square in board.CASTLES:
        return ()
    return tuple(
        [
            (other, piece)
            for other in opponents(state, seat)
            for piece, theirs in enumerate(state.pieces[other])
            if board.SQUARES[other][theirs] == square
        ]
    )


def single(state: State, item: OpenThrow, piece: int, *, lap: bool = False) -> int | None:
    """Return where a piece of the seat on turn, or of its partner, comes by an open throw; None
    where it can't use it.
    """
    seat = mover(state)
    start = state.pieces[seat][piece]
    if start == board.HOME or not _through_gate(state):
        return None
    if start == board.CHARKONI:
        return None if lap else _entry(state, seat, item)
    if _only_enters(state, seat, item):
        return None
    if start == board.LAST and item.enters and state.options.last_square == "grace_exits":
        return None if lap or without_credit(state, seat) else board.HOME
    if item.part == "enter":
        return None
    return landing(state, seat, start, item.value, lap=lap)


def _through_gate(state: State) -> bool:
    """Tell whether the seat on turn may enter and move at all (rule P5.10)."""
    return state.options.opening_gate != ON or state.turn in state.gate


def _entry(state: State, seat: int, item: OpenThrow) -> int | None:
    """Return where an open throw brings a piece in (rules P4.2, P4.3); None if it does not."""
    if item.enters:
        return board.ENTRY
    first = state.options.first_piece == "any_throw" and seat not in state.entered
    plain = item.part == "whole" and item.value in board.PLAIN_THROWS
    return item.value if first and plain else None


def _only_enters(state: State, seat: int, item: OpenThrow) -> bool:
    """Tell whether a grace moves no piece, since one waits to come in (rule P5.12)."""
    must = state.options.grace_use == "must_enter" and item.enters
    return must and board.CHARKONI in state.pieces[seat]


# ---- several pieces (rule P5.17)


def group(state: State, item: OpenThrow, pieces: Sequence[int], *, lap: bool = False) -> int | None:
    """Return where pieces come that move together; None where they may not."""
    if not _shareable(state, item, "group") or len(set(pieces)) < len(pieces):
        return None
    seat = mover(state)
    starts = {state.pieces[seat][piece] for piece in pieces}
    (start,) = starts if len(starts) == 1 else (board.HOME,)
    if not board.CHARKONI < start < board.HOME:
        return None
    return landing(state, seat, start, item.value, lap=lap, together=True)


def shared(state: State, item: OpenThrow, shares: Sequence[Share]) -> tuple[Moved, ...]:
    """Return how pieces move that share an open throw, one after the other; empty where they may
    not.
    """
    pieces = {share.piece for share in shares}
    whole = sum(share.steps for share in shares) == item.value
    if not _shareable(state, item, "split") or not whole or len(pieces) < len(shares):
        return ()
    moves: list[Moved] = []
    for share in shares:
        moved = _by_share(state, share)
        if moved is None:
            return ()
        moves.append(moved)
        state = after_move(state, moved)
    return tuple(moves)


def _shareable(state: State, item: OpenThrow, how: str) -> bool:
    if state.options.pieces_per_throw != how or item.part not in ("whole", "move"):
        return False
    return _through_gate(state) and not _only_enters(state, mover(state), item)


def _by_share(state: State, share: Share) -> Moved | None:
    seat = mover(state)
    start = state.pieces[seat][share.piece]
    if not board.CHARKONI < start < board.HOME:
        return None
    target = landing(state, seat, start, share.steps, lap=share.lap)
    if target is None:
        return None
    return Moved(piece=share.piece, start=start, progress=target, steps=share.steps, lap=share.lap)


def after_move(state: State, moved: Moved) -> State:
    """Return the board after a piece of the mover's has moved, for the shares that follow."""
    seat = mover(state)
    captured = captured_at(state, seat, moved.progress)
    pieces = [list(row) for row in state.pieces]
    pieces[seat][moved.piece] = moved.progress
    for other, piece in captured:
        pieces[other][piece] = board.CHARKONI
    credit = list(state.credit)
    credit[seat] += len({other for other, _ in captured})
    return replace(state, pieces=tuple(map(tuple, pieces)), credit=tuple(credit))


def split(state: State, item: OpenThrow, *, laps: bool) -> tuple[Moved, ...]:
    """Return the first way in which pieces may share an open throw: the lower piece first, the
    larger share first; empty if there is none.

    Args:
        state: The match.
        item: The open throw.
        laps: Whether a piece may go round again by its owner's wish, where it can't go on.
    """
    if not _shareable(state, item, "split"):
        return ()
    return next(_splits(state, item.value, (), laps=laps), ())


def _splits(
    state: State, steps: int, moves: tuple[Moved, ...], *, laps: bool
) -> Iterator[tuple[Moved, ...]]:
    """Yield the ways in which pieces that have not moved yet can share so many steps."""
    seat = mover(state)
    used = [moved.piece for moved in moves]
    left = [
        piece
        for piece, start in enumerate(state.pieces[seat])
        if piece not in used and board.CHARKONI < start < board.HOME
    ]
    if not left or _reach(state, left) < steps:
        return
    most = steps if moves else steps - 1  # a whole throw is no share
    for piece in left:
        least = 1 if len(left) > 1 else steps  # the last one has all that is left
        for share in range(most, least - 1, -1):
            for lap in _ways(state, laps=laps):
                moved = _by_share(state, Share(piece=piece, steps=share, lap=lap))
                if moved is None:
                    continue
                if share == steps:
                    yield (*moves, moved)
                else:
                    after = after_move(state, moved)
                    yield from _splits(after, steps - share, (*moves, moved), laps=laps)


def _reach(state: State, pieces: Sequence[int]) -> int:
    """Return how many steps pieces of the mover's can still make together, at most."""
    seat = mover(state)
    starts = [state.pieces[seat][piece] for piece in pieces]
    if any(may_go_round(state, seat, start) for start in starts):
        return board.STEPS_LIMIT * board.PIECES
    return sum(board.HOME - start for start in starts)


def may_go_round(state: State, seat: int, start: int) -> bool:
    """Tell whether a piece has no end of its way before it (rules P5.21, P5.28)."""
    if without_credit(state, seat):
        return start <= board.RETURN
    return state.options.second_lap == ON and start == board.RETURN


# ---- what can be done


def uses(state: State, number: int, *, laps: bool = True) -> Iterator[Use]:
    """Yield the ways to use an open throw with one piece, in the order of the pieces; `laps`: those
    in which a piece goes round again by its owner's wish are among them.
    """
    item = state.items[number]
    seat = mover(state)
    for piece, start in enumerate(state.pieces[seat]):
        for lap in _ways(state, laps=laps):
            target = single(state, item, piece, lap=lap)
            if target is not None:
                moved = Moved(piece=piece, start=start, progress=target, steps=item.value, lap=lap)
                yield Use(number, "piece", (moved,))


def _ways(state: State, *, laps: bool = True) -> tuple[bool, ...]:
    """Return how a piece may go: on, and round again where that is wished for (rule P5.28)."""
    return (False, True) if laps and state.options.second_lap == ON else (False,)


def usable(state: State, number: int) -> bool:
    """Tell whether any piece can use an open throw."""
    for piece in range(board.PIECES):
        for lap in _ways(state):
            if single(state, state.items[number], piece, lap=lap) is not None:
                return True
    return bool(split(state, state.items[number], laps=True))


def at_hand(state: State) -> range:
    """Return the numbers of the open throws that may be used now (rule P5.11)."""
    as_thrown = state.options.throw_order == "as_thrown" and plays_at_the_end(state.options)
    return range(min(1, len(state.items)) if as_thrown else len(state.items))


def may_decline(state: State, number: int) -> bool:
    """Tell whether an open throw may be left unused (rules P5.16, P5.26)."""
    return state.options.may_decline == ON and state.items[number].part != "pyada"


def choices(state: State) -> tuple[Choice, ...]:
    """Return what may be done with each open throw."""
    now = at_hand(state)
    return tuple([_choice(state, number, now=number in now) for number in range(len(state.items))])


def _choice(state: State, number: int, *, now: bool) -> Choice:
    item = state.items[number]
    pieces = range(board.PIECES if now else 0)
    laps = pieces if state.options.second_lap == ON else ()
    parts = split(state, item, laps=True) if now else ()
    return Choice(
        item=number,
        pieces=tuple([p for p in pieces if single(state, item, p) is not None]),
        laps=tuple([p for p in laps if single(state, item, p, lap=True) is not None]),
        groups=_groups(state, item) if now else (),
        split=tuple([Share(piece=m.piece, steps=m.steps, lap=m.lap) for m in parts]),
        may_decline=may_decline(state, number),
    )


def _groups(state: State, item: OpenThrow) -> tuple[tuple[int, ...], ...]:
    """Return the largest groups that can use an open throw."""
    if state.options.pieces_per_throw != "group":
        return ()
    row = state.pieces[mover(state)]
    found: dict[int, list[int]] = {}
    for piece, start in enumerate(row):
        found.setdefault(start, []).append(piece)
    return tuple(
        [
            tuple(pieces)
            for pieces in found.values()
            if len(pieces) > 1
            and any(group(state, item, pieces, lap=lap) is not None for lap in _ways(state))
        ]
    )
