"""How the pot of a coin table is shared out (rules M.5 to M.7). Whole coins, integers alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

FEE_DIVISOR: Final = 10  # rule M.5: a tenth of the pot, rounded down
SECOND_PERCENT: Final = 30  # rule M.6: of the net, rounded down; the first takes what remains
SEATS_WITH_A_SECOND: Final = 3  # rule M.6: two players have one prize


@dataclass(frozen=True, slots=True)
class Split:
    """What becomes of a pot: the fee and the prizes are all of it.

    Attributes:
        prizes: (seat, coins), best place first, partners by seat.
    """

    pot_coins: int
    fee_coins: int
    prizes: tuple[tuple[int, int], ...]


def fee(pot_coins: int) -> int:
    """Return the house's part of a pot, in coins."""
    return pot_coins // FEE_DIVISOR


def split(pot_coins: int, places: Sequence[tuple[int, int]], gone: Collection[int] = ()) -> Split:
    """Return who wins how much of a pot.

    Args:
        pot_coins: All entries, those of leavers too.
        places: (seat, place) of every seat that play began with, leavers included; 1 is best.
            Seats of one place, partners or such as drew, share what it wins, odd coins to the
            lower seats; where the best place is shared, that is all.
        gone: Seats that left before they had a place; whatever place they got, it wins nothing.

    Raises:
        ValueError: No prize can be given: an empty pot, a seat twice, or everybody has gone.
    """
    staying = sorted((place, seat) for seat, place in places if seat not in gone)
    if pot_coins < 1 or not staying or len({seat for seat, _ in places}) < len(places):
        raise ValueError(f"no prizes of {pot_coins} coins for {places}, gone {tuple(gone)}")
    net = pot_coins - fee(pot_coins)
    best = [seat for place, seat in staying if place == staying[0][0]]
    behind = [place for place, seat in staying if seat not in best]
    firsts = [place for _, place in places].count(min(place for _, place in places))
    if firsts > 1 or len(places) < SEATS_WITH_A_SECOND or not behind:
        prizes = _shared(net, best)
    else:
        second = [seat for place, seat in staying if place == behind[0]]
        prizes = _first_and_second(net, best[0], second)
    return Split(pot_coins, fee(pot_coins), prizes)


def fits(pot_coins: int, players: int, fee_coins: int, prizes: Sequence[int]) -> bool:
    """Tell whether fee and prizes are what some end of a match pays, whoever gets them.

    Args:
        pot_coins: All entries.
        players: How many paid one.
        fee_coins: What the house takes.
        prizes: What winners get, best place first.
    """
    net = pot_coins - fee(pot_coins)
    others = range(1, players)
    ends = [_shared(net, (0,))]  # the first of two players, or who is left alone
    ends += [_shared(net, range(1 + seat)) for seat in others]  # partners, or such as drew
    if players >= SEATS_WITH_A_SECOND:
        ends += [_first_and_second(net, 0, others[:seat]) for seat in others]
    paid = [[coins for _, coins in end] for end in ends]
    return fee_coins == fee(pot_coins) and list(prizes) in paid


def _first_and_second(net: int, first: int, second: Sequence[int]) -> tuple[tuple[int, int], ...]:
    less = net * SECOND_PERCENT // 100
    return (first, net - less), *_shared(less, second)


def _shared(coins: int, seats: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Share equally among seats in ascending order; the odd coins go to the lowest ones."""
    each, odd = divmod(coins, len(seats))
    return tuple((seat, each + (index < odd)) for index, seat in enumerate(seats))
