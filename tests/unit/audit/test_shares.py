"""How the audit shares out a pot of whoever drew, against the ledger's own way (rule M.6)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from sahrat.ledger.settlement import split
from services.audit.core.shares import are_places, share_out


def rankings(seats: int) -> Iterator[tuple[int, ...]]:
    """Yield the places that so many seats can have: a shared one leaves as many behind it free."""
    for places in itertools.product(range(1, seats + 1), repeat=seats):
        if all(1 + sum(other < place for other in places) == place for place in places):
            yield places


@pytest.mark.parametrize(("seats", "ways"), [(2, 3), (3, 13), (4, 75)])
def test_M6_every_ranking_with_draws_is_shared_out_alike(seats: int, ways: int) -> None:
    found = [*rankings(seats)]
    assert len(found) == ways
    for places in found:
        ranked = [*enumerate(places)]
        assert are_places(ranked, range(seats), sides=False, draws=True)
        draws = len({*places}) < seats
        assert are_places(ranked, range(seats), sides=False) == (not draws)
        last = [seat for seat, place in ranked if place == max(places)]
        for lost in ([], last[:1] if len({*places}) > 1 else []):
            for entry in (10, 33, 100):
                pot = entry * seats
                assert share_out(pot, ranked, lost) == [*split(pot, ranked, lost).prizes]


@pytest.mark.parametrize("places", [(1, 1, 2), (2, 2, 2), (1, 2, 2, 3), (1, 1, 4, 4), (2, 3)])
def test_M6_places_that_no_draw_gives_are_none(places: tuple[int, ...]) -> None:
    assert not are_places([*enumerate(places)], range(len(places)), sides=False, draws=True)
