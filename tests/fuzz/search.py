"""Looks for inputs that do what none may, within a time, in the process that it is called in."""

from __future__ import annotations

import contextlib
import gc
import mmap
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from statistics import median
from typing import Any, Final

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity
from hypothesis import strategies as st

from tests.fuzz.mutate import Mutator
from tests.fuzz.target import MESSAGE_BYTES, MOST_BYTES, Finding, Target, finding
from tests.fuzz.targets import begins_with

EXAMPLES: Final = 20  # that Hypothesis makes before the time is looked at
CORPUS: Final = 2_000
RECENT: Final = 1_001
TIMES: Final = 50  # an input may take so many times what the median takes
LEAST_NS: Final = 5_000_000  # for 4 KB, or so many lines; below it nothing counts as slow
WATCHED: Final = 5  # so many times as long it takes while each line that is reached is noted
LINES: Final = 20
AGAIN: Final = 3
_LENGTH: Final = struct.Struct("<Q")


@dataclass
class Found:
    """What came of a target.

    Attributes:
        executions: By where the inputs came from.
        seconds: That these took.
        words: How many different things became of inputs.
        median_us, slowest_us: CPU time of an input.
    """

    executions: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    words: int = 0
    median_us: float = 0.0
    slowest_us: float = 0.0
    findings: list[Finding] = field(default_factory=list)


class Slow(Exception):
    """An input took far longer than inputs do."""


class Current:
    """The input that is being fed, in memory that another process sees: if this one dies, that one
    knows of what.
    """

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, _LENGTH.size + MOST_BYTES)

    def note(self, data: bytes) -> None:
        """Note an input before it is fed."""
        self._shared[: _LENGTH.size] = _LENGTH.pack(len(data))
        self._shared[_LENGTH.size : _LENGTH.size + len(data)] = data

    def noted(self) -> bytes:
        """Return the last one."""
        (length,) = _LENGTH.unpack(self._shared[: _LENGTH.size])
        return bytes(self._shared[_LENGTH.size : _LENGTH.size + length])


