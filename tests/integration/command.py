"""The command `sahrat` as a person calls it: each call is a process of its own.

To load what a command needs takes longer than most of them run, and tests call some hundreds. So a
process that has loaded it all is forked for each. `tests/unit/house/test_start.py` starts every
command as a person does, from nothing.
"""

from __future__ import annotations

import multiprocessing
import os
import pkgutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from services.house import commands
from services.house.cli import main

LIMIT_S: Final = 300
FILES: Final = ("in", "out", "err")  # by their file descriptors: 0, 1, 2

_forked = multiprocessing.get_context("forkserver")
_forked.set_forkserver_preload(
    [f"{commands.__name__}.{module.name}" for module in pkgutil.iter_modules(commands.__path__)]
)


class Call(NamedTuple):
    """What a process is given when it is started."""

    arguments: Sequence[str]
    environment: dict[str, str]
    folder: Path
    files: Path


def sahrat(*arguments: str, stdin: bytes = b"", limit_s: float = LIMIT_S) -> tuple[int, bytes, str]:
    """Run a command: (exit code, standard output, standard error)."""
    with tempfile.TemporaryDirectory(prefix="sahrat-command-") as name:
        files = Path(name)
        for path, content in zip(FILES, (stdin, b"", b""), strict=True):
            (files / path).write_bytes(content)
        call = Call(arguments, dict(os.environ), Path.cwd(), files)
        process = _forked.Process(target=_run, args=(call,))
        process.start()
        try:
            process.join(limit_s)
            assert process.exitcode is not None, f"{arguments} takes over {limit_s} s"
        finally:
            process.kill()
            process.join()
        return process.exitcode, (files / "out").read_bytes(), (files / "err").read_text()


def _run(call: Call) -> None:
    """Be the process."""
    for number, name in enumerate(FILES):
        os.dup2(os.open(call.files / name, os.O_RDWR), number)
    sys.stdin = os.fdopen(0, encoding="utf-8")
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8") for number in (1, 2))
    os.environ.clear()
    os.environ.update(call.environment)
    os.chdir(call.folder)
    try:
        main(list(call.arguments))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def play(url: str, *options: str) -> tuple[int, dict[str, Any], str]:
    """Play matches at a house: (exit code, what `--json` says, standard error)."""
    code, out, err = sahrat("play", "--url", url, "--json", *options)
    return code, orjson.loads(out) if out else {}, err
