"""T16-T18: who cheats with coins is found among those who play honestly. All that is planted is
made by a generator with a seed, which knows nothing of the views.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from services.house.analysts import questions
from tests.integration.planted import Planted, capture, player
from tests.integration.projecting import rows

PAIRS = 500  # regulars, of whom one in a hundred pairs plays together against the others
TOGETHER = 30
STRENGTH = 0.25  # how far the skills of honest players spread


def four(
    planted: Planted,
    day: int,
    sitters: list[int],
    skill: dict[int, float],
    spares: Callable[[int, int], float],
) -> list[int]:
    """A match of four for coins: some seventeen captures, each of one of the others by lot, but for
    what is spared; and places by skill and luck. Returns the sitters, the best first.
    """
    rng = planted.rng
    records = []
    for _ in range(rng.randint(11, 23)):
        captor = rng.randrange(4)
        victim = rng.choice([seat for seat in range(4) if seat != captor])
        if rng.random() < spares(sitters[captor], sitters[victim]):
            continue
        records.append((f"player:{player(sitters[captor])}", [capture(captor, victim)]))
    luck = {who: skill[who] + rng.gauss(0, 1) for who in sitters}
    best = sorted(sitters, key=lambda who: -luck[who])
    places = [best.index(who) + 1 for who in sitters]
    planted.match(day, sitters, places, entry=100, records=records)
    return best


async def test_T16_colluders_are_found_and_friends_are_not(database: str) -> None:
    """Of 500 pairs that play a lot together five are planted: some spare each other, some lose to
    their partner on purpose. The other 495 are honest friends, of very unequal skill.
    """
    planted = Planted(seed=16)
    rng = planted.rng
    skill = {who: rng.gauss(0, STRENGTH) for who in range(2 * PAIRS)}
    mutual, dumping = {7, 107, 307}, {207, 407}
    for pair in range(PAIRS):
        a, b = 2 * pair, 2 * pair + 1

        def spares(captor: int, victim: int, pair: int = pair, b: int = b) -> float:
            if captor // 2 != pair or victim // 2 != pair:
                return 0.0
            return 0.85 if pair in mutual or (pair in dumping and captor == b) else 0.0

        if pair in dumping:
            skill[a], skill[b] = skill[a] + 1, skill[b] - 1
        for day in range(TOGETHER):
            others = rng.sample([who for who in range(2 * PAIRS) if who // 2 != pair], 2)
            sitters = [a, b, *others]
            rng.shuffle(sitters)
            four(planted, day, sitters, skill, spares)
    planted.write(database)
    found = await rows(database, "select player_a, player_b, flagged from collusion_pairs")
    flagged = {(a, b) for a, b, is_flagged in found if is_flagged}
    wrong = {(player(2 * pair), player(2 * pair + 1)) for pair in mutual | dumping}
    assert len(found) >= PAIRS
    assert len(flagged & wrong) >= 0.8 * len(wrong)
    assert len(flagged - wrong) <= 0.01 * (PAIRS - len(wrong))
    asked = await rows(database, questions()["collusion"].text.decode())
    assert {(row[0], row[1]) for row in asked} == flagged


async def test_T16_partners_and_few_matches_say_nothing(database: str) -> None:
    """Who spares his partner at a table of two sides is no colluder; nor is anybody after nine
    matches.
    """
    planted = Planted(seed=3)
    skill = dict.fromkeys(range(8), 0.0)
    for day in range(40):
        sitters = [0, 1, 2, 3]
        events = [("player:x", [capture(0, 1)] * 5)]
        planted.match(
            day, sitters, [1, 2, 1, 2], entry=100, options={"teams": "on"}, records=events
        )
    for day in range(9):
        four(
            planted,
            day,
            [4, 5, 6, 7],
            skill,
            lambda captor, victim: float(captor // 2 == victim // 2),
        )
    planted.write(database)
    assert await rows(database, "select * from collusion_pairs") == []


def duel(planted: Planted, day: int, a: int, b: int, winner: int, *, left: bool = False) -> None:
    """A match of two for a hundred coins each."""
    places = [1, 2] if winner == a else [2, 1]
    loser = places.index(2)
    match_id = planted.match(
        day, [a, b], places, entry=100, left=[loser] if left else [], hour=planted.rng.randrange(24)
    )
    planted.pay(match_id, day, "settle", {winner: 80, a if winner == b else b: -100})


def crowd(planted: Planted, first: int, count: int, matches: int) -> None:
    """Honest players at tables of two, with whoever is there."""
    for number in range(matches):
        a, b = planted.rng.sample(range(first, first + count), 2)
        duel(planted, number % 60, a, b, planted.rng.choice([a, b]))


@pytest.fixture
def farm() -> Planted:
    """A crowd of 200 honest players and fifty pairs of honest friends who hardly play others."""
    planted = Planted(seed=18)
    crowd(planted, 1000, 200, 2000)
    for pair in range(50):
        for day in range(20):
            a, b = 2000 + 2 * pair, 2001 + 2 * pair
            duel(planted, day, a, b, planted.rng.choice([a, b]))
    return planted


async def test_T18_loops_of_two_accounts_are_found_and_friends_are_not(
    database: str, farm: Planted
) -> None:
    for day in range(15):
        duel(farm, day, 1, 2, 1)  # always the same one wins
        duel(farm, day, 4, 3, farm.rng.choice([3, 4]), left=farm.rng.random() < 0.8)
    farm.write(database)
    found = await rows(database, "select player_a, player_b, flagged from coin_loops")
    assert {(a, b) for a, b, flagged in found if flagged} == {
        (player(1), player(2)),
        (player(3), player(4)),
    }
    assert len(found) == 52  # the friends are seen, and are no loop


async def test_T17_accounts_that_feed_one_are_found(database: str, farm: Planted) -> None:
    for source in range(10, 16):
        for day in range(6):
            duel(farm, day, source, 9, 9)
        duel(farm, 7, source, 1000 + source, 1000 + source)
    farm.write(database)
    found = await rows(
        database, "select receiver_id, sources, matches, coins from coin_funnels where flagged"
    )
    assert found == [(player(9), 6, 36, 3600)]
    asked = await rows(database, questions()["farming"].text.decode())
    assert [row[:3] for row in asked] == [("funnel", player(9), "6 accounts")]


async def test_T18_rewards_without_company_are_found(database: str) -> None:
    """A farmer with bots, a pair of accounts at free tables, and forty honest players, one of whom
    comes to the full reward each day.
    """
    planted = Planted(seed=5)
    rng: random.Random = planted.rng

    def free(day: int, sitters: list[int | None]) -> None:
        match_id = planted.match(day, sitters, [1, 2, 3, 4], hour=rng.randrange(24))
        people = {who: 20 if order == 0 else 5 for order, who in enumerate(sitters) if who}
        planted.pay(match_id, day, "reward", people)

    for day in range(10):
        for _ in range(10):
            free(day, [1, None, None, None])
            free(day, [2, 3, None, None])
        for _ in range(40):
            free(day, list(rng.sample(range(100, 140), 4)))
        for _ in range(10):
            free(day, [150, *rng.sample(range(100, 140), 3)])  # plays a lot, with everybody
    planted.write(database)
    found = await rows(database, "select player_id from reward_farmers where flagged order by 1")
    assert found == [(player(1),), (player(2),)]
    full = await rows(
        database, "select full_days, flagged from reward_farmers where player_id = %s", player(150)
    )
    assert full == [(10, False)]
