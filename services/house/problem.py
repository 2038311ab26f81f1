"""What ends a command, as one line."""

from __future__ import annotations

import click

from sahrat.runtime.exits import Exit


class Problem(click.ClickException):
    """Ends a command: one line that says what is wrong and what to do, and an exit code.

    Args:
        message: Any text; its lines are joined.
        code: How the process ends.
    """

    def __init__(self, message: str, code: Exit = Exit.USAGE) -> None:
        super().__init__(" ".join(message.split()))
        self.exit_code = int(code)
