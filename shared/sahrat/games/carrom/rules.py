"""The Carrom rules (`rules.md` K4, K5, K6, K8): decide and evolve, both pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from sahrat.games.carrom import board
from sahrat.games.carrom.board import Places
from sahrat.games.carrom.messages import (
    BoardLaid,
    BoardWon,
    Colour,
    DiscsRested,
    Placed,
    SeatLeft,
    Shoot,
    ShootsAgain,
    ShotJudged,
    ShotReason,
    StrikerBlocked,
    StrikerShot,
    TurnPassed,
    WinReason,
)
from sahrat.games.carrom.options import CarromOptions
from sahrat.games.carrom.outcomes import Back, Effect, Fell, Shown, effect_of, row_of
from sahrat.games.carrom.physics import Rest, Shot, position_hash
from sahrat.games.carrom.spots import put_back
from sahrat.games.carrom.state import OVER, State, before_shot, coins_of, down, next_seat, side
from sahrat.games.carrom.weak import off_moon, overlaps, weak_shot
from sahrat.messages.base import Message
from sahrat.messages.reasons import Reason, Refused

Events = tuple[Message, ...]
Coins = tuple[int, ...]
Simulate = Callable[[Shot], Rest]
"""What computes a shot: slow, and the same everywhere."""

COLOUR_NAMES: Final[tuple[Colour, Colour]] = ("white", "black")
_FULL_TURN: Final = 4


def begin(state: State) -> Events:
    """Return how the first board is laid: seat 0 breaks (rules K2, K4)."""
    return (_laid(state, 1, state.seats[0]),)


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
        return blocked, *_judge(state, state.places, ())
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
    """Return what happens when a seat leaves for good: its side loses (rule K8)."""
    if state.turn == OVER:
        return ()
    other = 1 - board.colour_of(seat, state.seats)
    return SeatLeft(seat=seat), _won(state, other, "left")


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
    return striker, rested, *_judge(state, _without_striker(places), rest.fallen)


def pushed(places: Places, shot: Shoot, options: CarromOptions) -> Shot:
    """Return a sound shot at pieces in the shooter's frame, as the physics takes it."""
    striker = (board.STRIKER, shot.x, board.LINE_Y_UM)
    friction = board.FRICTIONS_PERCENT[options.board_speed]
    return Shot((striker, *places), shot.dx, shot.dy, shot.speed, friction)


def shown(state: State, fallen: Sequence[int]) -> tuple[Shown, tuple[Coins, Coins]]:
    """Return what a shot is judged by, and the own and other coins that fell, in order."""
    colour = board.colour_of(state.turn, state.seats)
    was_down, each = down(state.places, state.options), state.options.coins_each
    own, other = (
        tuple(disc for disc in fallen if disc in board.COINS[one]) for one in (colour, 1 - colour)
    )
    found = Shown(
        before=before_shot(state),
        own=_fell(own, was_down[colour], each),
        other=_fell(other, was_down[1 - colour], each),
        queen=board.QUEEN in fallen,
        striker=board.STRIKER in fallen,
    )
    return found, (own, other)


def _judge(state: State, left: Places, fallen: Sequence[int]) -> Events:
    """Say what a shot means that left these pieces on the board (rule K5).

    Args:
        state: The match before the shot.
        left: What is on the board, the striker lifted.
        fallen: What fell, in order.
    """
    found, coins = shown(state, fallen)
    row = row_of(found)
    effect = effect_of(row, found, len(coins[0]), state.options)
    returned = put_back(left, _back(state, left, coins, effect))
    after = tuple(sorted((*left, *returned)))
    judged = ShotJudged(
        seat=state.turn,
        before=found.before,
        row=row,
        foul=effect.foul is not None,
        foul_reason=effect.foul,
        returned=layout(returned),
        queen=effect.queen,
        down=down(after, state.options),
        hash=position_hash(after),
    )
    return judged, _next(state, effect)


