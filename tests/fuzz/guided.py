"""Coverage as a guide, where atheris is installed: what reaches new code is changed further."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fuzz.coverage import LIBRARY
from tests.fuzz.search import Search
from tests.fuzz.target import Target
from tests.fuzz.targets import begins_with


def guided(
    search: Search, target: Target, seconds: float, folder: Path, done: Callable[[], Any]
) -> None:
    """Feed a target until the time is over, then call `done`, which must end the process: the
    library never returns. The folder is for its inputs.
    """
    atheris = importlib.import_module(LIBRARY)
    begun = time.monotonic()
    executions = 0

    def one(data: bytes) -> None:
        nonlocal executions
        search.keep(data)
        executions += 1
        if time.monotonic() - begun >= seconds:
            search.found.executions["coverage"] = executions
            search.found.seconds["coverage"] = time.monotonic() - begun
            done()

    def mutate(data: bytes, most: int, number: int) -> bytes:
        if number % 2:
            return bytes(atheris.Mutate(data, most))[:most]
        return search.mutate(data)[:most]

    for number, data in enumerate(begins_with(target)):
        (folder / str(number)).write_bytes(data)
    options = (
        f"-seed={search.seed % 2**31 + 1}",
        f"-max_len={target.most_bytes}",
        f"-artifact_prefix={folder}/",
        "-timeout=86400",  # whoever waits for this process sees to that
        "-rss_limit_mb=0",
        "-detect_leaks=0",
        "-verbosity=0",
    )
    atheris.Setup(["fuzz", str(folder), *options], one, custom_mutator=mutate)
    atheris.Fuzz()
