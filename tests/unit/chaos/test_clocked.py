"""F13: one worker's clock is wrong, and nobody else's."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.chaos.clocked import WrongClock, wrong_clock

ASK: Final = "import os, time; print(os.getpid(), os.environ.get('LD_PRELOAD', '-'), time.time())"
HOUR_S: Final = 3600
NONE: Final = Path("/nowhere/libfaketimeMT.so.1")  # the linker says so, and goes on without it


def asked(clock: WrongClock, name: str) -> tuple[str, float]:
    """What stands between a worker and the kernel, and what its clock says; it is the process that
    was started.
    """
    environment = {**os.environ, **clock.environment(), "SAHRAT_NAME": name}
    with subprocess.Popen(
        [sys.executable, "-c", ASK],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        said, _ = process.communicate()
        pid, library, wall_s = said.split()
        assert int(pid) == process.pid
        return library, float(wall_s)


def test_of_two_workers_one_has_another_clock() -> None:
    found = wrong_clock("any")
    clock = WrongClock("timer-1", HOUR_S, NONE if found is None else found.library)
    library, right_s = asked(clock, "rules-1")
    assert library == "-"
    library, wrong_s = asked(clock, "timer-1")
    assert library == str(clock.library)
    ahead_s = 0 if found is None else HOUR_S
    assert ahead_s <= wrong_s - right_s < ahead_s + 60


def test_a_seed_says_whose() -> None:
    clocks = {str(wrong_clock(str(seed))) for seed in range(200)}
    assert wrong_clock("7") == wrong_clock("7")
    assert clocks == {"None"} or len(clocks) == 8 * 4


def test_it_is_said_in_words() -> None:
    assert str(WrongClock("rules-2", -15, NONE)) == "the clock of rules-2 is -15 s wrong"