class Search:
    """Feeds one target.

    Args:
        target: The target.
        seed: All that is chosen follows from it.
        current: Told each input before it is fed.
        watched: Each line of ours that is reached is noted, which takes its time.
    """

    def __init__(
        self, target: Target, seed: int, current: Current, *, watched: bool = False
    ) -> None:
        self.found = Found()
        self._target = target
        self.seed = seed
        self._chance = Random(f"{seed}/{target.name}")
        self._current = current
        self._mutator = Mutator(
            self._chance,
            lines=target.lines,
            chained=target.chained,
            most_bytes=target.most_bytes,
        )
        self._corpus: list[bytes] = []
        self._words: set[str] = set()
        self._keys: set[str] = set()
        self._times_ns: list[int] = []
        self._limit_ns = 0
        self._least_ns = LEAST_NS * (WATCHED if watched else 1)

    # ---- one input

    def feed(self, data: bytes) -> Finding | None:
        """Feed an input; return what is wrong with what became of it, the first time."""
        self._current.note(data)
        try:
            word, took_ns = self._timed(data)
            self._look_at(data, took_ns)
        except Exception as fault:
            wrong = finding(self._target.name, fault, data)
            if wrong.key in self._keys:
                return None
            self._keys.add(wrong.key)
            return wrong
        if word not in self._words and len(self._corpus) < CORPUS:
            self._words.add(word)
            self._corpus.append(data)
        return None

    def _timed(self, data: bytes) -> tuple[str, int]:
        begun = time.thread_time_ns()
        word = self._target.run(data)
        return word, time.thread_time_ns() - begun

    def _look_at(self, data: bytes, took_ns: int) -> None:
        """Raise Slow for an input that takes far too long however often it is fed."""
        if len(self._times_ns) < RECENT:
            self._times_ns.append(took_ns)
        else:
            self._times_ns[self._chance.randrange(RECENT)] = took_ns
        if self._limit_ns == 0:
            if len(self._times_ns) < RECENT // 5:
                return
            self._limit_ns = TIMES * round(median(self._times_ns))
        size = max(1, len(data) // MESSAGE_BYTES)
        if self._target.lines:
            size = max(size, data.count(b"\n") // LINES)
        limit_ns = max(self._limit_ns, self._least_ns) * size
        if took_ns > limit_ns:
            gc.collect()
            took_ns = min(self._timed(data)[1] for _ in range(AGAIN))
            if took_ns > limit_ns:
                raise Slow(f"{took_ns / 1e6:.1f} ms for {len(data)} bytes")
        self.found.slowest_us = max(self.found.slowest_us, took_ns / 1000)

    def keep(self, data: bytes) -> None:
        """Feed an input, and keep what is found."""
        wrong = self.feed(data)
        if wrong is not None:
            self.found.findings.append(wrong)

    # ---- many

    def begin(self) -> None:
        """Feed what every run begins with."""
        with self._counted("seeds", (seeds := begins_with(self._target))):
            for data in seeds:
                self.keep(data)
        self._corpus += seeds

    @contextlib.contextmanager
    def _counted(self, name: str, counted: list[Any]) -> Iterator[None]:
        begun = time.monotonic()
        try:
            yield
        finally:
            self.found.executions[name] = len(counted)
            self.found.seconds[name] = time.monotonic() - begun

    def structured(self, seconds: float) -> None:
        """Feed what Hypothesis makes by the schema; of what is wrong it finds the shortest."""
        if self._target.structure is None:
            return
        strategy = self._target.structure()
        begun, executions, batch = time.monotonic(), 0, 0
        while time.monotonic() - begun < seconds:
            wrong, fed = self._batch(strategy, f"{self.seed}/{self._target.name}/{batch}")
            self.found.findings += wrong
            executions += fed
            batch += 1
        self.found.executions["structure"] = executions
        self.found.seconds["structure"] = time.monotonic() - begun

    def _batch(self, strategy: st.SearchStrategy[bytes], seed: str) -> tuple[list[Finding], int]:
        """Feed some hundred; return the first fault by its shortest input, and how many were fed.

        Hypothesis feeds an input that was found wrong again and again, ever shorter; so it is new
        each time, until the batch is over.
        """
        last: list[Finding] = []
        fed = 0

        def one(data: bytes) -> None:
            nonlocal fed
            fed += 1
            if last:
                self._keys.discard(last[0].key)
            wrong = self.feed(data)
            if wrong is not None:
                last[:] = [wrong]
                raise AssertionError(wrong.key)

        test = hypothesis.seed(seed)(hypothesis.given(strategy)(one))
        with contextlib.suppress(AssertionError, hypothesis.errors.Flaky):
            _quietly(test)()
        self._keys |= {wrong.key for wrong in last}
        return last, fed

    def mutated(self, seconds: float) -> None:
        """Feed what is like what was fed before and brought about something new."""
        begun, executions = time.monotonic(), 0
        while time.monotonic() - begun < seconds:
            for _ in range(20):
                self.keep(self.mutate(self._pick()))
                executions += 1
        self.found.executions["mutation"] = executions
        self.found.seconds["mutation"] = time.monotonic() - begun

    def mutate(self, data: bytes) -> bytes:
        """Return an input like another."""
        return self._mutator.mutate(data, self._chance.choice(self._corpus))

    def _pick(self) -> bytes:
        """Return an input to change: one in two times of the newest."""
        if self._chance.random() < 0.5:
            return self._chance.choice(self._corpus[-20:])
        return self._chance.choice(self._corpus)

    def ended(self) -> Found:
        """Return what came of it all."""
        self.found.words = len(self._words)
        self.found.median_us = median(self._times_ns or [0]) / 1000
        return self.found


def _quietly(test: Callable[[], None]) -> Callable[[], None]:
    return hypothesis.settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        verbosity=Verbosity.quiet,
        print_blob=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=[*HealthCheck],
    )(test)
