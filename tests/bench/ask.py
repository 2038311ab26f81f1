"""What a run of the bench was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Ask:
    """The sizes of all figures.

    Attributes:
        seconds: For how long is counted.
        warm_s: How long is played before that.
        tables: Of two phones each.
        rates: Actions a second, for `paced`.
        drivers: Processes that the phones are spread over.
        records: Prepared for `drain`, `replay` and `projection`.
        rules: Rules workers that drain, on Kafka.
        ended: Matches that have ended before a restart.
        live: Matches that are live at a restart.
        starts: Of each kind, of which the median counts.
        folder: Where the figures' temporary folders are made; None: where the system has them.
    """

    seconds: float
    warm_s: float
    tables: int
    rates: tuple[int, ...]
    drivers: int
    records: int
    rules: int
    ended: int
    live: int
    starts: int
    folder: Path | None
