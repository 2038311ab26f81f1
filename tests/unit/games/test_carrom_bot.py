"""How bots shoot at Carrom (rule K8)."""

from __future__ import annotations

import statistics
from itertools import islice

import pytest
from msgspec.structs import replace

from sahrat.games.carrom import CARROM, Carrom, board, bot
from sahrat.games.carrom.bot_aim import aims, on_line, targets
from sahrat.games.carrom.messages import DiscsRested, Shoot, ShotJudged, StrikerShot
from sahrat.games.carrom.physics import Rest, Shot, best, simulate
from sahrat.games.carrom.state import OVER, State
from sahrat.games.game import fold
from sahrat.messages.reasons import Reason, Refused
from tests.unit.games.carrom_table import (
    NO_CHANCE,
    NORTH,
    SOUTH,
    begun,
    position,
    with_down,
)

FAST = Carrom(lambda shot: simulate(shot, best()))
LEVELS = sorted(bot.LEVELS)


def at_level(state: State, level: str) -> State:
    """Return the same match at a table with bots of another level."""
    options = state.options.model_copy(update={"bot_level": level})
    return replace(state, options=options)


def fast(shot: Shot) -> Rest:
    return simulate(shot, best())


def sunk(state: State, shot: Shoot) -> tuple[int, ...]:
    events = FAST.decide(state, state.turn, shot, NO_CHANCE)
    assert not isinstance(events, Refused), events
    rested = events[1]
    assert isinstance(rested, DiscsRested)
    return rested.pocketed


@pytest.mark.parametrize("level", ["normal", "hard"])
@pytest.mark.parametrize("turn", [SOUTH, NORTH])
def test_K8_a_bot_sinks_what_lies_before_a_pocket(level: str, turn: int) -> None:
    own, other = (3, 2) if turn == SOUTH else (2, 3)
    places = board.turned(((own, 320_000, 310_000), (other, -100_000, 0), (1, 0, 0)), -turn % 4)
    rest = tuple((disc, 0, 33_000 * n) for n, disc in enumerate((5, 4), 2))
    state = at_level(position((*places, *rest), turn=turn), level)
    assert own in sunk(state, bot.choose(state, "seed", fast))


def test_K8_the_last_coin_waits_for_the_queen() -> None:
    last = ((1, 320_000, 310_000), (3, -320_000, 310_000))
    alone = position(last)
    assert targets(alone, alone.places) == (board.QUEEN,)
    assert 1 in sunk(alone, bot.choose(at_level(alone, "hard"), "seed", fast))
    covered = position(last[1:], queen="covered")
    assert targets(covered, covered.places) == (3,)
    waiting = position(last[1:], queen="pending")
    assert targets(waiting, waiting.places) == (3,)


def test_K8_no_queen_before_the_first_coin() -> None:
    state = position(((1, 0, 0), (3, 0, 100_000), (5, 0, 200_000)), first=(False, True))
    assert targets(state, state.places) == (3, 5)


def test_K8_aims_leave_out_what_is_not_free() -> None:
    """A coin between two others that stand in its way to every pocket."""
    wall = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
    ring = tuple((disc, 32_000 * x, 32_000 * y) for disc, (x, y) in enumerate(wall, 4))
    state = position(((3, 0, 0), *ring), queen="covered")
    found = aims(state, tuple(place for place in state.places if place[0] == 3), [0])
    assert found
    assert not [shot for shot in aims(state, state.places, [0]) if shot in found]


@pytest.mark.parametrize("level", LEVELS)
def test_K8_a_bot_plays_so_many_shots_in_its_head_and_no_more(level: str) -> None:
    asked: list[Shot] = []

    def counting(shot: Shot) -> Rest:
        asked.append(shot)
        return fast(shot)

    quick = bot.LEVELS[level]
    for down in ((3,), (3, 9, 10, 12), (2, 3, 4, 5, 6, 7)):
        asked.clear()
        bot.choose(at_level(with_down(*down), level), "seed", counting)
        assert 0 < len(asked) <= quick.tried + quick.again * quick.times + bot.WILD


def test_K8_the_same_seed_gives_the_same_shot_and_another_one_another() -> None:
    state = with_down(3, 5, 9)
    first = bot.choose(state, "a", fast)
    assert bot.choose(state, "a", simulate) == first, "whatever computes the shots"
    assert bot.choose(state, "b", fast) != first
    assert FAST.bot(state, "") == Carrom().bot(state, "")
    assert FAST.bot(state, "") != FAST.bot(state, "another match or step")


def test_K8_a_break_needs_no_thought_and_is_fast() -> None:
    def never(shot: Shot) -> Rest:
        raise AssertionError(shot)

    found = bot.choose(begun(), "seed", never)
    assert found.speed > 5_000_000
    assert found.x == 0


def test_K8_no_room_on_the_line() -> None:
    """The wish is refused, and the clock plays."""
    wall = tuple((disc, x, -252_600) for disc, x in enumerate(range(-219_000, 219_001, 73_000), 2))
    state = position((*wall, (19, 0, 0), (1, 0, 40_000)))
    wish = CARROM.bot(state, "")
    refused = CARROM.decide(state, SOUTH, wish, NO_CHANCE)
    assert isinstance(refused, Refused)
    assert refused.reason is Reason.STRIKER_ON_COIN


def test_K8_errors_are_spread_as_said() -> None:
    drawn = list(islice(bot._normal("seed"), 2_000))
    assert statistics.mean(drawn) == pytest.approx(0.0, abs=0.1)
    assert statistics.stdev(drawn) == pytest.approx(1.0, abs=0.1)
    level = bot.LEVELS["easy"]
    straight = Shoot(x=0, dx=0, dy=900_000, speed=3_000_000)
    shaken = [bot._shaken(straight, level, str(n)) for n in range(2_000)]
    turned = [shot.dx / shot.dy for shot in shaken]
    assert statistics.stdev(turned) == pytest.approx(level.turned, rel=0.1)
    assert statistics.stdev(shot.speed / 3e6 for shot in shaken) == pytest.approx(0.06, rel=0.1)


def test_K8_a_shaken_shot_is_still_one() -> None:
    wild = bot.Level(tried=1, again=0, times=0, turned=5.0, faster=5.0)
    edge = Shoot(x=0, dx=1_000_000, dy=1, speed=6_000_000)
    for number in range(200):
        events = FAST.decide(begun(), SOUTH, bot._shaken(edge, wild, str(number)), NO_CHANCE)
        assert not isinstance(events, Refused)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("players", [2, "2v2"])
def test_K8_bots_play_a_board_to_its_end(level: str, players: object) -> None:
    """And none of their shots is refused. Most boards take 20 to 40 shots."""
    state = begun(bot_level=level, players=players)
    fouls = 0
    while state.turn != OVER:
        wish = FAST.bot(state, str(state.shots))
        events = FAST.decide(state, state.turn, wish, NO_CHANCE)
        assert not isinstance(events, Refused), events
        assert isinstance(events[0], StrikerShot)
        fouls += sum(isinstance(event, ShotJudged) and event.foul for event in events)
        state = fold(FAST, state, events)
        assert state.shots < 300
    assert fouls < state.shots / 4


def test_K8_places_on_the_line_go_from_end_to_end() -> None:
    spots = list(on_line())
    assert len(spots) == 21
    assert (spots[0], spots[10], spots[-1]) == (-219_100, 0, 219_100)
