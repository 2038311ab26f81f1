"""The command `sahrat` as a person calls it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import orjson

LIMIT_S = 300


def sahrat(*arguments: str, stdin: bytes = b"", limit_s: float = LIMIT_S) -> tuple[int, bytes, str]:
    """Run a command: (exit code, standard output, standard error)."""
    done = subprocess.run(
        [sys.executable, "-m", "services.house", *arguments],
        input=stdin,
        capture_output=True,
        timeout=limit_s,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr.decode()


def play(url: str, *options: str) -> tuple[int, dict[str, Any], str]:
    """Play matches at a house: (exit code, what `--json` says, standard error)."""
    code, out, err = sahrat("play", "--url", url, "--json", *options)
    return code, orjson.loads(out) if out else {}, err
