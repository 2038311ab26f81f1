"""What follows a shot: the row that fits, what goes back, and who shoots next (rules K5 to K7)."""

from __future__ import annotations

from collections.abc import Sequence

from sahrat.games.carrom import board
from sahrat.games.carrom.board import Places
from sahrat.games.carrom.effects import effect_of
from sahrat.games.carrom.ends import ranked, won
from sahrat.games.carrom.evolve import evolve, judged, layout, put_down, rested
from sahrat.games.carrom.messages import DebtsPaid, ShootsAgain, ShotJudged, TurnPassed, WinReason
from sahrat.games.carrom.outcomes import Back, Effect, Fell, Shown, row_of
from sahrat.games.carrom.physics import position_hash
from sahrat.games.carrom.spots import put_back
from sahrat.games.carrom.state import (
    NOBODY,
    State,
    before_shot,
    coins_down,
    down,
    for_points,
    next_seat,
    own_coins,
    parties,
    party,
    points,
)
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
    paid = coins_down(state, party(state, state.turn))[: effect.penalty]
    returned = put_back(left, _back(left, coins, paid, effect))
    resting = rested(state, left, fallen)
    after = judged(put_down(resting, returned), effect.queen)
    event = ShotJudged(
        seat=state.turn,
        before=found.before,
        row=row,
        foul=effect.foul is not None,
        foul_reason=effect.foul,
        returned=layout(returned),
        queen=effect.queen,
        down=down(after),
        owed=_owed(state, effect, len(paid)),
        points=points(after),
        hash=position_hash(after.places),
    )
    after = evolve(resting, event)
    debts = () if effect.turn == "end" else _debts(after)
    return event, *debts, *_next(after, effect)


def shown(state: State, fallen: Sequence[int]) -> tuple[Shown, tuple[Coins, Coins]]:
    """Return what a shot is judged by, and the own and other coins that fell, in order."""
    mine = own_coins(state, state.turn)
    own = tuple(disc for disc in fallen if disc in mine)
    other = tuple(disc for disc in fallen if disc >= board.FIRST_COIN and disc not in mine)
    lying = [disc for disc, _, _ in state.places if disc >= board.FIRST_COIN]
    counts = state.options.opponent_coin != "returns"  # else they count as not fallen
    found = Shown(
        before=before_shot(state),
        own=_fell(own, sum(disc in mine for disc in lying)),
        other=_fell(other, sum(disc not in mine for disc in lying)) if counts else "0",
        queen=board.QUEEN in fallen,
        striker=board.STRIKER in fallen,
        held=state.queen == "held",
    )
    return found, (own, other)


def _fell(coins: Coins, lay: int) -> Fell:
    """Say what fell of coins of which so many lay on the board."""
    if not coins:
        return "0"
    return "L" if len(coins) == lay else "+"


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
    """Return what each party owes after a shot in which the shooter's paid so many coins: only
    what a striker costs is carried on (rule K7).
    """
    owed = list(state.owed)
    if effect.foul == "striker" and state.options.striker_debt == "carried":
        owed[party(state, state.turn)] += effect.penalty - paid
    return tuple(owed)


def _debts(state: State) -> tuple[DebtsPaid, ...]:
    """Return that coins go back which are owed and are down now: the shooter's first."""
    shooter, count = party(state, state.turn), parties(state)
    paid = {
        of: coins_down(state, of)[: state.owed[of]]
        for of in ((shooter + number) % count for number in range(count))
    }
    if not any(paid.values()):
        return ()
    returned = put_back(state.places, [coin for coins in paid.values() for coin in coins])
    after = put_down(state, returned)
    return (
        DebtsPaid(
            returned=layout(returned),
            down=down(after),
            owed=tuple(owes - len(paid[of]) for of, owes in enumerate(state.owed)),
            points=points(after),
            hash=position_hash(after.places),
        ),
    )


def _next(state: State, effect: Effect) -> Events:
    """Return who goes on, or who has won, in a match after its shot was judged."""
    match effect.turn:
        case "again":
            return (ShootsAgain(seat=state.turn, why="earned"),)
        case "pass" if state.tries > 0:
            return (ShootsAgain(seat=state.turn, why="untouched"),)
        case "pass":
            foul = effect.foul not in (None, "other_coin")  # a fine leaves the turn as it was
            return (TurnPassed(seat=next_seat(state), why="foul" if foul else "no_own_coin"),)
        case "end":
            why: WinReason = "all_down" if effect.queen == "covered" else "last_coin"
            if for_points(state):
                loser = NOBODY if effect.winner == "own" else state.turn
                return (ranked(state, why, loser),)
            own = party(state, state.turn)
            return won(state, own if effect.winner == "own" else 1 - own, why)
