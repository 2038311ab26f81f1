"""Many seeds, on all cores."""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Final

from services.house.simulation.catalogue import NAMES
from services.house.simulation.run import Outcome, simulate

CHUNK: Final = 10  # seeds that a process runs before it says how they went


@dataclass
class Sum:
    """How many seeds went.

    Attributes:
        failed: Those in which something was wrong, in order.
        counts: As `Outcome` has them, of all seeds.
    """

    seeds: int = 0
    failed: list[Outcome] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    crashes: int = 0
    records: int = 0
    virtual_s: float = 0.0

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Count some more."""
        for outcome in outcomes:
            self.seeds += 1
            self.counts += outcome.counts
            self.crashes += outcome.crashes
            self.records += outcome.records
            self.virtual_s += outcome.virtual_s
            if outcome.problems:
                self.failed.append(outcome)
        self.failed.sort(key=lambda outcome: outcome.seed)

    @property
    def never_struck(self) -> list[str]:
        """The faults that never struck, by name."""
        return [name for name in NAMES if not self.counts[name]]


def simulate_many(
    seeds: Sequence[int], game: str, tell: Callable[[Sum], None], processes: int | None = None
) -> Sum:
    """Run seeds, and return what came of all.

    Args:
        seeds: Which.
        game: What is played.
        tell: Told now and then how far it is.
        processes: At a time; None: as many as there are cores.
    """
    total = Sum()
    chunks = [seeds[first : first + CHUNK] for first in range(0, len(seeds), CHUNK)]
    if len(chunks) == 1:
        total.add(_chunk(chunks[0], game))
        return total
    with ProcessPoolExecutor(
        processes or os.cpu_count(), mp_context=multiprocessing.get_context("spawn")
    ) as pool:
        for done in as_completed(pool.submit(_chunk, chunk, game) for chunk in chunks):
            total.add(done.result())
            tell(total)
    return total


def _chunk(seeds: Sequence[int], game: str) -> list[Outcome]:
    return [simulate(seed, game) for seed in seeds]
