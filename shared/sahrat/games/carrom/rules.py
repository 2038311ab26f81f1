"""The Carrom rules (`rules.md` K4, K5, K6, K8): decide, which is pure as `evolve` is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sahrat.games.carrom import board
from sahrat.games.carrom.board import Places
from sahrat.games.carrom.ends import laid, ranked, won
from sahrat.games.carrom.evolve import evolve, layout, put_down, without_striker
from sahrat.games.carrom.judging import Events, judge
from sahrat.games.carrom.messages import (
    DiscsRested,
    QueenReturned,
    SeatLeft,
    Shoot,
    ShotReason,
    StrikerBlocked,
    StrikerShot,
    TurnPassed,
)
from sahrat.games.carrom.options import CarromOptions
from sahrat.games.carrom.physics import Rest, Shot, position_hash
from sahrat.games.carrom.spots import put_back
from sahrat.games.carrom.state import OVER, State, for_points, next_seat, party
from sahrat.games.carrom.weak import off_moon, overlaps, weak_shot
from sahrat.messages.base import Message
from sahrat.messages.reasons import Reason, Refused

Simulate = Callable[[Shot], Rest]
"""What computes a shot: slow, and the same everywhere."""

_FULL_TURN: Final = 4


def begin(state: State) -> Events:
    """Return how the first board is laid: seat 0 breaks (rules K2, K4)."""
    return (laid(state, 1, state.seats[0]),)


def decide(state: State, seat: int, intent: Message, simulate: Simulate) -> Events | Refused:
    """Return what an intent makes happen, in order and never empty; or why it may not.

    The checks come in the order of `Reason`.
    """
    if state.turn == OVER:
        return Refused(Reason.NOT_PLAYING)
    if seat != state.turn:
        return Refused(Reason.NOT_YOUR_TURN)
    if not isinstance(intent, Shoot):
        return Refused(Reason.WRONG_GAME)
    return _refused(state, intent) or _shoot(state, intent, "chosen", simulate)


def time_out(state: State, simulate: Simulate) -> Events:
    """Return what is played for the seat on turn when its time is over: the weak shot (rule K8)."""
    shot = weak_shot(state)
    if shot is None:
        blocked = StrikerBlocked(index=state.shots, seat=state.turn)
        return blocked, *judge(state, state.places, ())
    return _shoot(state, shot, "clock", simulate)


def shot_of(state: State, intent: Message | None) -> Shot | None:
    """Return what is to be computed to judge an intent of the seat on turn, or that its time is
    over (None); nothing where no shot follows.
    """
    if state.turn == OVER:
        return None
    if intent is None:
        wish = weak_shot(state)
    else:
        wish = intent if isinstance(intent, Shoot) and _refused(state, intent) is None else None
    return (
        None
        if wish is None
        else pushed(board.turned(state.places, state.turn), wish, state.options)
    )


def leave(state: State, seat: int) -> Events:
    """Return what happens when a seat leaves for good: its side loses; for points the others go on
    (rule K8).
    """
    if state.turn == OVER or seat in state.gone:
        return ()
    left = SeatLeft(seat=seat)
    if not for_points(state):
        return left, *won(state, 1 - party(state, seat), "left")
    return left, *_play_on(state, evolve(state, left))


def _play_on(before: State, state: State) -> Events:
    """Return what follows where somebody left who played for points: the last one has won; a
    leaver's turn passes, and his queen that is not covered goes back.
    """
    if len(state.gone) == len(state.seats) - 1:
        return (ranked(state, "left"),)
    if before.turn not in state.gone:
        return ()
    passed = TurnPassed(seat=next_seat(state), why="left")
    if state.queen not in ("pending", "held"):
        return (passed,)
    returned = put_back(state.places, (board.QUEEN,))
    places = put_down(state, returned).places
    return QueenReturned(returned=layout(returned), hash=position_hash(places)), passed


def _refused(state: State, shot: Shoot) -> Refused | None:
    """Return why a shot is none (rule K8.8)."""
    if abs(shot.x) > board.LINE_HALF_UM:
        return Refused(
            Reason.STRIKER_OFF_LINE, f"x is at most {board.LINE_HALF_UM} from the middle"
        )
    if not off_moon(shot.x, state.options):
        near, far = board.MOON_UM
        return Refused(Reason.STRIKER_OFF_LINE, f"x is not between {near} and {far} at this table")
    if overlaps(shot.x, board.turned(state.places, state.turn)):
        return Refused(Reason.STRIKER_ON_COIN)
    longest = max(abs(shot.dx), abs(shot.dy))
    if not 0 < longest <= board.DIRECTION_LIMIT:
        return Refused(
            Reason.BAD_DIRECTION, f"dx and dy are not both 0, and at most {board.DIRECTION_LIMIT}"
        )
    if shot.dy <= 0 and state.options.back_shot == "off":
        return Refused(Reason.NOT_FORWARD, "dy is above 0")
    least, most = board.SPEED_UM_S
    if not least <= shot.speed <= most:
        return Refused(Reason.BAD_SPEED, f"the speed is {least} to {most} um/s")
    return None


def _shoot(state: State, shot: Shoot, why: ShotReason, simulate: Simulate) -> Events:
    """Compute a sound shot in its seat's frame, and judge it."""
    seat = state.turn
    rest = simulate(pushed(board.turned(state.places, seat), shot, state.options))
    places = board.turned(rest.places, _FULL_TURN - seat)
    striker = StrikerShot(
        index=state.shots,
        seat=seat,
        x=shot.x,
        dx=shot.dx,
        dy=shot.dy,
        speed=shot.speed,
        why=why,
    )
    rested = DiscsRested(
        pocketed=rest.fallen,
        places=layout(places),
        steps=rest.steps,
        hash=position_hash(places),
    )
    return striker, rested, *judge(state, without_striker(places), rest.fallen)


def pushed(places: Places, shot: Shoot, options: CarromOptions) -> Shot:
    """Return a sound shot at pieces in the shooter's frame, as the physics takes it."""
    striker = (board.STRIKER, shot.x, board.LINE_Y_UM)
    friction = board.FRICTIONS_PERCENT[options.board_speed]
    return Shot((striker, *places), shot.dx, shot.dy, shot.speed, friction)
