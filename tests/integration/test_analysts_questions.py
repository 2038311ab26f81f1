"""Each ready question, asked as an analyst about matches whose answer is known.

`collusion` and `farming` are asked in `test_analysts_signals`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from statistics import NormalDist
from typing import Any

import pytest
from psycopg import conninfo

from sahrat.storage.analysts import ROLE
from sahrat.storage.pool import connect
from services.house.analysts import answer, questions
from services.projection.rebuild import rebuild
from tests.integration.planted import FIRST_DAY, Planted, player, roll
from tests.integration.projecting import filled
from tests.unit.projection.stories import everything

Row = Mapping[str, Any]
FACES = range(1, 7)


async def ask(dsn: str, name: str, first: int | None = None, last: int | None = None) -> list[Row]:
    """Ask about the days of these numbers; None: all."""
    days = {
        which: None if number is None else FIRST_DAY.date() + timedelta(days=number)
        for which, number in (("from_day", first), ("to_day", last))
    }
    async with await connect(
        conninfo.make_conninfo(dsn, user=ROLE), name="test", statement_ms=60_000
    ) as connection:
        columns, rows = await answer(connection, questions()[name], days)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def z_of(chi2: float, df: int) -> float:
    """The exact tail of chi-square, for a few degrees of freedom, as a normal deviation."""
    half = chi2 / 2
    if df % 2 == 0:
        tail = math.exp(-half) * sum(half**k / math.factorial(k) for k in range(df // 2))
    else:
        tail = math.erfc(math.sqrt(half)) + math.exp(-half) * sum(
            half ** (k + 0.5) / math.gamma(k + 1.5) for k in range(df // 2)
        )
    return NormalDist().inv_cdf(1 - tail)


def chi2_of(counts: Sequence[int]) -> float:
    fair = sum(counts) / len(counts)
    return sum((count - fair) ** 2 / fair for count in counts)


def wilson(hits: int, of: int) -> tuple[float, float]:
    low, high = (
        (hits + 1.96**2 / 2 + sign * 1.96 * math.sqrt(hits * (of - hits) / of + 1.96**2 / 4))
        / (of + 1.96**2)
        for sign in (-1, 1)
    )
    return low, high


async def test_nothing_is_said_of_no_matches(database: str) -> None:
    for name in questions():
        assert await ask(database, name) == []


def test_each_says_what_it_asks_and_how_to_read_the_answer() -> None:
    for question in questions().values():
        assert question.asks.endswith("?")
        assert b"\n-- How to read it: " in question.text
        assert question.text.rstrip().endswith(b";")


@pytest.mark.parametrize(
    ("wins", "says"),
    [
        ((27, 22, 24, 27), "nothing seen"),
        ((50, 20, 15, 15), "look at it"),
        ((3, 2, 2, 1), "too few"),
    ],
    ids=["fair", "red-favoured", "few"],
)
async def test_is_any_colour_favoured(database: str, wins: tuple[int, ...], says: str) -> None:
    planted = Planted()
    for seat, count in enumerate(wins):
        for number in range(count):
            places = [1 if at == seat else 2 + at - (at > seat) for at in range(4)]
            planted.match(number % 9, [1, 2, 3, 4], places)
    planted.match(1, [1, 2, 3, 4], [1, 2, 1, 2], options={"teams": "on"})  # is not counted
    planted.write(database)
    whole, *seats = await ask(database, "favoured")
    assert (whole["seat"], whole["says"]) == ("all", says)
    assert float(whole["chi2"]) == pytest.approx(chi2_of(wins), abs=0.01)
    assert float(whole["z"]) == pytest.approx(z_of(chi2_of(wins), 3), rel=0.05, abs=0.1)
    assert [(row["colour"], row["wins"]) for row in seats] == list(
        zip(("red", "green", "yellow", "blue"), wins, strict=True)
    )
    for row in seats:
        low, high = wilson(row["wins"], sum(wins))
        assert (float(row["low"]), float(row["high"])) == pytest.approx((low, high), abs=0.001)


async def test_simulated_dice_are_uniform_to_the_number(postgres: str) -> None:
    """Of matches that were played by the rules: the statistic worked out again from the records."""
    story = everything(3)
    await rebuild(await filled({3: story.drafts}), postgres)
    over = {r.match_id for r in story.records for e in r.events if hasattr(e, "secret")}
    faces = Counter(
        event.value
        for record in story.records
        if record.match_id in over
        for event in record.events
        if event.type == "ludo.rolled"
    )
    asked = {(row["part"], row["value"]): row for row in await ask(postgres, "dice")}
    whole = asked["all", ""]
    assert whole["rolls"] == faces.total()
    assert float(whole["chi2"]) == pytest.approx(chi2_of([faces[face] for face in FACES]), abs=0.01)
    assert {row["says"] for row in asked.values()} <= {"nothing seen", "too few"}
    by = {value: row["rolls"] for (part, value), row in asked.items() if part == "rolled by"}
    assert set(by) == {"player", "bot", "clock"}
    assert sum(by.values()) == faces.total()


async def test_a_die_that_is_loaded_at_one_seat_for_an_hour_is_found(database: str) -> None:
    """Seat 2 rolls a six three times in four between three and four; everything else is fair."""
    planted = Planted(seed=9)
    for number in range(240):
        hour = number % 24
        rolls = []
        for index in range(60):
            seat = index % 4
            value = planted.rng.randint(1, 6)
            if seat == 2 and hour == 3 and planted.rng.random() < 0.7:
                value = 6
            rolls.append((f"player:{player(seat)}", [roll(index, seat, value)]))
        planted.match(number % 30, [0, 1, 2, 3], [1, 2, 3, 4], records=rolls, hour=hour)
    planted.write(database)
    asked = await ask(database, "dice")
    found = {(row["part"], row["value"]) for row in asked if row["says"] == "look at it"}
    assert found == {("hour", "03")}
    hour_3 = next(row for row in asked if row["value"] == "03")
    assert hour_3["worst"] == 6
    assert float(hour_3["off"]) == pytest.approx(0.7 / 4 * 5 / 6, abs=0.05)


async def test_who_plays_with_whom(database: str) -> None:
    planted = Planted()
    for number in range(12):
        planted.match(number, [1, 2], [1, 2])
    for number in range(60):
        planted.match(number, [10 + number % 12, 10 + (number + 1) % 12], [1, 2])
    planted.write(database)
    first, *_ = await ask(database, "company")
    assert (first["player_a"], first["player_b"]) == (player(1), player(2))
    assert (first["together"], first["matches_a"], first["matches_b"]) == (12, 12, 12)
    by_chance = 12 * 12 / (144 - 12)  # his twelve places beside others, filled by lot
    assert float(first["by_chance"]) == pytest.approx(by_chance, abs=0.01)
    assert float(first["times"]) == pytest.approx(12 / by_chance, abs=0.1)
    assert await ask(database, "company", 0, 3) == []  # four matches are too few


async def test_how_long_players_think(database: str) -> None:
    """Records of the generator are a second apart: each step that a player ends took one second."""
    planted = Planted()
    for number in range(10):
        records: list[tuple[str, list[dict[str, Any]]]] = []
        for step in range(1, 21):
            opened = {"type": "step.opened", "step": step, "seat": 0, "deadline_ms": 1}
            late = {"type": "step.timed_out", "step": step - 1, "seat": 0}
            if step % 5 == 0:
                records.append(("system:timer", [late, opened]))
            else:
                records.append((f"player:{player(1)}", [opened]))
        planted.match(number, [1, 2], [1, 2], records=records)
    planted.write(database)
    (row,) = await ask(database, "thinking")
    # Four of the nineteen steps that another record ends are the clock's.
    assert (row["game"], row["steps"]) == ("ludo", 190)
    assert float(row["timeouts"]) == pytest.approx(40 / 190, abs=0.0001)
    assert (float(row["low"]), float(row["high"])) == pytest.approx(wilson(40, 190), abs=0.0001)
    assert {row["p10_ms"], row["p50_ms"], row["p99_ms"]} == {1000}
    assert row["says"] == ""


async def test_how_many_come_back(database: str) -> None:
    planted = Planted()
    for who in range(40):
        planted.match(0, [who, 100 + who], [1, 2])
    for who in range(10):
        planted.match(1, [who, None], [1, 2])
    for who in range(4):
        planted.match(7, [who, None], [1, 2])
    planted.match(9, [0, None], [1, 2])
    planted.write(database)
    asked = await ask(database, "return")
    assert [(r["day_number"], r["began"], r["back"]) for r in asked] == [(1, 80, 10), (7, 80, 4)]
    assert [float(row["share"]) for row in asked] == [0.125, 0.05]
    assert (float(asked[0]["low"]), float(asked[0]["high"])) == pytest.approx(
        wilson(10, 80), abs=0.0001
    )


async def test_where_coins_come_from_and_go(database: str) -> None:
    planted = Planted()
    free = planted.match(0, [1, 2], [1, 2])
    planted.pay(free, 0, "reward", {1: 20, 2: 5})
    coin = planted.match(1, [1, 2], [1, 2], entry=100)
    planted.pay(coin, 1, "settle", {2: -100})
    planted.write(database)
    assert [tuple(row.values()) for row in await ask(database, "coins")] == [
        ("reward", "grants", "player", 2, 25),
        ("settle", "player", "fee", 1, 100),
    ]
    assert len(await ask(database, "coins", 1, 1)) == 1


async def test_which_options_tables_choose(database: str) -> None:
    planted = Planted()
    for number in range(40):
        planted.match(number, [1, 2], [1, 2], options={"step_seconds": 15 if number % 4 else 8})
    planted.write(database)
    asked = await ask(database, "options")
    assert [
        (row["option"], row["value"], row["matches"], float(row["share"])) for row in asked
    ] == [
        ("step_seconds", "15", 30, 0.75),
        ("step_seconds", "8", 10, 0.25),
    ]
    assert [row["says"] for row in asked] == ["", "too few"]
