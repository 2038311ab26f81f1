"""The recorded games, played as whole matches for coins: every leaver, place and coin.

What each seat must win is worked out here once more, from the recorded steps alone and by a formula
that shares nothing with the code under test. The format of the games: README.md.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal
from typing import Any, Final

import pytest

from sahrat.games.ludo.messages import DeclineRoll, MovePawn, RollDie
from sahrat.messages.match import LeaveTable
from tests.golden.test_ludo import GAMES
from tests.unit.match.desk import Desk, event, player, refold
from tests.unit.match.loaded import LoadedDealer

ENTRIES: Final = (10, 33, 100, 999_999)
WITH_LEAVERS: Final = [game for game in GAMES if game.get("table") == "coin"]
PLAYED: Final = [
    pytest.param(game, entry, id=f"{game['id']}-for-{entry}")
    for number, game in enumerate(GAMES)
    for entry in (ENTRIES if game in WITH_LEAVERS else (ENTRIES[number % len(ENTRIES)],))
]
SEATS: Final = {2: (0, 2), 3: (0, 1, 2), 4: (0, 1, 2, 3)}


def leavers_without_a_place(game: dict[str, Any]) -> set[int]:
    """Read off the recorded texts who left before he had a place."""
    found, before = set(), "|".join(["t0", *("-1" for _ in range(game["players"]))])
    for step, after in zip(game["steps"], game["after"], strict=True):
        if "leave" in step:
            seat = SEATS[game["players"]].index(step["leave"]) + 1
            if "#" not in before.split("|")[seat]:
                found.add(step["leave"])
        before = after
    return found


def expected(game: dict[str, Any], entry: int) -> tuple[int, dict[int, int]]:
    """Return (fee, prize by seat) as the rules text says it, in decimal fractions of the pot."""
    pot = Decimal(entry * game["players"])
    fee = (pot / 10).to_integral_value(ROUND_FLOOR)
    gone = leavers_without_a_place(game)
    ranked = [seat for seat, _ in sorted(game["places"], key=lambda p: p[1]) if seat not in gone]
    second = Decimal(0)
    if game["players"] > 2 and len(ranked) > 1:
        second = ((pot - fee) * Decimal("0.3")).to_integral_value(ROUND_FLOOR)
    won = {ranked[0]: int(pot - fee - second)}
    if second:
        won[ranked[1]] = int(second)
    return int(fee), won


def played(game: dict[str, Any], entry: int) -> Desk:
    desk = Desk(keys=LoadedDealer())
    options = {name: value for name, value in game["options"].items() if name != "players"}
    desk.coin_table(*range(game["players"]), entry=entry, **options)
    seats = SEATS[game["players"]]
    for step in game["steps"]:
        desk.wait(0.1)
        if "leave" in step:
            desk.send(LeaveTable(), who=seats.index(step["leave"]))
        if "roll" in step:
            desk.keys.values.append(step["roll"])
            number = desk.state.step
            desk.send(RollDie(number="5"), who=desk.on_turn(), step=number)
        if "choose" in step:
            number = desk.state.step
            desk.send(MovePawn(pawn=step["choose"]), who=desk.on_turn(), step=number)
        if "pass" in step:
            desk.send(DeclineRoll(), who=desk.on_turn(), step=desk.state.step)
    return desk


@pytest.mark.parametrize(("game", "entry"), PLAYED)
def test_prizes_and_fee_are_the_pot_and_as_the_rules_say(game: dict[str, Any], entry: int) -> None:
    desk = played(game, entry)
    assert desk.answers == []
    last = desk.records[-1]
    settled, ended = event(last, "entries.settled"), event(last, "match.ended")
    fee, won = expected(game, entry)
    assert [[place.seat, place.place] for place in ended.places] == game["places"]
    assert settled.fee_coins == fee
    assert {prize.seat: prize.coins for prize in settled.prizes} == won
    seats = SEATS[game["players"]]
    assert all(prize.player_id == player(seats.index(prize.seat)) for prize in settled.prizes)
    assert settled.pot_coins == entry * game["players"] == fee + sum(won.values())
    kept = {e.seat for r in desk.records for e in r.events if e.type == "player.left" and e.kept}
    left = {step["leave"] for step in game["steps"] if "leave" in step}
    assert kept == left - leavers_without_a_place(game)
    other = refold(desk, desk.values).get(desk.match_id)
    assert other is not None
    assert other.state == desk.state


def test_there_are_games_of_all_sizes_and_some_with_leavers() -> None:
    assert {game["players"] for game in GAMES} == {2, 3, 4}
    assert [len(leavers_without_a_place(game)) for game in WITH_LEAVERS] == [
        2,
        2,
        2,
        1,
    ]  # one kept his place
