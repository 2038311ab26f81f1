"""One run: a house, phones, a nemesis, and at the end the verdict."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.chaos.clocked import WrongClock
from tests.chaos.driver import PLACES, THINK_S, Driver, Place
from tests.chaos.house import standing
from tests.chaos.nemesis import RECOVERS_S, Hit, Nemesis
from tests.chaos.report import Row, rows
from tests.chaos.schedule import Schedule
from tests.chaos.verdict import Verdict, judge

HOUSE_LOG: Final = "house.log"


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a run."""

    verdict: Verdict
    rows: list[Row]


async def run(
    schedule: Schedule,
    seed: str,
    folder: Path,
    say: Callable[[str], None],
    places: Sequence[Place] = PLACES,
    clock: WrongClock | None = None,
    limit_s: float = RECOVERS_S,
    think_s: float = THINK_S,
) -> Result:
    """Strike a house by a schedule while phones play, and look what was lost.

    Args:
        schedule: What is struck.
        seed: Decides what phones do.
        folder: Everything is kept there.
        say: Told how far it is, line by line.
        places: Where it is played.
        clock: Whose is wrong.
        limit_s: How long the house may take to recover.
        think_s: How long phones think before each step.

    Raises:
        LocalError: Broker or database don't come up here.
    """
    begun_s = time.monotonic()
    environment = {} if clock is None else clock.environment()
    async with standing(folder, environment) as struck:
        say(f"the house is ready after {struck.house.ready_s:.0f} s, at {' '.join(struck.urls)}")
        driver = Driver(struck.urls, seed, places, think_s)
        told = 0

        def tell(hit: Hit) -> None:
            nonlocal told
            told += 1
            back = "NOT IN ORDER AGAIN" if hit.back_s is None else f"back after {hit.back_s:.2f} s"
            at = f"{hit.begun_s - begun_s:7.1f} s  {told}/{len(schedule.steps)}"
            say(f"{at}  {hit.step}: {back}; {driver.matches} matches")

        nemesis = Nemesis(struck, driver.lively, tell, limit_s)
        try:
            await driver.start()
            begun_s = time.monotonic()
            say(f"{len(driver.guests)} phones play")
            await nemesis.follow(schedule)
            for step in nemesis.left_out:
                say(f"{step}: left out, since one may not mount a disk of one's own here")
            say("all is struck: the matches are played to their ends, and looked through")
            verdict = await judge(struck, driver, nemesis, folder)
        finally:
            await driver.close()
            (folder / HOUSE_LOG).write_text("\n".join(struck.house.log), encoding="utf-8")
        verdict.figures["lost acknowledgements"] = sum(struck.proxy.lost.values())
    reads = [hit for hit in nemesis.hits if hit.step in schedule.reads]
    return Result(verdict, rows(nemesis.hits, reads, driver.calm))


@contextmanager
def kept_if(lost: Callable[[], bool]) -> Iterator[Path]:
    """Make a folder for a run that every user may enter; remove it at the end, unless something
    was lost that people will want to look at.
    """
    folder = Path(tempfile.mkdtemp(prefix="sahrat-chaos-")).resolve()
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        if not lost():
            shutil.rmtree(folder, ignore_errors=True)
