"""Says on standard error how far `sahrat play` is: the matches as they begin and end, and between
that how much has been played.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Final

import click

from services.house.counted import counted
from services.house.play import Played, Watcher

EVERY_S: Final = 10.0
CLEAR: Final = "\r\x1b[K"


class Progress(Watcher):
    """On a terminal the last line is written anew all the time; elsewhere there is one every 10 s.

    Args:
        matches: How many are to be played.
        now_s: Any clock.
    """

    def __init__(self, matches: int, now_s: Callable[[], float] = time.monotonic) -> None:
        self._matches = matches
        self._over = 0
        self._problems = 0
        self._alone = sys.stderr.isatty()
        self._now_s = now_s
        self._said_s = now_s()

    def began(self, match_id: str) -> None:
        """Say which match it is, so that it can be looked at meanwhile."""
        self.clear()
        click.echo(f"{match_id} begins", err=True)

    def going(self, records: int, acts: int) -> None:
        """Say how far all matches are, if it is time."""
        if not self._alone and self._now_s() - self._said_s < EVERY_S:
            return
        self._said_s = self._now_s()
        text = (
            f"{self._over} of {counted(self._matches, 'match', 'matches')} over, "
            f"{counted(records, 'record')}, {counted(acts, 'act')} of phones{self._wrong()}"
        )
        click.echo(f"{CLEAR}{text}" if self._alone else text, err=True, nl=not self._alone)

    def ended(self, played: Played) -> None:
        """Take a match that is over."""
        self._over += 1
        self._problems += len(played.problems)
        self.clear()
        end = played.end or "is not over"
        what = f"{played.match_id} {end}" if played.match_id else "no table was opened"
        click.echo(f"{self._over}/{self._matches} {what}{self._wrong()}", err=True)

    def clear(self) -> None:
        """Leave nothing behind on a terminal."""
        if self._alone:
            click.echo(CLEAR, err=True, nl=False)

    def _wrong(self) -> str:
        return f", {counted(self._problems, 'problem')}" if self._problems else ""
