"""What a shot at Carrom takes, in Python and as numba compiles it, and a turn of a bot.

Mid-game is whatever lies on the boards of a game between bots after their break; breaks are at
8 m/s, the most that the physics takes. All times are CPU time, since nothing here waits: on a calm
machine the same as what a clock shows, and on a busy one still worth something.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from sahrat.games.carrom import Carrom, board, bot
from sahrat.games.carrom.options import CarromOptions
from sahrat.games.carrom.physics import PURE, Engine, Rest, Shot, best, simulate
from sahrat.games.carrom.rules import pushed
from sahrat.games.carrom.state import OVER, State
from sahrat.games.game import fold
from sahrat.messages.reasons import Refused
from tests.bench.ask import Ask
from tests.bench.carrom_tables import CARROM, at_tables
from tests.bench.places import LogKind
from tests.bench.report import Report, Row

BREAKS: Final = 30
BOARDS: Final = 4
TURNS: Final = 25
LEVELS: Final[tuple[str, ...]] = tuple(bot.LEVELS)


class _NoChance:
    """There is nothing to draw in Carrom."""

    def die(self, index: int, seat: int, number: str) -> int:
        raise AssertionError(index, seat, number)

    def cowries(self, index: int, seat: int, number: str, shells: int) -> int:
        raise AssertionError(index, seat, number, shells)

    def lot(self, among: int) -> int:
        raise AssertionError(among)


def carrom(ask: Ask, kind: LogKind, report: Report) -> None:
    """Measure shots on each engine that is there, and bots in Python; without a log."""
    del ask, kind
    begin = time.process_time()
    quick = best()
    ready_s = time.process_time() - begin
    played = _play(quick)
    breaks = _breaks()
    for engine in dict.fromkeys((PURE, quick)):
        report.add(*_shots(engine, "mid-game", [shot for _, shot in played]))
        report.add(*_shots(engine, "break", breaks))
    if quick is not PURE:
        report.add(Row(CARROM, "", "numba gets ready", ready_s, "s"))
    for level in LEVELS:
        report.add(*_turns(level, [state for state, _ in played[:: len(played) // TURNS + 1]]))
    report.add(*at_tables())


def _play(engine: Engine) -> list[tuple[State, Shot]]:
    """Return the states and the shots of some boards that bots play, their breaks left out."""

    def quick(shot: Shot) -> Rest:
        return simulate(shot, engine)

    game, found = Carrom(quick), list[tuple[State, Shot]]()
    for number in range(BOARDS):
        state: State = game.initial(CarromOptions())
        state = fold(game, state, game.begin(state, _NoChance()))
        while state.turn != OVER:
            wish = bot.choose(state, f"{number}|{state.shots}", quick)
            events = game.decide(state, state.turn, wish, _NoChance())
            if isinstance(events, Refused):
                raise AssertionError(events)
            if state.shots:
                found.append(
                    (state, pushed(board.turned(state.places, state.turn), wish, state.options))
                )
            state = fold(game, state, events)
    return found


def _breaks() -> list[Shot]:
    chance = random.Random(1)
    return [
        Shot(
            places=((board.STRIKER, chance.randint(-60_000, 60_000), board.LINE_Y_UM), *board.RACK),
            dx=chance.randint(-30_000, 30_000),
            dy=-board.LINE_Y_UM,
            speed=board.SPEED_LIMIT_UM_S,
        )
        for _ in range(BREAKS)
    ]


def _shots(engine: Engine, what: str, shots: Sequence[Shot]) -> list[Row]:
    times = [_timed(partial(simulate, shot, engine)) for shot in shots]
    return _rows(f"{what}, {engine.name}", times, f"{len(shots)} shots")


def _turns(level: str, states: Sequence[State]) -> list[Row]:
    options = CarromOptions.model_validate({"bot_level": level})
    times = []
    for number, state in enumerate(states):
        asked = replace(state, options=options)
        times.append(_timed(partial(bot.choose, asked, str(number), simulate)))
    return _rows(f"turn of a bot, {level}, {PURE.name}", times, f"{len(states)} turns")


def _timed(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return (time.process_time() - begin) * 1000


def _rows(name: str, times_ms: Sequence[float], note: str) -> list[Row]:
    return [
        Row(CARROM, "", f"{name}: {what}", value, "ms", note=note)
        for what, value in (
            ("min", min(times_ms)),
            ("median", statistics.median(times_ms)),
            ("worst", max(times_ms)),
        )
    ]
