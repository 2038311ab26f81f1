"""Rules M.5 to M.7: every entry, for every number of seats and leavers, against a naive formula."""

from fractions import Fraction
from itertools import combinations
from math import floor
from random import Random
from typing import Final

import pytest

from sahrat.ledger.settlement import Split, fee, fits, split

ENTRIES: Final = (*range(10, 1001), *Random("entries").sample(range(1001, 1_000_000), 400), 10**6)


def naive(entries: list[int], stayed: int) -> tuple[int, list[int]]:
    """Return fee and prizes, as the rules' page says it in words."""
    pot = sum(entries)
    the_fee = floor(Fraction(10, 100) * pot)
    net = pot - the_fee
    if len(entries) == 2 or stayed == 1:
        return the_fee, [net]
    second = floor(Fraction(30, 100) * net)
    return the_fee, [net - second, second]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_M6_every_entry_and_number_of_leavers(seats: int) -> None:
    random = Random(seats)
    for entry in ENTRIES:
        for leavers in range(seats):
            order = random.sample(range(seats), seats)  # best first; leavers rank last
            places = [(seat, place) for place, seat in enumerate(order, 1)]
            random.shuffle(places)
            gone = order[seats - leavers :]
            found = split(entry * seats, places, gone)
            the_fee, prizes = naive([entry] * seats, seats - leavers)
            assert found.fee_coins + sum(coins for _, coins in found.prizes) == entry * seats
            assert found == Split(entry * seats, the_fee, tuple(zip(order, prizes, strict=False)))


@pytest.mark.parametrize(
    ("seats", "entry", "the_fee", "prizes"),
    [
        pytest.param(4, 100, 40, (252, 108), id="M-4x100"),
        pytest.param(3, 100, 30, (189, 81), id="M-3x100"),
        pytest.param(4, 33, 13, (84, 35), id="C41-4x33"),
        pytest.param(4, 10, 4, (26, 10), id="M-4x10"),
        pytest.param(2, 15, 3, (27,), id="M-2x15"),
    ],
)
def test_M_the_table_of_the_rules(
    seats: int, entry: int, the_fee: int, prizes: tuple[int, ...]
) -> None:
    found = split(seats * entry, [(seat, seat + 1) for seat in range(seats)])
    assert (found.fee_coins, tuple(coins for _, coins in found.prizes)) == (the_fee, prizes)


def test_M6_partners_share_and_an_odd_coin_goes_to_the_lower_seat() -> None:
    for entry in ENTRIES:
        for team in combinations(range(4), 2):
            net = 4 * entry - fee(4 * entry)
            places = [(seat, 1 if seat in team else 2) for seat in range(4)]
            low, high = team
            assert split(4 * entry, places).prizes == ((low, net - net // 2), (high, net // 2))


def test_M7_a_partner_who_is_left_alone_takes_what_his_team_wins() -> None:
    places = [(0, 1), (1, 2), (2, 1), (3, 2)]
    assert split(400, places, {0}).prizes == ((2, 360),)
    assert split(400, places, {0, 1}).prizes == ((2, 360),), "never 70 and 30 among teams"


@pytest.mark.parametrize(
    ("places", "gone", "prizes"),
    [
        pytest.param((1, 1), (), (90, 90), id="two-draw"),
        pytest.param((1, 1, 3), (), (135, 135), id="first-of-three"),
        pytest.param((1, 1, 1), (), (90, 90, 90), id="all-of-three"),
        pytest.param((1, 2, 2), (), (189, 41, 40), id="second-of-three"),
        pytest.param((1, 2, 2, 2), (), (252, 36, 36, 36), id="second-of-four"),
        pytest.param((1, 2, 3, 3), (), (252, 108), id="third-of-four"),
        pytest.param((1, 1, 3), (2,), (135, 135), id="first-and-one-gone"),
        pytest.param((1, 2, 3), (1, 2), (270,), id="all-others-gone"),
    ],
)
def test_M6_seats_that_drew_share_what_their_place_wins(
    places: tuple[int, ...], gone: tuple[int, ...], prizes: tuple[int, ...]
) -> None:
    found = split(100 * len(places), [*enumerate(places)], gone)
    assert tuple(coins for _, coins in found.prizes) == prizes
    assert fits(100 * len(places), len(places), found.fee_coins, prizes)


def test_M7_a_place_of_somebody_gone_is_passed_over() -> None:
    assert split(400, [(2, 1), (0, 2), (1, 3), (3, 4)], {0}).prizes == ((2, 252), (1, 108))


@pytest.mark.parametrize(
    ("pot", "places", "gone"),
    [
        pytest.param(0, [(0, 1), (2, 2)], (), id="empty-pot"),
        pytest.param(20, [(0, 1), (2, 2)], (0, 2), id="everybody-gone"),
        pytest.param(20, [(0, 1), (0, 2)], (), id="a-seat-twice"),
        pytest.param(20, [], (), id="nobody"),
    ],
)
def test_M_no_prize_is_no_split(
    pot: int, places: list[tuple[int, int]], gone: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match="no prizes"):
        split(pot, places, gone)
