"""How boards and matches begin and end (rules K2, K5, K7)."""

from __future__ import annotations

from typing import Final

from sahrat.games.carrom import board
from sahrat.games.carrom.evolve import evolve, layout
from sahrat.games.carrom.messages import (
    BoardLaid,
    BoardWon,
    MatchWon,
    PointsWon,
    Ranked,
    WinReason,
)
from sahrat.games.carrom.physics import position_hash
from sahrat.games.carrom.state import NOBODY, State, points, side, team
from sahrat.messages.base import Message

_FULL_TURN: Final = 4


def laid(state: State, number: int, breaker: int) -> BoardLaid:
    """Return how a board is laid: in the breaker's frame, whose side has white."""
    options = state.options
    queen = () if options.queen == "on" else (board.QUEEN,)
    gone = (*queen, *board.LEFT_OUT[options.coins_each])
    rack = tuple(place for place in board.RACK if place[0] not in gone)
    places = board.turned(rack, _FULL_TURN - breaker)
    turned = State(options=options, seats=state.seats, turn=breaker, breaker=breaker)
    return BoardLaid(
        board=number,
        breaker=breaker,
        white=side(turned, board.WHITE),
        black=side(turned, board.BLACK),
        places=layout(places),
        hash=position_hash(places),
    )


def won(state: State, colour: int, why: WinReason) -> tuple[Message, ...]:
    """Return that a colour has won the board; then who has won the match of several, or the next
    board.
    """
    event = BoardWon(
        colour=board.COLOUR_NAMES[colour],
        seats=side(state, colour),
        why=why,
        points=_worth(state, colour),
    )
    if state.options.match == "one_board":
        return (event,)
    after = evolve(state, event)
    best = _decided(after)
    if why == "left":
        best = team(state, colour)
    if best is None:
        at = state.seats.index(state.breaker) + 1
        return event, laid(after, state.board + 1, state.seats[at % len(state.seats)])
    seats = side(state, colour if team(state, colour) == best else 1 - colour)
    return event, MatchWon(seats=seats, score=after.score, why="left" if why == "left" else "score")


def ranked(state: State, why: WinReason, loser: int = NOBODY) -> PointsWon:
    """Return the places where everybody played for points: the most points first, of equal ones
    who covered the queen; else a place is shared. Behind them is who lost the board by a last coin,
    and behind him those who left, the first to go last.
    """
    all_points = dict(zip(state.seats, points(state), strict=True))
    playing = [seat for seat in state.seats if seat not in (*state.gone, loser)]
    merit = {seat: (all_points[seat], seat == state.covered_by) for seat in playing}
    place_of = {
        seat: 1 + sum(merit[other] > merit[seat] for other in playing)
        for seat in sorted(playing, key=lambda seat: merit[seat], reverse=True)
    }
    behind = (*((loser,) if loser != NOBODY else ()), *reversed(state.gone))
    place_of |= {seat: place for place, seat in enumerate(behind, len(playing) + 1)}
    return PointsWon(
        ranks=tuple(
            Ranked(seat=seat, place=place, points=all_points[seat])
            for seat, place in place_of.items()
        ),
        why=why,
    )


def _worth(state: State, colour: int) -> int:
    """Return what the board brings to the winner's side in a match of several."""
    match state.options.match:
        case "one_board":
            return 0
        case "best_of_3":
            return 1
        case wanted:
            left = sum(disc in board.COINS[1 - colour] for disc, _, _ in state.places)
            covered = state.covered_by in side(state, colour)
            most = board.QUEEN_UNTIL[wanted]
            counts = covered and (most is None or state.score[team(state, colour)] < most)
            return left + (board.QUEEN_POINTS[wanted] if counts else 0)


def _decided(state: State) -> int | None:
    """Return which side's score has won the match; None while it goes on."""
    best = max(range(len(state.score)), key=lambda number: state.score[number])
    if state.score[best] >= board.SCORES[state.options.match]:
        return best
    last = state.options.match != "best_of_3" and state.board >= board.BOARDS
    return best if last and state.score[best] > state.score[1 - best] else None
