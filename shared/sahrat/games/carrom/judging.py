"""What follows a shot: the row that fits, what goes back, and who shoots next (rules K5 to K7)."""

from __future__ import annotations

from collections.abc import Sequence

from sahrat.games.carrom import board
from sahrat.games.carrom.board import Places
from sahrat.games.carrom.effects import effect_of
from sahrat.games.carrom.evolve import evolve, layout, put_down, rested
from sahrat.games.carrom.messages import (
    BoardWon,
    DebtsPaid,
    ShootsAgain,
    ShotJudged,
    TurnPassed,
    WinReason,
)
from sahrat.games.carrom.outcomes import Back, Effect, Fell, Shown, row_of
from sahrat.games.carrom.physics import position_hash
from sahrat.games.carrom.spots import put_back
from sahrat.games.carrom.state import State, before_shot, coins_down, down, next_seat, side
from sahrat.messages.base import Message

Events = tuple[Message, ...]
Coins = tuple[int, ...]


def judge(state: State, left: Places, fallen: Sequence[int]) -> Events:
    """Say what a shot means that left these pieces on the board.

    Args:
        state: The match before the shot.
        left: What is on the board, the striker lifted.
        fallen: What fell, in order.
    """
    found, coins = shown(state, fallen)
    row = row_of(found)
    effect = effect_of(row, found, len(coins[0]), state.options)
    paid = coins_down(state, _side(state))[: effect.penalty]
    returned = put_back(left, _back(left, coins, paid, effect))
    resting = rested(state, left, fallen)
    after = put_down(resting, returned)
    judged = ShotJudged(
        seat=state.turn,
        before=found.before,
        row=row,
        foul=effect.foul is not None,
        foul_reason=effect.foul,
        returned=layout(returned),
        queen=effect.queen,
        down=down(after.places, state.options),
        owed=_owed(state, effect, len(paid)),
        hash=position_hash(after.places),
    )
    after = evolve(resting, judged)
    debts = () if effect.turn == "end" else _debts(after)
    return judged, *debts, _next(after, effect)


def shown(state: State, fallen: Sequence[int]) -> tuple[Shown, tuple[Coins, Coins]]:
    """Return what a shot is judged by, and the own and other coins that fell, in order."""
    colour = _side(state)
    was_down, each = down(state.places, state.options), state.options.coins_each
    own, other = (
        tuple(disc for disc in fallen if disc in board.COINS[one]) for one in (colour, 1 - colour)
    )
    counts = state.options.opponent_coin != "returns"  # else they count as not fallen
    found = Shown(
        before=before_shot(state),
        own=_fell(own, was_down[colour], each),
        other=_fell(other, was_down[1 - colour], each) if counts else "0",
        queen=board.QUEEN in fallen,
        striker=board.STRIKER in fallen,
        held=state.queen == "held",
    )
    return found, (own, other)


def won(state: State, colour: int, why: WinReason) -> BoardWon:
    """Return that a colour has won the board."""
    return BoardWon(colour=board.COLOUR_NAMES[colour], seats=side(state, colour), why=why)


def _side(state: State) -> int:
    return board.colour_of(state.turn, state.seats)


def _fell(coins: Coins, was_down: int, each: int) -> Fell:
    if not coins:
        return "0"
    return "L" if was_down + len(coins) == each else "+"


def _back(left: Places, coins: tuple[Coins, Coins], paid: Coins, effect: Effect) -> Coins:
    """Return what goes back, in the order in which it is put down (rule K6)."""
    queen = effect.queen == "board" and board.QUEEN not in {disc for disc, _, _ in left}
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


def _owed(state: State, effect: Effect, paid: int) -> tuple[int, ...]:
    """Return what each colour owes after a shot in which the shooter's paid so many coins: only
    what a striker costs is carried on (rule K7).
    """
    owed = list(state.owed)
    if effect.foul == "striker" and state.options.striker_debt == "carried":
        owed[_side(state)] += effect.penalty - paid
    return tuple(owed)


def _debts(state: State) -> tuple[DebtsPaid, ...]:
    """Return that coins go back which are owed and are down now: the shooter's colour first."""
    shooter = _side(state)
    due = [
        coin
        for colour in (shooter, 1 - shooter)
        for coin in coins_down(state, colour)[: state.owed[colour]]
    ]
    if not due:
        return ()
    returned = put_back(state.places, due)
    after = put_down(state, returned)
    owed = tuple(
        owes - sum(coin in board.COINS[colour] for coin in due)
        for colour, owes in enumerate(state.owed)
    )
    return (
        DebtsPaid(
            returned=layout(returned),
            down=down(after.places, state.options),
            owed=owed,
            hash=position_hash(after.places),
        ),
    )


def _next(state: State, effect: Effect) -> Message:
    """Return who goes on, or who has won, in a match after its shot was judged."""
    own = _side(state)
    match effect.turn:
        case "again":
            return ShootsAgain(seat=state.turn, why="earned")
        case "pass" if state.tries > 0:
            return ShootsAgain(seat=state.turn, why="untouched")
        case "pass":
            foul = effect.foul not in (None, "other_coin")  # a fine leaves the turn as it was
            return TurnPassed(seat=next_seat(state), why="foul" if foul else "no_own_coin")
        case "end":
            why: WinReason = "all_down" if effect.queen == "covered" else "last_coin"
            return won(state, own if effect.winner == "own" else 1 - own, why)