def _fell(coins: Coins, was_down: int, each: int) -> Fell:
    if not coins:
        return "0"
    return "L" if was_down + len(coins) == each else "+"


def _back(state: State, left: Places, coins: tuple[Coins, Coins], effect: Effect) -> Coins:
    """Return what goes back, in the order in which it is put down (rule K6)."""
    on_board = {disc for disc, _, _ in left}
    queen = effect.queen == "board" and board.QUEEN not in on_board
    before = {disc for disc, _, _ in state.places}
    colour = board.colour_of(state.turn, state.seats)
    played = coins_of(state.options, colour)
    paid = [disc for disc in played if disc not in before][: effect.penalty]
    own, other = coins
    return (
        *((board.QUEEN,) if queen else ()),
        *_of(own, effect.own),
        *paid,
        *_of(other, effect.other),
    )


def _of(coins: Coins, back: Back) -> Coins:
    match back:
        case "none":
            return ()
        case "last":
            return coins[-1:]
        case "all":
            return coins


def _next(state: State, effect: Effect) -> Message:
    match effect.turn:
        case "again":
            return ShootsAgain(seat=state.turn)
        case "pass":
            return TurnPassed(
                seat=next_seat(state), why="foul" if effect.foul is not None else "no_own_coin"
            )
        case "end":
            own = board.colour_of(state.turn, state.seats)
            why: WinReason = "all_down" if effect.foul is None else "last_coin"
            return _won(state, own if effect.winner == "own" else 1 - own, why)


def _won(state: State, colour: int, why: WinReason) -> BoardWon:
    return BoardWon(colour=COLOUR_NAMES[colour], seats=side(state, colour), why=why)


def _laid(state: State, number: int, breaker: int) -> BoardLaid:
    options = state.options
    queen = () if options.queen == "on" else (board.QUEEN,)
    gone = (*queen, *board.LEFT_OUT[options.coins_each])
    rack = tuple(place for place in board.RACK if place[0] not in gone)
    places = board.turned(rack, _FULL_TURN - breaker)
    return BoardLaid(
        board=number,
        breaker=breaker,
        white=side(state, board.WHITE),
        black=side(state, board.BLACK),
        places=layout(places),
        hash=position_hash(places),
    )


def layout(places: Places) -> tuple[Placed, ...]:
    """Return places as messages have them."""
    return tuple(Placed(disc=disc, x=x, y=y) for disc, x, y in places)


def _places(found: Sequence[Placed]) -> Places:
    return tuple((placed.disc, placed.x, placed.y) for placed in found)


def _without_striker(places: Places) -> Places:
    return tuple(place for place in places if place[0] != board.STRIKER)


def evolve(state: State, event: Message) -> State:
    """Return the match after an event. What the log says happened is never refused.

    Raises:
        TypeError: It is no event of Carrom.
    """
    match event:
        case BoardLaid(board=number, breaker=breaker, places=places):
            return State(
                options=state.options,
                seats=state.seats,
                turn=breaker,
                board=number,
                places=_places(places),
                queen="board" if state.options.queen == "on" else "covered",
                shots=state.shots,
            )
        case StrikerShot() | StrikerBlocked():
            return replace(state, shots=state.shots + 1)
        case DiscsRested(places=places):
            return replace(state, places=_without_striker(_places(places)))
        case ShotJudged(returned=returned, queen=queen):
            after = tuple(sorted((*state.places, *_places(returned))))
            first = tuple(
                had or coins > 0
                for had, coins in zip(state.first, down(after, state.options), strict=True)
            )
            return replace(state, places=after, queen=queen, first=first)
        case ShootsAgain() | SeatLeft():
            return state
        case TurnPassed(seat=seat):
            return replace(state, turn=seat)
        case BoardWon(colour=colour):
            return replace(state, turn=OVER, winner=COLOUR_NAMES.index(colour))
        case _:
            raise TypeError(f"{type(event).__name__} is no event of Carrom")
