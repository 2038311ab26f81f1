"""Rule M in numbers, worked out in this program's own way."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

LEAST_ENTRY: Final = 10  # rule M.3
LARGEST_ENTRY: Final = 1_000_000
FIRST_EARNS: Final = 20  # rule M.2
OTHERS_EARN: Final = 5
DAY_EARNS: Final = 200
DAY_MS: Final = 86_400_000
NO_PLACE: Final = 5  # behind every place
PAIR: Final = 2  # two players have one prize (rule M.6)
PARTNERS: Final = 4  # so many play where two play against two

Shares = list[tuple[int, int]]
"""(seat, coins), best place first."""


def are_places(
    places: Sequence[tuple[int, int]], seats: Collection[int], *, sides: bool, draws: bool = False
) -> bool:
    """Tell whether a pot can be shared out by these places: each seat has one of its own, or
    partners, who sit opposite each other, have the first and the others the second. Where the first
    alone has a prize it may be the only one. Whoever drew shares a place, and as many behind it
    stay free.

    Args:
        places: (seat, place).
        seats: Those that play began with.
        sides: Whether there may be partners.
        draws: Whether a match may be drawn.
    """
    ranking: dict[int, list[int]] = {}
    for seat, place in places:
        ranking.setdefault(place, []).append(seat)
    order = sorted(ranking)
    ranked = sorted(seat for seat, _ in places)
    if ranked != sorted(dict.fromkeys(ranked)) or not {*ranked} <= {*seats}:
        return False
    if sides and any(len(pair) > 1 for pair in ranking.values()):
        opposite = all(
            len(pair) == PAIR and pair[0] % 2 == pair[1] % 2 for pair in ranking.values()
        )
        return opposite and order in ([1], [1, 2])
    numbers = sorted(place for _, place in places)
    if draws and len(numbers) == len(seats):
        return all(numbers.index(place) == place - 1 for place in numbers)
    return numbers == [*range(1, len(seats) + 1)] or (len(seats) == PAIR and numbers == [1])


def share_out(pot: int, places: Sequence[tuple[int, int]], lost: Collection[int]) -> Shares | None:
    """Return the prizes of a pot (rules M.5 to M.7); None where nobody is left to get one.

    Args:
        pot: All entries, in coins.
        places: (seat, place) of every seat that play began with; the same place: partners, or
            such as drew.
        lost: Seats whose players left without a place.
    """
    net = pot - (pot - pot % 10) // 10
    ranking: dict[int, list[int]] = {}
    for seat, place in places:
        if seat not in lost:
            ranking.setdefault(place, []).append(seat)
    if not ranking:
        return None
    order = sorted(ranking)
    first = sorted(ranking[order[0]])
    numbers = [place for _, place in places]
    if numbers.count(min(numbers)) > 1 or len(places) <= PAIR or len(order) == 1:
        return _evenly(net, first)
    thirds = 3 * net
    second = (thirds - thirds % 10) // 10
    return [(first[0], net - second), *_evenly(second, sorted(ranking[order[1]]))]


def _evenly(coins: int, seats: Sequence[int]) -> Shares:
    """Return equal shares; of what is left over the lower seats have one coin each."""
    share = coins // len(seats)
    odd = coins - share * len(seats)
    return [(seat, share + (1 if at < odd else 0)) for at, seat in enumerate(seats)]


def earnings(
    places: Sequence[tuple[int, int]], sitting: Sequence[tuple[int, str]]
) -> list[tuple[int, str, int]]:
    """Return (seat, player, coins) of those who played a free match to its end, best place first.

    Args:
        places: (seat, place) of the seats that have one.
        sitting: (seat, player) of the seats whose players sit there themselves at the end.
    """
    numbers = dict(places)
    ranked = sorted((numbers.get(seat, NO_PLACE), seat, who) for seat, who in sitting)
    return [(seat, who, FIRST_EARNS if n == 1 else OTHERS_EARN) for n, seat, who in ranked]
