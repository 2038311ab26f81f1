"""What the workers write, put into one stream: whole lines, each with its worker's name."""

from __future__ import annotations

import sys
from typing import BinaryIO, Final

import orjson

from sahrat.runtime.settings import LogForm

NAME_WIDTH: Final = 12


class Lines:
    """Writes lines in the house's form.

    In JSON a worker's own lines pass as they are, since they name their service; what else it says
    (the interpreter's last words) becomes such a line. For people each line begins with the name.
    """

    def __init__(self, form: LogForm, out: BinaryIO | None = None) -> None:
        self._form = form
        self._out = sys.stderr.buffer if out is None else out

    def say(self, worker: str, line: bytes) -> None:
        """Write one line of a worker, given without its end."""
        if self._form == "console":
            line = worker.ljust(NAME_WIDTH).encode() + b" " + line
        elif not line.startswith(b"{"):
            said = {"level": "error", "service": worker, "event": line.decode(errors="replace")}
            line = orjson.dumps(said)
        self._out.write(line + b"\n")
        self._out.flush()
