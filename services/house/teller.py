"""How far long work has come, on standard error."""

from __future__ import annotations

import sys

import click


class Teller:
    """Says it in one line of a terminal; elsewhere in tenths.

    Args:
        quiet_below: Fewer than that are done before anybody asks how far it is.
        what: Is counted.
    """

    def __init__(self, quiet_below: int = 0, what: str = "records") -> None:
        self._alone = sys.stderr.isatty()
        self._quiet_below = quiet_below
        self._what = what
        self._said = -1

    def tell(self, done: int, total: int) -> None:
        """Take how many are done, of how many as far as is known."""
        if total < self._quiet_below:
            return
        percent = 100 if total == 0 else min(100, done * 100 // total)
        percent = percent if self._alone else percent // 10 * 10
        if percent != self._said:
            self._said = percent
            text = f"{percent} % of {total} {self._what}"
            click.echo(f"\r\x1b[K{text}" if self._alone else text, err=True, nl=not self._alone)

    def clear(self) -> None:
        """Leave nothing behind on a terminal."""
        if self._alone and self._said >= 0:
            click.echo("\r\x1b[K", err=True, nl=False)
