"""Runs each target in a process of its own, so that one which dies is seen, and of what."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.fuzz import guided
from tests.fuzz.search import Current, Found, Search
from tests.fuzz.target import Finding, Target

AT_ONCE: Final = 2
STRUCTURE: Final = 0.25  # of the time, where there is one: it makes a hundred a second
HANG_S: Final = 60.0  # beyond its time; then a process is ended, and its last input is a finding
LOOK_S: Final = 0.05
_FORK: Final = multiprocessing.get_context("fork")  # what was imported need not be again


@dataclass
class Worker:
    """A target's process.

    Attributes:
        exited: With what it ended, where it should not have; None for one that did its work.
    """

    target: Target
    current: Current
    folder: TemporaryDirectory[str]
    pipe: Connection
    process: multiprocessing.context.ForkProcess
    until_s: float
    found: Found | None = None
    exited: int | str | None = None


def run(targets: Sequence[Target], seed: int, seconds: float, *, guide: bool) -> Iterator[Worker]:
    """Feed all targets, each for the same time, `seconds` in all; yield each that is done."""
    each_s = seconds * min(AT_ONCE, len(targets)) / len(targets)
    waiting, running = [*targets], list[Worker]()
    try:
        while waiting or running:
            while waiting and len(running) < AT_ONCE:
                running.append(_start(waiting.pop(0), seed, each_s, guide=guide))
            for worker in [*running]:
                if _is_done(worker):
                    running.remove(worker)
                    yield worker
            time.sleep(LOOK_S)
    finally:
        for worker in running:
            worker.process.kill()
            worker.folder.cleanup()


def _start(target: Target, seed: int, seconds: float, *, guide: bool) -> Worker:
    receiving, sending = _FORK.Pipe(duplex=False)
    current = Current()
    folder = TemporaryDirectory(prefix="sahrat-fuzz-")
    search = Search(target, seed, current, watched=guide)
    process = _FORK.Process(
        target=_work, args=(search, target, seconds, Path(folder.name), sending, guide), daemon=True
    )
    process.start()
    sending.close()
    until_s = time.monotonic() + seconds + HANG_S
    return Worker(target, current, folder, receiving, process, until_s)


def _is_done(worker: Worker) -> bool:
    """Tell whether a worker has said what it found, or has ended without, or must be ended."""
    late = time.monotonic() > worker.until_s
    ended = not worker.process.is_alive()  # looked at first: what it said before can be read then
    try:
        if worker.found is None and worker.pipe.poll():
            worker.found = worker.pipe.recv()
    except EOFError:
        ended = True
    if worker.found is None and not ended and not late:
        return False
    if late:
        worker.process.kill()
    worker.process.join()
    if worker.found is None or worker.process.exitcode:
        worker.exited = "it hung" if late else worker.process.exitcode
        worker.found = worker.found or Found()
        data, what = worker.current.noted(), f"the process ended: {worker.exited}; {_said(worker)}"
        worker.found.findings.append(Finding(worker.target.name, "exit", what, data))
    worker.pipe.close()
    worker.folder.cleanup()
    return True


def _said(worker: Worker) -> str:
    """Return the last line that a process wrote."""
    try:
        text = (Path(worker.folder.name) / "said").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return (text.split("\n")[-2:] or [""])[0][:300]


def _work(
    search: Search, target: Target, seconds: float, folder: Path, pipe: Connection, guide: bool
) -> None:
    """Feed a target for so long, in the process that was made for it."""
    with (folder / "said").open("wb") as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
    begun = time.monotonic()
    search.begin()
    search.structured(seconds * STRUCTURE)
    left_s = max(0.5, seconds - (time.monotonic() - begun))
    inputs = folder / "inputs"
    inputs.mkdir()
    if guide:
        guided.guided(search, target, left_s, inputs, _teller(search, pipe))
    search.mutated(left_s)
    _teller(search, pipe)()


def _teller(search: Search, pipe: Connection) -> Callable[[], None]:
    def tell() -> None:
        pipe.send(search.ended())
        pipe.close()
        os._exit(0)

    return tell
