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
        tables: Of two phones each; `saturated` is measured with each of these numbers.
        games: What is played, for `saturated`: names in `play.GAMES`.
        rates: Actions a second, for `paced`.
        drivers: Processes that the phones are spread over.
        records: Prepared for `drain`, `replay` and `projection`.
        rules: Rules workers, on Kafka; `saturated` and `drain` are measured with each of these
            numbers.
        ended: Matches that have ended before a restart.
        live: Matches that are live at a restart.
        open: Tables that wait for players beside those that play, for `open`.
        spectators: Of one table.
        rebuilt: Records that the read models are made anew from.
        starts: Of each kind, of which the median counts.
        folder: Where the figures' temporary folders are made; None: where the system has them.
    """

    seconds: float
    warm_s: float
    tables: tuple[int, ...]
    games: tuple[str, ...]
    rates: tuple[int, ...]
    drivers: int
    records: int
    rules: tuple[int, ...]
    ended: int
    live: int
    open: tuple[int, ...]
    spectators: int
    rebuilt: int
    starts: int
    folder: Path | None
