"""F01-F10, F14, F19, F20, F24: every kind of fault once, and outages of eight seconds, while phones
play at free tables and for coins; then topics and tables are looked through.

One house for all of it, since its start takes as long as they do; several parts are struck at once
where they have little to do with each other. Run with `-s` for the figures. `make chaos` does the
same for as long as is wanted.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from services.house.simulation.people import SHORT
from tests.chaos.driver import ASLEEP, COIN, COIN_DUEL, DUEL, FREE, UNLUCKY, Place
from tests.chaos.proxy import Way
from tests.chaos.report import faults_table, losses_table
from tests.chaos.run import run
from tests.chaos.schedule import BROKER, DATABASE, EVERYTHING, Blow, Fault, Schedule, Step

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.postgres,
    pytest.mark.slow,
    pytest.mark.usefixtures("own_kafka", "own_postgres"),
]

OUTAGE_S: Final = 8.0
LIMIT_S: Final = 300.0  # on a machine that also runs other tests; how long it takes is no test's
THINK_S: Final = 0.8  # what is lost at a kill is lost at any rate of play
SEED: Final = "one of each"


def _short(place: Place) -> Place:
    """The same, over soon: else most of it is played when all is struck."""
    short = {**place.terms.options, **SHORT[place.terms.game]}
    return replace(place, terms=replace(place.terms, options=short))


PLACES: Final = tuple(map(_short, (FREE, DUEL, COIN_DUEL, UNLUCKY, COIN, ASLEEP)))
PLAY: Final = (
    (Blow(Fault.KILL, "bots-1"), Blow(Fault.KILL, "wallet-1"), Blow(Fault.REPLACE, "gateway-2")),
    (Blow(Fault.KILL, "timer-1"), Blow(Fault.REPLACE, "rules-2")),
    (Blow(Fault.KILL, "rules-1"), Blow(Fault.KILL, "gateway-1")),
    (
        Blow(Fault.FREEZE, "rules-2", OUTAGE_S),
        Blow(Way.DELAY, "wallet-1", OUTAGE_S),
        Blow(Way.CUT_IN, "gateway-2", OUTAGE_S),
    ),
    (
        Blow(Way.CUT_OUT, "rules-1", OUTAGE_S),
        Blow(Way.UNACKNOWLEDGED, "gateway-1", OUTAGE_S),
        Blow(Way.RESET, "bots-1", OUTAGE_S),
    ),
    (Blow(Fault.STORM, "rules", OUTAGE_S), Blow(Way.CUT, "wallet-1", OUTAGE_S)),
    (Blow(Fault.FREEZE, BROKER, OUTAGE_S),),
    (Blow(Fault.STOP, BROKER, OUTAGE_S),),
    (Blow(Fault.KILL, EVERYTHING),),
)
READS: Final = (
    Blow(Fault.KILL, "projection-1"),
    Blow(Fault.STOP, DATABASE, OUTAGE_S),
    Blow(Fault.LOCK, DATABASE, OUTAGE_S),
    Blow(Fault.FREEZE, "projection-1", OUTAGE_S),
    Blow(Fault.KILL, DATABASE),
)
ALL: Final = Schedule(
    play=tuple(Step(0.0, blows) for blows in PLAY),
    reads=tuple(Step(0.0, (blow,)) for blow in READS),
)


def test_every_kind_of_fault_is_struck() -> None:
    """But for a full disk: not everybody may mount one."""
    assert {blow.fault for blow in ALL.blows} == {*Fault, *Way} - {Fault.FULL}


async def test_nothing_is_lost_whatever_is_struck(data: Path) -> None:
    def say(line: str) -> None:
        sys.stdout.write(f"{line}\n")

    result = await run(ALL, SEED, data, say, places=PLACES, limit_s=LIMIT_S, think_s=THINK_S)
    for line in (*faults_table(result.rows), *losses_table(result.verdict)):
        say(line)
    assert [str(finding) for finding in result.verdict.findings] == []
    figures = result.verdict.figures
    assert figures["blows"] == len(ALL.blows)
    for found in ("timeouts", "resumes", "entries", "settled", "lost acknowledgements"):
        assert figures[found] > 0, f"{found}: or nothing was shown"
